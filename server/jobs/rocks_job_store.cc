// JobStore over RocksDB. Projections of jobs that run are held in memory; those of ended jobs are read when asked for.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/ids.h"
#include "common/mutex.h"
#include "common/rocks.h"
#include "common/status.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "kernelsmith/storage/v1/coordinator_store.pb.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "server/jobs/job_keys.h"
#include "server/jobs/job_store.h"
#include "server/jobs/references.h"
#include "server/jobs/time_use.h"
#include "server/jobs/transient_ring.h"

namespace kernelsmith::server {
namespace {

constexpr uint32_t kFormat = 1;
constexpr int kDefaultPageSize = 50;
constexpr int kMaxPageSize = 500;
constexpr int kNewsPage = 256;  // events that one WaitForNews returns

// A job in memory. `mutex` is never held while the disk is busy: `appending` keeps a second writer out instead.
struct Entry {
  common::Mutex mutex;
  common::CondVar changed;
  storage::v1::JobRecord record GUARDED_BY(mutex);
  TransientRing ring GUARDED_BY(mutex);
  bool appending GUARDED_BY(mutex) = false;
};
using EntryPtr = std::shared_ptr<Entry>;

absl::Status NoSuchJob(absl::string_view job_id) {
  return absl::NotFoundError(absl::StrCat("no job '", job_id, "'; `kernelsmith jobs` lists yours"));
}

rocksdb::Slice Slice(absl::string_view text) { return {text.data(), text.size()}; }
absl::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// Of bytes in which maps have a fixed order.
std::string SpecHash(const v1::JobSpec& spec) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream text(&bytes);
    google::protobuf::io::CodedOutputStream out(&text);
    out.SetSerializationDeterministic(true);
    spec.SerializeToCodedStream(&out);
  }
  return common::Sha256Hex(bytes);
}

class RocksJobStore final : public JobStore {
 public:
  RocksJobStore(std::unique_ptr<common::RocksStore> store, common::ContentStore content, const common::Clock& clock)
      : store_(std::move(store)), content_(std::move(content)), clock_(clock) {}

  absl::Status Load();

  absl::StatusOr<Created> Create(const std::string& team, const std::string& request_id,
                                 const v1::JobSpec& spec) override;
  absl::StatusOr<v1::Job> FindRequest(const std::string& team, const std::string& request_id) const override;
  absl::StatusOr<v1::JobEvent> Append(const std::string& job_id, v1::JobEvent event) override;
  void Announce(const std::string& job_id, v1::JobEvent transient) override;
  absl::StatusOr<v1::Job> Get(absl::string_view team, absl::string_view job_id) const override;
  absl::StatusOr<Page> List(absl::string_view team, int page_size, const std::string& page_token,
                            const std::vector<v1::JobState>& states) const override;
  absl::StatusOr<std::vector<v1::JobEvent>> Events(absl::string_view job_id, uint64_t after, int limit) const override;
  absl::StatusOr<News> WaitForNews(absl::string_view job_id, uint64_t& after, uint64_t& transient_cursor,
                                   absl::Time deadline) override;
  void StopWaiting() override;
  std::vector<v1::Job> Unfinished() const override;
  int Count(absl::string_view team, v1::JobState state) const override;
  const common::ContentStore& content() const override { return content_; }
  absl::StatusOr<std::vector<std::string>> ReferencedDigests() const override;

 private:
  absl::StatusOr<Created> CreateUnclaimed(const std::string& team, const std::string& request_id,
                                          const v1::JobSpec& spec);
  absl::StatusOr<storage::v1::JobRecord> ReadRecord(absl::string_view job_id) const;
  absl::StatusOr<EntryPtr> FindOrLoad(absl::string_view job_id);
  EntryPtr FindLoaded(absl::string_view job_id) const;
  void ForgetEnded(absl::string_view job_id);
  absl::Status Write(const v1::JobEvent& event, const storage::v1::JobRecord& record);
  absl::Status FillTimeUse(v1::JobEvent& event) const;
  void CountTransition(const std::string& team, v1::JobState from, v1::JobState to);
  bool stopped() const {
    common::MutexLock lock(mutex_);
    return stopped_;
  }

  const std::unique_ptr<common::RocksStore> store_;
  const common::ContentStore content_;
  const common::Clock& clock_;

  mutable common::Mutex mutex_;  // taken before an Entry's, never after
  common::CondVar claims_changed_;
  absl::flat_hash_map<std::string, EntryPtr> entries_ GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> claimed_requests_ GUARDED_BY(mutex_);
  std::map<std::pair<std::string, v1::JobState>, int> counts_ GUARDED_BY(mutex_);
  uint64_t evictions_ GUARDED_BY(mutex_) = 0;  // entries dropped so far
  bool stopped_ GUARDED_BY(mutex_) = false;
};

absl::Status RocksJobStore::Load() {
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kJobs)));
  common::MutexLock lock(mutex_);
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    storage::v1::JobRecord record;
    if (!record.ParseFromArray(it->value().data(), static_cast<int>(it->value().size()))) {
      return absl::DataLossError(
          absl::StrCat("the record of job '", it->key().ToString(), "' is damaged; restore a backup"));
    }
    ++counts_[{record.job().team(), record.job().state()}];
    if (HasEnded(record.job().state())) continue;
    auto entry = std::make_shared<Entry>();
    {
      common::MutexLock entry_lock(entry->mutex);
      entry->record = std::move(record);
    }
    entries_[it->key().ToString()] = std::move(entry);
  }
  return common::FromRocks(it->status(), "cannot read the jobs");
}

absl::StatusOr<storage::v1::JobRecord> RocksJobStore::ReadRecord(absl::string_view job_id) const {
  std::string bytes;
  const rocksdb::Status read = store_->db().Get(rocksdb::ReadOptions(), store_->family(kJobs), Slice(job_id), &bytes);
  if (read.IsNotFound()) return NoSuchJob(job_id);
  RETURN_IF_ERROR(common::FromRocks(read, absl::StrCat("cannot read job '", job_id, "'")));
  storage::v1::JobRecord record;
  if (!record.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrCat("the record of job '", job_id, "' is damaged; restore a backup"));
  }
  return record;
}

EntryPtr RocksJobStore::FindLoaded(absl::string_view job_id) const {
  common::MutexLock lock(mutex_);
  const auto found = entries_.find(job_id);
  return found == entries_.end() ? nullptr : found->second;
}

absl::StatusOr<EntryPtr> RocksJobStore::FindOrLoad(absl::string_view job_id) {
  while (true) {
    uint64_t evictions = 0;
    {
      common::MutexLock lock(mutex_);
      const auto found = entries_.find(job_id);
      if (found != entries_.end()) return found->second;
      evictions = evictions_;
    }
    ASSIGN_OR_RETURN(storage::v1::JobRecord record, ReadRecord(job_id));
    auto entry = std::make_shared<Entry>();
    {
      common::MutexLock entry_lock(entry->mutex);
      entry->record = std::move(record);
    }
    common::MutexLock lock(mutex_);
    // What was read may be stale if the job was loaded, written and dropped meanwhile.
    if (evictions != evictions_ && !entries_.contains(job_id)) continue;
    return entries_.try_emplace(std::string(job_id), std::move(entry)).first->second;
  }
}

// Drops an ended job from memory when only the map refers to it. REQUIRES: the caller's pointer is gone.
void RocksJobStore::ForgetEnded(absl::string_view job_id) {
  common::MutexLock lock(mutex_);
  const auto found = entries_.find(job_id);
  if (found == entries_.end() || found->second.use_count() != 1) return;
  bool ended = false;
  {
    common::MutexLock entry_lock(found->second->mutex);
    ended = HasEnded(found->second->record.job().state());
  }
  if (!ended) return;
  entries_.erase(found);
  ++evictions_;
}

void RocksJobStore::CountTransition(const std::string& team, v1::JobState from, v1::JobState to) {
  common::MutexLock lock(mutex_);
  if (from != v1::JOB_STATE_UNSPECIFIED) --counts_[{team, from}];
  ++counts_[{team, to}];
}

absl::Status RocksJobStore::Write(const v1::JobEvent& event, const storage::v1::JobRecord& record) {
  rocksdb::WriteBatch batch;
  const v1::Job& job = record.job();
  batch.Put(store_->family(kEvents), EventKey(job.id(), event.sequence()), event.SerializeAsString());
  batch.Put(store_->family(kJobs), job.id(), record.SerializeAsString());
  if (event.has_submitted()) {
    batch.Put(store_->family(kRequests), RequestKey(job.team(), record.request_id()), job.id());
    batch.Put(store_->family(kListing), ListingKey(job.team(), job.submitted_unix_us(), job.id()), "");
    batch.Put(store_->family(kListing), ListingKey("", job.submitted_unix_us(), job.id()), "");
  }
  // Concurrent writers share one fsync: RocksDB groups their batches.
  return common::FromRocks(store_->db().Write(common::SyncedWrite(), &batch),
                           absl::StrCat("cannot log event ", event.sequence(), " of job '", job.id(), "'"));
}

absl::StatusOr<JobStore::Created> RocksJobStore::Create(const std::string& team, const std::string& request_id,
                                                        const v1::JobSpec& spec) {
  if (team.empty() || absl::StrContains(team, absl::string_view("\0", 1))) {
    return absl::InternalError("a job needs a team without NUL");
  }
  if (request_id.empty()) return common::InvalidField("request_id", "is empty; give a UUID");
  if (absl::StrContains(request_id, absl::string_view("\0", 1))) {
    return common::InvalidField("request_id", "holds a NUL byte");
  }
  const std::string key = RequestKey(team, request_id);
  {
    common::MutexLock lock(mutex_);
    while (claimed_requests_.contains(key)) claims_changed_.Wait(mutex_);
    claimed_requests_.insert(key);
  }
  auto created = CreateUnclaimed(team, request_id, spec);
  common::MutexLock lock(mutex_);
  claimed_requests_.erase(key);
  claims_changed_.NotifyAll();
  return created;
}

// REQUIRES: no other thread creates under the same request id.
absl::StatusOr<JobStore::Created> RocksJobStore::CreateUnclaimed(const std::string& team, const std::string& request_id,
                                                                 const v1::JobSpec& spec) {
  std::string known;
  const rocksdb::Status read =
      store_->db().Get(rocksdb::ReadOptions(), store_->family(kRequests), RequestKey(team, request_id), &known);
  if (read.ok()) {
    ASSIGN_OR_RETURN(storage::v1::JobRecord record, ReadRecord(known));
    if (record.request_sha256() != SpecHash(spec)) {
      return absl::AlreadyExistsError(absl::StrCat("request id '", request_id, "' was used for job '", known,
                                                   "' with another specification; choose a new id"));
    }
    ASSIGN_OR_RETURN(v1::Job job, Get(team, known));
    return Created{std::move(job), true};
  }
  if (!read.IsNotFound()) return common::FromRocks(read, "cannot read the request ids");

  v1::JobEvent event;
  do {
    event.set_job_id(common::ShortId("job"));
  } while (ReadRecord(event.job_id()).ok());
  event.set_sequence(1);
  event.set_at_unix_us(clock_.UnixMicros());
  *event.mutable_submitted()->mutable_spec() = spec;
  event.mutable_submitted()->set_team(team);
  event.mutable_submitted()->set_request_id(request_id);

  storage::v1::JobRecord record;
  record.set_request_id(request_id);
  record.set_request_sha256(SpecHash(spec));
  RETURN_IF_ERROR(ApplyEvent(event, *record.mutable_job()));
  RETURN_IF_ERROR(Write(event, record));

  Created created{record.job(), false};
  auto entry = std::make_shared<Entry>();
  {
    common::MutexLock entry_lock(entry->mutex);
    entry->record = std::move(record);
  }
  {
    common::MutexLock lock(mutex_);
    // A reader may have loaded the job between the write and here; its entry holds the same.
    entries_.try_emplace(created.job.id(), std::move(entry));
  }
  CountTransition(team, v1::JOB_STATE_UNSPECIFIED, created.job.state());
  return created;
}

absl::StatusOr<v1::Job> RocksJobStore::FindRequest(const std::string& team, const std::string& request_id) const {
  std::string known;
  const rocksdb::Status read =
      store_->db().Get(rocksdb::ReadOptions(), store_->family(kRequests), RequestKey(team, request_id), &known);
  if (read.IsNotFound()) return absl::NotFoundError(absl::StrCat("no job of request '", request_id, "'"));
  RETURN_IF_ERROR(common::FromRocks(read, "cannot read the request ids"));
  return Get(team, known);
}

absl::Status RocksJobStore::FillTimeUse(v1::JobEvent& event) const {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, Events(event.job_id(), 0, 0));
  *event.mutable_job_ended()->mutable_time_use() = AccountTime(events, event.at_unix_us());
  return absl::OkStatus();
}

absl::StatusOr<v1::JobEvent> RocksJobStore::Append(const std::string& job_id, v1::JobEvent event) {
  ASSIGN_OR_RETURN(EntryPtr entry, FindOrLoad(job_id));
  storage::v1::JobRecord record;
  {
    common::MutexLock lock(entry->mutex);
    while (entry->appending) entry->changed.Wait(entry->mutex);
    entry->appending = true;
    record = entry->record;
  }
  const v1::JobState before = record.job().state();
  const absl::Status written = [&]() -> absl::Status {
    const bool reopens = (event.has_budget_extended() && (before == v1::SUCCEEDED || before == v1::EXHAUSTED)) ||
                         (event.has_evaluation_replayed() && before == v1::FAILED);
    if (HasEnded(before) && !reopens) {
      return common::BadState("JOB_STATE", job_id, absl::StrCat("ended as ", v1::JobState_Name(before)));
    }
    event.set_job_id(job_id);
    event.set_sequence(record.job().last_sequence() + 1);
    event.set_at_unix_us(clock_.UnixMicros());
    if (event.has_job_ended()) RETURN_IF_ERROR(FillTimeUse(event));
    RETURN_IF_ERROR(ApplyEvent(event, *record.mutable_job()));
    return Write(event, record);
  }();
  const v1::JobState after = record.job().state();
  const std::string team = record.job().team();
  {
    common::MutexLock lock(entry->mutex);
    entry->appending = false;
    if (written.ok()) {
      entry->record = std::move(record);
      entry->ring.Clear();
    }
    entry->changed.NotifyAll();
  }
  if (written.ok() && before != after) CountTransition(team, before, after);
  entry.reset();
  if (HasEnded(after)) ForgetEnded(job_id);
  if (!written.ok()) return written;
  return event;
}

void RocksJobStore::Announce(const std::string& job_id, v1::JobEvent transient) {
  const EntryPtr entry = FindLoaded(job_id);
  if (!entry) return;
  transient.set_job_id(job_id);
  transient.set_sequence(0);
  transient.set_at_unix_us(clock_.UnixMicros());
  common::MutexLock lock(entry->mutex);
  entry->ring.Add(std::move(transient));
  entry->changed.NotifyAll();
}

absl::StatusOr<v1::Job> RocksJobStore::Get(absl::string_view team, absl::string_view job_id) const {
  v1::Job job;
  if (const EntryPtr entry = FindLoaded(job_id)) {
    common::MutexLock lock(entry->mutex);
    job = entry->record.job();
    const v1::JobEvent* newest = entry->ring.newest();
    if (newest != nullptr && newest->has_progress() && !HasEnded(job.state())) {
      job.set_reason(newest->progress().activity());
    }
  } else {
    ASSIGN_OR_RETURN(storage::v1::JobRecord record, ReadRecord(job_id));
    job = std::move(*record.mutable_job());
  }
  if (!team.empty() && job.team() != team) return NoSuchJob(job_id);
  return job;
}

absl::StatusOr<JobStore::Page> RocksJobStore::List(absl::string_view team, int page_size, const std::string& page_token,
                                                   const std::vector<v1::JobState>& states) const {
  if (page_size < 0 || page_size > kMaxPageSize) {
    return common::InvalidField("page_size", absl::StrCat("is ", page_size, "; give 1 to ", kMaxPageSize, ", or 0"));
  }
  if (page_size == 0) page_size = kDefaultPageSize;
  const std::string prefix = ListingPrefix(team);
  // A token is the rest of the listing key of the first job of its page, so it can never point into another team.
  if (!absl::c_all_of(page_token, absl::ascii_isxdigit) || page_token.size() % 2 != 0) {
    return common::InvalidField("page_token", "is not one that ListJobs returned");
  }
  const std::string start = prefix + absl::HexStringToBytes(page_token);

  Page page;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kListing)));
  for (it->Seek(start); it->Valid() && absl::StartsWith(View(it->key()), prefix); it->Next()) {
    const auto job_id = JobOfListingKey(View(it->key()));
    if (!job_id) return absl::DataLossError("the listing of jobs is damaged; restore a backup");
    ASSIGN_OR_RETURN(v1::Job job, Get(team, *job_id));
    if (!states.empty() && std::find(states.begin(), states.end(), job.state()) == states.end()) continue;
    if (page.jobs.size() == static_cast<size_t>(page_size)) {
      page.next_token = absl::BytesToHexString(View(it->key()).substr(prefix.size()));
      break;
    }
    page.jobs.push_back(std::move(job));
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot list jobs"));
  return page;
}

absl::StatusOr<std::vector<v1::JobEvent>> RocksJobStore::Events(absl::string_view job_id, uint64_t after,
                                                                int limit) const {
  std::vector<v1::JobEvent> events;
  const std::string prefix = EventKey(job_id, 0).substr(0, job_id.size() + 1);
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kEvents)));
  for (it->Seek(EventKey(job_id, after + 1)); it->Valid() && absl::StartsWith(View(it->key()), prefix); it->Next()) {
    if (limit > 0 && events.size() == static_cast<size_t>(limit)) break;
    v1::JobEvent event;
    if (!event.ParseFromArray(it->value().data(), static_cast<int>(it->value().size()))) {
      return absl::DataLossError(
          absl::StrCat("event ", after + events.size() + 1, " of job '", job_id, "' is damaged; restore a backup"));
    }
    events.push_back(std::move(event));
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), absl::StrCat("cannot read the events of job '", job_id, "'")));
  return events;
}

absl::StatusOr<JobStore::News> RocksJobStore::WaitForNews(absl::string_view job_id, uint64_t& after,
                                                          uint64_t& transient_cursor, absl::Time deadline) {
  ASSIGN_OR_RETURN(EntryPtr entry, FindOrLoad(job_id));
  bool ended = false;
  uint64_t last = 0;
  News news;
  while (true) {
    const bool stopping = stopped();
    common::MutexLock lock(entry->mutex);
    last = entry->record.job().last_sequence();
    ended = HasEnded(entry->record.job().state());
    if (last > after || ended) break;
    if (entry->ring.HasAfter(transient_cursor)) {
      entry->ring.ReadAfter(transient_cursor, news.events);
      return news;
    }
    if (stopping || absl::Now() >= deadline) return news;
    // A stop between the check above and this wait is noticed after a second at the latest.
    entry->changed.WaitUntil(entry->mutex, std::min(deadline, absl::Now() + absl::Seconds(1)));
  }
  ASSIGN_OR_RETURN(news.events, Events(job_id, after, kNewsPage));
  if (!news.events.empty()) after = news.events.back().sequence();
  if (after >= last) {
    news.ended = ended;
    if (!ended) {
      common::MutexLock lock(entry->mutex);
      entry->ring.ReadAfter(transient_cursor, news.events);
    }
  }
  entry.reset();
  if (ended) ForgetEnded(job_id);
  return news;
}

void RocksJobStore::StopWaiting() {
  std::vector<EntryPtr> entries;
  {
    common::MutexLock lock(mutex_);
    stopped_ = true;
    for (const auto& [id, entry] : entries_) entries.push_back(entry);
  }
  for (const auto& entry : entries) {
    common::MutexLock lock(entry->mutex);
    entry->changed.NotifyAll();
  }
}

std::vector<v1::Job> RocksJobStore::Unfinished() const {
  std::vector<EntryPtr> entries;
  {
    common::MutexLock lock(mutex_);
    for (const auto& [id, entry] : entries_) entries.push_back(entry);
  }
  std::vector<v1::Job> jobs;
  for (const auto& entry : entries) {
    common::MutexLock lock(entry->mutex);
    if (!HasEnded(entry->record.job().state())) jobs.push_back(entry->record.job());
  }
  std::sort(jobs.begin(), jobs.end(), [](const v1::Job& a, const v1::Job& b) {
    return std::make_pair(a.submitted_unix_us(), a.id()) < std::make_pair(b.submitted_unix_us(), b.id());
  });
  return jobs;
}

int RocksJobStore::Count(absl::string_view team, v1::JobState state) const {
  common::MutexLock lock(mutex_);
  if (!team.empty()) {
    const auto found = counts_.find({std::string(team), state});
    return found == counts_.end() ? 0 : found->second;
  }
  int total = 0;
  for (const auto& [key, count] : counts_) {
    if (key.second == state) total += count;
  }
  return total;
}

absl::StatusOr<std::vector<std::string>> RocksJobStore::ReferencedDigests() const {
  std::set<std::string> digests;
  std::unique_ptr<rocksdb::Iterator> it(store_->db().NewIterator(rocksdb::ReadOptions(), store_->family(kEvents)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    v1::JobEvent event;
    if (!event.ParseFromArray(it->value().data(), static_cast<int>(it->value().size()))) {
      return absl::DataLossError("an event is damaged; restore a backup");
    }
    CollectDigests(event, digests);
    if (!event.has_evaluation_ended() || event.evaluation_ended().report().digest().empty()) continue;
    // A report refers to logs in turn.
    ASSIGN_OR_RETURN(const std::string bytes, content_.Get(event.evaluation_ended().report().digest()));
    v1::EvaluationReport report;
    if (!report.ParseFromString(bytes)) {
      return absl::DataLossError(absl::StrCat("the report of round ", event.evaluation_ended().round(), " of job '",
                                              event.job_id(), "' is not a report"));
    }
    CollectDigests(report, digests);
  }
  RETURN_IF_ERROR(common::FromRocks(it->status(), "cannot read the events"));
  return std::vector<std::string>(digests.begin(), digests.end());
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> JobStore::Open(const std::string& data_dir, const common::Clock& clock) {
  RETURN_IF_ERROR(common::MakeFolders(data_dir));
  ASSIGN_OR_RETURN(auto store,
                   common::RocksStore::Open(data_dir + "/jobs", {"jobs", "events", "requests", "listing"}, kFormat));
  ASSIGN_OR_RETURN(common::ContentStore content, common::ContentStore::Open(data_dir + "/content"));
  auto jobs = std::make_unique<RocksJobStore>(std::move(store), std::move(content), clock);
  RETURN_IF_ERROR(jobs->Load());
  return std::unique_ptr<JobStore>(std::move(jobs));
}

}  // namespace kernelsmith::server
