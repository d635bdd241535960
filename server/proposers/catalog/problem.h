// What the catalog can solve, in its own terms: a Program of element-wise functions and reductions, or a matrix product
// with a Program as its epilogue, or a change of the order of dimensions.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/task.pb.h"
#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

class CatalogTarget;

enum class Family { kElementwise, kRowReduction, kMatmul, kTransposition };

// "elementwise", "row_reduction", "matmul" or "other", as in TaskSpec.family.
std::string FamilyName(Family family);

// C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n].
struct Product {
  int a = 0;  // positions among the call's inputs
  int b = 0;
  v1::DType a_dtype = v1::FP32;
  v1::DType b_dtype = v1::FP32;
  bool a_transposed = false;  // the tensor's last two dimensions are [k, m]
  bool b_transposed = false;  // [n, k], as the weight of a linear layer
  int a_rank = 2;
  int b_rank = 2;        // 2 with a_rank > 2: the leading dimensions of A join m
  bool batched = false;  // both have the same leading dimensions
};

// Swaps two adjacent groups of dimensions: [batch, rows, columns] becomes [batch, columns, rows].
struct Transposition {
  v1::DType dtype = v1::FP32;
  int input = 0;  // position among the call's inputs
  int rank = 2;
  int rows_begin = 0;     // the batch is [0, rows_begin)
  int columns_begin = 1;  // rows are [rows_begin, columns_begin), columns the rest
};

struct Problem {
  const CatalogTarget* target = nullptr;
  Family family = Family::kElementwise;
  std::string summary;  // the operations in order, for a candidate's head comment: "softmax"
  // The whole operator, or the epilogue of `product`, whose space is then m (outer) x n (reduced).
  Program program;
  // The same with statistics (softmax's maximum and sum, a variance) gathered in one pass; equal to `program` if it has
  // none.
  Program single_pass;
  Product product;
  Transposition transposition;
  int input_count = 0;
  bool strided = false;  // a case has a tensor that is not in row-major order, so tensors are copied before and after
};

// Understands the graph of `task` with the shapes of its first visible case. FAILED_PRECONDITION names the node that no
// family knows, that is used in a way the catalog cannot express, or the kind of card it writes nothing for.
absl::StatusOr<Problem> Understand(const v1::TaskSpec& task, const std::string& card_kind = "cpu");

}  // namespace kernelsmith::server
