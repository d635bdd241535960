// Keeps two calls with the same key apart while one of them reads and then writes, without holding a lock meanwhile.
//
//   KeyClaims::Claim claim(claims, job_id);   // waits while another call has it
#pragma once

#include <set>
#include <string>

#include "common/mutex.h"

namespace kernelsmith::server {

class KeyClaims {
 public:
  class Claim {
   public:
    Claim(KeyClaims& claims, std::string key) : claims_(claims), key_(std::move(key)) {
      common::MutexLock lock(claims_.mutex_);
      while (!claims_.keys_.insert(key_).second) claims_.released_.Wait(claims_.mutex_);
    }
    ~Claim() {
      common::MutexLock lock(claims_.mutex_);
      claims_.keys_.erase(key_);
      claims_.released_.NotifyAll();
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    KeyClaims& claims_;
    const std::string key_;
  };

 private:
  common::Mutex mutex_;
  common::CondVar released_;
  std::set<std::string> keys_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::server
