#include "server/proposers/catalog/search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/proposers/catalog/moves.h"
#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {
namespace {

// Effect of a round against the one it started from, below which its move is not tried again (label "negative").
constexpr double kNegative = 0.85;
// Evidence between these says too little to overrule the seeded order.
constexpr double kClear = 0.02;

// A fixed mixing function (the finaliser of splitmix64 over FNV-1a), so that the order is the same everywhere.
uint64_t SeededRank(uint64_t seed, const std::string& name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (unsigned char c : name) h = (h ^ c) * 0x100000001b3u;
  h += seed * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

std::string Difference(const Parameters& from, const Parameters& to) {
  std::string text;
  for (const auto& [key, value] : to) {
    const auto before = from.find(key);
    const std::string old = before == from.end() ? "" : before->second;
    if (old != value) absl::StrAppend(&text, text.empty() ? "" : ", ", key, " ", old, " -> ", value);
  }
  return text;
}

class Search {
 public:
  Search(const Problem& problem, const ProposalRequest& request)
      : problem_(problem),
        request_(request),
        seed_(request.spec.proposer().catalog().seed()),
        experience_(ReadExperience(request, problem)) {
    for (const PastRound& round : request.history) {
      const Parameters schedule = ScheduleOf(problem, round);
      if (schedule.empty()) continue;
      schedules_[round.round] = schedule;
      if (!SaysNothing(round.report.status())) tried_.insert(schedule);
    }
    ReadOutcomes();
  }

  absl::StatusOr<Choice> Run() {
    const int base = BaseRound();
    if (base == 0) return Draft();
    if (std::optional<Choice> move = BestMove(base)) return *std::move(move);
    if (std::optional<Choice> neighbour = Neighbour(base)) return *std::move(neighbour);
    return Exhausted();
  }

 private:
  const PastRound* RoundOf(int number) const {
    for (const PastRound& round : request_.history) {
      if (round.round == number) return &round;
    }
    return nullptr;
  }

  // The round whose schedule to change: the one asked for if the catalog made it, else the catalog's fastest correct
  // one.
  int BaseRound() const {
    const PastRound* start = RoundOf(request_.start_round);
    if (start != nullptr && schedules_.contains(start->round) && start->report.status() == v1::PASSED)
      return start->round;
    const PastRound* best = nullptr;
    for (const PastRound& round : request_.history) {
      if (!schedules_.contains(round.round) || round.report.status() != v1::PASSED) continue;
      if (best == nullptr || round.report.latency_us() < best->report.latency_us()) best = &round;
    }
    return best == nullptr ? 0 : best->round;
  }

  // How much faster a correct round is than the one it started from. The interleaved comparison with the incumbent,
  // which is what rounds start from, comes before plain latencies: those also tell how busy the machine was. Slower
  // counts only where the comparison is sure.
  double EffectOf(const PastRound& round) const {
    const v1::PairedRatio& paired = round.report.against_incumbent();
    if (paired.ratio() > 0) return paired.ratio() < 1 && !paired.slower() ? 1 : paired.ratio();
    const PastRound* start = RoundOf(round.start_round);
    if (start == nullptr || start->report.latency_us() <= 0 || round.report.latency_us() <= 0) return 1;
    return start->report.latency_us() / round.report.latency_us();
  }

  // How moves of this job turned out.
  void ReadOutcomes() {
    for (const PastRound& round : request_.history) {
      const Move* move = FindMove(round.proposal.thought().id());
      const auto schedule = schedules_.find(round.round);
      if (SaysNothing(round.report.status())) continue;
      if (move == nullptr || schedule == schedules_.end() || !schedule->second.contains(move->key)) continue;
      const auto option = std::pair(move->id, schedule->second.at(move->key));
      ++times_tried_[option];
      const v1::EvaluationStatus status = round.report.status();
      const double effect = status == v1::PASSED ? EffectOf(round) : 0;
      if (effect < kNegative) rejected_.insert(option);
      if (effect == 0) failed_.insert(option);
    }
  }

  v1::Purpose DraftPurpose() const {
    if (request_.history.empty()) return v1::FIRST_DRAFT;
    switch (request_.history.back().report.status()) {
      case v1::COMPILE_ERROR:
      case v1::COMPILE_TIMEOUT:
        return v1::SYNTAX_REPAIR;
      case v1::PASSED:
      case v1::EVALUATION_STATUS_UNSPECIFIED:
      case v1::INFRASTRUCTURE:
        return v1::FIRST_DRAFT;
      default:
        return v1::CORRECTNESS_REPAIR;
    }
  }

  absl::StatusOr<Choice> Draft() {
    for (const size_t i : RankedSchedules(experience_)) {
      if (std::optional<Choice> choice = Reuse(i, {})) {
        choice->purpose = DraftPurpose();
        return *std::move(choice);
      }
    }
    // The naive schedule, then ever further from it.
    Choice choice;
    choice.purpose = DraftPurpose();
    choice.move = kNaive;
    choice.parameters = Normalise(problem_, {});
    choice.change = "a first draft";
    if (!tried_.contains(choice.parameters)) return choice;
    for (const Move& move : MovesOf(problem_)) {
      for (const std::string& value : move.values) {
        const Parameters next = Apply(problem_, {}, move, value);
        if (tried_.contains(next) || rejected_.contains({move.id, value})) continue;
        choice.move = move.id;
        choice.value = value;
        choice.change = Difference(choice.parameters, next);
        choice.parameters = next;
        return choice;
      }
    }
    return Exhausted();
  }

  // The whole schedule of a retrieved case, if it is new.
  std::optional<Choice> Reuse(size_t i, const Parameters& base) {
    const Experience& e = experience_[i];
    Choice choice;
    choice.move = kReuse;
    choice.parameters = Normalise(problem_, e.parameters);
    if (tried_.contains(choice.parameters)) return std::nullopt;
    choice.source_operator = e.operator_name;
    choice.source_speedup = e.speedup;
    choice.change = base.empty() ? Describe(problem_, choice.parameters) : Difference(base, choice.parameters);
    choice.adopted.push_back(
        {e.item_id, absl::StrCat("this draft uses its schedule: ", Describe(problem_, choice.parameters))});
    return choice;
  }

  std::optional<Choice> BestMove(int base) {
    const Parameters& from = schedules_.at(base);
    std::optional<Choice> best;
    std::tuple<int, double, int, int, uint64_t> best_rank;
    const auto offer = [&](Choice choice, int tries, int tier, uint64_t seeded) {
      // Clear evidence in favour first, the strongest leading; then what nothing is known about; then what is advised
      // against.
      // What this job itself has tried needs no evidence from elsewhere.
      const int group = choice.evidence < -kClear ? 2 : choice.evidence > kClear && tries == 0 ? 0 : 1;
      const auto rank = std::tuple(group, group == 1 ? 0.0 : -choice.evidence, tries, tier, seeded);
      if (best && best_rank <= rank) return;
      best = std::move(choice);
      best_rank = rank;
    };
    for (const Move& move : MovesOf(problem_)) {
      for (size_t n = 0; n < move.values.size(); ++n) {
        const std::string& value = move.values[n];
        const auto option = std::pair(move.id, value);
        if (rejected_.contains(option) || IsPast(move, from) || Has(from, move.key, value)) continue;
        const Parameters next = Apply(problem_, from, move, value);
        if (tried_.contains(next)) continue;
        Choice choice;
        choice.parameters = next;
        choice.move = move.id;
        choice.value = value;
        choice.start_round = base;
        choice.change = Difference(from, next);
        std::vector<std::string> in_favour;
        choice.evidence = EvidenceFor(move, value, experience_, &in_favour);
        for (const std::string& id : in_favour) {
          choice.adopted.push_back(
              {id, absl::StrCat("it made '", move.id, "' look effective, which this round applies: ", choice.change)});
        }
        // Values behind a move's first belong to tuning.
        const int tier = move.tier + (n > 0 ? 1 : 0);
        offer(std::move(choice), times_tried_[option], tier, SeededRank(seed_, absl::StrCat(move.id, "=", value)));
      }
    }
    const double now = RoundOf(base)->report.speedup_vs_baseline();
    for (const size_t i : RankedSchedules(experience_)) {
      if (now <= 0 || experience_[i].speedup <= 0) continue;
      std::optional<Choice> choice = Reuse(i, from);
      if (!choice) continue;
      choice->start_round = base;
      choice->evidence = experience_[i].weight * std::log(experience_[i].speedup / now);
      if (choice->evidence > kClear) offer(*std::move(choice), 0, 0, 0);
    }
    return best;
  }

  static bool Has(const Parameters& schedule, const std::string& key, const std::string& value) {
    const auto found = schedule.find(key);
    return found != schedule.end() && found->second == value;
  }

  static bool IsPast(const Move& move, const Parameters& schedule) {
    return std::any_of(move.unless.begin(), move.unless.end(),
                       [&](const auto& entry) { return Has(schedule, entry.first, entry.second); });
  }

  // An untried schedule that differs from the base in two parameters, in seeded order. Values that were rejected are
  // left out.
  std::optional<Choice> Neighbour(int base) {
    const Parameters& from = schedules_.at(base);
    struct Step {
      std::string key;
      std::string value;
      bool rejected = false;
    };
    std::vector<Step> steps;
    for (const Move& move : MovesOf(problem_)) {
      for (const std::string& value : move.values) {
        const auto option = std::pair(move.id, value);
        if (!failed_.contains(option)) steps.push_back({move.key, value, rejected_.contains(option)});
      }
    }
    std::optional<Parameters> best;
    std::pair<int, uint64_t> best_rank;
    for (size_t i = 0; i < steps.size(); ++i) {
      for (size_t j = i + 1; j < steps.size(); ++j) {
        if (steps[i].key == steps[j].key) continue;
        Parameters next = from;
        next[steps[i].key] = steps[i].value;
        next[steps[j].key] = steps[j].value;
        next = Normalise(problem_, next);
        if (tried_.contains(next)) continue;
        const auto rank = std::pair(steps[i].rejected + steps[j].rejected, SeededRank(seed_, Describe(problem_, next)));
        if (best && best_rank <= rank) continue;
        best = std::move(next);
        best_rank = rank;
      }
    }
    if (!best) return std::nullopt;
    Choice choice;
    choice.move = kCombine;
    choice.parameters = *best;
    choice.start_round = base;
    choice.change = Difference(from, *best);
    return choice;
  }

  absl::Status Exhausted() const {
    return absl::OutOfRangeError(
        absl::StrCat("The catalog has tried all ", tried_.size(), " schedules that it reaches for this operator."));
  }

  const Problem& problem_;
  const ProposalRequest& request_;
  const uint64_t seed_;
  const std::vector<Experience> experience_;
  std::map<int, Parameters> schedules_;  // by round
  std::set<Parameters> tried_;
  std::map<std::pair<std::string, std::string>, int> times_tried_;  // (move, value)
  std::set<std::pair<std::string, std::string>> rejected_;          // much slower, or failed
  std::set<std::pair<std::string, std::string>> failed_;
};

}  // namespace

Parameters ScheduleOf(const Problem& problem, const PastRound& round) {
  const auto& parameters = round.proposal.thought().parameters();
  if (!parameters.contains(problem.target->RootKey())) return {};
  return Normalise(problem, Parameters(parameters.begin(), parameters.end()));
}

absl::StatusOr<Choice> ChooseNext(const Problem& problem, const ProposalRequest& request) {
  return Search(problem, request).Run();
}

}  // namespace kernelsmith::server
