// `kernelsmith-worker --check`: whether the card that a configuration names can do its work on this host.
#pragma once

#include <ostream>

#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::worker {

// Prints [{"name", "ok", "detail", "advice"}, ...]. Returns 0 if every step is well, else 1. Needs no coordinator.
int CheckCard(const config::v1::WorkerConfig& config, std::ostream& out);

}  // namespace kernelsmith::worker
