#include "client/cli/text/card_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

std::string StateOf(const v1::Card& card) {
  if (!card.connected()) return absl::StrCat("away since ", FormatUtc(card.last_seen_unix_us()), " UTC");
  std::string state = FormatEnum(v1::CardHealth_Name(card.state().health()));
  if (card.draining()) state += ", draining";
  if (card.consecutive_failures() > 0) absl::StrAppend(&state, ", ", card.consecutive_failures(), " failures in a row");
  return state;
}

}  // namespace

std::string CardList(const std::vector<v1::Card>& cards) {
  Table table({"worker", "card", "kind", "state", "noise", "isolation", "target", "doing"});
  for (const v1::Card& card : cards) {
    const v1::CardState& state = card.state();
    table.Add({card.worker_id(), state.card_id(), state.kind(), StateOf(card), FormatPercent(state.noise_floor()),
               OneLine(state.isolation(), 40),
               OneLine(absl::StrCat(state.target().soc(), ", ", state.target().toolchain()), 50),
               OneLine(absl::StrJoin(card.activities(), "; "), 60)});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
