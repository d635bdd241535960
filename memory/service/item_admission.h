// Lets of several items that say almost the same only one be recorded, also when they come at the same moment.
//
//   const ItemAdmission::Turn turn(admission, team, signature);   // waits while such an item is on its way
//   ... look for a near-duplicate, record the item ...            // until `turn` goes
//
// Items that differ pass beside each other; no lock is held while one is being recorded. Signatures are of
// values/near_duplicate.h. Thread-safe.
#pragma once

#include <list>
#include <string>
#include <utility>

#include "common/mutex.h"

namespace kernelsmith::memory {

class ItemAdmission {
 public:
  class Turn;

 private:
  struct OnItsWay {
    std::string team;
    std::string signature;
  };
  using Place = std::list<OnItsWay>::iterator;

  Place Enter(OnItsWay item);
  void Leave(Place place);
  bool IsOnItsWay(const OnItsWay& item) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  common::Mutex mutex_;
  common::CondVar left_;
  std::list<OnItsWay> on_their_way_ GUARDED_BY(mutex_);
};

class ItemAdmission::Turn {
 public:
  // REQUIRES: the thread has no other turn.
  Turn(ItemAdmission& admission, std::string team, std::string signature)
      : admission_(admission), place_(admission.Enter({std::move(team), std::move(signature)})) {}
  ~Turn() { admission_.Leave(place_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  ItemAdmission& admission_;
  const Place place_;
};

}  // namespace kernelsmith::memory
