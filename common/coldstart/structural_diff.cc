#include "common/coldstart/structural_diff.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::common {
namespace {

using Kind = Difference::Kind;

constexpr size_t kLongestStatement = 160;

Kind KindOfCall(absl::string_view name) {
  static const auto* const copies = new std::set<std::string>{
      "DataCopy", "DataCopyPad", "Copy", "memcpy", "memmove", "copy", "copy_n", "LoadData", "Fixpipe"};
  if (copies->find(std::string(name)) != copies->end()) return Kind::kCopy;
  if (absl::StartsWith(name, "PipeBarrier") || absl::StartsWith(name, "SyncAll") || name == "pipe_barrier" ||
      name == "DataSyncBarrier") {
    return Kind::kBarrier;
  }
  for (const absl::string_view flag :
       {"SetFlag", "WaitFlag", "CrossCoreSetFlag", "CrossCoreWaitFlag", "EnQue", "DeQue", "set_flag", "wait_flag"}) {
    if (name == flag || absl::StartsWith(name, absl::StrCat(flag, "<"))) return Kind::kFlag;
  }
  return Kind::kCall;
}

absl::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kLaunch:
      return "launch";
    case Kind::kTile:
      return "constant";
    case Kind::kBuffer:
      return "buffer";
    case Kind::kQueue:
      return "queue";
    case Kind::kCopy:
      return "copies";
    case Kind::kBarrier:
      return "barriers";
    case Kind::kFlag:
      return "flags";
    case Kind::kCall:
      return "calls";
    case Kind::kLoop:
      return "loops";
    case Kind::kType:
      return "types";
    case Kind::kMark:
      return "means";
  }
  return "";
}

std::string CountText(const std::map<std::string, int64_t>& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? "" : absl::StrCat(found->second);
}

std::string Valued(const std::string& text, const std::optional<int64_t>& value) {
  return value && text != absl::StrCat(*value) ? absl::StrCat(text, " = ", *value) : text;
}

class Comparison {
 public:
  Comparison(const KernelStructure& generated, const KernelStructure& expert) : a_(generated), b_(expert) {}

  std::vector<Difference> Compare() {
    Add(Kind::kLaunch, "blocks", absl::StrJoin(a_.launches, "; "), absl::StrJoin(b_.launches, "; "));
    CompareConstants();
    CompareBuffers();
    Counts(a_.calls, b_.calls, "", [](const std::string& name) { return KindOfCall(name); });
    Add(Kind::kLoop, "loops", absl::StrCat(a_.loops), absl::StrCat(b_.loops));
    Add(Kind::kLoop, "depth of the loops", absl::StrCat(a_.loop_depth), absl::StrCat(b_.loop_depth));
    Counts(a_.steps, b_.steps, "loops by ", [](const std::string&) { return Kind::kLoop; });
    Counts(a_.types, b_.types, "", [](const std::string&) { return Kind::kType; });
    Counts(a_.marks, b_.marks, "", [](const std::string&) { return Kind::kMark; });
    std::stable_sort(differences_.begin(), differences_.end(),
                     [](const Difference& left, const Difference& right) { return left.kind < right.kind; });
    return std::move(differences_);
  }

 private:
  void Add(Kind kind, std::string what, std::string before, std::string after) {
    if (before == after) return;
    differences_.push_back({kind, std::move(what), std::move(before), std::move(after)});
  }

  void CompareConstants() {
    const auto text = [](const KernelStructure& kernel, const std::string& name) {
      const auto found = kernel.constants.find(name);
      if (found == kernel.constants.end()) return std::string();
      const auto value = kernel.values.find(name);
      return Valued(found->second, value == kernel.values.end() ? std::nullopt : std::optional<int64_t>(value->second));
    };
    for (const std::string& name : Keys(a_.constants, b_.constants))
      Add(Kind::kTile, name, text(a_, name), text(b_, name));
  }

  void CompareBuffers() {
    for (const std::string& name : Keys(a_.buffers, b_.buffers)) {
      const auto before = a_.buffers.find(name);
      const auto after = b_.buffers.find(name);
      const KernelBuffer none;
      const KernelBuffer& left = before == a_.buffers.end() ? none : before->second;
      const KernelBuffer& right = after == b_.buffers.end() ? none : after->second;
      Add(Kind::kQueue, absl::StrCat("position of ", name), left.position, right.position);
      Add(Kind::kQueue, absl::StrCat("depth of ", name), left.depth ? absl::StrCat(*left.depth) : "",
          right.depth ? absl::StrCat(*right.depth) : "");
      Add(Kind::kBuffer, absl::StrCat("number of ", name), Valued(left.count, left.count_value),
          Valued(right.count, right.count_value));
      Add(Kind::kBuffer, absl::StrCat("bytes of ", name), Valued(left.bytes, left.bytes_value),
          Valued(right.bytes, right.bytes_value));
    }
  }

  template <typename KindOf>
  void Counts(const std::map<std::string, int64_t>& before, const std::map<std::string, int64_t>& after,
              const std::string& prefix, const KindOf& kind_of) {
    for (const std::string& key : Keys(before, after)) {
      Add(kind_of(key), prefix + key, CountText(before, key), CountText(after, key));
    }
  }

  template <typename Map>
  static std::set<std::string> Keys(const Map& left, const Map& right) {
    std::set<std::string> keys;
    for (const auto& entry : left) keys.insert(entry.first);
    for (const auto& entry : right) keys.insert(entry.first);
    return keys;
  }

  const KernelStructure& a_;
  const KernelStructure& b_;
  std::vector<Difference> differences_;
};

std::string Shortened(const std::string& statement) {
  if (statement.size() <= kLongestStatement) return statement;
  size_t cut = kLongestStatement;
  while (cut > 0 && (static_cast<unsigned char>(statement[cut]) & 0xC0) == 0x80) --cut;
  return statement.substr(0, cut) + "...";
}

// What `of` has more often than `than`, in order.
std::vector<std::string> Surplus(const std::vector<std::string>& of, const std::vector<std::string>& than) {
  std::map<std::string, int64_t> left;
  for (const std::string& statement : than) ++left[statement];
  std::vector<std::string> surplus;
  for (const std::string& statement : of) {
    if (--left[statement] < 0) surplus.push_back(Shortened(statement));
  }
  return surplus;
}

}  // namespace

std::vector<Difference> CompareStructures(const KernelStructure& generated, const KernelStructure& expert) {
  return Comparison(generated, expert).Compare();
}

std::string DifferenceLine(const Difference& difference) {
  const bool counted = difference.kind == Kind::kCall || difference.kind == Kind::kCopy ||
                       difference.kind == Kind::kBarrier || difference.kind == Kind::kFlag;
  const std::string what = absl::StrCat(KindName(difference.kind), ": `", difference.what, "` ");
  if (difference.before.empty()) return absl::StrCat(what, "added (", difference.after, counted ? " call sites)" : ")");
  if (difference.after.empty())
    return absl::StrCat(what, "removed (", difference.before, counted ? " call sites)" : ")");
  return absl::StrCat(what, difference.before, " -> ", difference.after, counted ? " call sites" : "");
}

StatementChanges CompareStatements(const KernelStructure& generated, const KernelStructure& expert) {
  return {.removed = Surplus(generated.statements, expert.statements),
          .added = Surplus(expert.statements, generated.statements)};
}

}  // namespace kernelsmith::common
