#include "server/proposers/catalog/transposition.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/attributes.h"

namespace kernelsmith::server {
namespace {

bool IsCopy(const v1::OpNode& node) {
  return node.op() == "contiguous" || node.op() == "clone" || node.op() == "identity";
}

bool IsLeaf(const v1::OpNode& node) {
  return node.op() == "input" || node.op() == "parameter" || node.op() == "constant";
}

}  // namespace

bool IsTransposition(const v1::OpNode& node) {
  static const auto* const names = new std::set<std::string>{"t", "T", "mT", "transpose", "permute", "swapaxes"};
  if (names->contains(node.op())) return true;
  const std::string attribute = TextAttribute(node, "arg1").value_or("");
  return node.op() == "getattr" && (attribute == "T" || attribute == "mT");
}

std::vector<int64_t> PermutationOf(const v1::OpNode& node, int rank) {
  std::vector<int64_t> dims;
  if (rank < 2) return dims;
  if (node.op() == "permute") {
    dims = IntegersAttribute(node, "dims").value_or(std::vector<int64_t>{});
  } else {
    dims.resize(static_cast<size_t>(rank));
    std::iota(dims.begin(), dims.end(), 0);
    auto a = static_cast<int>(NumberAttribute(node, "dim0").value_or(rank - 2));
    auto b = static_cast<int>(NumberAttribute(node, "dim1").value_or(rank - 1));
    a = a < 0 ? a + rank : a;
    b = b < 0 ? b + rank : b;
    if (a < 0 || a >= rank || b < 0 || b >= rank) return {};
    std::swap(dims[a], dims[b]);
  }
  for (int64_t& d : dims) d = d < 0 ? d + rank : d;
  std::vector<int64_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  for (int d = 0; d < rank; ++d) {
    if (static_cast<int>(sorted.size()) != rank || sorted[d] != d) return {};
  }
  return dims;
}

bool IsPureTransposition(const v1::TaskSpec& task) {
  int transpositions = 0;
  for (const v1::OpNode& node : task.graph()) {
    if (IsLeaf(node) || node.op() == "output" || IsCopy(node)) continue;
    if (!IsTransposition(node)) return false;
    ++transpositions;
  }
  return transpositions > 0;
}

absl::StatusOr<Transposition> ReadTransposition(const v1::TaskSpec& task, const v1::TaskCase& first) {
  const auto refuse = [](const std::string& why) {
    return absl::FailedPreconditionError(absl::StrCat("The catalog cannot express this transposition: ", why, "."));
  };
  if (first.inputs_size() != 1 || first.outputs_size() != 1) return refuse("it has more than one tensor on a side");
  const v1::TensorDescriptor& input = first.inputs(0);
  const int rank = input.shape_size();
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::string last = input.name();
  for (const v1::OpNode& node : task.graph()) {
    if (IsLeaf(node)) continue;
    if (node.inputs_size() != 1 || node.inputs(0) != last) return refuse("its nodes do not form a chain");
    if (node.op() == "output") continue;
    last = node.name();
    if (IsCopy(node)) continue;
    const std::vector<int64_t> dims = PermutationOf(node, rank);
    if (dims.empty()) return refuse(absl::StrCat("node '", node.name(), "' names dimensions that do not exist"));
    std::vector<int64_t> next;
    for (const int64_t d : dims) next.push_back(order[d]);
    order = next;
  }
  // order = 0 .. b-1, c .. rank-1, b .. c-1
  Transposition result;
  result.dtype = input.dtype();
  result.rank = rank;
  int b = 0;
  while (b < rank && order[b] == b) ++b;
  if (b == rank) return refuse("it leaves the tensor as it is");
  const auto c = static_cast<int>(order[b]);
  for (int d = b; d < rank; ++d) {
    const int from = d - b < rank - c ? c + (d - b) : b + (d - b - (rank - c));
    if (order[d] != from) return refuse("it is not a swap of two adjacent groups of dimensions at the end");
  }
  result.rows_begin = b;
  result.columns_begin = c;
  return result;
}

}  // namespace kernelsmith::server
