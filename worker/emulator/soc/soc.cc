#include "worker/emulator/soc/soc.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "worker/emulator/trace/names.h"

namespace kernelsmith::emulator {
namespace {

using google::protobuf::FieldDescriptor;

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  std::string text;
};

absl::Status Wrong(const std::string& field, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("field ", field, " ", what));
}

absl::Status ValidateInstruction(const v1::InstructionCost& cost, std::set<std::string>& seen) {
  const std::string field = absl::StrCat("instruction \"", cost.compute(), "\"");
  if (cost.compute() != "Default" && !ComputeByName(cost.compute())) return Wrong(field, "names no operation");
  if (!cost.element().empty() && !ElementByName(cost.element())) return Wrong(field, "names no element type");
  if (!std::isfinite(cost.start_cycles()) || cost.start_cycles() < 0 || !std::isfinite(cost.per_repeat_cycles()) ||
      cost.per_repeat_cycles() < 0) {
    return Wrong(field, "has a negative cost");
  }
  if (cost.source().empty()) return Wrong(field, "gives no source");
  if (!seen.insert(absl::StrCat(cost.compute(), "/", cost.element())).second) return Wrong(field, "is given twice");
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateSoc(const v1::Soc& soc) {
  const auto* descriptor = v1::Soc::descriptor();
  const auto* reflection = v1::Soc::GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    if (field->is_repeated()) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        if (reflection->GetString(soc, field).empty()) return Wrong(field->name(), "is missing");
        break;
      case FieldDescriptor::CPPTYPE_INT32:
        if (reflection->GetInt32(soc, field) <= 0) return Wrong(field->name(), "must be positive");
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        if (reflection->GetInt64(soc, field) <= 0) return Wrong(field->name(), "must be positive");
        break;
      default: {
        const auto& figure = static_cast<const v1::Figure&>(reflection->GetMessage(soc, field));
        if (!std::isfinite(figure.value()) || figure.value() <= 0) return Wrong(field->name(), "must be positive");
        if (figure.source().empty()) return Wrong(field->name(), "gives no source (a document, or \"fitted\")");
      }
    }
  }
  if (soc.ub_reserved_bytes() >= soc.ub_bytes()) return Wrong("ub_reserved_bytes", "leaves nothing of ub_bytes");
  if (soc.repeat_bytes() % soc.block_bytes() != 0) return Wrong("repeat_bytes", "is no multiple of block_bytes");
  if (soc.queue_depth().value() > 1024) return Wrong("queue_depth", "is above 1024");
  if (soc.aiv_cores() > 1024 || soc.aic_cores() > 1024) return Wrong("aiv_cores", "or aic_cores is above 1024");
  std::set<std::string> seen;
  for (const v1::InstructionCost& cost : soc.instruction()) {
    if (absl::Status status = ValidateInstruction(cost, seen); !status.ok()) return status;
  }
  if (seen.count("Default/") == 0) return Wrong("instruction", "has no entry \"Default\" for any element");
  return absl::OkStatus();
}

absl::StatusOr<v1::Soc> LoadSoc(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    return absl::NotFoundError(absl::StrCat("SoC file ", path, " cannot be read; check the toolkit's data/soc"));
  }
  v1::Soc soc;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text.str(), &soc)) {
    return absl::InvalidArgumentError(absl::StrCat("SoC file ", path, ", ", error.text));
  }
  if (absl::Status status = ValidateSoc(soc); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("SoC file ", path, ": ", status.message()));
  }
  return soc;
}

absl::StatusOr<v1::Soc> LoadSocByName(const std::string& folder, const std::string& name) {
  std::vector<std::string> known;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(folder, ignored)) {
    if (file.path().extension() == ".textproto") known.push_back(file.path().stem().string());
  }
  std::sort(known.begin(), known.end());
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    return absl::NotFoundError(absl::StrCat("no SoC \"", name, "\" in ", folder, "; there ",
                                            known.empty() ? "is none" : "are " + absl::StrJoin(known, ", ")));
  }
  absl::StatusOr<v1::Soc> soc = LoadSoc((std::filesystem::path(folder) / (name + ".textproto")).string());
  if (soc.ok() && soc->name() != name) {
    return absl::InvalidArgumentError(
        absl::StrCat("SoC file ", name, ".textproto in ", folder, " describes ", soc->name(), "; rename it"));
  }
  return soc;
}

}  // namespace kernelsmith::emulator
