// Why work waits, in words for a person.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace kernelsmith::server {

struct WaitingFacts {
  std::string card_kind;
  std::string team;
  int eligible_cards = 0;                // connected and willing, busy or not
  std::vector<std::string> unfit_cards;  // why the others of this kind are not: "cpu0 is draining"
  absl::Time no_card_since = absl::InfinitePast();
  absl::Time grace_until = absl::InfinitePast();  // after a restart
  int place_in_team = 1;                          // 1 is next
  int failures = 0;
  int max_failures = 0;
  std::string last_failure;
  absl::Time not_before = absl::InfinitePast();  // of the retry
  absl::Time now;
};

// For example "all 2 cards busy; 3rd in line of team local", "no eligible card for cpu since 14:02 UTC (cpu0 is
// draining)", "reconnect grace until 14:02:10 UTC: no worker for cpu has reported back yet", "try 3 of 5 at 14:02:05
// UTC, after: lease of worker w ran out".
std::string WaitingText(const WaitingFacts& facts);

// 1st, 2nd, 3rd, 4th, 11th, 21st.
std::string Ordinal(int number);

}  // namespace kernelsmith::server
