// The rows of an export as they may arrive: any text, and rows that were changed on the way. What is taken as a row
// says the same when it is written again; a chain takes rows in order only.
#include <set>
#include <string>
#include <vector>

#include "common/exchange_rows.h"
#include "memory/exchange/import_session.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/memory/requests.h"

namespace kernelsmith::fuzz {
namespace {

// Stores everything, once.
class Shelf : public memory::ImportSink {
 public:
  absl::StatusOr<Stored> StoreAttempt(const v1::RecordAttemptRequest& attempt) override {
    return Store(attempt.attempt_id());
  }
  absl::StatusOr<Stored> StoreItem(const v1::RecordItemRequest& item) override { return Store(item.item_key()); }

 private:
  absl::StatusOr<Stored> Store(const std::string& id) {
    return Stored{.item_id = id, .duplicate = !ids_.insert(id).second};
  }
  std::set<std::string> ids_;
};

// What is taken as a row says the same when it is written again.
void CheckRoundTrip(const v1::ExchangeRow& row) {
  const auto line = common::EncodeRow(row);
  FUZZ_CHECK(line.ok(), line.status().ToString());
  const auto again = common::DecodeRow(*line);
  FUZZ_CHECK(again.ok(), again.status().ToString());
  const auto twice = common::EncodeRow(*again);
  FUZZ_CHECK(twice.ok() && *twice == *line, "a row changes when it is written again");
}

void Run(const ImportedRows& input) {
  Shelf shelf;
  memory::ImportSession session(shelf);
  if (!input.resume_token().empty()) {
    const absl::Status resumed = session.Resume(input.resume_token());
    FUZZ_CHECK(IsStated(resumed), resumed.ToString());
    if (!resumed.ok()) return;
  }
  for (const std::string& line : input.rows()) {
    const auto row = common::DecodeRow(line);
    FUZZ_CHECK(IsStated(row.status()) || absl::IsDataLoss(row.status()), row.status().ToString());
    if (!row.ok()) continue;
    CheckRoundTrip(*row);
    const v1::ImportStatus status = session.Take(*row);
    FUZZ_CHECK(status.outcome() != v1::ImportStatus::OUTCOME_UNSPECIFIED, "a row without an outcome");
    FUZZ_CHECK(status.outcome() != v1::ImportStatus::REFUSED || !status.message().empty(), "refused without a reason");
    FUZZ_CHECK(status.outcome() != v1::ImportStatus::COMPLETE || session.complete(), "complete without a closing row");
  }
  if (!session.complete()) FUZZ_CHECK(!session.Truncated().message().empty(), "truncated without a reason");
}

// An export of one attempt and one rule.
ImportedRows Seed() {
  common::RowChain chain;
  ImportedRows rows;
  uint64_t number = 0;
  const auto add = [&](v1::ExchangeRow row) {
    row.set_number(number++);
    FUZZ_CHECK(common::SealRow(&row).ok(), "a row cannot be sealed");
    FUZZ_CHECK(chain.Add(row).ok(), "a row does not follow");
    rows.add_rows(*common::EncodeRow(row));
  };
  v1::ExchangeRow manifest;
  manifest.mutable_manifest()->set_format(common::kExchangeFormat);
  manifest.mutable_manifest()->set_team("local");
  add(manifest);
  v1::ExchangeRow attempt;
  *attempt.mutable_attempt() = memory::testing::Attempt("a");
  add(attempt);
  v1::ExchangeRow item;
  item.mutable_item()->set_producer("coordinator-1");
  item.mutable_item()->set_item_key("rule-1");
  item.mutable_item()->mutable_content()->set_kind(v1::RULE);
  item.mutable_item()->mutable_content()->set_text("先搬运整行, then reduce.");
  add(item);
  v1::ExchangeRow closing;
  *closing.mutable_closing() = chain.Closing();
  add(closing);
  return rows;
}

}  // namespace

std::unique_ptr<Target> MakeTarget() {
  return std::make_unique<MessageTarget<ImportedRows>>(std::vector<ImportedRows>{Seed()}, Run);
}

}  // namespace kernelsmith::fuzz
