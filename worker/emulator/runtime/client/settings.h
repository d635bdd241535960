// Which cards this process sees: from the environment and from the toolkit root that the library lies in.
//
//   KERNELSMITH_EMULATED_SOC      name of a file in <root>/data/soc, default Ascend910B3
//   KERNELSMITH_EMULATED_DEVICES  cards of the machine, default 8
//   KERNELSMITH_EMULATED_MEMORY   bytes per card, default a quarter of this machine's memory; never more than the SoC's
//   ASCEND_RT_VISIBLE_DEVICES     cards to show, "0,2"; card 0 of the process is the first of them
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernelsmith::emulator::acl {

// What the library itself needs to know of a SoC (soc/soc.proto has the rest).
struct SocSummary {
  std::string name;
  int64_t npu_arch_number = 0;
  int64_t aic_cores = 0;
  int64_t aiv_cores = 0;
  int64_t memory_bytes = 0;
  int64_t l2_bytes = 0;
  int64_t ub_bytes = 0;
};

// Reads the plain fields of a text proto of Soc. Nothing if name, cores or memory are missing.
std::optional<SocSummary> ParseSocSummary(std::string_view text_proto);

// Numbers of the cards to show: ASCEND_RT_VISIBLE_DEVICES up to its first entry that is no card, was named before or is
// no number. Without the variable, all.
std::vector<int> VisibleDevices(const char* variable, int devices);

struct Settings {
  std::string root;               // of the toolkit
  std::string soc_path;           // text proto
  std::optional<SocSummary> soc;  // nothing: there is no such file, or it is damaged
  std::vector<int> devices;       // number on the machine, by number in the process
  uint64_t memory_bytes = 0;      // of a card, a multiple of 2 MiB; limits of the process respected
};

// As the environment is now.
Settings ReadSettings();

}  // namespace kernelsmith::emulator::acl
