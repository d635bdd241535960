// One import: rows in, a status for each out. The service feeds it from a stream, a program from a file.
//
//   ImportSession session(sink);
//   if (!token.empty()) RETURN_IF_ERROR(session.Resume(token));
//   for (const v1::ExchangeRow& row : rows) Send(session.Take(row));
//   if (!session.complete()) Send(session.Truncated());
//
// Rows come in order: manifest, attempts and items, closing row. A row that is damaged, out of order, too large or of a
// newer format is REFUSED and changes nothing: the same row, sent right, is taken next. A row that the sink refuses for
// what it says (other content under its id, an invalid field) is REFUSED and passed over. When the sink
// cannot store (a full disk), the import stops there: the token goes on at that row. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/exchange_rows.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// Where rows go. Content that is there already is a duplicate, told by the caller's ids and content alike. A
// predecessor that is not there is no error: an export may have left it out.
class ImportSink {
 public:
  struct Stored {
    std::string item_id;  // of the case or item
    bool duplicate = false;
    std::string note = {};  // what the importer should know of it; empty: nothing
  };

  virtual ~ImportSink() = default;
  virtual absl::StatusOr<Stored> StoreAttempt(const v1::RecordAttemptRequest& attempt) = 0;
  virtual absl::StatusOr<Stored> StoreItem(const v1::RecordItemRequest& item) = 0;
};

class ImportSession {
 public:
  // `sink` must outlive the session.
  explicit ImportSession(ImportSink& sink) : sink_(sink) {}

  // Goes on where the token says. Rows before that may be sent again and are SKIPPED; if the manifest is among them, it
  // has to be the same one. INVALID_ARGUMENT, FAILED_PRECONDITION: no token of this program. REQUIRES: before any Take.
  absl::Status Resume(absl::string_view token);

  v1::ImportStatus Take(const v1::ExchangeRow& row);

  // The closing row was taken.
  bool complete() const { return chain_.closed(); }

  // What to say when the rows end and complete() is false.
  v1::ImportStatus Truncated() const;

 private:
  absl::Status CheckForm(const v1::ExchangeRow& row) const;
  absl::StatusOr<v1::ImportStatus> TakeInOrder(const v1::ExchangeRow& row);
  absl::Status CheckSkipped(const v1::ExchangeRow& row) const;
  v1::ImportStatus Refused(const v1::ExchangeRow& row, const absl::Status& why) const;
  // Empty before the manifest was taken, and when nothing is left to take.
  std::string Token() const;

  ImportSink& sink_;
  common::RowChain chain_;
  std::string manifest_sha256_;
  uint64_t resumed_at_ = 0;  // rows before this number are SKIPPED
  absl::Status stopped_;     // not OK: nothing is taken any more
};

}  // namespace kernelsmith::memory
