#include "server/scheduling/waiting_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::server {
namespace {

std::string Minute(absl::Time time) { return absl::FormatTime("%H:%M UTC", time, absl::UTCTimeZone()); }
std::string Second(absl::Time time) { return absl::FormatTime("%H:%M:%S UTC", time, absl::UTCTimeZone()); }

}  // namespace

std::string Ordinal(int number) {
  const int tens = number % 100;
  const char* suffix = "th";
  if (tens < 11 || tens > 13) {
    if (number % 10 == 1) suffix = "st";
    if (number % 10 == 2) suffix = "nd";
    if (number % 10 == 3) suffix = "rd";
  }
  return absl::StrCat(number, suffix);
}

std::string WaitingText(const WaitingFacts& facts) {
  if (facts.now < facts.not_before) {
    return absl::StrCat("try ", facts.failures + 1, " of ", facts.max_failures, " at ", Second(facts.not_before),
                        ", after: ", facts.last_failure);
  }
  if (facts.eligible_cards == 0 && facts.now < facts.grace_until) {
    return absl::StrCat("reconnect grace until ", Second(facts.grace_until), ": no worker for ", facts.card_kind,
                        " has reported back yet");
  }
  if (facts.eligible_cards == 0) {
    std::string text = absl::StrCat("no eligible card for ", facts.card_kind, " since ", Minute(facts.no_card_since));
    if (!facts.unfit_cards.empty()) absl::StrAppend(&text, " (", absl::StrJoin(facts.unfit_cards, "; "), ")");
    return text;
  }
  const std::string cards =
      facts.eligible_cards == 1 ? "the one card is busy" : absl::StrCat("all ", facts.eligible_cards, " cards busy");
  return absl::StrCat(cards, "; ", Ordinal(facts.place_in_team), " in line of team ", facts.team);
}

}  // namespace kernelsmith::server
