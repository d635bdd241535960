// Items for the experience memory that are no attempt's: sections of documents, API templates, items from files, and
// what an expert kernel does better than a generated one.
//
//   ASSIGN_OR_RETURN(auto items, LoadKnowledge("docs/knowledge/ascend_c", {}));
//   for (const v1::RecordItemRequest& item : items) RETURN_IF_ERROR(memory.RecordItem(item).status());
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

struct KnowledgeOptions {
  std::string producer = "documents";
  std::string bundle;                      // of API templates; empty: the name of the folder that holds the document
  std::vector<std::string> architectures;  // where the documents hold, for example "ascend-a2"; empty: everywhere
  v1::Scope scope = v1::TEAM;
  size_t most_bytes = 8 * 1024;  // of a section, where code allows it
};

// Every Markdown file (*.md, *.markdown) of a folder and those below it, or one file, cut by heading (whole sections,
// code never cut); a section about one API with its signature and a use becomes an API template. Item keys are made
// from the content: loading again changes nothing, a changed section is a new item. Documents are named by their path
// from the folder, with the folder's own name: loading "k/ascend_c" and "k/ascend_c/a.md" gives a.md one name.
// INVALID_ARGUMENT names the file: none there, unreadable, no UTF-8 text.
absl::StatusOr<std::vector<v1::RecordItemRequest>> LoadKnowledge(const std::string& path,
                                                                 const KnowledgeOptions& options);

// One item from a file: an ItemContent or a whole RecordItemRequest, as text format (*.textproto, *.txtpb) or JSON
// (*.json). Without an item key it gets one from its content; without a producer "user". INVALID_ARGUMENT names the
// file, and what is missing: kind, title, text.
absl::StatusOr<v1::RecordItemRequest> LoadItem(const std::string& path);

struct MineOptions {
  std::string operator_name;
  std::string family;
  std::string level;
  double generated_us = 0;  // latencies, 0: not measured
  double expert_us = 0;
  v1::ClockDomain clock = v1::CLOCK_DOMAIN_UNSPECIFIED;
  v1::Target target;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  std::vector<std::string> held_out_operators;
  std::vector<std::string> source_item_ids;
  // A model that puts the difference into words, and its name; none: a template does.
  std::function<absl::StatusOr<std::string>(const std::string& instructions, const std::string& material)> ask_model;
  std::string model;
};

// An INSIGHT from two correct kernels for one task: what differs, why it matters on the hardware where that is known,
// when to apply it. INVALID_ARGUMENT: kernels of different kinds, no operator. FAILED_PRECONDITION: the operator is
// held out, the kernels do not differ, the expert's is not the faster one. Where the model fails, the template writes,
// and `model_problem` says why.
absl::StatusOr<v1::RecordItemRequest> MineKernels(const v1::Candidate& generated, const v1::Candidate& expert,
                                                  const MineOptions& options, absl::Status* model_problem = nullptr);

}  // namespace kernelsmith::client
