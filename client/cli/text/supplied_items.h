// Which items memory gave to a proposer, in prompt order.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

struct SuppliedItem {
  std::string id;
  std::string title;  // the id, where there is no title
};

std::vector<SuppliedItem> SuppliedItems(const v1::ContextSupplied& supplied);

}  // namespace kernelsmith::client
