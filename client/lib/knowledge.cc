#include "kernelsmith/client/knowledge.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/coldstart/documents.h"
#include "common/coldstart/mining.h"
#include "common/coldstart/model_writer.h"
#include "common/exchange_rows.h"
#include "common/file_io.h"
#include "common/hash.h"
#include "common/status.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"

namespace kernelsmith::client {
namespace {

namespace fs = std::filesystem;

bool IsMarkdown(const fs::path& path) { return path.extension() == ".md" || path.extension() == ".markdown"; }

absl::StatusOr<std::vector<fs::path>> MarkdownFiles(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return common::InvalidField("path", absl::StrCat(path.string(), " does not exist"));
  if (!fs::is_directory(path, error)) {
    if (IsMarkdown(path)) return std::vector<fs::path>{path};
    return common::InvalidField("path", absl::StrCat(path.string(), " is no Markdown file (*.md, *.markdown)"));
  }
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error) && IsMarkdown(entry->path())) files.push_back(entry->path());
  }
  if (error) return common::InvalidField("path", absl::StrCat("cannot read ", path.string(), ": ", error.message()));
  if (files.empty()) return common::InvalidField("path", absl::StrCat(path.string(), " holds no Markdown file"));
  std::sort(files.begin(), files.end());
  return files;
}

// A content's own hash as a key: equal content has an equal key, whatever file it came from.
absl::StatusOr<std::string> KeyOf(absl::string_view prefix, const v1::ItemContent& content) {
  ASSIGN_OR_RETURN(const std::string text, common::CanonicalJson(content));
  return absl::StrCat(prefix, "-", common::Sha256Hex(text).substr(0, 20));
}

// Keeps the first complaint of a parser, with its line.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int /*column*/, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat("line ", line + 1, ": ", message);
  }
  void AddWarning(int /*line*/, int /*column*/, const std::string& /*message*/) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Nothing if the text is such a message, else what is wrong with it.
std::string Parse(const std::string& text, bool json, google::protobuf::Message* message) {
  if (json) {
    const auto status = google::protobuf::util::JsonStringToMessage(text, message);
    return status.ok() ? "" : status.message().as_string();
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  return parser.ParseFromString(text, message) ? "" : error.text();
}

absl::StatusOr<v1::RecordItemRequest> ReadItem(const std::string& path) {
  const fs::path extension = fs::path(path).extension();
  const bool json = extension == ".json";
  if (!json && extension != ".textproto" && extension != ".txtpb") {
    return common::InvalidField("file",
                                absl::StrCat(path, " is neither text format (*.textproto, *.txtpb) nor JSON (*.json)"));
  }
  const absl::StatusOr<std::string> text = common::ReadFile(path);
  if (!text.ok()) return common::InvalidField("file", text.status().message());
  v1::RecordItemRequest request;
  const std::string no_request = Parse(*text, json, &request);
  if (no_request.empty()) return request;
  request.Clear();
  const std::string no_content = Parse(*text, json, request.mutable_content());
  if (no_content.empty()) return request;
  return common::InvalidField(
      "file", absl::StrCat(path, " is no item. As ItemContent: ", no_content, ". As RecordItemRequest: ", no_request));
}

absl::StatusOr<v1::RecordItemRequest> CompleteItem(v1::RecordItemRequest request, const std::string& path) {
  v1::ItemContent& content = *request.mutable_content();
  const auto missing = [&](const char* field, const char* example) {
    return common::InvalidField(field, absl::StrCat("is missing in ", path, "; for example ", example));
  };
  if (content.kind() == v1::ITEM_KIND_UNSPECIFIED) return missing("kind", "RULE, INSIGHT, BEST_PRACTICE or DOCUMENT");
  if (content.title().empty()) return missing("title", "'Reduce in fp32'");
  if (content.text().empty()) return missing("text", "a few sentences of Markdown");
  if (content.trust().empty()) content.set_trust("user");
  if (request.producer().empty()) request.set_producer("user");
  if (request.author().kind().empty()) request.mutable_author()->set_kind("user");
  if (request.item_key().empty()) {
    ASSIGN_OR_RETURN(*request.mutable_item_key(), KeyOf("item", content));
  }
  return request;
}

}  // namespace

absl::StatusOr<std::vector<v1::RecordItemRequest>> LoadKnowledge(const std::string& path,
                                                                 const KnowledgeOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<fs::path> files, MarkdownFiles(path));
  std::error_code error;
  fs::path root = fs::canonical(path, error);
  if (!fs::is_directory(root, error)) root = root.parent_path();
  std::vector<v1::RecordItemRequest> requests;
  for (const fs::path& file : files) {
    ASSIGN_OR_RETURN(const std::string text, common::ReadFile(file.string()));
    const fs::path whole = fs::canonical(file, error);
    const std::string name = (root.filename() / whole.lexically_relative(root)).generic_string();
    common::DocumentOptions split;
    split.bundle = options.bundle.empty() ? whole.parent_path().filename().string() : options.bundle;
    split.most_bytes = options.most_bytes;
    ASSIGN_OR_RETURN(std::vector<v1::ItemContent> contents, common::SplitDocument(name, text, split));
    for (v1::ItemContent& content : contents) {
      for (const std::string& architecture : options.architectures) {
        content.mutable_applicability()->add_architectures(architecture);
      }
      v1::RecordItemRequest& request = requests.emplace_back();
      request.set_producer(options.producer);
      ASSIGN_OR_RETURN(*request.mutable_item_key(), KeyOf("document", content));
      request.set_scope(options.scope);
      request.mutable_author()->set_kind("user");
      *request.mutable_content() = std::move(content);
    }
  }
  return requests;
}

absl::StatusOr<v1::RecordItemRequest> LoadItem(const std::string& path) {
  ASSIGN_OR_RETURN(v1::RecordItemRequest request, ReadItem(path));
  return CompleteItem(std::move(request), path);
}

absl::StatusOr<v1::RecordItemRequest> MineKernels(const v1::Candidate& generated, const v1::Candidate& expert,
                                                  const MineOptions& options, absl::Status* model_problem) {
  if (generated.kind() != expert.kind()) {
    return common::InvalidField(
        "expert", absl::StrCat("is ", v1::Candidate::Kind_Name(expert.kind()), ", the generated kernel is ",
                               v1::Candidate::Kind_Name(generated.kind()), "; both have to be of one kind"));
  }
  common::MiningRequest request{.language = generated.kind() == v1::Candidate::ASCEND_KERNEL
                                                ? common::KernelLanguage::kAscendC
                                                : common::KernelLanguage::kCpp};
  const auto take = [](const v1::Candidate& candidate, double latency_us) {
    common::MinedKernel kernel{.latency_us = latency_us};
    for (const v1::SourceFile& file : candidate.files()) {
      (file.name() == "plan.cpp" ? kernel.plan : kernel.kernel) = file.content();
    }
    return kernel;
  };
  request.generated = take(generated, options.generated_us);
  request.expert = take(expert, options.expert_us);
  request.clock = options.clock;
  request.target = options.target;
  request.dtype = options.dtype;
  request.operator_name = options.operator_name;
  request.family = options.family;
  request.level = options.level;
  request.held_out_operators = options.held_out_operators;
  request.source_item_ids = options.source_item_ids;
  absl::Status problem;
  absl::StatusOr<v1::ItemContent> mined =
      options.ask_model ? common::MineDifference(request, common::ModelWriter(options.ask_model), &problem)
                        : common::MineDifference(request, common::TemplateWriter());
  if (model_problem != nullptr) *model_problem = problem;
  ASSIGN_OR_RETURN(v1::ItemContent content, std::move(mined));
  v1::RecordItemRequest item;
  item.set_producer("mining");
  ASSIGN_OR_RETURN(*item.mutable_item_key(), KeyOf("insight", content));
  item.set_scope(v1::TEAM);
  *item.mutable_target() = options.target;
  item.mutable_author()->set_kind(content.trust());
  if (content.trust() == "model") item.mutable_author()->set_model(options.model);
  *item.mutable_content() = std::move(content);
  return item;
}

}  // namespace kernelsmith::client
