// The rows of an export as they may arrive: any text, and rows that were changed on the way. What is taken as a row
// says the same when it is written again; a chain takes rows in order only.
#include <string>
#include <vector>

#include "common/exchange_rows.h"
#include "tests/fuzz/calls.pb.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/memory/requests.h"

namespace kernelsmith::fuzz {
namespace {

void Run(const ImportedRows& input) {
  common::RowChain chain;
  for (const std::string& line : input.rows()) {
    const auto row = common::DecodeRow(line);
    FUZZ_CHECK(IsStated(row.status()) || absl::IsDataLoss(row.status()), row.status().ToString());
    if (!row.ok()) continue;
    const auto again = common::EncodeRow(*row);
    FUZZ_CHECK(again.ok(), again.status().ToString());
    const auto same = common::DecodeRow(*again);
    FUZZ_CHECK(same.ok(), same.status().ToString());
    FUZZ_CHECK(same->SerializeAsString() == row->SerializeAsString(), "a row changes when it is written again");
    const uint64_t expected = chain.next_number();
    const absl::Status added = chain.Add(*row);
    FUZZ_CHECK(IsStated(added) || absl::IsDataLoss(added), added.ToString());
    FUZZ_CHECK(chain.next_number() == expected + (added.ok() && !chain.closed() ? 1 : 0) || chain.closed(),
               "a refused row changed the chain");
  }
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
