// Single memory items, what was recorded, and counts, as text.
#pragma once

#include <string>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

std::string ItemText(const v1::Item& item);
// What was mined, before or after it is stored.
std::string InsightText(const v1::ItemContent& content);
std::string RecordedText(const v1::RecordItemResponse& recorded);
std::string StatsText(const v1::StatsResponse& stats);
std::string VerifyText(const v1::VerifyProgress& verdict);

}  // namespace kernelsmith::client
