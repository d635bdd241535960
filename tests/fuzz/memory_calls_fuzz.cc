// Every call of ExperienceMemory, below gRPC. Each input acts for a team of its own, so that inputs do not depend on
// one another; after some of them the log is folded again and compared, and a new store is begun.
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/service/experience.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/memory/requests.h"

namespace kernelsmith::fuzz {
namespace {

using memory::Experience;

constexpr int kInputsPerStore = 200;
constexpr int kMostCalls = 24;

// The service for one input: resolves "#n", keeps new ids, and checks every answer.
class Session {
 public:
  Session(Experience& memory, std::string team) : memory_(memory), team_(std::move(team)) {}

  void Make(const MemoryCall& call) {
    switch (call.call_case()) {
      case MemoryCall::kRecordAttempt: {
        const auto answer = Checked(memory_.RecordAttempt(team_, call.record_attempt()));
        if (answer.ok()) Keep({answer->case_item_id(), answer->journal_item_id()});
        return;
      }
      case MemoryCall::kRecordAdoption:
        return Adopt(call.record_adoption());
      case MemoryCall::kCompleteStage: {
        v1::CompleteStageRequest request = call.complete_stage();
        for (std::string& id : *request.mutable_retrieval_ids()) id = Resolved(id);
        Checked(memory_.CompleteStage(team_, request)).IgnoreError();
        return;
      }
      case MemoryCall::kRetrieve: {
        const auto answer = Checked(memory_.Retrieve(team_, call.retrieve()));
        if (answer.ok()) Keep({answer->retrieval_id()});
        if (answer.ok()) last_ = ItemsOf(*answer);
        return;
      }
      case MemoryCall::kAssembleContext:
        return Assemble(call.assemble_context());
      case MemoryCall::kGetItem: {
        v1::GetItemRequest request = call.get_item();
        request.set_item_id(Resolved(request.item_id()));
        Checked(memory_.GetItem(team_, request)).IgnoreError();
        return;
      }
      case MemoryCall::kLineage:
        Checked(memory_.Lineage(team_, call.lineage())).IgnoreError();
        return;
      case MemoryCall::kStats:
        Checked(memory_.Stats(team_, call.stats())).IgnoreError();
        return;
      case MemoryCall::kListStartPoints:
        Checked(memory_.ListStartPoints(team_, call.list_start_points())).IgnoreError();
        return;
      case MemoryCall::kListConflicts:
        Checked(memory_.ListConflicts(team_, call.list_conflicts())).IgnoreError();
        return;
      case MemoryCall::kListResidents:
        Checked(memory_.ListResidents(team_, call.list_residents())).IgnoreError();
        return;
      case MemoryCall::kExport: {
        const absl::Status status =
            memory_.Export(team_, call.export_(), [](const v1::ExchangeRow&) { return absl::OkStatus(); });
        FUZZ_CHECK(IsStated(status), status.ToString());
        return;
      }
      default:
        return ChangeLife(call);
    }
  }

 private:
  void ChangeLife(const MemoryCall& call) {
    switch (call.call_case()) {
      case MemoryCall::kRecordItem: {
        const auto answer = Checked(memory_.RecordItem(team_, call.record_item()));
        if (answer.ok()) Keep({answer->item_id()});
        return;
      }
      case MemoryCall::kSupersede: {
        v1::SupersedeRequest request = call.supersede();
        request.set_old_item_id(Resolved(request.old_item_id()));
        request.set_new_item_id(Resolved(request.new_item_id()));
        Checked(memory_.Supersede(team_, request)).IgnoreError();
        return;
      }
      case MemoryCall::kRetire: {
        v1::RetireRequest request = call.retire();
        request.set_item_id(Resolved(request.item_id()));
        Checked(memory_.Retire(team_, request)).IgnoreError();
        return;
      }
      case MemoryCall::kPromote: {
        v1::PromoteRequest request = call.promote();
        request.set_item_id(Resolved(request.item_id()));
        const auto answer = Checked(memory_.Promote(team_, request));
        if (answer.ok()) Keep({answer->shared_item_id()});
        return;
      }
      case MemoryCall::kRevoke: {
        v1::RevokeRequest request = call.revoke();
        request.set_shared_item_id(Resolved(request.shared_item_id()));
        Checked(memory_.Revoke(team_, request)).IgnoreError();
        return;
      }
      default:
        return;
    }
  }

  void Adopt(v1::RecordAdoptionRequest request) {
    request.set_retrieval_id(Resolved(request.retrieval_id()));
    for (v1::AdoptionRecord& record : *request.mutable_records()) record.set_item_id(Resolved(record.item_id()));
    if (request.records().empty()) {
      for (const std::string& item : last_) {
        v1::AdoptionRecord& record = *request.add_records();
        record.set_item_id(item);
        record.set_state(request.records_size() % 2 == 0 ? v1::NOT_ADOPTED : v1::ADOPTED);
        record.set_reason("fuzzed");
      }
    }
    Checked(memory_.RecordAdoption(team_, request)).IgnoreError();
  }

  void Assemble(const v1::AssembleContextRequest& request) {
    const auto answer = Checked(memory_.AssembleContext(team_, request));
    if (!answer.ok()) return;
    FUZZ_CHECK(answer->used_tokens() <= answer->budget_tokens(), answer->ShortDebugString());
    Keep({answer->retrieval_id()});
    last_ = ItemsOf(*answer);
    const auto again = Checked(memory_.AssembleContext(team_, request));
    FUZZ_CHECK(again.ok() && again->duplicate(), again.status().ToString());
  }

  template <typename Response>
  static std::vector<std::string> ItemsOf(const Response& response) {
    std::vector<std::string> items;
    for (const v1::RankedItem& item : response.items()) items.push_back(item.item().id());
    return items;
  }

  template <typename Response>
  absl::StatusOr<Response> Checked(absl::StatusOr<Response> answer) {
    FUZZ_CHECK(IsStated(answer.status()), answer.status().ToString());
    if (answer.ok()) FUZZ_CHECK(answer->ByteSizeLong() < (size_t{64} << 20), "the reply is larger than gRPC sends");
    return answer;
  }

  void Keep(const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
      if (!id.empty()) ids_.push_back(id);
    }
  }
  std::string Resolved(const std::string& id) const {
    size_t place = 0;
    if (id.size() < 2 || id[0] != '#' || !absl::SimpleAtoi(id.substr(1), &place) || place >= ids_.size()) return id;
    return ids_[place];
  }

  Experience& memory_;
  const std::string team_;
  std::vector<std::string> ids_;
  std::vector<std::string> last_;  // items of the last retrieval
};

class Service {
 public:
  void Run(const MemoryCalls& input) {
    if (inputs_++ % kInputsPerStore == 0) Begin();
    Session session(*memory_, absl::StrCat("team", inputs_));
    for (int i = 0; i < std::min(input.calls_size(), kMostCalls); ++i) session.Make(input.calls(i));
    if (inputs_ % kInputsPerStore == 0) {
      const auto refolded = memory_->RefoldedFingerprint();
      FUZZ_CHECK(refolded.ok(), refolded.status().ToString());
      FUZZ_CHECK(*refolded == memory_->Fingerprint(), "a fold of the log differs from what is served");
    }
  }

 private:
  void Begin() {
    memory_.reset();
    folder_ = std::make_unique<common::TemporaryFolder>(*common::TemporaryFolder::Make("fuzz-memory"));
    auto opened = Experience::Open(folder_->path() + "/data", common::Clock::Real(), metrics_);
    FUZZ_CHECK(opened.ok(), opened.status().ToString());
    memory_ = *std::move(opened);
  }

  int64_t inputs_ = 0;
  common::Metrics registry_;
  memory::MemoryMetrics metrics_{registry_};
  std::unique_ptr<common::TemporaryFolder> folder_;
  std::unique_ptr<Experience> memory_;
};

// A job as the coordinator runs it, and the calls around it.
MemoryCalls Job() {
  namespace requests = memory::testing;
  MemoryCalls calls;
  const auto add = [&calls]() -> MemoryCall& { return *calls.add_calls(); };
  *add().mutable_record_attempt() = requests::Attempt("a");
  *add().mutable_record_attempt() = requests::FailedAttempt("b", "a");
  *add().mutable_record_attempt() = requests::Attempt("c", "b", 1.5);
  *add().mutable_assemble_context() = requests::Context("d");
  add().mutable_record_adoption()->set_retrieval_id("#6");
  *add().mutable_complete_stage() = requests::FinishedStage("s", {"#6"});
  v1::RetrieveRequest& question = *add().mutable_retrieve();
  question.set_query("softmax DataCopyPad EZ9999 向量加法");
  question.mutable_filter()->add_kinds(v1::CASE);
  question.mutable_policy()->set_preset("sage");
  add().mutable_get_item()->set_item_id("#0");
  add().mutable_lineage()->set_session("job-1");
  add().mutable_stats();
  return calls;
}

MemoryCalls Library() {
  MemoryCalls calls;
  const auto add = [&calls]() -> MemoryCall& { return *calls.add_calls(); };
  for (const v1::ItemKind kind : {v1::RULE, v1::DOCUMENT, v1::API_TEMPLATE, v1::INSIGHT}) {
    v1::RecordItemRequest& request = *add().mutable_record_item();
    request.set_producer("coordinator-1");
    request.set_item_key(absl::StrCat("item-", kind));
    request.mutable_content()->set_kind(kind);
    request.mutable_content()->set_title("double buffering");
    request.mutable_content()->set_text("Use two buffers for each queue; 使用双缓冲。");
    request.mutable_content()->set_name("DataCopyPad");
    request.mutable_content()->set_bundle("ascend_c");
    request.mutable_content()->mutable_applicability()->add_toolchains("cann");
    request.mutable_content()->mutable_applicability()->set_toolchain_from("8.5.0");
  }
  add().mutable_promote()->set_item_id("#0");
  calls.mutable_calls(4)->mutable_promote()->set_reason("useful");
  v1::SupersedeRequest& supersede = *add().mutable_supersede();
  supersede.set_old_item_id("#1");
  supersede.set_new_item_id("#2");
  supersede.set_reason("newer");
  add().mutable_retire()->set_item_id("#3");
  calls.mutable_calls(6)->mutable_retire()->set_reason("wrong");
  add().mutable_revoke()->set_shared_item_id("#4");
  calls.mutable_calls(7)->mutable_revoke()->set_reason("withdrawn");
  add().mutable_list_conflicts();
  add().mutable_list_residents()->mutable_policy()->set_preset("sage");
  add().mutable_export_()->add_held_out_operators("softmax");
  add().mutable_list_start_points();
  return calls;
}

}  // namespace

std::unique_ptr<Target> MakeTarget() {
  auto service = std::make_shared<Service>();
  return std::make_unique<MessageTarget<MemoryCalls>>(std::vector<MemoryCalls>{Job(), Library()},
                                                      [service](const MemoryCalls& input) { service->Run(input); });
}

}  // namespace kernelsmith::fuzz
