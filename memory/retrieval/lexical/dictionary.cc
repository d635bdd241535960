#include "memory/retrieval/lexical/dictionary.h"

#include <algorithm>
#include <cstring>

#include "absl/types/span.h"

namespace kernelsmith::memory {
namespace {

uint64_t PrefixOf(absl::string_view term) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < 8; ++i) prefix = prefix << 8 | (i < term.size() ? static_cast<unsigned char>(term[i]) : 0);
  return prefix;
}

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

absl::Status Damaged(const char* what) { return absl::DataLossError(what); }

}  // namespace

void DictionaryWriter::Add(absl::string_view term, uint32_t postings, uint32_t words) {
  size_t shared = 0;
  if (terms_ % kTermsOfBlock == 0) {
    index_.push_back({PrefixOf(term), static_cast<uint32_t>(entries_.size()), words_});
  } else {
    const size_t most = std::min(term.size(), last_.size());
    while (shared < most && term[shared] == last_[shared]) ++shared;
  }
  entries_.push_back(static_cast<char>(shared));
  entries_.push_back(static_cast<char>(term.size() - shared));
  entries_.append(term.data() + shared, term.size() - shared);
  AppendVarint(entries_, uint64_t{postings} * 2 + (words != postings ? 1 : 0));
  if (words != postings) AppendVarint(entries_, words);
  last_.assign(term.data(), term.size());
  words_ += words;
  ++terms_;
}

DictionaryCursor::DictionaryCursor(const Dictionary& dictionary, uint64_t block)
    : entries_(dictionary.entries()), next_(entries_.size()) {
  if (block >= dictionary.index().size()) return;
  next_ = dictionary.index()[block].entry;
  place_.begin = dictionary.index()[block].list;
  Next();
}

bool DictionaryCursor::ReadVarint(uint32_t& value) {
  uint64_t sum = 0;
  for (int shift = 0; shift <= 28 && next_ < entries_.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(entries_[next_++]);
    sum |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      value = static_cast<uint32_t>(sum);
      return sum <= 0xffffffff;
    }
  }
  return false;
}

void DictionaryCursor::Next() {
  place_.begin += place_.words;
  valid_ = false;
  if (next_ >= entries_.size()) return;
  damaged_ = true;
  if (entries_.size() - next_ < 2) return;
  const size_t shared = static_cast<unsigned char>(entries_[next_]);
  const size_t more = static_cast<unsigned char>(entries_[next_ + 1]);
  next_ += 2;
  if (shared > length_ || shared + more >= sizeof(term_) || entries_.size() - next_ < more) return;
  std::memcpy(term_ + shared, entries_.data() + next_, more);
  length_ = shared + more;
  next_ += more;
  uint32_t head = 0;
  if (!ReadVarint(head)) return;
  place_.postings = head >> 1;
  place_.words = place_.postings;
  if ((head & 1) != 0 && !ReadVarint(place_.words)) return;
  damaged_ = false;
  valid_ = true;
}

absl::string_view Dictionary::FirstTerm(const DictionaryIndexEntry& block) const {
  return entries_.substr(block.entry + 2, static_cast<unsigned char>(entries_[block.entry + 1]));
}

ListPlace Dictionary::Find(absl::string_view term) const {
  const uint64_t prefix = PrefixOf(term);
  const auto* const after =
      std::upper_bound(index_.begin(), index_.end(), prefix, [&](uint64_t wanted, const DictionaryIndexEntry& block) {
        return wanted != block.prefix ? wanted < block.prefix : term < FirstTerm(block);
      });
  if (after == index_.begin()) return {};
  DictionaryCursor cursor(*this, static_cast<uint64_t>(after - index_.begin() - 1));
  for (uint32_t i = 0; i < kTermsOfBlock && cursor.valid(); ++i, cursor.Next()) {
    if (const int order = cursor.term().compare(term); order >= 0) return order == 0 ? cursor.place() : ListPlace{};
  }
  return {};
}

absl::Status Dictionary::Check(uint64_t terms, uint64_t words) const {
  if (index_.size() != (terms + kTermsOfBlock - 1) / kTermsOfBlock)
    return Damaged("the dictionary's index has a wrong size");
  DictionaryCursor cursor(*this, 0);
  std::string before;
  uint64_t found = 0;
  uint64_t entry = 0;
  uint64_t lists = 0;
  for (; cursor.valid(); cursor.Next(), ++found) {
    if (found >= terms) return Damaged("the dictionary has more terms than its segment says");
    if (found % kTermsOfBlock == 0) {
      const DictionaryIndexEntry& block = index_[found / kTermsOfBlock];
      if (block.entry != entry || block.list != lists || entries_[entry] != 0 ||
          block.prefix != PrefixOf(cursor.term())) {
        return Damaged("the dictionary's index does not fit its entries");
      }
    }
    if (cursor.term().empty() || cursor.term() <= absl::string_view(before)) {
      return Damaged("the dictionary's terms are out of order");
    }
    before.assign(cursor.term().data(), cursor.term().size());
    entry = cursor.offset();
    lists += cursor.place().words;
  }
  if (cursor.damaged()) return Damaged("an entry of the dictionary leaves it");
  if (found != terms) return Damaged("the dictionary has fewer terms than its segment says");
  return lists == words ? absl::OkStatus() : Damaged("the dictionary does not fit the posting lists");
}

}  // namespace kernelsmith::memory
