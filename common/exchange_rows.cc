#include "common/exchange_rows.h"

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "common/status.h"
#include "google/protobuf/util/json_util.h"

namespace kernelsmith::common {
namespace {

absl::Status Damaged(const v1::ExchangeRow& row, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("row ", row.number(), " of the export ", what));
}

absl::Status NewerFormat(uint64_t format) {
  return BadState("EXCHANGE_FORMAT", "manifest",
                  absl::StrCat("the export has format ", format, ", this program knows ", kExchangeFormat,
                               "; use a newer program"));
}

// The format of a manifest that cannot be read whole, for it may have fields that are new; 0 for other lines.
uint64_t FormatOf(absl::string_view line) {
  const nlohmann::json document = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!document.is_object()) return 0;
  const auto manifest = document.find("manifest");
  if (manifest == document.end() || !manifest->is_object()) return 0;
  const auto format = manifest->find("format");
  return format != manifest->end() && format->is_number_unsigned() ? format->get<uint64_t>() : 0;
}

absl::Status CheckManifest(const v1::ExchangeRow& row) {
  if (!row.has_manifest()) return Damaged(row, "is the first one and no manifest; this is no export");
  const uint32_t format = row.manifest().format();
  if (format > kExchangeFormat) return NewerFormat(format);
  if (format == 0) return Damaged(row, "is a manifest without a format");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> CanonicalJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &text, options);
  // Maps come in no order from protobuf; nlohmann's objects are sorted by key.
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!printed.ok() || document.is_discarded()) {
    return absl::InternalError(absl::StrCat("a ", message.GetDescriptor()->name(), " has no JSON form"));
  }
  return document.dump();
}

absl::StatusOr<std::string> RowHash(const v1::ExchangeRow& row) {
  v1::ExchangeRow bare = row;
  bare.clear_sha256();
  ASSIGN_OR_RETURN(const std::string text, CanonicalJson(bare));
  return Sha256Hex(text);
}

absl::Status SealRow(v1::ExchangeRow* row) {
  ASSIGN_OR_RETURN(std::string hash, RowHash(*row));
  row->set_sha256(std::move(hash));
  return absl::OkStatus();
}

absl::Status CheckRow(const v1::ExchangeRow& row) {
  ASSIGN_OR_RETURN(const std::string hash, RowHash(row));
  if (hash != row.sha256()) return Damaged(row, "was changed after it was written: its hash differs");
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeRow(const v1::ExchangeRow& row) { return CanonicalJson(row); }

absl::StatusOr<v1::ExchangeRow> DecodeRow(absl::string_view line) {
  v1::ExchangeRow row;
  const auto parsed = google::protobuf::util::JsonStringToMessage({line.data(), line.size()}, &row);
  if (!parsed.ok()) {
    if (const uint64_t format = FormatOf(line); format > kExchangeFormat) return NewerFormat(format);
    return InvalidField("row",
                        absl::StrCat("is no line of an export: ", absl::CHexEscape(parsed.message().as_string())));
  }
  if (row.row_case() == v1::ExchangeRow::ROW_NOT_SET) {
    return InvalidField("row", "holds neither a manifest, an attempt, an item nor a closing");
  }
  RETURN_IF_ERROR(CheckRow(row));
  return row;
}

absl::Status RowChain::Add(const v1::ExchangeRow& row) {
  if (closed_) return Damaged(row, "comes after the closing row");
  if (row.number() != next_number_) return Damaged(row, absl::StrCat("comes where row ", next_number_, " belongs"));
  if (next_number_ == 0) {
    RETURN_IF_ERROR(CheckManifest(row));
    digest_ = row.sha256();
  } else if (row.has_manifest()) {
    return Damaged(row, "is a second manifest");
  } else if (row.has_closing()) {
    const v1::ExchangeClosing expected = Closing();
    if (row.closing().rows() != expected.rows() || row.closing().sha256() != expected.sha256()) {
      return Damaged(row, absl::StrCat("closes ", row.closing().rows(), " rows with the hash ", row.closing().sha256(),
                                       "; what came are ", expected.rows(), " rows with ", expected.sha256()));
    }
    closed_ = true;
  } else {
    digest_ = Sha256Hex(absl::StrCat(digest_, row.sha256()));
  }
  ++next_number_;
  return absl::OkStatus();
}

v1::ExchangeClosing RowChain::Closing() const {
  v1::ExchangeClosing closing;
  closing.set_rows(next_number_ == 0 ? 0 : next_number_ - 1);
  closing.set_sha256(digest_);
  return closing;
}

}  // namespace kernelsmith::common
