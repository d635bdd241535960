#include "memory/log/fact_record.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <zlib.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rocks.h"
#include "common/status.h"

namespace kernelsmith::memory {
namespace {

// Neither is the first byte of a serialised message: field numbers start at 1, so tags start at 8.
constexpr char kFrameOfFormat2 = 2;
constexpr char kFirstByteOfFormat1 = 8;  // the tag of Fact.format
constexpr char kLastFrameByte = 7;
constexpr size_t kPrefixSize = 5;

uint32_t Crc(uint32_t crc, absl::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string BigEndian32(uint32_t value) { return common::BigEndian64(value).substr(4); }

// "number 7 of team 'a'"
std::string NameOf(absl::string_view key) {
  std::string team;
  uint64_t sequence = 0;
  if (!SplitFactKey(key, &team, &sequence)) return "under a key that is none";
  return absl::StrCat("number ", sequence, " of team '", team, "'");
}

// Equal facts are equal bytes: the entries of a map, which have no order of their own, come by their keys.
std::string BytesOf(const Fact& fact) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  fact.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

absl::Status Newer(absl::string_view key, uint32_t format) {
  return absl::FailedPreconditionError(absl::StrCat("the fact ", NameOf(key), " has format ", format,
                                                    ", this program knows up to ", kFactFormat,
                                                    "; use the newer program that wrote it"));
}

}  // namespace

std::string TeamPrefix(absl::string_view team) { return absl::StrCat(team, absl::string_view("\0", 1)); }

std::string TeamEnd(absl::string_view team) { return absl::StrCat(team, "\x01"); }

std::string FactKey(absl::string_view team, uint64_t sequence) {
  return absl::StrCat(team, absl::string_view("\0", 1), common::BigEndian64(sequence));
}

std::string IdempotencyKey(absl::string_view team, absl::string_view key) {
  return absl::StrCat(team, absl::string_view("\0", 1), key);
}

bool SplitFactKey(absl::string_view key, std::string* team, uint64_t* sequence) {
  const size_t end = key.find('\0');
  if (end == absl::string_view::npos || key.size() != end + 9) return false;
  *team = std::string(key.substr(0, end));
  *sequence = common::ReadBigEndian64(key.substr(end + 1));
  return true;
}

PreparedFact PrepareFact(Fact fact) {
  PreparedFact prepared;
  fact.set_format(kFactFormat);
  fact.clear_sequence();
  *fact.mutable_notes() = NotesOf(fact);
  prepared.idempotency_key = IdempotencyKey(fact.team(), fact.idempotency_key());
  prepared.body.bytes = BytesOf(fact);
  prepared.body.crc = Crc(0, prepared.body.bytes);
  StripFact(prepared.body.bytes, &prepared.head.bytes);
  prepared.head.crc = Crc(0, prepared.head.bytes);
  prepared.fact = std::move(fact);
  return prepared;
}

std::string FramePrefix(const RecordBody& body, absl::string_view key) {
  return absl::StrCat(absl::string_view(&kFrameOfFormat2, 1), BigEndian32(Crc(body.crc, key)));
}

bool IsFormat1(absl::string_view value) { return !value.empty() && value[0] == kFirstByteOfFormat1; }

absl::Status ReadRecord(absl::string_view key, absl::string_view value, Fact* fact) {
  const auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(absl::StrCat("the fact ", NameOf(key), " ", what));
  };
  std::string team;
  uint64_t sequence = 0;
  if (!SplitFactKey(key, &team, &sequence)) return damaged("has no number");
  if (value.empty()) return damaged("is empty");
  if (!IsFormat1(value)) {
    if (value[0] > kFrameOfFormat2 && value[0] <= kLastFrameByte) return Newer(key, static_cast<uint32_t>(value[0]));
    if (value[0] != kFrameOfFormat2 || value.size() < kPrefixSize) return damaged("does not begin like a fact");
    const absl::string_view crc = value.substr(1, kPrefixSize - 1);
    value.remove_prefix(kPrefixSize);
    if (crc != BigEndian32(Crc(Crc(0, value), key))) return damaged("does not agree with its checksum");
  }
  if (!fact->ParseFromArray(value.data(), static_cast<int>(value.size()))) return damaged("does not parse");
  if (fact->format() > kFactFormat) return Newer(key, fact->format());
  if (fact->team() != team) return damaged(absl::StrCat("says that it is of team '", fact->team(), "'"));
  fact->set_sequence(sequence);
  return absl::OkStatus();
}

}  // namespace kernelsmith::memory
