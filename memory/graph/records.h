// What the folded state keeps of each thing. Long texts stay in the log and are read by sequence when they are shown.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

// The fields of an attempt that filters and ranks read. Numbers are of the graph's StringTable.
struct AttemptRecord {
  uint64_t sequence = 0;
  uint32_t operator_name = 0;
  uint32_t family = 0;
  uint32_t level = 0;
  uint32_t session = 0;
  uint32_t thought = 0;
  uint32_t bottleneck = 0;
  uint32_t proposer_kind = 0;
  uint32_t architecture = 0;
  uint32_t soc = 0;
  uint32_t toolchain = 0;
  uint32_t driver = 0;
  v1::Stage stage = v1::STAGE_UNSPECIFIED;
  v1::Purpose purpose = v1::PURPOSE_UNSPECIFIED;
  v1::Layer layer = v1::LAYER_UNSPECIFIED;
  v1::EvaluationStatus status = v1::EVALUATION_STATUS_UNSPECIFIED;
  int32_t step = 0;
  double latency_us = 0;
  double speedup = 0;     // as reported
  double confidence = 0;  // c, never 0
  int case_item = -1;
  int journal_item = -1;  // -1 if the journal is empty
};

struct ItemRecord {
  std::string id;
  v1::ItemKind kind = v1::ITEM_KIND_UNSPECIFIED;
  int attempt = -1;
  double u = 0;
  int64_t n_retrieved = 0;
  int64_t n_adopted = 0;
  std::set<std::string> adopting_operators;
};

struct RetrievalRecord {
  uint64_t sequence = 0;
  std::string producer;
  std::string attempt_id;
  std::vector<int> items;  // indexes of the items that the prompt held
  bool has_adoption = false;
  std::vector<bool> adopted;  // as long as items, once has_adoption
  bool scored = false;        // a stage has counted it; it never counts twice
};

struct StageRecord {
  uint64_t sequence = 0;
  double z = 0;
  std::vector<v1::UtilityChange> changes;
};

// Counts over everything folded.
struct GraphCounts {
  int64_t facts = 0;
  int64_t adoptions = 0;          // items stated as adopted
  int64_t rejections = 0;         // items stated as not adopted
  int64_t harmful_adoptions = 0;  // adopted items whose attempt failed
  uint64_t last_sequence = 0;
};

}  // namespace kernelsmith::memory
