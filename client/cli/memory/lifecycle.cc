#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/cli/memory/commands.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

struct LifecycleOptions {
  std::string item;
  std::string by;  // supersede: the newer item
  std::string reason;
  std::vector<std::string> teams;
};

// Connects, calls, prints. `said` is what happened, for people.
template <typename Call, typename Said>
int Change(const LifecycleOptions& options, const Session& session, const Call& call, const Said& said) {
  if (absl::StripAsciiWhitespace(options.reason).empty()) {
    return session.Fail(common::InvalidField("reason", "is empty; say why, in a word at least"));
  }
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const auto response = call(*memory);
  if (!response.ok()) return session.Fail(response.status());
  if (session.json) {
    session.PrintJson(*response);
  } else {
    session.out() << said(*response) << (response->duplicate() ? " (it was so before)" : "") << std::endl;
  }
  return kExitOk;
}

int Supersede(const LifecycleOptions& options, const Session& session) {
  if (options.item == options.by) {
    return session.Fail(common::InvalidField("new", "is the same item; name the one that replaces it"));
  }
  v1::SupersedeRequest request;
  request.set_old_item_id(options.item);
  request.set_new_item_id(options.by);
  request.set_reason(options.reason);
  return Change(
      options, session, [&](const MemoryClient& memory) { return memory.Supersede(request); },
      [&](const v1::LifecycleResponse&) { return absl::StrCat(options.item, " is replaced by ", options.by); });
}

int Retire(const LifecycleOptions& options, const Session& session) {
  v1::RetireRequest request;
  request.set_item_id(options.item);
  request.set_reason(options.reason);
  return Change(
      options, session, [&](const MemoryClient& memory) { return memory.Retire(request); },
      [&](const v1::LifecycleResponse&) {
        return absl::StrCat(options.item, " is retired: it is no longer retrieved");
      });
}

int Promote(const LifecycleOptions& options, const Session& session) {
  v1::PromoteRequest request;
  request.set_item_id(options.item);
  request.mutable_teams()->Add(options.teams.begin(), options.teams.end());
  request.set_reason(options.reason);
  return Change(
      options, session, [&](const MemoryClient& memory) { return memory.Promote(request); },
      [&](const v1::PromoteResponse& promoted) {
        return absl::StrCat(options.item, " is shared as ", promoted.shared_item_id(),
                            "; take it back with: kernelsmith ", "memory revoke ", promoted.shared_item_id(),
                            " --reason TEXT");
      });
}

int Revoke(const LifecycleOptions& options, const Session& session) {
  v1::RevokeRequest request;
  request.set_shared_item_id(options.item);
  request.set_reason(options.reason);
  return Change(
      options, session, [&](const MemoryClient& memory) { return memory.Revoke(request); },
      [&](const v1::LifecycleResponse&) { return absl::StrCat(options.item, " is no longer shared"); });
}

Command AddCommand(Command& memory, const std::string& name, const std::string& help, LifecycleOptions& options,
                   const std::string& item_help) {
  Command command = memory.Add(name, help);
  command.Option("item", options.item, item_help).Required();
  return command;
}

}  // namespace

void AddMemoryLifecycle(Command& memory, Session& session) {
  const auto reason = [](Command& command, LifecycleOptions& options) {
    command.Option("--reason", options.reason, "why, kept with the item").Required();
  };
  auto supersede = std::make_shared<LifecycleOptions>();
  Command command =
      AddCommand(memory, "supersede", "say that a newer item replaces an older one", *supersede, "the older item's id");
  command.Option("new", supersede->by, "the newer item's id").Required();
  reason(command, *supersede);
  command.Footer("Example:\n  kernelsmith memory supersede OLD NEW --reason \"holds for cann 9 too\"");
  command.Run([supersede, &session] { session.exit_code = Supersede(*supersede, session); });

  auto retire = std::make_shared<LifecycleOptions>();
  command = AddCommand(memory, "retire", "take an item out of retrieval; it stays readable", *retire, "the item's id");
  reason(command, *retire);
  command.Footer("Example:\n  kernelsmith memory retire ITEM --reason \"wrong since cann 9\"");
  command.Run([retire, &session] { session.exit_code = Retire(*retire, session); });

  auto promote = std::make_shared<LifecycleOptions>();
  command =
      AddCommand(memory, "promote", "share an item with other teams, with its provenance", *promote, "the item's id");
  command.Option("--team", promote->teams, "who may read it (default: every team of the server); may be repeated");
  reason(command, *promote);
  command.Footer("Example:\n  kernelsmith memory promote ITEM --team compilers --reason \"helped on five operators\"");
  command.Run([promote, &session] { session.exit_code = Promote(*promote, session); });

  auto revoke = std::make_shared<LifecycleOptions>();
  command = AddCommand(memory, "revoke", "take a promotion back, at once", *revoke, "the shared item's id");
  reason(command, *revoke);
  command.Footer("Example:\n  kernelsmith memory revoke SHARED --reason \"holds customer code\"");
  command.Run([revoke, &session] { session.exit_code = Revoke(*revoke, session); });
}

}  // namespace kernelsmith::client
