// Writes one kernel class of kernel.asc: where tiles are, how they come and go, and in which order. What is computed
// with a tile is left to a body: vector instructions (vector_body.h) or numbers one by one (scalar_body.h).
//
// A kernel goes through items (a group of rows, a row, a part of the lanes). Forms without steps handle an item as one
// tile; kSweep and kColumns go through an item once for each pass, a tile a step.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/proposers/catalog/ascend/layout.h"
#include "server/proposers/catalog/pass_plan.h"
#include "server/proposers/catalog/text.h"

namespace kernelsmith::server {

struct KernelOptions {
  bool prefetch = false;      // load the next tile before this one is computed
  bool bypass_cache = false;  // tensors that are read or written once do not enter the level-2 cache
};

// What the plan has to know about a kernel.
struct KernelShape {
  Form form = Form::kTiles;
  std::string name;
  Bytes in;  // of one buffer of each kind
  Bytes out;
  Bytes work;
};

// What there is to compute at one point of a kernel.
struct PassWork {
  Life life = Life::kStep;
  std::vector<int> loads;    // in the buffer that has just come in
  std::vector<int> values;   // to compute, in order; loads and reductions are not among them
  std::vector<int> reduces;  // to accumulate, or, where a tile is a whole row, to finish
  std::vector<int> outputs;  // positions of results to leave in the outgoing buffer
};

// Text positions in a kernel.
class KernelWriter {
 public:
  KernelWriter(const Program& program, Form form, std::string name, const KernelOptions& options, Text* text);
  virtual ~KernelWriter() = default;

  KernelShape Write();

 protected:
  // The whole of `work`; `in` and `out` are tensors of bytes in scope, as are m (rows), n (lanes), and `span`, the
  // elements from the first to the last of the tile.
  virtual void WriteWork(const PassWork& work) = 0;
  // Before the first step of a pass: accumulators of `reduces`, and what its steps read again and again.
  virtual void WritePassBegin(const PassWork& step) = 0;
  virtual void WritePassEnd(const PassWork& step) = 0;
  // At the end of an item: nothing of it is read any more.
  virtual void WriteItemEnd() = 0;
  // Members of the class that the body declares.
  virtual void WriteMembers() = 0;
  // Work space of the body; complete when all work is written.
  virtual Bytes WorkBytes() const = 0;

  // Where a load lies in the incoming buffer: text of a LocalTensor of its type.
  std::string InTensor(int value) const;
  std::string OutTensor(size_t output) const;
  v1::DType TypeOf(int load) const;
  Role RoleOf(int value) const { return kernelsmith::server::RoleOf(program_, value); }
  Life LifeOf(int value) const { return kernelsmith::server::LifeOf(program_, form_, value); }
  bool IsLiteral(int value) const { return kernelsmith::server::IsLiteral(program_, value); }
  // A literal value as text of type real.
  std::string LiteralText(int value) const;
  bool HasSteps() const { return form_ == Form::kSweep || form_ == Form::kColumns; }

  const Program& program_;
  const Form form_;
  Text& text_;

 private:
  void PlanWork();
  void PlanBuffers();
  void WriteInit();
  void WriteRunTiles();
  void WriteRunSteps();
  void WriteTransfers(const PassWork& work, const std::string& suffix);
  void WriteWhere(Life life);
  void WriteLoad(int value, const std::string& in);
  void WriteStore(size_t output);
  std::string GlobalOffset(int value, const std::string& row) const;
  std::string OuterIndex(int value, const std::string& outer) const;
  bool NeedsIndex(int value) const;
  std::string OutputName(size_t output) const;

  std::string name_;
  KernelOptions options_;
  PassWork kernel_;                // once
  PassWork item_;                  // at the start of an item
  std::vector<PassWork> steps_;    // of each pass
  std::vector<PassWork> between_;  // after each pass; the last one leaves the item's results
  std::map<int, Bytes> in_at_;
  std::map<size_t, Bytes> out_at_;
  Bytes in_bytes_;
  Bytes out_bytes_;
};

}  // namespace kernelsmith::server
