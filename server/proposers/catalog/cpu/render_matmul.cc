#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/cpu/prelude.h"
#include "server/proposers/catalog/cpu/renderers.h"
#include "server/proposers/catalog/cpu/value_text.h"
#include "server/proposers/catalog/cpu/vector_math.h"
#include "server/proposers/catalog/operators.h"

namespace kernelsmith::server {
namespace {

int64_t RoundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

class MatmulWriter {
 public:
  MatmulWriter(const Problem& problem, const Parameters& schedule, Text* text)
      : program_(problem.program), product_(problem.product), schedule_(schedule), text_(*text), problem_(problem) {
    loops_ = schedule.at("loops");
    tiled_ = loops_ == "tiled";
    lanes_ = tiled_ ? Number("lanes") : 1;
    pack_a_ = schedule.at("pack_a") == "yes" || product_.a_dtype != v1::FP32;
    threads_ = schedule.at("threads") == "all";
  }

  void Write() {
    std::set<v1::DType> types = TypesOf(program_);
    types.insert(product_.a_dtype);
    types.insert(product_.b_dtype);
    text_.Raw(ScalarText(types, false));
    text_.Raw(CheckText());
    text_.Raw(VectorText(types, lanes_, false));
    text_.Raw(VectorMathText(VectorFunctionsOf(program_, tiled_), lanes_));
    text_.Raw(ParallelText(threads_, /*dynamic=*/false));
    WriteArguments();
    WriteFinish();
    if (tiled_) {
      WriteTiled();
    } else if (loops_ == "reordered") {
      WriteReordered();
    } else {
      WriteNaive();
    }
    text_.Raw("\n}  // namespace\n\n");
    WriteEntry();
  }

 private:
  int Number(const std::string& key) const {
    int value = 0;
    return absl::SimpleAtoi(schedule_.at(key), &value) ? value : 0;
  }
  std::string Threads() const { return threads_ ? "std::min(a.threads, 1 + a.batch * a.m * a.n * a.k / 65536)" : "1"; }

  void WriteArguments() {
    text_.Raw("\n// C[b, i, j] = sum over p of A[b, i, p] * B[b, p, j], then the epilogue.\n");
    text_.Open("struct Arguments {");
    text_.Line("int64_t batch, m, n, k;");
    text_.Line("const ", TypeName(product_.a_dtype), "* left;");
    text_.Line("int64_t left_batch, left_row, left_column;  // elements a step");
    text_.Line("const ", TypeName(product_.b_dtype), "* right;");
    text_.Line("int64_t right_batch, right_row, right_column;");
    for (const InputLayout& input : program_.inputs) {
      text_.Line("const ", TypeName(input.dtype), "* in", input.input, ";");
      if (NeedsOuterIndex(program_, input)) text_.Line("int64_t each", input.input, ", count", input.input, ";");
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      text_.Line(TypeName(program_.outputs[i].dtype), "* out", i, ";");
    }
    text_.Line("int64_t threads;");
    text_.Close("};");
  }

  std::string Ref(int v) const {
    const Value& value = program_.values[v];
    if (value.kind == ValueKind::kConstant) return absl::StrCat("splat(", RealLiteral(value.number, false), ")");
    return absl::StrCat("v", v);
  }

  void WriteFinish() {
    text_.Raw(
        "\n// Columns [j, j + count) of row o of all batches: the epilogue and the store.\n"
        "template <bool kWhole>\n");
    text_.Open(
        "inline void finish(const Arguments& a, int64_t o, int64_t j, vec product, [[maybe_unused]] int64_t count) {");
    for (size_t v = 0; v < program_.values.size(); ++v) {
      const Value& value = program_.values[v];
      std::string expression;
      if (value.kind == ValueKind::kProduct) {
        expression = "product";
      } else if (value.kind == ValueKind::kCount) {
        expression = "splat(real(a.n))";
      } else if (value.kind == ValueKind::kMap) {
        std::vector<std::string> args;
        for (int arg : value.args) args.push_back(Ref(arg));
        expression = VectorMapText(value, args, tiled_);
      } else if (value.kind == ValueKind::kLoad) {
        const std::string row = value.over.outer ? OuterIndexText(program_, value, "o") : "0";
        if (value.over.reduced) {
          const std::string at =
              absl::StrCat("a.in", value.input, " + ", value.over.outer ? absl::StrCat(row, " * a.n + ") : "", "j");
          expression = absl::StrCat("kWhole ? load(", at, ") : load_first(", at, ", count)");
        } else {
          expression = absl::StrCat("splat(get(a.in", value.input, "[", row, "]))");
        }
      } else {
        continue;
      }
      text_.Line("const vec v", v, " = ", expression, ";");
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const std::string value = Ref(program_.outputs[i].value);
      text_.Open("if constexpr (kWhole) {");
      text_.Line("store(a.out", i, " + o * a.n + j, ", value, ");");
      text_.Line("} else {");
      text_.Line("store_first(a.out", i, " + o * a.n + j, ", value, ", count);");
      text_.Close();
    }
    text_.Close();
  }

  void WriteNaive() {
    text_.Raw("\n");
    text_.Open("void work(const Arguments& a) {");
    text_.Open(absl::StrCat("parallel(a.batch * a.m, ", Threads(), ", [&](int64_t first, int64_t last) {"));
    text_.Open("for (int64_t o = first; o < last; ++o) {");
    text_.Line("const auto* left = a.left + o / a.m * a.left_batch + o % a.m * a.left_row;");
    text_.Line("const auto* right = a.right + o / a.m * a.right_batch;");
    text_.Open("for (int64_t j = 0; j < a.n; ++j) {");
    text_.Line("double sum = 0;");
    text_.Open("for (int64_t p = 0; p < a.k; ++p) {");
    text_.Line("sum += double(get(left[p * a.left_column])) * get(right[p * a.right_row + j * a.right_column]);");
    text_.Close();
    text_.Line("finish<true>(a, o, j, real(sum), 1);");
    text_.Close();
    text_.Close();
    text_.Close("});");
    text_.Close();
  }

  void WriteReordered() {
    text_.Raw("\n");
    text_.Open("void work(const Arguments& a) {");
    text_.Open(absl::StrCat("parallel(a.batch * a.m, ", Threads(), ", [&](int64_t first, int64_t last) {"));
    text_.Line("std::vector<real> sums(size_t(a.n));");
    text_.Open("for (int64_t o = first; o < last; ++o) {");
    text_.Line("const auto* left = a.left + o / a.m * a.left_batch + o % a.m * a.left_row;");
    text_.Line("const auto* right = a.right + o / a.m * a.right_batch;");
    text_.Line("std::fill(sums.begin(), sums.end(), real(0));");
    text_.Open("for (int64_t p = 0; p < a.k; ++p) {");
    text_.Line("const real x = get(left[p * a.left_column]);");
    text_.Line("const auto* row = right + p * a.right_row;");
    text_.Open("if (a.right_column == 1) {");
    text_.Line("for (int64_t j = 0; j < a.n; ++j) sums[size_t(j)] += x * get(row[j]);");
    text_.Line("} else {");
    text_.Line("for (int64_t j = 0; j < a.n; ++j) sums[size_t(j)] += x * get(row[j * a.right_column]);");
    text_.Close();
    text_.Close();
    text_.Line("for (int64_t j = 0; j < a.n; ++j) finish<true>(a, o, j, sums[size_t(j)], 1);");
    text_.Close();
    text_.Close("});");
    text_.Close();
  }

  void WriteTiled() {
    const int64_t rows = Number("tile_m");
    const int64_t columns = int64_t{Number("tile_n")} * lanes_;
    text_.Raw("\n");
    text_.Line("constexpr int kTileRows = ", rows, ";  // of C held in registers");
    text_.Line("constexpr int kTileVectors = ", Number("tile_n"), ";");
    text_.Line("constexpr int kTileColumns = kTileVectors * kLanes;");
    text_.Line("constexpr int64_t kBlockRows = ", RoundUp(Number("block_m"), rows), ";  // of A packed at once");
    text_.Line("constexpr int64_t kBlockColumns = ", RoundUp(Number("block_n"), columns), ";  // of B packed at once");
    text_.Line("constexpr int64_t kBlockDepth = ", Number("block_k"), ";");
    text_.Raw(R"(
// Aligned room for packed blocks.
struct Room {
  explicit Room(int64_t n) : data(static_cast<real*>(::operator new(size_t(n) * sizeof(real), kAlign))) {}
  ~Room() { ::operator delete(data, kAlign); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  static constexpr std::align_val_t kAlign{64};
  real* data;
};

// Copies a block so that `width` elements across lie side by side for every step along the depth; missing ones are 0.
template <int kWidth, class T>
void pack(real* to, const T* from, int64_t across, int64_t across_step, int64_t depth, int64_t depth_step) {
  for (int64_t i = 0; i < across; i += kWidth, to += kWidth * depth) {
    const int64_t count = std::min<int64_t>(kWidth, across - i);
    const T* strip = from + i * across_step;
    if (count < kWidth) std::fill(to, to + kWidth * depth, real(0));
    if (across_step == 1 && count == kWidth) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int c = 0; c < kWidth; ++c) to[p * kWidth + c] = get(strip[p * depth_step + c]);
      }
    } else {
      for (int64_t c = 0; c < count; ++c) {
        for (int64_t p = 0; p < depth; ++p) to[p * kWidth + c] = get(strip[c * across_step + p * depth_step]);
      }
    }
  }
}
)");
    WriteTileFunction();
    WriteBlockLoops();
    WriteTiledWork();
  }

  void WriteTileFunction() {
    const int prefetch = Number("prefetch");
    text_.Raw("\n// One tile of C: adds the product over `depth` to what `sum` holds.\n");
    text_.Open(absl::StrCat("inline void multiply_tile(int64_t depth, const real* left, ",
                            pack_a_ ? "" : "const int64_t (&at)[kTileRows], int64_t step, ",
                            "const real* right,\n                          vec (&sum)[kTileRows][kTileVectors]) {"));
    text_.Open("for (int64_t p = 0; p < depth; ++p) {");
    text_.Line("vec b[kTileVectors];");
    if (prefetch > 0) text_.Line("__builtin_prefetch(reinterpret_cast<const char*>(right) + ", prefetch, ");");
    text_.Raw("#pragma GCC unroll 8\n");
    text_.Line("for (int v = 0; v < kTileVectors; ++v) b[v] = load(right + v * kLanes);");
    text_.Raw("#pragma GCC unroll 16\n");
    text_.Open("for (int r = 0; r < kTileRows; ++r) {");
    text_.Line("const vec x = splat(left[", pack_a_ ? "r" : "at[r]", "]);");
    text_.Raw("#pragma GCC unroll 8\n");
    text_.Line("for (int v = 0; v < kTileVectors; ++v) sum[r][v] += x * b[v];");
    text_.Close();
    text_.Line(pack_a_ ? "left += kTileRows;" : "left += step;");
    text_.Line("right += kTileColumns;");
    text_.Close();
    text_.Close();
  }

  bool PartialInOutput() const { return program_.outputs[0].dtype == v1::FP32; }

  void WriteBlockLoops() {
    text_.Raw("\n// Rows [i0, i1) and columns [j0, j1) of C in batch b.\n");
    text_.Open("void multiply(const Arguments& a, int64_t b, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {");
    text_.Line("const auto* left = a.left + b * a.left_batch;");
    text_.Line("const auto* right = a.right + b * a.right_batch;");
    if (pack_a_) text_.Line("const Room packed_left(kBlockRows * kBlockDepth);");
    text_.Line(
        "const Room packed_right(std::min(kBlockColumns, j1 - j0 + kTileColumns) * std::min(kBlockDepth, a.k));");
    if (!PartialInOutput()) {
      text_.Line(
          "const Room partial(a.k > kBlockDepth ? (i1 - i0) * kBlockColumns : 1);  // sums of earlier depth blocks");
    }
    text_.Open("for (int64_t jc = j0; jc < j1; jc += kBlockColumns) {");
    text_.Line("const int64_t columns = std::min(kBlockColumns, j1 - jc);");
    text_.Open("for (int64_t pc = 0; pc < a.k; pc += kBlockDepth) {");
    text_.Line("const int64_t depth = std::min(kBlockDepth, a.k - pc);");
    text_.Line("const bool first = pc == 0, last = pc + depth == a.k;");
    text_.Line("pack<kTileColumns>(packed_right.data, right + pc * a.right_row + jc * a.right_column, columns,");
    text_.Line("                   a.right_column, depth, a.right_row);");
    text_.Open("for (int64_t ic = i0; ic < i1; ic += kBlockRows) {");
    text_.Line("const int64_t rows = std::min(kBlockRows, i1 - ic);");
    if (pack_a_) {
      text_.Line(
          "pack<kTileRows>(packed_left.data, left + ic * a.left_row + pc * a.left_column, rows, a.left_row, depth,");
      text_.Line("                a.left_column);");
    }
    text_.Open("for (int64_t j = 0; j < columns; j += kTileColumns) {");
    text_.Open("for (int64_t i = 0; i < rows; i += kTileRows) {");
    text_.Line("const int64_t tall = std::min<int64_t>(kTileRows, rows - i);");
    if (PartialInOutput()) {
      text_.Line("real* partial = a.out0 + (b * a.m + ic + i) * a.n + jc + j;");
      text_.Line("const int64_t partial_row = a.n;");
    } else {
      text_.Line("real* sums = partial.data + (ic - i0 + i) * kBlockColumns + j;");
      text_.Line("const int64_t partial_row = kBlockColumns;");
    }
    const char* sums = PartialInOutput() ? "partial" : "sums";
    text_.Line("vec sum[kTileRows][kTileVectors] = {};");
    if (pack_a_) {
      text_.Line("multiply_tile(depth, packed_left.data + i * depth, packed_right.data + j * depth, sum);");
    } else {
      text_.Line("int64_t at[kTileRows];");
      text_.Line("for (int r = 0; r < kTileRows; ++r) at[r] = std::min<int64_t>(r, tall - 1) * a.left_row;");
      text_.Line("multiply_tile(depth, left + (ic + i) * a.left_row + pc * a.left_column, at, a.left_column,");
      text_.Line("              packed_right.data + j * depth, sum);");
    }
    text_.Open("if (tall == kTileRows && j + kTileColumns <= columns) {");
    WriteTileEnd(true, sums);
    text_.Line("} else {");
    WriteTileEnd(false, sums);
    text_.Close();
    for (int i = 0; i < 5; ++i) text_.Close();
    text_.Close();
  }

  void WriteTileEnd(bool whole, const std::string& sums) {
    if (whole) {
      text_.Raw("#pragma GCC unroll 16\n");
      text_.Open("for (int r = 0; r < kTileRows; ++r) {");
      text_.Raw("#pragma GCC unroll 8\n");
    } else {
      text_.Open("for (int r = 0; r < tall; ++r) {");
    }
    text_.Open("for (int v = 0; v < kTileVectors; ++v) {");
    text_.Line("real* at_partial = ", sums, " + r * partial_row + v * kLanes;");
    if (whole) {
      text_.Line("if (!first) sum[r][v] += load(at_partial);");
      text_.Line("if (last) finish<true>(a, b * a.m + ic + i + r, jc + j + v * kLanes, sum[r][v], kLanes);");
      text_.Line("else store(at_partial, sum[r][v]);");
    } else {
      text_.Line("const int64_t count = std::min<int64_t>(kLanes, columns - j - v * kLanes);");
      text_.Line("if (count <= 0) break;");
      text_.Line("if (!first) sum[r][v] += load_first(at_partial, count);");
      text_.Line("if (last) finish<false>(a, b * a.m + ic + i + r, jc + j + v * kLanes, sum[r][v], count);");
      text_.Line("else store_first(at_partial, sum[r][v], count);");
    }
    text_.Close();
    text_.Close();
  }

  void WriteTiledWork() {
    const bool columns = schedule_.at("split") == "columns";
    const char* extent = columns ? "a.n" : "a.m";
    const char* tile = columns ? "kTileColumns" : "kTileRows";
    text_.Raw("\n");
    text_.Open("void work(const Arguments& a) {");
    text_.Line("const int64_t threads = ", Threads(), ";");
    text_.Open("if (a.batch > 1) {");
    text_.Open("parallel(a.batch, threads, [&](int64_t begin, int64_t end) {");
    text_.Line("for (int64_t b = begin; b < end; ++b) multiply(a, b, 0, a.m, 0, a.n);");
    text_.Close("});");
    text_.Line("return;");
    text_.Close();
    text_.Line("const int64_t tiles = (", extent, " + ", tile, " - 1) / ", tile, ";");
    text_.Open("parallel(tiles, threads, [&](int64_t begin, int64_t end) {");
    text_.Line("const int64_t from = begin * ", tile, ", to = std::min<int64_t>(", extent, ", end * ", tile, ");");
    text_.Line("if (from < to) multiply(a, 0, ", columns ? "0, a.m, from, to" : "from, to, 0, a.n", ");");
    text_.Close("});");
    text_.Close();
  }

  void WriteMatrix(const std::string& name, int input, v1::DType dtype, int rank, bool transposed) {
    text_.Line("const ks_tensor& ", name, " = call->inputs[", input, "];");
    text_.Line("if (", name, ".rank != ", rank, " || ", name, ".dtype != ", TypeConstant(dtype),
               rank > 2 ? absl::StrCat(" || !row_major(", name, ")") : "", ") return 2;");
    text_.Line("a.", name, " = static_cast<const ", TypeName(dtype), "*>(", name, ".data);");
    text_.Line("a.", name, "_row = ", name, ".strides[", transposed ? rank - 1 : rank - 2, "];");
    text_.Line("a.", name, "_column = ", name, ".strides[", transposed ? rank - 2 : rank - 1, "];");
  }

  void WriteEntry() {
    const int ar = product_.a_rank;
    const int br = product_.b_rank;
    const int a_k = product_.a_transposed ? ar - 2 : ar - 1;
    const int b_k = product_.b_transposed ? br - 1 : br - 2;
    const int b_n = product_.b_transposed ? br - 2 : br - 1;
    text_.Open("extern \"C\" int ks_kernel(const ks_call* call) {");
    text_.Line("if (call->abi_version != KS_ABI_VERSION || call->n_inputs != ", problem_.input_count,
               " || call->n_outputs != ", program_.outputs.size(), ") return 1;");
    text_.Line("Arguments a{};");
    WriteMatrix("left", product_.a, product_.a_dtype, ar, product_.a_transposed);
    WriteMatrix("right", product_.b, product_.b_dtype, br, product_.b_transposed);
    text_.Line("a.k = left.shape[", a_k, "];");
    text_.Line("a.n = right.shape[", b_n, "];");
    text_.Line("if (right.shape[", b_k, "] != a.k || a.k == 0) return 2;");
    if (product_.batched) {
      text_.Line("a.m = left.shape[", product_.a_transposed ? ar - 1 : ar - 2, "];");
      text_.Line("a.batch = extent(left, 0, ", ar - 2, ");");
      text_.Line("for (int d = 0; d < ", ar - 2, "; ++d) {");
      text_.Line("  if (left.shape[d] != right.shape[d]) return 2;");
      text_.Line("}");
      text_.Line("a.left_batch = a.m * a.k;");
      text_.Line("a.right_batch = a.k * a.n;");
    } else {
      text_.Line("a.batch = 1;");
      text_.Line("a.m = ", product_.a_transposed ? "left.shape[1]" : absl::StrCat("extent(left, 0, ", ar - 1, ")"),
                 ";");
    }
    text_.Line("const ks_tensor& base = call->outputs[0];");
    text_.Line("if (base.rank != ", program_.rank, " || base.shape[", program_.rank - 1,
               "] != a.n || base.elements != a.batch * a.m * a.n) return 2;");
    for (const InputLayout& input : program_.inputs) {
      text_.Line("if (!fits(call->inputs[", input.input, "], ", TypeConstant(input.dtype), ", base, ", WholeText(input),
                 ") || !row_major(call->inputs[", input.input, "])) return 2;");
      text_.Line("a.in", input.input, " = static_cast<const ", TypeName(input.dtype), "*>(call->inputs[", input.input,
                 "].data);");
      text_.Raw(OuterIndexSetup(program_, input, "base"));
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      text_.Line("const ks_tensor& result", i, " = call->outputs[", i, "];");
      text_.Line("if (result", i, ".dtype != ", TypeConstant(program_.outputs[i].dtype), " || result", i,
                 ".elements != base.elements || !row_major(result", i, ")) return 2;");
      text_.Line("a.out", i, " = static_cast<", TypeName(program_.outputs[i].dtype), "*>(result", i, ".data);");
    }
    text_.Line("a.threads = call->cpu_count;");
    text_.Line("work(a);");
    text_.Line("return 0;");
    text_.Close();
  }

  const Program& program_;
  const Product& product_;
  const Parameters& schedule_;
  Text& text_;
  const Problem& problem_;
  std::string loops_;
  bool tiled_ = false;
  int lanes_ = 1;
  bool pack_a_ = true;
  bool threads_ = false;
};

}  // namespace

void RenderMatmul(const Problem& problem, const Parameters& schedule, Text* text) {
  MatmulWriter(problem, schedule, text).Write();
}

}  // namespace kernelsmith::server
