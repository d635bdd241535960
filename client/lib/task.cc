#include "kernelsmith/client/task.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/lib/python_literal.h"
#include "common/coldstart/language.h"
#include "common/file_io.h"
#include "common/status.h"
#include "google/protobuf/util/json_util.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> Read(absl::string_view field, const std::string& path) {
  absl::StatusOr<std::string> text = common::ReadFile(path);
  if (!text.ok()) return common::InvalidField(field, text.status().message());
  return text;
}

// A task is read as text; a kernel may hold any bytes, about which its compiler has the say.
absl::StatusOr<std::string> ReadText(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, Read("task", path));
  const std::string name = fs::path(path).filename().string();
  if (!common::IsUtf8(name)) return common::InvalidField("task", "has a file name that is no UTF-8; rename it");
  if (!common::IsUtf8(text)) return common::InvalidField("task", absl::StrCat(path, " is no UTF-8 text"));
  return text;
}

absl::StatusOr<v1::TaskSource> LoadFolder(const std::string& path) {
  if (!fs::exists(fs::path(path) / "task.yaml")) {
    return common::InvalidField(
        "task",
        absl::StrCat("folder ", path, " has no task.yaml; give a KernelBench file (*.py) or a native task folder"));
  }
  v1::TaskSource task;
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string extension = entry.path().extension().string();
    const bool known = extension == ".yaml" || extension == ".py" || extension == ".md";
    if (known && entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    ASSIGN_OR_RETURN(std::string content, ReadText(file.string()));
    v1::SourceFile* source = task.mutable_native()->add_files();
    source->set_name(file.filename().string());
    source->set_content(std::move(content));
  }
  return task;
}

bool HasWord(absl::string_view text, absl::string_view word) {
  const auto part = [&](size_t at) {
    return at < text.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !part(at - 1)) && !part(at + word.size())) return true;
  }
  return false;
}

// False only if the name stands nowhere in the task: what it binds is for the worker to find out.
bool NamesConstant(const v1::TaskSource& task, absl::string_view name) {
  if (task.has_kernelbench()) return HasWord(task.kernelbench().source(), name);
  if (!task.has_native()) return true;
  return std::any_of(task.native().files().begin(), task.native().files().end(),
                     [&](const v1::SourceFile& file) { return HasWord(file.content(), name); });
}

absl::Status AddFile(const std::string& name, const std::string& path, v1::Candidate& candidate) {
  ASSIGN_OR_RETURN(std::string text, Read("candidate", path));
  if (absl::StripAsciiWhitespace(text).empty())
    return common::InvalidField("candidate", absl::StrCat(path, " is empty"));
  v1::SourceFile* file = candidate.add_files();
  file->set_name(name);
  file->set_content(std::move(text));
  return absl::OkStatus();
}

absl::StatusOr<v1::Candidate> LoadAscendCandidate(const std::string& folder) {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::ASCEND_KERNEL);
  for (const char* name : {"kernel.asc", "plan.cpp"}) {
    const std::string path = (fs::path(folder) / name).string();
    if (!fs::exists(path)) {
      return common::InvalidField("candidate",
                                  absl::StrCat("folder ", folder, " has no ", name,
                                               "; an Ascend C candidate is a folder with kernel.asc and plan.cpp"));
    }
    RETURN_IF_ERROR(AddFile(name, path, candidate));
  }
  return candidate;
}

}  // namespace

absl::StatusOr<v1::TaskSource> LoadTask(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return LoadFolder(path);
  if (!fs::exists(path, error)) return common::InvalidField("task", absl::StrCat("there is no file ", path));
  const bool json = absl::EndsWith(path, ".json");
  if (!json && !absl::EndsWith(path, ".py")) {
    return common::InvalidField("task", absl::StrCat(path,
                                                     " is neither a KernelBench file (*.py), a native task folder "
                                                     "(with task.yaml) nor a task.json of `kernelsmith best`"));
  }
  ASSIGN_OR_RETURN(std::string text, ReadText(path));
  v1::TaskSource task;
  if (json) {
    const auto status = google::protobuf::util::JsonStringToMessage(text, &task);
    if (!status.ok()) return common::InvalidField("task", absl::StrCat(path, ": ", status.message().as_string()));
    if (task.format_case() == v1::TaskSource::FORMAT_NOT_SET) {
      return common::InvalidField("task", absl::StrCat(path, " holds no task; expected a TaskSource"));
    }
    return task;
  }
  task.mutable_kernelbench()->set_file_name(fs::path(path).filename().string());
  task.mutable_kernelbench()->set_source(std::move(text));
  return task;
}

absl::StatusOr<v1::Candidate> LoadCandidate(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return LoadAscendCandidate(path);
  if (!fs::exists(path, error)) return common::InvalidField("candidate", absl::StrCat("there is no file ", path));
  const std::string extension = fs::path(path).extension().string();
  if (extension != ".cpp" && extension != ".cc" && extension != ".cxx") {
    return common::InvalidField("candidate", absl::StrCat(path,
                                                          " is neither a C++ source file (*.cpp, *.cc, *.cxx) nor a "
                                                          "folder with kernel.asc and plan.cpp"));
  }
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::CPU_SOURCE);
  RETURN_IF_ERROR(AddFile("kernel.cpp", path, candidate));
  return candidate;
}

absl::Status CheckCardKind(const std::string& card_kind) {
  if (card_kind == "cpu" || card_kind == "ascend") return absl::OkStatus();
  return common::InvalidField("card_kind", absl::StrCat("'", card_kind, "' is not known; there are cpu and ascend"));
}

absl::Status CheckCandidateFits(const v1::Candidate& candidate, const std::string& card_kind) {
  const bool ascend = candidate.kind() == v1::Candidate::ASCEND_KERNEL;
  if (ascend == (card_kind == "ascend")) return absl::OkStatus();
  return common::InvalidField("candidate", ascend ? "is an Ascend C kernel; add --card-kind ascend"
                                                  : "is a C++ kernel; a card of kind ascend takes a folder with "
                                                    "kernel.asc and plan.cpp");
}

absl::Status AddOverride(absl::string_view assignment, v1::TaskSource& task) {
  const size_t equals = assignment.find('=');
  const absl::string_view name = absl::StripAsciiWhitespace(assignment.substr(0, equals));
  const bool identifier =
      !name.empty() && !absl::ascii_isdigit(name[0]) &&
      std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  if (equals == absl::string_view::npos || !identifier) {
    return common::InvalidField("overrides", absl::StrCat("'", assignment, "' is not NAME=VALUE, for example N=512"));
  }
  const absl::string_view value = absl::StripAsciiWhitespace(assignment.substr(equals + 1));
  if (const absl::Status literal = CheckPythonLiteral(value); !literal.ok()) {
    return common::InvalidField("overrides", absl::StrCat("'", assignment, "' is not NAME=VALUE: ", literal.message(),
                                                          "; give a Python literal such as 512, 1e-5, True, 'text' or "
                                                          "(2, 3)"));
  }
  if (!NamesConstant(task, name)) {
    return common::InvalidField("overrides", absl::StrCat("'", assignment, "': the task has no constant ", name));
  }
  (*task.mutable_overrides())[std::string(name)] = std::string(value);
  return absl::OkStatus();
}

absl::StatusOr<v1::DType> ParseDType(absl::string_view name) {
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  if (v1::DType_Parse(absl::AsciiStrToUpper(name), &dtype) && dtype != v1::DTYPE_UNSPECIFIED) return dtype;
  std::vector<std::string> known;
  for (int value = v1::DType_MIN + 1; value <= v1::DType_MAX; ++value) {
    known.push_back(absl::AsciiStrToLower(v1::DType_Name(static_cast<v1::DType>(value))));
  }
  return common::InvalidField("dtype", absl::StrCat("'", name, "' is unknown; known are ", absl::StrJoin(known, ", ")));
}

}  // namespace kernelsmith::client
