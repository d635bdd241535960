// The libFuzzer program of a target. Inputs are serialised messages.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/message_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace kernelsmith::fuzz {
namespace {

Target& TheTarget() {
  static Target& target = *MakeTarget().release();  // lives as long as the process
  return target;
}

void MutateByLibFuzzer(std::string& bytes, Chance& chance) {
  if (chance() % 2 == 0) return MutateBytes(bytes, chance);
  const size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
}

}  // namespace
}  // namespace kernelsmith::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kernelsmith::fuzz;  // NOLINT
  const auto input = TheTarget().Empty();
  if (!input->ParseFromArray(data, static_cast<int>(size))) return -1;
  TheTarget().Run(*input);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  using namespace kernelsmith::fuzz;  // NOLINT
  Chance chance(seed);
  const auto input = TheTarget().Empty();
  if (!input->ParseFromArray(data, static_cast<int>(size))) input->Clear();
  MutateMessage(*input, chance, MutateByLibFuzzer);
  const std::string bytes = input->SerializeAsString();
  if (bytes.size() > max_size) return size;
  bytes.copy(reinterpret_cast<char*>(data), bytes.size());
  return bytes.size();
}
