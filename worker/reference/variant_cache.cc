#include "worker/reference/variant_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"
#include "worker/locks/file_lock.h"

namespace kernelsmith::worker {
namespace {

using nlohmann::json;

constexpr absl::string_view kMagic = "KSVAR001";
constexpr uint32_t kMaxHeader = 1 << 20;

// Four independent multiplicative hashes over 8-byte words: a few GiB/s, enough against torn or rotten blocks.
uint64_t Checksum(const std::byte* data, int64_t size) {
  std::array<uint64_t, 4> lanes = {1, 2, 3, 4};
  int64_t i = 0;
  for (; i + 32 <= size; i += 32) {
    for (int lane = 0; lane < 4; ++lane) {
      uint64_t word;
      std::memcpy(&word, data + i + 8 * lane, 8);
      lanes[lane] = (lanes[lane] ^ word) * 0x9E3779B97F4A7C15u;
      lanes[lane] ^= lanes[lane] >> 29;
    }
  }
  uint64_t result = static_cast<uint64_t>(size);
  for (; i < size; ++i) result = (result ^ static_cast<uint64_t>(data[i])) * 0x100000001B3u;
  for (const uint64_t lane : lanes) result = (result ^ lane) * 0x9E3779B97F4A7C15u;
  return result;
}

uint64_t Checksum(const std::string& text) {
  return Checksum(reinterpret_cast<const std::byte*>(text.data()), static_cast<int64_t>(text.size()));
}

// A file read front to back. Short reads end it.
class Reader {
 public:
  explicit Reader(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~Reader() {
    if (fd_ >= 0) close(fd_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  bool open_ok() const { return fd_ >= 0; }
  bool Read(void* target, int64_t size) {
    char* out = static_cast<char*>(target);
    while (size > 0) {
      const ssize_t got = read(fd_, out, static_cast<size_t>(size));
      if (got <= 0) return false;
      out += got;
      size -= got;
    }
    return true;
  }

 private:
  int fd_;
};

std::optional<Variant> Parse(Reader& reader, const v1::TaskCase& task_case) {
  std::array<char, kMagic.size()> magic;
  uint32_t length = 0;
  uint64_t sum = 0;
  if (!reader.Read(magic.data(), magic.size()) || absl::string_view(magic.data(), magic.size()) != kMagic) return {};
  if (!reader.Read(&length, sizeof(length)) || length > kMaxHeader || !reader.Read(&sum, sizeof(sum))) return {};
  std::string text(length, '\0');
  if (!reader.Read(text.data(), length) || sum != Checksum(text)) return {};
  const json header = json::parse(text, nullptr, false);
  if (!header.is_object()) return {};

  Variant variant;
  const std::vector<v1::TensorDescriptor> inputs(task_case.inputs().begin(), task_case.inputs().end());
  const std::vector<v1::TensorDescriptor> outputs(task_case.outputs().begin(), task_case.outputs().end());
  auto packed = PackedTensors::Create(inputs, SharedMemory::Access::kChildWrites);
  auto values = PackedTensors::Create(ExpectedDescriptors(outputs), SharedMemory::Access::kChildWrites);
  if (!packed.ok() || !values.ok()) return {};
  variant.inputs = *std::move(packed);
  variant.expected.values = *std::move(values);
  const SharedMemory& in = variant.inputs.memory();
  const SharedMemory& out = variant.expected.values.memory();
  if (header.value("input_bytes", int64_t{-1}) != in.size() ||
      header.value("output_bytes", int64_t{-1}) != out.size()) {
    return {};
  }
  if (!reader.Read(in.data(), in.size()) || !reader.Read(out.data(), out.size())) return {};
  if (header.value("inputs", uint64_t{0}) != Checksum(in.data(), in.size()) ||
      header.value("outputs", uint64_t{0}) != Checksum(out.data(), out.size())) {
    return {};
  }
  const json figures = header.value("figures", json::array());
  if (figures.size() != outputs.size()) return {};
  for (const json& entry : figures) {
    variant.expected.numbers.push_back({entry.value("rms", 0.0), entry.value("error", 0.0)});
  }
  variant.expected.note = header.value("note", std::string());
  return variant;
}

}  // namespace

std::string VariantCache::PathOf(const VariantKey& key, absl::string_view secret) const {
  return absl::StrCat(folder_, "/",
                      common::HashFields("variant file 1", key.task_hash, key.case_id, absl::StrCat(key.variant),
                                         absl::StrCat(key.epoch), SecretId(secret)),
                      ".variant");
}

std::optional<Variant> VariantCache::Load(const v1::TaskCase& task_case, const VariantKey& key,
                                          absl::string_view secret) const {
  if (max_bytes_ <= 0) return {};
  const std::string path = PathOf(key, secret);
  Reader reader(path);
  if (!reader.open_ok()) return {};
  std::optional<Variant> variant;
  try {
    variant = Parse(reader, task_case);
  } catch (const json::exception&) {  // a header with values of other types
    variant.reset();
  }
  if (variant) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // recently used
  } else {
    unlink(path.c_str());
  }
  return variant;
}

absl::Status VariantCache::Store(const Variant& variant, const VariantKey& key, absl::string_view secret) const {
  const SharedMemory& in = variant.inputs.memory();
  const SharedMemory& out = variant.expected.values.memory();
  if (in.size() + out.size() > max_bytes_ / 4) return absl::OkStatus();
  json figures = json::array();
  for (const Expected::Numbers& numbers : variant.expected.numbers) {
    figures.push_back({{"rms", numbers.rms}, {"error", numbers.error}});
  }
  const std::string header = json{
      {"input_bytes", in.size()},
      {"output_bytes", out.size()},
      {"inputs", Checksum(in.data(), in.size())},
      {"outputs", Checksum(out.data(), out.size())},
      {"figures", figures},
      {"note",
       variant.expected.note}}.dump(-1, ' ', false, json::error_handler_t::replace);
  const uint32_t length = static_cast<uint32_t>(header.size());
  const uint64_t sum = Checksum(header);
  std::string content;
  content.reserve(kMagic.size() + sizeof(length) + sizeof(sum) + header.size() +
                  static_cast<size_t>(in.size() + out.size()));
  content.append(kMagic.data(), kMagic.size());
  content.append(reinterpret_cast<const char*>(&length), sizeof(length));
  content.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
  content.append(header);
  content.append(reinterpret_cast<const char*>(in.data()), static_cast<size_t>(in.size()));
  content.append(reinterpret_cast<const char*>(out.data()), static_cast<size_t>(out.size()));
  RETURN_IF_ERROR(common::MakeFolders(folder_));
  RETURN_IF_ERROR(common::WriteFileAtomically(PathOf(key, secret), content));
  Evict();
  return absl::OkStatus();
}

void VariantCache::Evict() const {
  // Whoever else is evicting does the same work.
  const auto lock = FileLock::Try(absl::StrCat(folder_, "/evict.lock"), LockMode::kExclusive);
  if (!lock.ok()) return;
  namespace fs = std::filesystem;
  struct Entry {
    fs::file_time_type used;
    int64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    if (!absl::EndsWith(file.path().native(), ".variant")) continue;
    std::error_code gone;
    Entry entry{file.last_write_time(gone), static_cast<int64_t>(file.file_size(gone)), file.path()};
    if (gone) continue;
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) break;
    if (fs::remove(entry.path, error)) total -= entry.size;
  }
}

}  // namespace kernelsmith::worker
