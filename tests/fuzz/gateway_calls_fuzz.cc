// What workers may say to the gateway: reports of any order and content against the board behind Synchronize, while
// work is submitted, cancelled and forgotten, and time passes.
#include <random>
#include <string>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/strings/str_cat.h"
#include "server/scheduling/work_board.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"

namespace kernelsmith::fuzz {
namespace {

constexpr int kMostCalls = 64;

class Gateway {
 public:
  Gateway() : board_({}, 1'000, random_) {}

  void Make(const GatewayCall& call) {
    switch (call.call_case()) {
      case GatewayCall::kSynchronize:
        return Synchronize(call.synchronize());
      case GatewayCall::kSubmit: {
        server::WorkItem item{.assignment_id = call.submit().id(), .team = "local", .card_kind = "cpu"};
        item.job_id = call.submit().lease_epoch() % 2 == 0 ? "job" : "";
        item.work = call.submit();
        const absl::Status status = board_.Submit(item, now_);
        FUZZ_CHECK(IsStated(status), status.ToString());
        break;
      }
      case GatewayCall::kCancel:
        board_.Cancel(call.cancel(), now_);
        break;
      case GatewayCall::kForget:
        board_.Forget(call.forget());
        break;
      case GatewayCall::kMilliseconds:
        now_ += absl::Milliseconds(call.milliseconds());
        break;
      case GatewayCall::kDrain: {
        const absl::Status status = board_.SetDrain(call.drain().worker_id(), !call.drain().undo(), now_);
        FUZZ_CHECK(IsStated(status), status.ToString());
        break;
      }
      case GatewayCall::CALL_NOT_SET:
        return;
    }
    Settle();
  }

 private:
  void Synchronize(const v1::SynchronizeRequest& request) {
    const absl::Status status = board_.Report(request, now_);
    FUZZ_CHECK(IsStated(status), status.ToString());
    Settle();
    if (!status.ok()) return;
    const v1::SynchronizeResponse answer = board_.Desired(request);
    board_.IsNews(request, answer);
    for (const v1::Assignment& assignment : answer.assignments()) {
      const server::Work* work = board_.Find(assignment.id());
      if (assignment.action() == v1::CANCEL) continue;
      FUZZ_CHECK(work != nullptr, "work that nobody wants is handed out");
      FUZZ_CHECK(work->worker_id == request.worker_id(), "work of another card is handed out");
      FUZZ_CHECK(work->durable_epoch >= assignment.lease_epoch(), "a lease is handed out before it is on disk");
    }
  }

  // As the queue does after every change, with a disk that works.
  void Settle() {
    board_.Advance(now_);
    while (board_.HasDirty()) board_.MarkDurable(board_.TakeDirty());
    board_.TakeTouchedCards();
    board_.TakeTouchedWork();
    board_.Cards(now_);
  }

  std::mt19937_64 random_{1};
  server::WorkBoard board_;
  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
};

v1::SynchronizeRequest Report(const std::string& worker) {
  v1::SynchronizeRequest request;
  request.set_worker_id(worker);
  request.set_instance("instance");
  request.mutable_card()->set_card_id("cpu0");
  request.mutable_card()->set_kind("cpu");
  request.mutable_card()->set_health(v1::HEALTHY);
  request.mutable_card()->set_isolation("bwrap");
  return request;
}

GatewayCalls Seed() {
  GatewayCalls calls;
  *calls.add_calls()->mutable_synchronize() = Report("host/cpu0");
  v1::Assignment& work = *calls.add_calls()->mutable_submit();
  work.set_id("job-1/evaluate/1");
  work.mutable_evaluate()->mutable_candidate()->set_kind(v1::Candidate::CPU_SOURCE);
  calls.add_calls()->set_milliseconds(20'000);
  for (const v1::AssignmentPhase phase : {v1::ACCEPTED, v1::PREPARED, v1::RUNNING, v1::FINISHED}) {
    v1::SynchronizeRequest& request = *calls.add_calls()->mutable_synchronize();
    request = Report("host/cpu0");
    v1::AssignmentState& state = *request.add_assignments();
    state.set_id("job-1/evaluate/1");
    state.set_lease_epoch(1);
    state.set_phase(phase);
    if (phase == v1::FINISHED) state.mutable_report()->set_status(v1::PASSED);
    calls.add_calls()->set_milliseconds(500);
  }
  *calls.add_calls()->mutable_synchronize() = Report("host/cpu1");
  calls.add_calls()->set_cancel("job-1/evaluate/1");
  calls.add_calls()->set_forget("job-1/evaluate/1");
  calls.add_calls()->mutable_drain()->set_worker_id("host/cpu0");
  return calls;
}

void Run(const GatewayCalls& input) {
  Gateway gateway;
  for (int i = 0; i < std::min(input.calls_size(), kMostCalls); ++i) gateway.Make(input.calls(i));
}

}  // namespace

std::unique_ptr<Target> MakeTarget() {
  return std::make_unique<MessageTarget<GatewayCalls>>(std::vector<GatewayCalls>{Seed()}, Run);
}

}  // namespace kernelsmith::fuzz
