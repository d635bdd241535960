// Typed reading of a graph node's attributes, which are JSON literals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::server {

// The attribute `name`; nullopt if it is absent, null or of another type. JSON has no infinity: the strings "inf" and
// "-inf", and the bare words Infinity and -Infinity that Python writes, count as numbers.
std::optional<double> NumberAttribute(const v1::OpNode& node, const std::string& name);
std::optional<bool> BoolAttribute(const v1::OpNode& node, const std::string& name);
std::optional<std::string> TextAttribute(const v1::OpNode& node, const std::string& name);
// A list of integers, or one integer as a list of one.
std::optional<std::vector<int64_t>> IntegersAttribute(const v1::OpNode& node, const std::string& name);

}  // namespace kernelsmith::server
