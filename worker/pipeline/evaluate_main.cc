// kernelsmith-evaluate TASK [CANDIDATE]: judges one candidate on this machine without a server, and prints the report
// as JSON. Without a candidate it resolves and probes the task. A tool for people who write tasks, kernels or
// proposers.
//
//   kernelsmith-evaluate configs/tasks/softmax.py kernel.cpp --set ROWS=512
//
// Exit code: 0 passed, 1 not passed, 2 the task is invalid, 3 infrastructure or bad usage.
#include <google/protobuf/util/json_util.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file_io.h"
#include "common/shutdown.h"
#include "common/status.h"
#include "worker/devices/card.h"
#include "worker/pipeline/evaluate.h"

namespace kernelsmith::worker {
namespace {

struct Arguments {
  std::string task;
  std::string candidate;
  std::string incumbent;
  std::vector<std::string> overrides;
  std::string dtype;
  std::string cache_dir;
  std::string card_kind = "cpu";
  std::string cann_root;
  bool no_timing = false;
  bool no_baseline = false;
  bool sanitize = false;
  bool quiet = false;
};

absl::StatusOr<v1::TaskSource> ReadTask(const Arguments& arguments) {
  v1::TaskSource source;
  const std::filesystem::path path(arguments.task);
  if (std::filesystem::is_directory(path)) {
    for (const char* name : {"task.yaml", "reference.py", "description.md"}) {
      const absl::StatusOr<std::string> content = common::ReadFile((path / name).string());
      if (!content.ok()) continue;  // what is missing but needed, the reference process names
      v1::SourceFile* file = source.mutable_native()->add_files();
      file->set_name(name);
      file->set_content(*content);
    }
    source.mutable_native();
  } else {
    ASSIGN_OR_RETURN(*source.mutable_kernelbench()->mutable_source(), common::ReadFile(arguments.task));
    source.mutable_kernelbench()->set_file_name(path.filename().string());
  }
  for (const std::string& text : arguments.overrides) {
    const std::pair<std::string, std::string> entry = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (entry.second.empty()) return common::InvalidField("--set", "must be NAME=VALUE");
    (*source.mutable_overrides())[entry.first] = entry.second;
  }
  if (!arguments.dtype.empty()) {
    v1::DType dtype = v1::DTYPE_UNSPECIFIED;
    if (!v1::DType_Parse(absl::AsciiStrToUpper(arguments.dtype), &dtype)) {
      return common::InvalidField("--dtype", "is unknown; use fp32, fp16, bf16 or fp64");
    }
    source.set_dtype(dtype);
  }
  return source;
}

// A source file for the cpu target, or a folder with kernel.asc and plan.cpp for ascend.
absl::StatusOr<v1::Candidate> ReadCandidate(const std::string& path) {
  v1::Candidate candidate;
  const bool folder = std::filesystem::is_directory(path);
  candidate.set_kind(folder ? v1::Candidate::ASCEND_KERNEL : v1::Candidate::CPU_SOURCE);
  const std::vector<std::string> names =
      folder ? std::vector<std::string>{"kernel.asc", "plan.cpp"} : std::vector<std::string>{"kernel.cpp"};
  for (const std::string& name : names) {
    v1::SourceFile* file = candidate.add_files();
    file->set_name(name);
    ASSIGN_OR_RETURN(*file->mutable_content(), common::ReadFile(folder ? absl::StrCat(path, "/", name) : path));
  }
  return candidate;
}

absl::StatusOr<std::string> Json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) {
    return absl::InternalError("the report cannot be printed as JSON");
  }
  return text;
}

int ExitCode(v1::EvaluationStatus status) {
  if (status == v1::PASSED) return 0;
  if (status == v1::INVALID_TASK) return 2;
  return status == v1::INFRASTRUCTURE ? 3 : 1;
}

absl::StatusOr<int> Run(const Arguments& arguments) {
  ASSIGN_OR_RETURN(const v1::TaskSource source, ReadTask(arguments));
  EvaluatorOptions options;
  const std::string folder =
      arguments.cache_dir.empty()
          ? (std::filesystem::temp_directory_path() / absl::StrCat("kernelsmith-evaluate-", getuid())).string()
          : arguments.cache_dir;
  RETURN_IF_ERROR(common::MakeFolders(folder));
  config::v1::WorkerConfig config;
  config.set_card_kind(arguments.card_kind);
  config.set_cann_root(arguments.cann_root);
  config.set_data_dir(folder);
  config.set_lock_dir(folder);
  config.set_compile_cache_bytes(int64_t{1} << 30);
  ASSIGN_OR_RETURN(const OpenedCard card, OpenCard(config));
  options.toolchain = card.toolchain;
  options.runtime = card.runtime;
  options.target = card.state.target();
  options.emulated = card.state.emulated();
  options.cpu_count = card.host_threads;
  options.lock_dir = folder;
  options.cache_dir = folder + "/variants";
  options.card_id = arguments.card_kind + "0";
  Evaluator evaluator(options);
  EvaluationControl control;
  if (!arguments.quiet) {
    control.progress = [](absl::string_view activity) { std::cerr << activity << "\n"; };
  }
  v1::InspectResult inspected = evaluator.Inspect(source, control);
  if (!inspected.ok() || arguments.candidate.empty()) {
    ASSIGN_OR_RETURN(const std::string text, Json(inspected));
    std::cout << text;
    return ExitCode(inspected.status());
  }
  v1::EvaluateWork work;
  *work.mutable_task() = source;
  *work.mutable_spec() = inspected.spec();
  ASSIGN_OR_RETURN(*work.mutable_candidate(), ReadCandidate(arguments.candidate));
  work.mutable_options()->set_skip_timing(arguments.no_timing);
  work.mutable_options()->set_skip_baseline(arguments.no_baseline);
  work.mutable_options()->set_sanitize(arguments.sanitize);
  work.set_input_secret(std::string(32, '\1'));  // nobody here gains by knowing the inputs
  work.set_epoch(1);
  v1::EvaluationReport report;
  if (arguments.incumbent.empty()) {
    report = evaluator.Evaluate(work, control);
  } else {
    v1::CompareWork compare;
    *compare.mutable_a() = work;
    ASSIGN_OR_RETURN(*compare.mutable_b(), ReadCandidate(arguments.incumbent));
    report = evaluator.Compare(compare, control);
  }
  ASSIGN_OR_RETURN(const std::string text, Json(report));
  std::cout << text;
  return ExitCode(report.status());
}

}  // namespace
}  // namespace kernelsmith::worker

int main(int argc, char** argv) {
  kernelsmith::worker::Arguments arguments;
  CLI::App app("Judges one candidate kernel on this machine and prints the report as JSON.", "kernelsmith-evaluate");
  app.add_option("TASK", arguments.task, "KernelBench file or native task folder")->required();
  app.add_option(
      "CANDIDATE", arguments.candidate,
      "C++ source with ks_kernel, or a folder with kernel.asc and plan.cpp; without it the task is only inspected");
  app.add_option("--set", arguments.overrides, "constant of the task, NAME=VALUE");
  app.add_option("--dtype", arguments.dtype, "cast floating-point tensors: fp32, fp16, bf16, fp64");
  app.add_option("--against", arguments.incumbent, "another candidate, timed interleaved");
  app.add_option("--card-kind", arguments.card_kind, "cpu (default) or ascend");
  app.add_option("--cann-root", arguments.cann_root, "root of CANN, real or emulated (ASCEND_HOME_PATH)");
  app.add_option("--cache-dir", arguments.cache_dir, "compiled objects and expected outputs; default under /tmp");
  app.add_flag("--no-timing", arguments.no_timing, "verify only");
  app.add_flag("--no-baseline", arguments.no_baseline, "do not time PyTorch");
  app.add_flag("--sanitize", arguments.sanitize, "run once more under the card's sanitizer");
  app.add_flag("--quiet", arguments.quiet, "no progress on stderr");
  CLI11_PARSE(app, argc, argv);
  const absl::StatusOr<int> code = kernelsmith::worker::Run(arguments);
  if (!code.ok()) {
    std::cerr << "kernelsmith-evaluate: " << code.status().message() << "\n";
    return 3;
  }
  return *code;
}
