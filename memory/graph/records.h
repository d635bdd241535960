// What the folded state keeps of each thing. Long texts stay in the log and are read by sequence when they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/item_ids.h"

namespace kernelsmith::memory {

// The fields that filters, ranks and values read, of an attempt and of any other item. Numbers are of the graph's
// StringTable.
struct Facets {
  uint64_t sequence = 0;  // of the fact that holds the text
  uint32_t operator_name = 0;
  uint32_t family = 0;
  uint32_t level = 0;
  uint32_t session = 0;
  uint32_t thought = 0;
  uint32_t bottleneck = 0;
  uint32_t producer = 0;
  uint32_t proposer_kind = 0;
  uint32_t model = 0;
  uint32_t architecture = 0;
  uint32_t soc = 0;
  uint32_t toolchain = 0;
  uint32_t driver = 0;
  uint32_t bundle = 0;         // API templates
  uint32_t name = 0;           // API templates and documents
  uint32_t applicability = 0;  // of the graph's ApplicabilityTable
  v1::Stage stage = v1::STAGE_UNSPECIFIED;
  v1::Purpose purpose = v1::PURPOSE_UNSPECIFIED;
  v1::Layer layer = v1::LAYER_UNSPECIFIED;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;  // of the first output; of other items the first they apply to
  uint32_t rule_tokens = 0;                 // of the rule text that a template makes of it
  bool is_private = false;                  // only its producer reads it
  bool failed = false;                      // an attempt that was not correct
  double confidence = 0;                    // c, never 0
};

struct AttemptRecord : Facets {
  v1::EvaluationStatus status = v1::EVALUATION_STATUS_UNSPECIFIED;
  int32_t step = 0;
  double latency_us = 0;
  double speedup = 0;  // as reported
  int case_item = -1;
  int journal_item = -1;  // -1 if the journal is empty
};

// An item that is no attempt of this team: a document, a rule, or, in the graph of "shared", any promoted item.
struct ContentRecord : Facets {
  v1::Label label = v1::LABEL_UNSPECIFIED;  // as of the promotion
  double r = 0;
  double d = 0;
  int provenance = -1;  // of the graph's provenances, for a shared item
};

struct ItemRecord {
  IdKey id;
  v1::ItemKind kind = v1::ITEM_KIND_UNSPECIFIED;
  int attempt = -1;  // -1 if the item is no attempt's
  int content = -1;  // -1 if it is
  int values = -1;   // -1 until the first stage, reward or harm
};

// What was learned about an item.
struct LearnedValues {
  double u = 0;
  double q_drafting = 0;
  double q_refining = 0;
  uint32_t n_drafting = 0;  // rewards
  uint32_t n_refining = 0;
  uint32_t n_retrieved = 0;  // stages; rounds under credit per round
  uint32_t n_resident = 0;   // uses as a resident: they count in the n of eta only
  uint32_t n_adopted = 0;    // stages
  uint32_t n_harm = 0;
  absl::InlinedVector<uint32_t, 4> adopters;  // operators, each once, in the order of their first adoption
};

// An item in a prompt. Own items have their number; a shared item, which is of another graph, a negative reference
// (ExperienceGraph::IdOfRef).
struct HeldItem {
  int item = -1;
  bool adopted = false;   // says something once the retrieval has its adoption record
  bool resident = false;  // in the prompt as one of its residents
  bool valued = false;    // takes part in credit: no API template, no child of the start point
};

struct RetrievalRecord {
  uint64_t sequence = 0;
  IdKey id;
  std::vector<HeldItem> items;  // that the prompt held, each once
  bool has_adoption = false;
  bool scored = false;     // a stage has counted it; it never counts twice
  int attempt = -1;        // of the forest, once it is recorded
  int next = -1;           // the next retrieval for the same attempt
  int policy = -1;         // of the graph's PolicyTable
  int resident_set = -1;   // which the prompt held
  int query = -1;          // of the graph's stage queries: the hard filters
  uint32_t q_context = 0;  // target and family, where Q is kept by them
  int items_known = 0;     // items that there were
  v1::Stage stage = v1::STAGE_UNSPECIFIED;
};

// One change of a utility.
struct UtilityStep {
  int item = -1;  // as of HeldItem
  double xi = 0;
  double eta = 0;
  double u_before = 0;
  double u_after = 0;
};

struct StageRecord {
  uint64_t sequence = 0;
  double z = 0;
  std::vector<UtilityStep> changes;
};

// Out of retrieval, or replaced by a newer item.
struct LifecycleRecord {
  bool retired = false;
  int superseded_by = -1;
  std::string reason;
  std::vector<int> supersedes;
};

// Where a shared item came from and who reads it.
struct ProvenanceRecord {
  std::string team;
  std::string item_id;
  std::vector<std::string> readers;  // empty means every team
  std::string reason;
  bool revoked = false;
};

// A rule text that was recorded for an item.
struct RuleRecord {
  uint64_t sequence = 0;
  std::string text;
  int64_t tokens = 0;
  std::string author;
};

// Counts over everything folded.
struct GraphCounts {
  int64_t facts = 0;
  int64_t adoptions = 0;          // items stated as adopted
  int64_t rejections = 0;         // items stated as not adopted
  int64_t harmful_adoptions = 0;  // adopted items whose attempt failed
  int64_t retired = 0;            // retired and superseded items
  int64_t shared_updates = 0;     // in the graph of "shared": what stages and attempts of teams did to its items
  uint64_t last_sequence = 0;
};

}  // namespace kernelsmith::memory
