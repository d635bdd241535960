#include "tests/client/example_export.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "common/exchange_rows.h"

namespace kernelsmith::client {

std::vector<v1::ExchangeRow> ExampleExport(int records) {
  std::vector<v1::ExchangeRow> rows;
  common::RowChain chain;
  const auto add = [&](v1::ExchangeRow row) {
    row.set_number(rows.size());
    EXPECT_TRUE(common::SealRow(&row).ok());
    EXPECT_TRUE(chain.Add(row).ok());
    rows.push_back(row);
  };
  v1::ExchangeRow manifest;
  manifest.mutable_manifest()->set_format(common::kExchangeFormat);
  manifest.mutable_manifest()->set_team("a");
  add(manifest);
  for (int i = 0; i < records; ++i) {
    v1::ExchangeRow row;
    if (i % 2 == 0) {
      row.mutable_attempt()->set_attempt_id(absl::StrCat("j/", i));
    } else {
      row.mutable_item()->set_item_key(absl::StrCat("rule-", i));
    }
    add(row);
  }
  v1::ExchangeRow closing;
  *closing.mutable_closing() = chain.Closing();
  add(closing);
  return rows;
}

std::string ExportLines(const std::vector<v1::ExchangeRow>& rows) {
  std::string text;
  for (const v1::ExchangeRow& row : rows) absl::StrAppend(&text, *common::EncodeRow(row), "\n");
  return text;
}

}  // namespace kernelsmith::client
