#include "tests/server/synthesis/loop_fixture.h"

#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

std::string MakeFolder() {
  std::string path = testing::TempDir() + "/loop-XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

config::v1::CoordinatorConfig QueueConfig() {
  config::v1::CoordinatorConfig config;
  config.set_heartbeat_s(0.5);
  config.set_lease_s(30);
  config.set_reconnect_grace_s(30);
  config.set_max_infrastructure_failures(1);
  config.set_quarantine_after(100);
  return config;
}

}  // namespace

v1::Candidate CandidateOf(const std::string& text) {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::CPU_SOURCE);
  candidate.add_files()->set_name("kernel.cpp");
  candidate.mutable_files(0)->set_content(text);
  return candidate;
}

absl::StatusOr<ProposalResult> ScriptedProposer::Propose(const ProposalRequest& request) {
  {
    common::MutexLock lock(mutex_);
    requests_.push_back(request);
  }
  if (request.round > static_cast<int>(texts_.size())) return absl::OutOfRangeError("the script has ended");
  const std::string& text = texts_[request.round - 1];
  if (text == "down") return absl::UnavailableError("the model server is down");
  ProposalResult result;
  result.proposal.mutable_author()->set_kind("script");
  result.proposal.mutable_thought()->set_id("thought-" + text);
  (*result.proposal.mutable_thought()->mutable_parameters())["text"] = text;
  (*result.proposal.mutable_thought()->mutable_parameters())["round"] = absl::StrCat(request.round);
  for (const v1::RankedItem& item : request.context.items()) {
    v1::AdoptionRecord& record = *result.proposal.add_adoption();
    record.set_item_id(item.item().id());
    record.set_state(item.rank() == 1 ? v1::ADOPTED : v1::NOT_ADOPTED);
    record.set_reason("by script");
  }
  if (text == "-") {
    result.proposal.set_error("no code");
    return result;
  }
  if (text == "!") result.proposal.add_adoption()->set_item_id("unknown");
  result.candidate = CandidateOf(text == "!" ? "1" : text);
  return result;
}

std::vector<ProposalRequest> ScriptedProposer::requests() const {
  common::MutexLock lock(mutex_);
  return requests_;
}

void ExperiencePort::FailNext(int calls, absl::StatusCode code) {
  common::MutexLock lock(mutex_);
  failures_ = calls;
  code_ = code;
}

absl::Status ExperiencePort::Failure() {
  common::MutexLock lock(mutex_);
  if (failures_ == 0) return absl::OkStatus();
  --failures_;
  return absl::Status(code_, "memory is not well");
}

absl::StatusOr<v1::AssembleContextResponse> ExperiencePort::AssembleContext(absl::string_view team,
                                                                            const v1::AssembleContextRequest& request) {
  if (absl::Status status = Failure(); !status.ok()) return status;
  return experience_.AssembleContext(std::string(team), request);
}

absl::StatusOr<v1::RecordAdoptionResponse> ExperiencePort::RecordAdoption(absl::string_view team,
                                                                          const v1::RecordAdoptionRequest& request) {
  if (absl::Status status = Failure(); !status.ok()) return status;
  return experience_.RecordAdoption(std::string(team), request);
}

absl::StatusOr<v1::RecordAttemptResponse> ExperiencePort::RecordAttempt(absl::string_view team,
                                                                        const v1::RecordAttemptRequest& request) {
  if (absl::Status status = Failure(); !status.ok()) return status;
  return experience_.RecordAttempt(std::string(team), request);
}

absl::StatusOr<v1::CompleteStageResponse> ExperiencePort::CompleteStage(absl::string_view team,
                                                                        const v1::CompleteStageRequest& request) {
  if (absl::Status status = Failure(); !status.ok()) return status;
  return experience_.CompleteStage(std::string(team), request);
}

absl::StatusOr<v1::ListStartPointsResponse> ExperiencePort::ListStartPoints(absl::string_view team,
                                                                            const v1::ListStartPointsRequest& request) {
  if (absl::Status status = Failure(); !status.ok()) return status;
  return experience_.ListStartPoints(std::string(team), request);
}

class KillingStore : public JobStore {
 public:
  KillingStore(JobStore& real, Kill kill, JobInterrupts& interrupts)
      : real_(real), kill_(kill), interrupts_(interrupts) {}

  absl::StatusOr<Created> Create(const std::string& team, const std::string& request_id,
                                 const v1::JobSpec& spec) override {
    return real_.Create(team, request_id, spec);
  }
  absl::StatusOr<v1::Job> FindRequest(const std::string& team, const std::string& request_id) const override {
    return real_.FindRequest(team, request_id);
  }
  absl::StatusOr<v1::JobEvent> Append(const std::string& job_id, v1::JobEvent event) override {
    const int number = ++appends_;
    if (kill_.appends < 0 || number < kill_.appends) return real_.Append(job_id, std::move(event));
    interrupts_.StopAll();
    if (number > kill_.appends || kill_.before_disk) return absl::UnavailableError("killed");
    return real_.Append(job_id, std::move(event));
  }
  void Announce(const std::string& job_id, v1::JobEvent transient) override {
    real_.Announce(job_id, std::move(transient));
  }
  absl::StatusOr<v1::Job> Get(absl::string_view team, absl::string_view job_id) const override {
    return real_.Get(team, job_id);
  }
  absl::StatusOr<Page> List(absl::string_view team, int page_size, const std::string& page_token,
                            const std::vector<v1::JobState>& states) const override {
    return real_.List(team, page_size, page_token, states);
  }
  absl::StatusOr<std::vector<v1::JobEvent>> Events(absl::string_view job_id, uint64_t after, int limit) const override {
    return real_.Events(job_id, after, limit);
  }
  absl::StatusOr<News> WaitForNews(absl::string_view job_id, uint64_t& after, uint64_t& transient_cursor,
                                   absl::Time deadline) override {
    return real_.WaitForNews(job_id, after, transient_cursor, deadline);
  }
  void StopWaiting() override { real_.StopWaiting(); }
  std::vector<v1::Job> Unfinished() const override { return real_.Unfinished(); }
  int Count(absl::string_view team, v1::JobState state) const override { return real_.Count(team, state); }
  const common::ContentStore& content() const override { return real_.content(); }
  absl::StatusOr<std::vector<std::string>> ReferencedDigests() const override { return real_.ReferencedDigests(); }

 private:
  JobStore& real_;
  const Kill kill_;
  JobInterrupts& interrupts_;
  std::atomic<int> appends_ = 0;
};

LoopTest::LoopTest() : folder_(MakeFolder()), memory_metrics_(metrics_), synthesis_metrics_(metrics_) {
  auto experience = memory::Experience::Open(folder_ + "/memory", common::Clock::Real(), memory_metrics_);
  EXPECT_TRUE(experience.ok()) << experience.status();
  experience_ = *std::move(experience);
  memory_ = std::make_unique<ExperiencePort>(*experience_);
}

LoopTest::~LoopTest() {
  Close();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void LoopTest::Open(ScriptedProposer& proposer, Kill kill) {
  Close();
  interrupts_ = std::make_unique<JobInterrupts>(common::Clock::Real());
  auto store = JobStore::Open(folder_ + "/coordinator", common::Clock::Real());
  ASSERT_TRUE(store.ok()) << store.status();
  real_store_ = *std::move(store);
  store_ = std::make_unique<KillingStore>(*real_store_, kill, *interrupts_);
  auto queue = EvaluationQueue::Open(folder_ + "/coordinator", QueueConfig(), common::Clock::Real(), metrics_);
  ASSERT_TRUE(queue.ok()) << queue.status();
  queue_ = *std::move(queue);
  context_ = std::make_unique<SynthesisContext>(SynthesisContext{.store = *store_,
                                                                 .queue = *queue_,
                                                                 .memory = *memory_,
                                                                 .proposers = proposer,
                                                                 .interrupts = *interrupts_,
                                                                 .metrics = synthesis_metrics_,
                                                                 .clock = common::Clock::Real(),
                                                                 .producer = "coordinator-test",
                                                                 .input_secret = std::string(32, 's'),
                                                                 .limits = {}});
  worker_.TalkTo([queue = queue_.get()](const v1::SynchronizeRequest& request) { return queue->Synchronize(request); });
}

void LoopTest::Close() {
  if (queue_) queue_->Stop();
  worker_.TalkTo(nullptr);
  context_.reset();
  queue_.reset();
  store_.reset();
  real_store_.reset();
  interrupts_.reset();
}

v1::JobSpec LoopTest::Spec() const {
  v1::JobSpec spec;
  spec.set_card_kind("cpu");
  spec.mutable_task()->mutable_kernelbench()->set_source("class Model: ...");
  spec.mutable_budget()->set_rounds(4);
  return spec;
}

std::string LoopTest::Submit(const v1::JobSpec& spec, const std::string& request_id) {
  const auto created = store_->Create("red", request_id, spec);
  EXPECT_TRUE(created.ok()) << created.status();
  return created.ok() ? created->job.id() : "";
}

JobDriver::Outcome LoopTest::Drive(const std::string& job_id) {
  const auto outcome =
      JobDriver(*context_, job_id, {.initial = absl::Milliseconds(1), .cap = absl::Milliseconds(5)}).Run();
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return outcome.ok() ? *outcome : JobDriver::Outcome::kInterrupted;
}

v1::Job LoopTest::Job(const std::string& job_id) {
  const auto job = store_->Get("red", job_id);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? *job : v1::Job();
}

std::vector<v1::JobEvent> LoopTest::Events(const std::string& job_id) {
  const auto events = AllEvents(*store_, job_id);
  EXPECT_TRUE(events.ok()) << events.status();
  return events.ok() ? *events : std::vector<v1::JobEvent>();
}

JobHistory LoopTest::History(const std::string& job_id) {
  const auto history = FoldAll(Events(job_id));
  EXPECT_TRUE(history.ok()) << history.status();
  return history.ok() ? *history : JobHistory();
}

std::vector<std::string> LoopTest::Rounds(const std::string& job_id) {
  std::vector<std::string> rounds;
  for (const RoundState& round : History(job_id).rounds) {
    if (!round.recorded) continue;
    rounds.push_back(absl::StrCat(round.number(), " ", v1::EvaluationStatus_Name(round.recorded->status()), " ",
                                  round.recorded->latency_us(), round.recorded->became_incumbent() ? " incumbent" : "",
                                  round.recorded->case_item_id().empty() ? " unrecorded" : "", " from ",
                                  round.started.start_round(), " ", round.proposed->candidate().digest()));
  }
  return rounds;
}

v1::StatsResponse LoopTest::MemoryStats() {
  const auto stats = experience_->Stats("red", {});
  return stats.ok() ? *stats : v1::StatsResponse();
}

}  // namespace kernelsmith::server
