// How facts and heads lie in the store: keys, the frame with its checksum, and what is made of a fact before it is
// written. Pure; docs/formats.md describes the bytes.
//
//   PreparedFact prepared = PrepareFact(std::move(fact));        // in the writer's own thread
//   std::string prefix = FramePrefix(prepared.body, key);        // then the body: the stored value
//   ASSIGN_OR_RETURN(Fact again, ReadRecord(key, value));
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/log/head.h"

namespace kernelsmith::memory {

// Version of the stored records and of the store.
inline constexpr uint32_t kFactFormat = 2;

// Keys begin with the team and a zero byte. The first key of a team, and the first one behind all of them.
std::string TeamPrefix(absl::string_view team);
std::string TeamEnd(absl::string_view team);
// Team, zero byte, sequence as 8 bytes, most significant first.
std::string FactKey(absl::string_view team, uint64_t sequence);
// Team, zero byte, idempotency key.
std::string IdempotencyKey(absl::string_view team, absl::string_view key);

// Serialised bytes without the sequence, which the key holds, and their checksum.
struct RecordBody {
  std::string bytes;
  uint32_t crc = 0;
};

// What an append needs of a fact, made before its turn comes, so that the turn is short.
struct PreparedFact {
  Fact fact;  // with format and notes
  RecordBody body;
  RecordBody head;
  std::string idempotency_key;  // of the store
};

// REQUIRES: the team is not empty and holds no zero byte.
PreparedFact PrepareFact(Fact fact);

// What stands before the body in the stored value: one byte 2, then CRC-32 over the body and the key, 4 bytes, most
// significant first.
std::string FramePrefix(const RecordBody& body, absl::string_view key);

// The fact or head stored under `key`, with its sequence. Also takes format 1, which had no frame. DATA_LOSS if the
// bytes are not those that were written, FAILED_PRECONDITION if a newer program wrote them.
absl::Status ReadRecord(absl::string_view key, absl::string_view value, Fact* fact);
// True for a stored value of format 1.
bool IsFormat1(absl::string_view value);

// Parts of a key of the families "facts" and "heads". False if it is none.
bool SplitFactKey(absl::string_view key, std::string* team, uint64_t* sequence);

}  // namespace kernelsmith::memory
