// A card as the daemon uses it, whatever kind it is: what it reports, what compiles for it, what runs on it.
//
// Example:
//   OpenedCard card = *OpenCard(config, lock);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/worker.pb.h"
#include "worker/devices/device_runtime.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

struct OpenedCard {
  v1::CardState state;  // without isolation, which is the host's
  std::shared_ptr<Toolchain> toolchain;
  std::shared_ptr<DeviceRuntime> runtime;
  int host_threads = 1;  // that PyTorch may use
  // Looks at the card again: health, its detail, noise floor.
  std::function<v1::CardState(v1::CardState)> check;
  // True if something happened since the last check that makes one necessary. May be empty.
  std::function<bool()> suspect;
};

// One step of trying a card.
struct CardCheckStep {
  std::string name;  // for example "cann", "ascend kernel"
  bool ok = true;
  std::string detail;  // what was found
  std::string advice;  // what to do; empty when ok
};

// Kinds that this program drives: "cpu", "ascend".
std::vector<std::string> CardKinds();

// Opens the card that the configuration names and checks it once. REQUIRES: a configuration with defaults filled in;
// the card's lock is held. INVALID_ARGUMENT for an unknown kind; FAILED_PRECONDITION without compiler or toolkit;
// UNAVAILABLE if the card does not answer.
absl::StatusOr<OpenedCard> OpenCard(const config::v1::WorkerConfig& config);

// Tries everything that the card needs, and ends at the first step that fails. Writes into config.data_dir().
std::vector<CardCheckStep> TryCard(const config::v1::WorkerConfig& config);

}  // namespace kernelsmith::worker
