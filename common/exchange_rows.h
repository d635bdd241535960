// The file format of an export: JSON lines, one v1::ExchangeRow a line, canonical, each with its hash. Shared by the
// memory service, which makes and takes rows, and by the client, which keeps them in files. docs/formats.md has the
// format.
//
//   row.set_number(0); *row.mutable_manifest() = manifest;
//   RETURN_IF_ERROR(SealRow(&row));                       // sets row.sha256
//   ASSIGN_OR_RETURN(std::string line, EncodeRow(row));   // without a newline
//   ASSIGN_OR_RETURN(v1::ExchangeRow again, DecodeRow(line));
//
// Canonical JSON: field names as in the .proto file, fields without a value left out, keys of every object in byte
// order, no white space, UTF-8 as it is. So equal rows are equal bytes, whoever wrote them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::common {

inline constexpr uint32_t kExchangeFormat = 1;

// REQUIRES: its strings are UTF-8, as those of every message that came over the wire.
absl::StatusOr<std::string> CanonicalJson(const google::protobuf::Message& message);

// SHA-256 in hexadecimal of the row's canonical JSON without its field sha256.
absl::StatusOr<std::string> RowHash(const v1::ExchangeRow& row);
absl::Status SealRow(v1::ExchangeRow* row);
// DATA_LOSS if the row is not what was hashed.
absl::Status CheckRow(const v1::ExchangeRow& row);

absl::StatusOr<std::string> EncodeRow(const v1::ExchangeRow& row);
// INVALID_ARGUMENT for what is no row; DATA_LOSS if the row is not what was hashed; FAILED_PRECONDITION for a manifest
// of a newer format with fields that this program does not know.
absl::StatusOr<v1::ExchangeRow> DecodeRow(absl::string_view line);

// Checks the rows of one export in their order and folds their hashes into the one that the closing row carries. The
// state is two values, so that an import goes on where it stopped.
class RowChain {
 public:
  RowChain() = default;
  // Goes on behind row `next_number - 1`, whose chain was `digest`.
  RowChain(uint64_t next_number, std::string digest) : next_number_(next_number), digest_(std::move(digest)) {}

  // Number 0 has to be a manifest of a known format; then rows numbered without a gap; then a closing row whose figures
  // agree with what came. DATA_LOSS says which row is wrong; FAILED_PRECONDITION names a newer format. A row that is
  // refused changes nothing. REQUIRES: the row's hash was checked (DecodeRow, CheckRow).
  absl::Status Add(const v1::ExchangeRow& row);

  // What a closing row after these rows has to say.
  v1::ExchangeClosing Closing() const;
  uint64_t next_number() const { return next_number_; }
  // After the manifest its hash; after each row SHA-256 of the digest before and the row's hash, both in hexadecimal,
  // one behind the other.
  const std::string& digest() const { return digest_; }
  bool closed() const { return closed_; }

 private:
  uint64_t next_number_ = 0;
  std::string digest_;
  bool closed_ = false;
};

}  // namespace kernelsmith::common
