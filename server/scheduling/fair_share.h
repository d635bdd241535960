// Weighted fair share between teams: start-time fair queueing over card seconds. Every team has a virtual time that
// grows by used seconds / weight; the team that is furthest behind goes next. A team that comes back after a pause
// starts at the front runners' minimum, so that idling saves nothing.
//
//   FairShare share({{"a", 2.0}});            // others weigh 1
//   share.Activate("a"); share.Activate("b");
//   share.Charge("a", 10);                    // a: 5, b: 0
//   share.Next({"a", "b"});                   // "b"
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kernelsmith::server {

// Not thread-safe; knows no clock.
class FairShare {
 public:
  // Weights that are not positive count as 1.
  explicit FairShare(std::map<std::string, double> weights) : weights_(std::move(weights)) {}

  // The team has work now. Does nothing if it had some already.
  void Activate(const std::string& team);
  // The team has no work left.
  void Deactivate(const std::string& team);
  // Seconds of a card that the team used; negative ones correct an earlier estimate.
  void Charge(const std::string& team, double seconds);
  // The team to serve of those that could be; ties go to the first name. Nothing if the list is empty.
  std::optional<std::string> Next(const std::vector<std::string>& teams) const;
  double VirtualTime(const std::string& team) const;

 private:
  struct Account {
    double virtual_time = 0;
    bool active = false;
  };
  double WeightOf(const std::string& team) const;

  std::map<std::string, double> weights_;
  std::map<std::string, Account> accounts_;
};

}  // namespace kernelsmith::server
