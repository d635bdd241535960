// Which card gets which work. Idle cards come first: they take their own prepared work, then what waits, then what is
// prepared on a card that is busy. Only then do busy cards get work to prepare.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/scheduling/waiting_text.h"
#include "server/scheduling/work_board.h"

namespace kernelsmith::server {
namespace {

// Charged to the team when work starts, replaced by the true time when it ends, so that a team cannot start many at
// once for free.
constexpr double kExpectedSeconds = 10;

bool IsTimed(const Work& work) {
  if (work.item.work.has_compare()) return true;
  return work.item.work.has_evaluate() && !work.item.work.evaluate().options().skip_timing();
}

// Earlier within one team.
bool GoesBefore(const Work& a, const Work& b) {
  return std::make_pair(-a.item.priority, a.order) < std::make_pair(-b.item.priority, b.order);
}

}  // namespace

bool WorkBoard::IsFit(const CardEntry& card, absl::Time now) const {
  return !card.instance.empty() && IsConnected(card, now) && !card.drain_wanted && !card.worker_drains &&
         !card.quarantine.IsOut(now) && card.state.health() != v1::QUARANTINED;
}

bool WorkBoard::CanRun(const CardEntry& card, const Work& work, absl::Time now) const {
  if (card.state.kind() != work.item.card_kind || !IsFit(card, now)) return false;
  return card.state.health() != v1::NOISY || !IsTimed(work);
}

std::string WorkBoard::WhyUnfit(const CardEntry& card, const Work& work, absl::Time now) const {
  if (!IsConnected(card, now)) return absl::StrCat(card.worker_id, " does not report");
  if (card.drain_wanted || card.worker_drains) return absl::StrCat(card.worker_id, " is draining");
  if (card.quarantine.IsOut(now)) {
    return absl::StrCat(card.worker_id, " is in quarantine until ",
                        absl::FormatTime("%H:%M:%S UTC", card.quarantine.until(), absl::UTCTimeZone()));
  }
  if (card.state.health() == v1::NOISY && IsTimed(work))
    return absl::StrCat(card.worker_id, " is too noisy to time on");
  return absl::StrCat(card.worker_id, ": ", card.state.health_detail());
}

// Another card than the one that failed it could take the work.
bool WorkBoard::HasAlternative(const Work& work, absl::Time now) const {
  return std::any_of(cards_.begin(), cards_.end(), [&](const auto& entry) {
    return entry.first != work.failed_on && CanRun(entry.second, work, now);
  });
}

WorkBoard::Slots WorkBoard::SlotsOf(const std::string& worker_id) {
  Slots slots;
  for (auto& [id, work] : works_) {
    if (work.state != Work::State::kLeased || work.worker_id != worker_id) continue;
    // Cancelled work holds the card until the worker let go of it.
    (work.action == v1::PREPARE ? slots.prepare : slots.run) = &work;
  }
  return slots;
}

Work* WorkBoard::PickWaiting(const CardEntry& card, bool for_prefetch, absl::Time now) {
  std::map<std::string, Work*> first_of_team;
  for (auto& [id, work] : works_) {
    if (work.state != Work::State::kWaiting || !work.joined || now < work.not_before) continue;
    if (!CanRun(card, work, now)) continue;
    if (for_prefetch && work.item.work.has_inspect()) continue;  // there is nothing to prepare
    if (work.failed_on == card.worker_id && HasAlternative(work, now)) continue;
    Work*& first = first_of_team[work.item.team];
    if (first == nullptr || GoesBefore(work, *first)) first = &work;
  }
  std::vector<std::string> teams;
  for (const auto& [team, work] : first_of_team) teams.push_back(team);
  const auto next = share_.Next(teams);
  return next ? first_of_team.at(*next) : nullptr;
}

Work* WorkBoard::PickPrepared(const CardEntry& card, absl::Time now) {
  if (now < grace_until_) return nullptr;  // its worker may be about to report that it runs
  Work* best = nullptr;
  for (auto& [id, work] : works_) {
    const bool prepared_elsewhere = work.state == Work::State::kLeased && work.action == v1::PREPARE &&
                                    work.worker_id != card.worker_id && work.joined;
    if (!prepared_elsewhere || !CanRun(card, work, now)) continue;
    if (work.failed_on == card.worker_id) continue;
    if (best == nullptr || GoesBefore(work, *best)) best = &work;
  }
  return best;
}

void WorkBoard::GrantAll(absl::Time now) {
  // Work that is only prepared goes back from a card that will not run it.
  for (auto& [worker_id, card] : cards_) {
    Work* prepared = SlotsOf(worker_id).prepare;
    if (prepared != nullptr && now >= grace_until_ && !IsFit(card, now)) Revoke(*prepared, now);
  }
  for (auto& [worker_id, card] : cards_) {
    const Slots slots = SlotsOf(worker_id);
    if (!IsFit(card, now) || slots.run != nullptr) continue;
    if (slots.prepare != nullptr) {
      slots.prepare->action = v1::RUN;
      StartRun(*slots.prepare, now);
      TouchCard(worker_id);
    } else if (Work* waiting = PickWaiting(card, /*for_prefetch=*/false, now)) {
      Grant(card, *waiting, v1::RUN, now);
    } else if (Work* prepared = PickPrepared(card, now)) {
      Revoke(*prepared, now);
      Grant(card, *prepared, v1::RUN, now);
    }
  }
  for (auto& [worker_id, card] : cards_) {
    const Slots slots = SlotsOf(worker_id);
    if (!IsFit(card, now) || slots.run == nullptr || slots.prepare != nullptr) continue;
    if (Work* waiting = PickWaiting(card, /*for_prefetch=*/true, now)) Grant(card, *waiting, v1::PREPARE, now);
  }
}

void WorkBoard::Grant(CardEntry& card, Work& work, v1::AssignmentAction action, absl::Time now) {
  ++work.epoch;
  work.state = Work::State::kLeased;
  work.worker_id = card.worker_id;
  work.instance = card.instance;
  work.action = action;
  work.lease_until = now + rules_.lease;
  work.activity.clear();
  work.waiting_text.clear();
  if (action == v1::RUN) StartRun(work, now);
  dirty_.insert(work.item.assignment_id);  // the card is told once this is on disk
}

void WorkBoard::StartRun(Work& work, absl::Time now) {
  work.run_since = now;
  share_.Charge(work.item.team, kExpectedSeconds);
  const absl::Time waits_since = std::exchange(work.wait_since, absl::InfiniteFuture());
  if (waits_since >= now) return;
  v1::PhaseInterval wait;
  wait.set_kind("wait_card");
  wait.set_begin_unix_us(absl::ToUnixMicros(waits_since));
  wait.set_end_unix_us(absl::ToUnixMicros(now));
  work.waits.push_back(wait);
}

// Ends the accounting of a run, if there is one. Time that led to nothing through no fault of the team is not charged.
void WorkBoard::EndRun(Work& work, bool charge, absl::Time now) {
  if (work.run_since == absl::InfiniteFuture()) return;
  const double seconds = absl::ToDoubleSeconds(now - work.run_since);
  share_.Charge(work.item.team, (charge ? seconds : 0) - kExpectedSeconds);
  cards_[work.worker_id].busy_seconds += seconds;
  work.run_since = absl::InfiniteFuture();
}

void WorkBoard::Revoke(Work& work, absl::Time now) {
  if (work.cancelled) return;
  const absl::Time waits_since = work.wait_since;
  Requeue(work, now);
  work.wait_since = std::min(waits_since, now);
}

void WorkBoard::ExplainWaiting(Work& work, absl::Time now) {
  WaitingFacts facts;
  facts.card_kind = work.item.card_kind;
  facts.team = work.item.team;
  facts.grace_until = grace_until_;
  facts.failures = work.failures;
  facts.max_failures = rules_.max_failures;
  facts.last_failure = work.failure;
  facts.not_before = work.not_before;
  facts.now = now;
  for (const auto& [worker_id, card] : cards_) {
    if (card.instance.empty() || card.state.kind() != work.item.card_kind) continue;
    if (CanRun(card, work, now)) {
      ++facts.eligible_cards;
    } else {
      facts.unfit_cards.push_back(WhyUnfit(card, work, now));
    }
  }
  if (facts.eligible_cards > 0) {
    work.no_card_since = absl::InfiniteFuture();
  } else {
    work.no_card_since = std::min(work.no_card_since, now);
  }
  facts.no_card_since = work.no_card_since;
  for (const auto& [id, other] : works_) {
    const bool ahead = other.state == Work::State::kWaiting && other.joined && other.item.team == work.item.team &&
                       other.item.card_kind == work.item.card_kind && GoesBefore(other, work);
    if (ahead) ++facts.place_in_team;
  }
  std::string text = WaitingText(facts);
  if (text == work.waiting_text) return;
  work.waiting_text = std::move(text);
  Notify(work, WorkNotice::kWaiting, work.waiting_text);
}

}  // namespace kernelsmith::server
