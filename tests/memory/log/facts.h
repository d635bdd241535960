// Facts for the tests of the log.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "memory/log/fact_store.h"
#include "tests/memory/requests.h"

namespace kernelsmith::memory::testing {

inline Fact AttemptFact(const std::string& team, const std::string& id, const std::string& hash = "h") {
  Fact fact;
  fact.set_team(team);
  fact.set_idempotency_key(FactKeyOf("attempt", kProducer, id));
  fact.set_content_sha256(hash);
  *fact.mutable_attempt() = Attempt(id);
  return fact;
}

inline AppendResult Append(FactStore& store, Fact fact) { return store.Append(std::vector<Fact*>{&fact}).front(); }

// "team:attempt" of every fact, in order.
inline std::vector<std::string> ScannedIds(const FactStore& store, uint64_t from = 0) {
  std::vector<std::string> ids;
  const absl::Status status = store.Scan(from, [&](const Fact& fact) {
    ids.push_back(fact.team() + ":" + fact.attempt().attempt_id());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return ids;
}

// Every fact, or every head, as text with its number.
inline std::vector<std::string> Scanned(const FactStore& store, bool heads) {
  std::vector<std::string> texts;
  const auto visit = [&](const Fact& fact) {
    texts.push_back(fact.ShortDebugString());
    return absl::OkStatus();
  };
  const absl::Status status = heads ? store.ScanHeads(0, visit) : store.Scan(0, visit);
  EXPECT_TRUE(status.ok()) << status;
  return texts;
}

}  // namespace kernelsmith::memory::testing
