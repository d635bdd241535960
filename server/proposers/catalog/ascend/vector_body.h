// Computes tiles with vector instructions. Values of a tile lie in slots of UB that are used again when nothing reads
// them any more; values of an item or of the whole kernel have a place of their own. After each instruction that
// another one depends on stands a barrier of the vector pipe, so that nothing rests on the compiler's own barriers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/proposers/catalog/ascend/kernel_writer.h"
#include "server/proposers/catalog/ascend/vector_functions.h"

namespace kernelsmith::server {

class VectorBody : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

 protected:
  void WriteWork(const PassWork& work) override;
  void WritePassBegin(const PassWork& step) override;
  void WritePassEnd(const PassWork&) override {}
  void WriteItemEnd() override;
  void WriteMembers() override;
  Bytes WorkBytes() const override { return work_bytes_; }

 private:
  struct Operand {
    bool scalar = false;
    std::string text;
  };

  // Places.
  std::string Reserve(Role role, int element_bytes);
  std::string PlaceOf(int value);
  std::string Temporary();
  int TakeSlot();
  void FreeSlot(int slot);
  void Declare(int value);
  void DeclareAt(int value, const std::string& tensor);
  void DeclareSlot(int value);

  // Operands.
  bool OneRow() const { return form_ == Form::kChunks || form_ == Form::kSweep; }
  bool IsScalarFor(int arg, Role role) const;
  bool NeedsRowLoop(int value) const;
  std::set<int> KeptScalars(const PassWork& step) const;
  Operand OperandOf(int arg, Role role, bool loop);
  std::string Count(Role role) const;

  // Instructions.
  void Barrier() { text_.Line("PipeBarrier<PIPE_V>();"); }
  void ReadScalars(const std::vector<int>& args, Role role);
  void WriteLoads(const PassWork& work);
  void WriteMap(int value, const PassWork& work, size_t position);
  void WriteReduction(int value);
  void WriteAccumulation(int value);
  void WriteOutputs(const PassWork& work);
  bool IsDirect(int value, const PassWork& work, size_t* output) const;
  void ReleaseAfter(size_t position, const std::vector<int>& args);

  Bytes work_bytes_;
  std::map<int, std::string> places_;  // of values that keep theirs
  std::vector<std::string> slots_;
  std::vector<bool> slot_taken_;
  std::string reduce_room_;
  std::string part_room_;
  std::set<int> members_;  // scalars that live as long as an item
  bool read_in_items_ = false;

  // Of the work being written.
  Life life_ = Life::kStep;
  std::set<int> declared_;
  std::map<int, int> slot_of_;
  std::map<int, size_t> last_use_;
  std::set<int> local_scalars_;
  bool read_in_step_ = false;
};

}  // namespace kernelsmith::server
