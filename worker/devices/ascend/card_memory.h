// Memory of the card for one case: every tensor of every slot in an allocation of its own, between guard zones, and
// what the launches need besides. For kernelsmith-ascend-runner.
//
// An emulated card sees every access beside an allocation by itself, and names its line; guard zones would hide it, so
// there they are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/devices/ascend/acl_library.h"
#include "worker/devices/ascend/runner_protocol.h"

namespace kernelsmith::worker::acl {

// What went wrong: a code of the runtime and the call that gave it.
struct Failure {
  Error code = kSuccess;
  const char* call = "";
  bool ok() const { return code == kSuccess; }
};

class CardMemory {
 public:
  explicit CardMemory(const AclLibrary& acl) : acl_(acl) {}
  // Frees everything. Not to be destroyed after an error of the device: end the process instead.
  ~CardMemory();
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;

  // A buffer of the card with guard zones around it.
  struct Region {
    std::byte* data = nullptr;  // on the card, behind the first guard zone
    int64_t bytes = 0;
  };
  Failure Allocate(int64_t bytes, Region* region);
  // Fills the guard zones anew.
  Failure Guard(const Region& region) const;
  // Sets *intact to whether the guard zones are as Guard left them.
  Failure CheckGuards(const Region& region, bool* intact);

  Failure CopyIn(const Region& region, const std::byte* host, int64_t bytes) const;
  Failure CopyOut(std::byte* host, const Region& region, int64_t bytes) const;
  // Sets *same to whether the card's bytes equal the host's.
  Failure Compare(const Region& region, const std::byte* host, bool* same);

 private:
  int64_t guard_bytes() const { return acl_.emulated() ? 0 : 512; }

  const AclLibrary& acl_;
  std::vector<void*> allocations_;
  std::vector<std::byte> scratch_;
};

}  // namespace kernelsmith::worker::acl
