#include "worker/reference/reference_process.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status.h"
#include "worker/reference/python_sources.h"

extern char** environ;

namespace kernelsmith::worker {
namespace {

constexpr size_t kTailBytes = 600;  // of what a dead process printed

std::vector<std::pair<std::string, std::string>> Environment(int threads) {
  std::vector<std::pair<std::string, std::string>> env = {
      {"PATH", "/usr/bin:/bin"},
      {"HOME", "/tmp"},
      {"LANG", "C.UTF-8"},
      {"PYTHONHASHSEED", "0"},
      {"OMP_NUM_THREADS", absl::StrCat(threads)},
      // Keep freed memory: first touches of fresh pages cost more than most kernels, here and in the baseline.
      {"MALLOC_MMAP_MAX_", "0"},
      {"MALLOC_TRIM_THRESHOLD_", "17179869184"},
      // The libraries' threads must not spin into the next contestant's batch.
      {"OPENBLAS_THREAD_TIMEOUT", "16"},
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view text = *entry;
    const size_t equals = text.find('=');
    if (!absl::StartsWith(text, "OPENBLAS_") || equals == absl::string_view::npos) continue;
    const absl::string_view name = text.substr(0, equals);
    if (name == "OPENBLAS_NUM_THREADS" || name == "OPENBLAS_THREAD_TIMEOUT") continue;
    env.emplace_back(std::string(name), std::string(text.substr(equals + 1)));
  }
  return env;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReferenceProcess>> ReferenceProcess::Start(const ReferenceOptions& options) {
  ASSIGN_OR_RETURN(common::TemporaryFolder folder, common::TemporaryFolder::Make("ks-reference-"));
  for (const PythonSource& source : ReferencePythonSources()) {
    RETURN_IF_ERROR(common::WriteFileAtomically(absl::StrCat(folder.path(), "/", source.name), source.text));
  }
  auto pair = Channel::MakePair();
  if (!pair.ok()) return pair.status();
  JailSpec spec;
  spec.argv = {options.python, "-B", "-s", "reference.py", absl::StrCat(options.threads)};
  spec.env = Environment(options.threads);
  spec.env.insert(spec.env.end(), options.card.env.begin(), options.card.env.end());
  spec.read_only = options.card.read_only;
  spec.devices = options.card.nodes;
  spec.work_dir = folder.path();
  spec.fds = {{pair->second, 3}};
  // The driver of a card reserves huge ranges of addresses.
  spec.limits.memory_bytes = options.card.nodes.empty() ? options.memory_bytes : 0;
  spec.limits.processes = 64 + 4 * options.threads;
  spec.limits.file_bytes = 16 << 20;
  auto process = JailedProcess::Start(spec);
  close(pair->second);
  if (!process.ok()) return common::Annotate(process.status(), "cannot start the reference process");
  return std::unique_ptr<ReferenceProcess>(
      new ReferenceProcess(std::move(folder), std::move(pair->first), *std::move(process)));
}

absl::Status ReferenceProcess::Ended(const absl::Status& why) {
  alive_ = false;
  if (!absl::IsUnavailable(why)) {
    process_->Kill();
    return why;
  }
  const ExitReport exit = process_->Wait(TimeLimit(absl::Seconds(2)));
  std::string how = exit.kind == ExitKind::kExited        ? absl::StrCat("exited with code ", exit.code)
                    : exit.kind == ExitKind::kSignalled   ? absl::StrCat("died of signal ", exit.signal)
                    : exit.kind == ExitKind::kMemoryLimit ? "ran out of memory"
                                                          : "was killed";
  const auto log = common::ReadFile(folder_.path() + "/stderr.txt");  // there once Python is up
  std::string said = exit.errors.empty() && log.ok() ? *log : exit.errors;
  if (said.size() > kTailBytes) said = said.substr(said.size() - kTailBytes);
  const std::string text =
      absl::StrCat("the reference process ", how, said.empty() ? "" : ": ", absl::Utf8SafeCEscape(said));
  // reference.py ends when it is killed only.
  const bool task_ended_it = exit.kind == ExitKind::kExited && log.ok();
  return task_ended_it ? absl::InvalidArgumentError(text) : absl::UnavailableError(text);
}

absl::StatusOr<nlohmann::json> ReferenceProcess::Call(const nlohmann::json& request, absl::Span<const int> descriptors,
                                                      TimeLimit& limit, std::stop_token stop) {
  if (!alive_) return absl::UnavailableError("the reference process has ended already");
  const std::string text = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto await = [&](absl::FunctionRef<bool(absl::Time)> done) { return AwaitWithin(limit, *process_, done); };
  absl::Status sent = channel_.Send(text, descriptors, await, stop);
  absl::StatusOr<std::string> received = sent.ok() ? channel_.Receive(await, stop) : sent;
  if (!received.ok() && limit.starved())
    return Ended(absl::DeadlineExceededError("the reference " + StarvedText(limit)));
  if (!received.ok()) return Ended(received.status());
  nlohmann::json answer = nlohmann::json::parse(*received, nullptr, false);
  if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean()) {
    return Ended(absl::DataLossError("the reference process sent what is no answer"));
  }
  if (answer["ok"].get<bool>()) return answer;
  const std::string error =
      answer.contains("error") && answer["error"].is_string() ? answer["error"].get<std::string>() : "unknown error";
  if (answer.value("kind", std::string()) == "memory") return absl::ResourceExhaustedError(error);
  return absl::InvalidArgumentError(error);
}

}  // namespace kernelsmith::worker
