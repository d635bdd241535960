#include "memory/exchange/import_session.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/exchange/resume_token.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLargestRow = 9 << 20;  // bytes; an attempt has 8 MiB at most

// True if the message, or one within it, has a field that this program does not know.
bool HasUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (HasUnknownFields(reflection.GetMessage(message, field))) return true;
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (HasUnknownFields(reflection.GetRepeatedMessage(message, field, i))) return true;
    }
  }
  return false;
}

// True for an error that says nothing about the row: it can be stored later.
bool StopsTheImport(const absl::Status& status) {
  return common::IsRetryable(status) || absl::IsDataLoss(status) || absl::IsInternal(status) ||
         absl::IsUnknown(status) || absl::IsCancelled(status);
}

}  // namespace

absl::Status ImportSession::Resume(absl::string_view token) {
  ASSIGN_OR_RETURN(ResumePoint point, DecodeResumeToken(token));
  resumed_at_ = point.next_row;
  manifest_sha256_ = std::move(point.manifest_sha256);
  chain_ = common::RowChain(point.next_row, std::move(point.digest));
  return absl::OkStatus();
}

v1::ImportStatus ImportSession::Take(const v1::ExchangeRow& row) {
  if (!stopped_.ok()) return Refused(row, stopped_);
  if (row.number() < resumed_at_) {
    if (stopped_ = CheckSkipped(row); !stopped_.ok()) return Refused(row, stopped_);
    v1::ImportStatus status;
    status.set_number(row.number());
    status.set_outcome(v1::ImportStatus::SKIPPED);
    status.set_resume_token(Token());
    return status;
  }
  if (const absl::Status form = CheckForm(row); !form.ok()) return Refused(row, form);
  absl::StatusOr<v1::ImportStatus> taken = TakeInOrder(row);
  return taken.ok() ? *std::move(taken) : Refused(row, taken.status());
}

absl::Status ImportSession::CheckForm(const v1::ExchangeRow& row) const {
  // Said first: whatever else is wrong with it, a newer program made it.
  if (row.has_manifest() && row.manifest().format() > common::kExchangeFormat) {
    v1::ExchangeRow first = row;
    first.set_number(0);
    return common::RowChain().Add(first);
  }
  if (row.ByteSizeLong() > kLargestRow) {
    return common::InvalidField(
        "row", absl::StrCat("has ", row.ByteSizeLong(), " bytes; at most ", kLargestRow, " are allowed"));
  }
  if (row.row_case() == v1::ExchangeRow::ROW_NOT_SET) {
    return common::InvalidField("row", "holds neither a manifest, an attempt, an item nor a closing");
  }
  if (HasUnknownFields(row)) {
    return common::InvalidField("row", "has fields that this program does not know; use a newer one");
  }
  return common::CheckRow(row);
}

absl::Status ImportSession::CheckSkipped(const v1::ExchangeRow& row) const {
  if (!row.has_manifest() || row.sha256() == manifest_sha256_) return absl::OkStatus();
  return common::BadState("RESUME_TOKEN", "resume_token",
                          "is of another export; send the rows that it was given for, or begin without a token");
}

absl::StatusOr<v1::ImportStatus> ImportSession::TakeInOrder(const v1::ExchangeRow& row) {
  common::RowChain next = chain_;
  RETURN_IF_ERROR(next.Add(row));
  v1::ImportStatus status;
  status.set_number(row.number());
  status.set_outcome(v1::ImportStatus::STORED);
  if (row.has_manifest()) manifest_sha256_ = row.sha256();
  if (row.has_closing()) status.set_outcome(v1::ImportStatus::COMPLETE);
  if (row.has_attempt() || row.has_item()) {
    const absl::StatusOr<ImportSink::Stored> stored =
        row.has_attempt() ? sink_.StoreAttempt(row.attempt()) : sink_.StoreItem(row.item());
    if (stored.ok()) {
      status.set_item_id(stored->item_id);
      status.set_message(stored->note);
      if (stored->duplicate) status.set_outcome(v1::ImportStatus::DUPLICATE);
    } else {
      if (StopsTheImport(stored.status())) {
        stopped_ = stored.status();
        return stopped_;
      }
      status.set_outcome(v1::ImportStatus::REFUSED);
      status.set_message(std::string(stored.status().message()));
    }
  }
  chain_ = std::move(next);
  status.set_resume_token(Token());
  return status;
}

v1::ImportStatus ImportSession::Refused(const v1::ExchangeRow& row, const absl::Status& why) const {
  v1::ImportStatus status;
  status.set_number(row.number());
  status.set_outcome(v1::ImportStatus::REFUSED);
  status.set_message(std::string(why.message()));
  status.set_resume_token(Token());
  return status;
}

v1::ImportStatus ImportSession::Truncated() const {
  v1::ImportStatus status;
  status.set_number(chain_.next_number());
  status.set_outcome(v1::ImportStatus::REFUSED);
  status.set_message(absl::StrCat("the rows end before row ", chain_.next_number(),
                                  " without a closing row; what came is kept, the resume token goes on from there"));
  status.set_resume_token(Token());
  return status;
}

std::string ImportSession::Token() const {
  if (manifest_sha256_.empty() || chain_.closed()) return "";
  return EncodeResumeToken(
      {.next_row = chain_.next_number(), .digest = chain_.digest(), .manifest_sha256 = manifest_sha256_});
}

}  // namespace kernelsmith::memory
