#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/memory/commands.h"
#include "client/cli/memory/enum_option.h"
#include "client/cli/progress_display.h"
#include "common/status.h"
#include "kernelsmith/client/knowledge.h"

namespace kernelsmith::client {
namespace {

struct LoadOptions {
  std::string path;
  KnowledgeOptions knowledge;
  std::string scope = "team";
  int most_bytes = 8192;
  bool dry_run = false;
};

struct Loaded {
  int64_t stored = 0;
  int64_t present = 0;
  int64_t near_duplicates = 0;
  int64_t superseded = 0;
};

// Items of the same name that the new one replaces: earlier versions of a section.
absl::Status SupersedeOlder(const MemoryClient& memory, const v1::RecordItemRequest& item, const std::string& new_id,
                            Loaded& loaded) {
  v1::RetrieveRequest request;
  request.mutable_filter()->add_kinds(item.content().kind());
  request.mutable_filter()->add_names(item.content().name());
  request.mutable_filter()->add_producers(item.producer());
  request.mutable_policy()->set_preset("static_rag");
  request.set_limit(50);
  ASSIGN_OR_RETURN(const v1::RetrieveResponse found, memory.Retrieve(request));
  for (const v1::RankedItem& ranked : found.items()) {
    const v1::Item& older = ranked.item();
    const bool same = older.content().name() == item.content().name() &&
                      older.content().kind() == item.content().kind() &&
                      older.content().bundle() == item.content().bundle() && older.producer() == item.producer();
    if (!same || older.id() == new_id) continue;
    v1::SupersedeRequest supersede;
    supersede.set_old_item_id(older.id());
    supersede.set_new_item_id(new_id);
    supersede.set_reason("a newer version of the document was loaded");
    RETURN_IF_ERROR(memory.Supersede(supersede).status());
    ++loaded.superseded;
  }
  return absl::OkStatus();
}

absl::Status Store(const MemoryClient& memory, const v1::RecordItemRequest& item, Loaded& loaded) {
  ASSIGN_OR_RETURN(const v1::RecordItemResponse recorded, memory.RecordItem(item));
  if (recorded.duplicate()) {
    ++loaded.present;
  } else if (!recorded.near_duplicate_of().empty()) {
    ++loaded.near_duplicates;
  } else {
    ++loaded.stored;
    RETURN_IF_ERROR(SupersedeOlder(memory, item, recorded.item_id(), loaded));
  }
  return absl::OkStatus();
}

void PrintDryRun(const std::vector<v1::RecordItemRequest>& items, const Session& session) {
  for (const v1::RecordItemRequest& item : items) {
    if (session.json) {
      session.PrintJsonLine("item", item);
    } else {
      session.out() << (item.content().kind() == v1::API_TEMPLATE ? "api template  " : "document      ")
                    << item.content().name() << " (" << item.content().text().size() << " bytes)\n";
    }
  }
  session.out() << std::flush;
}

int Report(const Loaded& loaded, size_t total, const Session& session) {
  if (session.json) {
    session.out() << nlohmann::ordered_json{{"items", total},
                                            {"stored", loaded.stored},
                                            {"present", loaded.present},
                                            {"near_duplicates", loaded.near_duplicates},
                                            {"superseded", loaded.superseded}}
                         .dump()
                  << std::endl;
  } else {
    session.out() << loaded.stored << " items stored, " << loaded.present << " were there already";
    if (loaded.near_duplicates > 0) {
      session.out() << ", " << loaded.near_duplicates << " not stored: nearly the same item is there";
    }
    if (loaded.superseded > 0) session.out() << ", " << loaded.superseded << " older versions replaced";
    session.out() << std::endl;
  }
  return kExitOk;
}

absl::StatusOr<std::vector<v1::RecordItemRequest>> ItemsFrom(const LoadOptions& options) {
  KnowledgeOptions knowledge = options.knowledge;
  ASSIGN_OR_RETURN(const int scope, ParseEnum(*v1::Scope_descriptor(), options.scope, "scope"));
  knowledge.scope = static_cast<v1::Scope>(scope);
  knowledge.most_bytes = static_cast<size_t>(options.most_bytes);
  return LoadKnowledge(options.path, knowledge);
}

int Load(const LoadOptions& options, const Session& session) {
  const absl::StatusOr<std::vector<v1::RecordItemRequest>> items = ItemsFrom(options);
  if (!items.ok()) return session.Fail(items.status());
  if (options.dry_run) {
    PrintDryRun(*items, session);
    return kExitOk;
  }
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  Loaded loaded;
  {
    ProgressDisplay progress(session, "loading");
    for (size_t i = 0; i < items->size(); ++i) {
      if (session.surroundings.interrupted.stop_requested()) {
        progress.Say(absl::StrCat("interrupted after ", i, " of ", items->size(),
                                  " items; the same command goes on: what is loaded is not loaded twice"));
        return kExitDetached;
      }
      progress.Show({.done = static_cast<int64_t>(i),
                     .total = static_cast<int64_t>(items->size()),
                     .detail = absl::StrCat(i, " of ", items->size(), " items")});
      const absl::Status status = Store(*memory, (*items)[i], loaded);
      if (!status.ok()) return session.Fail(common::Annotate(status, (*items)[i].content().name()));
    }
  }
  return Report(loaded, items->size(), session);
}

}  // namespace

void AddMemoryLoad(Command& memory, Session& session) {
  auto options = std::make_shared<LoadOptions>();
  Command command = memory.Add("load", "store documents, section by section, and API templates");
  command.Option("path", options->path, "a folder with Markdown files, or one of them").Required();
  command.Option("--bundle", options->knowledge.bundle,
                 "of API templates (default: the name of the document's folder)");
  command.Option("--architecture", options->knowledge.architectures,
                 "where the documents hold, for example ascend-a2 (default: everywhere); may be repeated");
  command.Option("--producer", options->knowledge.producer, "under which the items are recorded (default: documents)");
  command.Option("--scope", options->scope, "who may read them: private, team (default) or shared");
  command.Option("--most-bytes", options->most_bytes, "of a section, where its code allows (default: 8192)")
      .Range(256, 262144);
  command.Flag("--dry-run", options->dry_run, "only show what would be stored");
  command.Footer(
      "Loading again changes nothing; a section that changed replaces its older version.\n\nExample:\n  kernelsmith "
      "memory "
      "load docs/knowledge/ascend_c --architecture ascend-a2");
  command.Run([options, &session] { session.exit_code = Load(*options, session); });
}

}  // namespace kernelsmith::client
