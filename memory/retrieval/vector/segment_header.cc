#include "memory/retrieval/vector/segment_header.h"

#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/scan_codes.h"
#include "memory/retrieval/vector/segment_file.h"

namespace kernelsmith::memory {
namespace {

static_assert(std::endian::native == std::endian::little, "segments are files of little-endian numbers");

constexpr absl::string_view kMagic("KSVECTOR", 8);
constexpr size_t kLongestId = 256;

template <typename Number>
void Put(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number Get(absl::string_view bytes, size_t& at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  at += sizeof number;
  return number;
}

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged vector segment: ", what));
}

}  // namespace

uint64_t HeaderBytes(const SegmentHeader& header) { return Padded(kFixedHeaderBytes + header.embedder_id.size()); }

SegmentSections SectionsOf(const SegmentHeader& header) {
  const uint64_t stride = RowStride(static_cast<int>(header.dimensions));
  SegmentSections out;
  out.row_of = uint64_t{header.last - header.first} * sizeof(uint32_t);
  out.rows = header.rows * stride;
  if (header.lists == 0) return out;
  const uint64_t directions = DirectionsOf(header.groups);
  out.list_begin = (uint64_t{header.lists} + 1) * sizeof(uint32_t);
  out.centroids = header.lists * stride;
  out.directions = directions * header.dimensions * sizeof(float);
  out.prototypes = directions * kPrototypes * sizeof(float);
  out.codes = uint64_t{header.blocks} * kBlockRows * header.groups / 2;
  return out;
}

uint64_t FileBytes(const SegmentHeader& header) {
  const SegmentSections s = SectionsOf(header);
  return HeaderBytes(header) + Padded(s.row_of) + Padded(s.rows) + Padded(s.list_begin) + Padded(s.centroids) +
         Padded(s.directions) + Padded(s.prototypes) + Padded(s.codes);
}

std::string EncodeHeader(const SegmentHeader& header) {
  std::string out(kMagic.data(), kMagic.size());
  Put(kSegmentFormat, out);
  Put(static_cast<uint32_t>(HeaderBytes(header)), out);
  out.append(kChecksumBytes, '\0');
  Put(header.file_bytes, out);
  for (const uint32_t number : {header.first, header.last, header.dimensions, header.rows, header.lists, header.groups,
                                header.blocks, static_cast<uint32_t>(header.embedder_id.size())}) {
    Put(number, out);
  }
  out += header.embedder_id;
  out.resize(HeaderBytes(header), '\0');
  return out;
}

absl::StatusOr<SegmentHeader> DecodeHeader(absl::string_view bytes, uint64_t file_bytes) {
  if (bytes.size() < kMagic.size() || bytes.substr(0, kMagic.size()) != kMagic) {
    return Damaged("it does not begin with KSVECTOR");
  }
  if (bytes.size() < kFixedHeaderBytes) return Damaged("it ends inside its header");
  size_t at = kMagic.size();
  const auto version = Get<uint32_t>(bytes, at);
  if (version > kSegmentFormat) {
    return absl::FailedPreconditionError(absl::StrCat("vector segment of format ", version,
                                                      "; this program reads up to ", kSegmentFormat,
                                                      ": use the newer program, or delete the segment"));
  }
  const auto header_bytes = Get<uint32_t>(bytes, at);
  at = kCheckedFrom;
  SegmentHeader header;
  header.file_bytes = Get<uint64_t>(bytes, at);
  header.first = Get<uint32_t>(bytes, at);
  header.last = Get<uint32_t>(bytes, at);
  header.dimensions = Get<uint32_t>(bytes, at);
  header.rows = Get<uint32_t>(bytes, at);
  header.lists = Get<uint32_t>(bytes, at);
  header.groups = Get<uint32_t>(bytes, at);
  header.blocks = Get<uint32_t>(bytes, at);
  const auto id_bytes = Get<uint32_t>(bytes, at);
  if (id_bytes > kLongestId || bytes.size() < at + id_bytes) return Damaged("it has no embedder id");
  header.embedder_id = std::string(bytes.substr(at, id_bytes));
  if (version == 0 || header_bytes != HeaderBytes(header)) return Damaged("its header has another size than it says");
  if (header.first > header.last || header.rows > header.last - header.first) return Damaged("its item range");
  if (header.dimensions == 0 || header.dimensions > kMaxDimensions) return Damaged("its dimension");
  const bool codes_fit = header.lists == 0 ? header.groups == 0 && header.blocks == 0
                                           : header.groups == GroupsFor(static_cast<int>(header.dimensions)) &&
                                                 header.lists <= header.rows && header.blocks <= header.rows;
  if (!codes_fit) return Damaged("its codes");
  if (header.file_bytes != file_bytes) {
    return Damaged(absl::StrCat("it has ", file_bytes, " bytes instead of ", header.file_bytes));
  }
  if (FileBytes(header) != file_bytes) return Damaged("its sections do not fill it");
  return header;
}

}  // namespace kernelsmith::memory
