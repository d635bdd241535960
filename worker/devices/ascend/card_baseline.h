// The PyTorch baseline on an Ascend card: whether there is one, and how its process reaches the card.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "worker/devices/ascend/ascend_process.h"
#include "worker/reference/baseline_card.h"

namespace kernelsmith::worker {

// With a torch_npu for the system's Python that can use this card. FAILED_PRECONDITION says why there is no baseline:
// on an emulated card always, for torch_npu talks to a real driver.
absl::StatusOr<BaselineCard> FindCardBaseline(const AscendCardOptions& options, bool emulated);

// The same card with the version of its torch_npu, imported and pointed at the card once by `python` in a jail.
absl::StatusOr<BaselineCard> TryCardBaseline(BaselineCard card, const std::string& python);

}  // namespace kernelsmith::worker
