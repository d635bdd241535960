#include "memory/service/team_registry.h"

#include <openssl/evp.h>

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/hash.h"
#include "common/status.h"
#include "memory/graph/origins.h"

namespace kernelsmith::memory {
namespace {

// A team's name as a folder's: letters, digits and '-' as they are, other bytes as "_" and two hexadecimal digits.
std::string FolderName(absl::string_view team) {
  std::string name;
  for (const char c : team) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-') {
      name += c;
    } else {
      absl::StrAppend(&name, "_", absl::BytesToHexString(std::string(1, c)));
    }
  }
  return name;
}

// SHA-256 of lines without keeping them.
class LineHash {
 public:
  LineHash() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void Add(absl::string_view line) {
    EVP_DigestUpdate(context_.get(), line.data(), line.size());
    EVP_DigestUpdate(context_.get(), "\n", 1);
  }
  std::string Finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(digest), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::set<std::string> LinesOf(const TeamMemory* memory) {
  std::set<std::string> lines;
  if (memory == nullptr) return lines;
  const ReaderLock lock(memory->mutex);
  memory->graph.Describe([&](absl::string_view line) { lines.emplace(line); });
  return lines;
}

}  // namespace

TeamMemory* TeamRegistry::Find(const std::string& team) const {
  const ReaderLock lock(mutex_);
  const auto entry = teams_.find(team);
  return entry == teams_.end() ? nullptr : entry->second.get();
}

absl::StatusOr<TeamMemory*> TeamRegistry::FindOrAdd(const std::string& team) {
  if (TeamMemory* found = Find(team)) return found;
  std::unique_ptr<SearchIndex> index;
  if (!index_folder_.empty()) {
    ASSIGN_OR_RETURN(index, SearchIndex::Open({.folder = absl::StrCat(index_folder_, "/", FolderName(team)),
                                               .embedder_id = embedder_id_,
                                               .dimensions = dimensions_}));
  }
  auto memory = std::make_unique<TeamMemory>(team, std::move(index));
  const WriterLock lock(mutex_);
  return teams_.try_emplace(team, std::move(memory)).first->second.get();
}

std::vector<std::pair<std::string, TeamMemory*>> TeamRegistry::All() const {
  std::vector<std::pair<std::string, TeamMemory*>> all;
  {
    const ReaderLock lock(mutex_);
    for (const auto& [name, memory] : teams_) all.emplace_back(name, memory.get());
  }
  std::sort(all.begin(), all.end());
  return all;
}

absl::StatusOr<TeamRegistry::Change> TeamRegistry::Fold(const Fact& fact) {
  ASSIGN_OR_RETURN(TeamMemory * team, FindOrAdd(fact.team()));
  const common::MutexLock folding(folding_);
  const std::vector<std::string> origins =
      OriginsElsewhere(fact, [this](const std::string& name, const std::function<void(const ExperienceGraph&)>& visit) {
        const TeamMemory* memory = Find(name);
        if (memory == nullptr) return;
        const ReaderLock lock(memory->mutex);
        visit(memory->graph);
      });
  Change change;
  std::vector<SharedUpdate> updates;
  {
    const WriterLock lock(team->mutex);
    change.before = team->graph.counts();
    change.new_items = -team->graph.item_count();
    updates = team->graph.Apply(fact, origins);
    change.items = team->graph.item_count();
    change.new_items += change.items;
    change.after = team->graph.counts();
  }
  TeamMemory* shared = updates.empty() ? nullptr : Find(kSharedTeam);
  if (shared != nullptr) {
    {
      const WriterLock lock(shared->mutex);
      shared->graph.ApplyShared(updates);
    }
    const WriterLock lock(team->mutex);
    team->graph.NoteShared(updates);
  }
  return change;
}

TeamRegistry::Snapshot TeamRegistry::TakeSnapshot() const {
  const common::MutexLock folding(folding_);  // no fact is half spread
  Snapshot snapshot;
  for (const auto& [name, memory] : All()) {
    const ReaderLock lock(memory->mutex);
    LineHash hash;
    memory->graph.Describe([&](absl::string_view line) { hash.Add(line); });
    snapshot.fingerprints[name] = hash.Finish();
    snapshot.last_sequences[name] = memory->graph.counts().last_sequence;
    snapshot.facts += static_cast<uint64_t>(memory->graph.counts().facts);
  }
  return snapshot;
}

std::vector<std::string> TeamRegistry::Differences(const TeamRegistry& served, const TeamRegistry& refolded,
                                                   const std::string& team, size_t limit) {
  const std::set<std::string> live = LinesOf(served.Find(team));
  const std::set<std::string> fresh = LinesOf(refolded.Find(team));
  std::vector<std::string> differences;
  const auto list = [&](const std::set<std::string>& one, const std::set<std::string>& other, const char* who) {
    for (const std::string& line : one) {
      if (differences.size() >= limit) return;
      if (!other.contains(line)) differences.push_back(absl::StrCat("team ", team, ", only ", who, ": ", line));
    }
  };
  list(live, fresh, "served");
  list(fresh, live, "in the log");
  return differences;
}

}  // namespace kernelsmith::memory
