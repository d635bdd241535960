#include <memory>
#include <string>

#include "client/cli/memory/commands.h"
#include "client/cli/memory/enum_option.h"
#include "client/cli/text/memory_text.h"
#include "common/status.h"
#include "kernelsmith/client/knowledge.h"

namespace kernelsmith::client {
namespace {

int Show(const std::string& item_id, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::Item> item = memory->GetItem(item_id);
  if (!item.ok()) return session.Fail(item.status());
  if (session.json) {
    session.PrintJson(*item);
  } else {
    session.out() << ItemText(*item) << std::flush;
  }
  return kExitOk;
}

struct AddOptions {
  std::string file;
  std::string producer;
  std::string key;
  std::string scope;
};

absl::StatusOr<v1::RecordItemRequest> RequestFrom(const AddOptions& options) {
  ASSIGN_OR_RETURN(v1::RecordItemRequest request, LoadItem(options.file));
  if (!options.producer.empty()) request.set_producer(options.producer);
  if (!options.key.empty()) request.set_item_key(options.key);
  if (!options.scope.empty()) {
    ASSIGN_OR_RETURN(const int scope, ParseEnum(*v1::Scope_descriptor(), options.scope, "scope"));
    request.set_scope(static_cast<v1::Scope>(scope));
  }
  return request;
}

int AddItem(const AddOptions& options, const Session& session) {
  const absl::StatusOr<v1::RecordItemRequest> request = RequestFrom(options);
  if (!request.ok()) return session.Fail(request.status());
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::RecordItemResponse> recorded = memory->RecordItem(*request);
  if (!recorded.ok()) return session.Fail(recorded.status());
  if (session.json) {
    session.PrintJson(*recorded);
  } else {
    session.out() << RecordedText(*recorded) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddMemoryItems(Command& memory, Session& session) {
  auto item_id = std::make_shared<std::string>();
  Command show = memory.Add("show", "one item whole, with its values");
  show.Option("item", *item_id, "the item's id").Required();
  show.Footer("Example:\n  kernelsmith memory show ITEM");
  show.Run([item_id, &session] { session.exit_code = Show(*item_id, session); });

  auto options = std::make_shared<AddOptions>();
  Command add = memory.Add("add", "store one item from a file: a rule, an insight, a best practice");
  add.Option("file", options->file, "an ItemContent or RecordItemRequest: *.textproto, *.txtpb or *.json").Required();
  add.Option("--producer", options->producer, "who records it (default: the file's, else user)");
  add.Option("--key", options->key, "unique key (default: the file's, else made from the content)");
  add.Option("--scope", options->scope, "who may read it: private, team (default) or shared");
  add.Footer(
      "Example file rule.textproto:\n  kind: RULE\n  title: \"Reduce in fp32\"\n  text: \"Cast fp16 to fp32 before "
      "ReduceSum.\"\n  layer: INSTRUCTION\nThe same file again changes nothing.\n\nExample:\n  kernelsmith memory add "
      "rule.textproto");
  add.Run([options, &session] { session.exit_code = AddItem(*options, session); });
}

}  // namespace kernelsmith::client
