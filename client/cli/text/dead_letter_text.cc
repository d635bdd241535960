#include "client/cli/text/dead_letter_text.h"

#include "absl/strings/str_cat.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {

std::string DeadLetterList(const std::vector<v1::DeadLetter>& letters) {
  Table table({"letter", "given up (UTC)", "job", "round", "kind", "failures", "last failure"});
  for (const v1::DeadLetter& letter : letters) {
    table.Add({letter.id(), FormatUtc(letter.at_unix_us()), letter.job_id().empty() ? "-" : letter.job_id(),
               letter.round() > 0 ? absl::StrCat(letter.round()) : "-", letter.card_kind(),
               absl::StrCat(letter.failures()), OneLine(letter.reason(), 80)});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
