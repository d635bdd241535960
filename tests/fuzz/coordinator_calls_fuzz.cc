// Every call of Coordinator, below gRPC: submission and life of jobs against a real store, with nobody to run them.
// Each input acts for a team of its own; a new store is begun from time to time.
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/logging.h"
#include "server/api/dead_letter_calls.h"
#include "server/api/intake.h"
#include "server/api/job_calls.h"
#include "server/api/job_records.h"
#include "server/api/validation.h"
#include "server/configured_proposers.h"
#include "server/synthesis/job_log.h"
#include "server/synthesis/memory_client.h"
#include "server/synthesis/stored_model_call_log.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"

namespace kernelsmith::fuzz {
namespace {

constexpr int kInputsPerStore = 500;
constexpr int kMostCalls = 24;

// The coordinator without its server, and with its runner stopped: jobs are taken and wait for good.
class Coordinator {
 public:
  Coordinator() : interrupts_(common::Clock::Real()), synthesis_metrics_(metrics_) {
    config_.set_data_dir(folder_.path());
    config_.mutable_memory()->set_address("127.0.0.1:1");
    config_.set_min_free_disk_bytes(1);
    store_ = Value(server::JobStore::Open(folder_.path(), common::Clock::Real()));
    queue_ = Value(server::EvaluationQueue::Open(folder_.path(), config_, common::Clock::Real(), metrics_));
    memory_ = Value(server::MemoryClient::Open(config_));
    model_calls_ = std::make_unique<server::StoredModelCallLog>(*store_, interrupts_, synthesis_metrics_);
    proposers_ = Value(server::ConfiguredProposers::Create(config_, *model_calls_, metrics_));
    synthesis_ =
        std::make_unique<server::SynthesisContext>(server::SynthesisContext{.store = *store_,
                                                                            .queue = *queue_,
                                                                            .memory = *memory_,
                                                                            .proposers = *proposers_,
                                                                            .interrupts = interrupts_,
                                                                            .metrics = synthesis_metrics_,
                                                                            .clock = common::Clock::Real(),
                                                                            .producer = "coordinator-fuzz",
                                                                            .input_secret = std::string(32, 's'),
                                                                            .limits = config_.limits()});
    runner_ = std::make_unique<server::JobRunner>(*synthesis_, config_, metrics_);
    runner_->Stop();
    intake_ = std::make_unique<server::Intake>(*store_, config_);
    jobs_ = std::make_unique<server::JobCalls>(*store_, *runner_, *intake_, synthesis_metrics_, config_);
    letters_ = std::make_unique<server::DeadLetterCalls>(*store_, *queue_, *runner_, *intake_);
  }
  ~Coordinator() { queue_->Stop(); }
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  server::JobStore& store() { return *store_; }
  server::EvaluationQueue& queue() { return *queue_; }
  server::JobCalls& jobs() { return *jobs_; }
  server::DeadLetterCalls& letters() { return *letters_; }

 private:
  template <typename T>
  static T Value(absl::StatusOr<T> made) {
    FUZZ_CHECK(made.ok(), made.status().ToString());
    return *std::move(made);
  }

  const common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("fuzz-coordinator");
  config::v1::CoordinatorConfig config_;
  common::Metrics metrics_;
  server::JobInterrupts interrupts_;
  server::SynthesisMetrics synthesis_metrics_;
  std::unique_ptr<server::JobStore> store_;
  std::unique_ptr<server::EvaluationQueue> queue_;
  std::unique_ptr<server::MemoryClient> memory_;
  std::unique_ptr<server::StoredModelCallLog> model_calls_;
  std::unique_ptr<server::ConfiguredProposers> proposers_;
  std::unique_ptr<server::SynthesisContext> synthesis_;
  std::unique_ptr<server::JobRunner> runner_;
  std::unique_ptr<server::Intake> intake_;
  std::unique_ptr<server::JobCalls> jobs_;
  std::unique_ptr<server::DeadLetterCalls> letters_;
};

// The calls of one input.
class Session {
 public:
  Session(Coordinator& coordinator, std::string team) : coordinator_(coordinator), team_(std::move(team)) {}

  void Make(const CoordinatorCall& call) {
    switch (call.call_case()) {
      case CoordinatorCall::kSubmitJob: {
        const auto answer = coordinator_.jobs().Submit(team_, call.submit_job());
        Check(answer.status());
        if (answer.ok()) ids_.push_back(answer->job().id());
        return;
      }
      case CoordinatorCall::kExtendJob: {
        v1::ExtendJobRequest request = call.extend_job();
        request.set_job_id(Resolved(request.job_id()));
        return Check(coordinator_.jobs().Extend(team_, request).status());
      }
      case CoordinatorCall::kCancelJob: {
        v1::CancelJobRequest request = call.cancel_job();
        request.set_job_id(Resolved(request.job_id()));
        return Check(coordinator_.jobs().Cancel(team_, request).status());
      }
      case CoordinatorCall::kListJobs:
        return Check(coordinator_.jobs().List(team_, call.list_jobs()).status());
      case CoordinatorCall::kEvaluate: {
        const v1::EvaluateRequest& request = call.evaluate();
        return CheckOneShot(request.task(), request.card_kind(), {&request.candidate()}, request.options());
      }
      case CoordinatorCall::kCompare: {
        const v1::CompareRequest& request = call.compare();
        return CheckOneShot(request.task(), request.card_kind(), {&request.a(), &request.b()}, request.options());
      }
      case CoordinatorCall::kDrainCard:
        return Check(coordinator_.queue().Drain(call.drain_card().worker_id(), call.drain_card().undo()).status());
      case CoordinatorCall::kListDeadLetters:
        return Check(coordinator_.letters().List(team_, call.list_dead_letters()).status());
      case CoordinatorCall::kReplayDeadLetter:
        return Check(coordinator_.letters().Replay(team_, call.replay_dead_letter()).status());
      default:
        return Read(call);
    }
  }

 private:
  // Calls about one job, which the service answers only to its team.
  void Read(const CoordinatorCall& call) {
    const std::string& named = call.has_get_job()       ? call.get_job().job_id()
                               : call.has_watch_job()   ? call.watch_job().job_id()
                               : call.has_get_attempt() ? call.get_attempt().job_id()
                               : call.has_get_logs()    ? call.get_logs().job_id()
                                                        : call.get_artifact().job_id();
    const std::string job_id = Resolved(named);
    const auto job = coordinator_.store().Get(team_, job_id);
    Check(job.status());
    if (!job.ok()) return;
    FUZZ_CHECK(job->team() == team_, "a job of another team");
    if (call.has_watch_job()) {
      Check(coordinator_.store().Events(job_id, call.watch_job().from_sequence(), 100).status());
    } else if (call.has_get_attempt()) {
      Check(server::LoadAttempt(coordinator_.store(), job_id, call.get_attempt().round()).status());
    } else if (call.has_get_logs()) {
      Check(server::ListLogs(coordinator_.store(), job_id, call.get_logs().round()).status());
    } else if (call.has_get_artifact()) {
      Check(server::DigestsOfJob(coordinator_.store(), job_id).status());
    }
  }

  void CheckOneShot(const v1::TaskSource& task, const std::string& card_kind,
                    const std::vector<const v1::Candidate*>& candidates, const v1::EvaluationOptions& options) {
    Check(server::CheckTask(task, "task"));
    Check(server::CheckOptions(options, "options"));
    const auto kind = server::CompleteCardKind(card_kind, "card_kind");
    Check(kind.status());
    if (!kind.ok()) return;
    for (const v1::Candidate* candidate : candidates) Check(server::CheckCandidate(*candidate, *kind, "candidate"));
  }

  static void Check(const absl::Status& status) { FUZZ_CHECK(IsStated(status), status.ToString()); }

  std::string Resolved(const std::string& id) const {
    size_t place = 0;
    if (id.size() < 2 || id[0] != '#' || !absl::SimpleAtoi(id.substr(1), &place) || place >= ids_.size()) return id;
    return ids_[place];
  }

  Coordinator& coordinator_;
  const std::string team_;
  std::vector<std::string> ids_;
};

class Service {
 public:
  Service() {
    config::v1::Observability quiet;
    quiet.set_log_level("error");
    FUZZ_CHECK(common::SetUpLogging("fuzz", quiet).ok(), "no log");
  }
  void Run(const CoordinatorCalls& input) {
    if (inputs_++ % kInputsPerStore == 0) {
      coordinator_.reset();
      coordinator_ = std::make_unique<Coordinator>();
    }
    Session session(*coordinator_, absl::StrCat("team", inputs_));
    for (int i = 0; i < std::min(input.calls_size(), kMostCalls); ++i) session.Make(input.calls(i));
  }

 private:
  int64_t inputs_ = 0;
  std::unique_ptr<Coordinator> coordinator_;
};

v1::Candidate SomeCandidate() {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::CPU_SOURCE);
  v1::SourceFile& file = *candidate.add_files();
  file.set_name("kernel.cpp");
  file.set_content("extern \"C\" int ks_kernel(const ks_call* call) { return 0; }");
  return candidate;
}

CoordinatorCalls Seed() {
  CoordinatorCalls calls;
  const auto add = [&calls]() -> CoordinatorCall& { return *calls.add_calls(); };
  v1::SubmitJobRequest& submit = *add().mutable_submit_job();
  submit.set_request_id("r1");
  submit.mutable_spec()->mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  submit.mutable_spec()->mutable_budget()->set_rounds(3);
  submit.mutable_spec()->mutable_policy()->set_preset("combined");
  v1::ExtendJobRequest& extend = *add().mutable_extend_job();
  extend.set_job_id("#0");
  extend.set_request_id("e1");
  extend.mutable_extra()->set_rounds(2);
  add().mutable_get_job()->set_job_id("#0");
  add().mutable_watch_job()->set_job_id("#0");
  add().mutable_get_attempt()->set_job_id("#0");
  add().mutable_get_logs()->set_job_id("#0");
  add().mutable_get_artifact()->set_job_id("#0");
  add().mutable_list_jobs()->add_states(v1::QUEUED);
  v1::EvaluateRequest& evaluate = *add().mutable_evaluate();
  evaluate.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  *evaluate.mutable_candidate() = SomeCandidate();
  v1::CompareRequest& compare = *add().mutable_compare();
  *compare.mutable_task() = evaluate.task();
  *compare.mutable_a() = SomeCandidate();
  *compare.mutable_b() = SomeCandidate();
  v1::CancelJobRequest& cancel = *add().mutable_cancel_job();
  cancel.set_job_id("#0");
  cancel.set_reason("not needed");
  add().mutable_drain_card()->set_worker_id("host/cpu0");
  add().mutable_list_dead_letters();
  add().mutable_replay_dead_letter()->set_id("job/evaluate/1");
  return calls;
}

}  // namespace

std::unique_ptr<Target> MakeTarget() {
  auto service = std::make_shared<Service>();
  return std::make_unique<MessageTarget<CoordinatorCalls>>(
      std::vector<CoordinatorCalls>{Seed()}, [service](const CoordinatorCalls& input) { service->Run(input); });
}

}  // namespace kernelsmith::fuzz
