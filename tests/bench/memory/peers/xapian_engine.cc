// Xapian: a glass database, committed and compacted, searched with BM25 (k1 = 1.2, b = 0.75).
#include <xapian.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status.h"
#include "tests/bench/memory/peers/engine.h"

namespace kernelsmith::memory::bench {
namespace {

class XapianEngine : public Engine {
 public:
  XapianEngine(const Workload& workload, const std::string& path)
      : workload_(workload), database_(path), enquire_(database_) {
    enquire_.set_weighting_scheme(Xapian::BM25Weight(1.2, 0, 1, 0.75, 0));
    enquire_.set_docid_order(Xapian::Enquire::DONT_CARE);
  }

  std::vector<uint32_t> Search(size_t query) override {
    const std::vector<std::string>& words = workload_.query_words[query];
    enquire_.set_query(Xapian::Query(Xapian::Query::OP_OR, words.begin(), words.end()));
    std::vector<uint32_t> items;
    const Xapian::MSet found = enquire_.get_mset(0, kHits);
    for (auto hit = found.begin(); hit != found.end(); ++hit) items.push_back(*hit - 1);
    return items;
  }

 private:
  const Workload& workload_;
  Xapian::Database database_;
  Xapian::Enquire enquire_;
};

void FillDatabase(const Workload& workload, const std::string& path) {
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (const std::string& words : workload.words) {
    Xapian::Document document;
    for (const absl::string_view word : absl::StrSplit(words, ' ')) document.add_term(std::string(word));
    database.add_document(document);
  }
  database.commit();
}

}  // namespace

MadeEngine MakeXapian(const Workload& workload, const std::string& folder) {
  try {
    const std::string filled = absl::StrCat(folder, "/filled");
    const std::string compact = absl::StrCat(folder, "/compact");
    FillDatabase(workload, filled);
    Xapian::Database(filled).compact(compact);
    return std::make_unique<XapianEngine>(workload, compact);
  } catch (const Xapian::Error& error) {
    return absl::InternalError(absl::StrCat("Xapian: ", error.get_description()));
  }
}

}  // namespace kernelsmith::memory::bench
