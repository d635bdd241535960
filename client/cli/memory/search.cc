#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "client/cli/memory/commands.h"
#include "client/cli/memory/filter_options.h"
#include "client/cli/text/search_text.h"
#include "common/policies/presets.h"
#include "common/status.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {
namespace {

struct SearchOptions {
  std::vector<std::string> words;
  FilterOptions filter;
  std::vector<std::string> held_out;
  std::string policy;
  int limit = 10;
  uint64_t seed = 0;
  bool explain = false;
  bool brief = false;
};

absl::StatusOr<v1::RetrieveRequest> RequestFrom(const SearchOptions& options) {
  v1::RetrieveRequest request;
  request.set_query(absl::StrJoin(options.words, " "));
  ASSIGN_OR_RETURN(*request.mutable_filter(), FilterFrom(options.filter));
  request.mutable_target()->set_architecture(options.filter.architecture);
  request.mutable_policy()->set_preset(options.policy);
  request.mutable_policy()->set_top_k(options.limit);
  request.mutable_policy()->mutable_held_out_operators()->Add(options.held_out.begin(), options.held_out.end());
  request.set_limit(options.limit);
  request.set_seed(options.seed);
  request.set_brief(options.brief);
  return request;
}

int Search(const SearchOptions& options, const Session& session) {
  const absl::StatusOr<v1::RetrieveRequest> request = RequestFrom(options);
  if (!request.ok()) return session.Fail(request.status());
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::RetrieveResponse> found = memory->Retrieve(*request);
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else {
    session.out() << (options.explain ? ExplainedSearchText(*found) : SearchText(*found)) << std::flush;
  }
  return kExitOk;
}

}  // namespace

void AddMemorySearch(Command& memory, Session& session) {
  auto options = std::make_shared<SearchOptions>();
  Command command = memory.Add("search", "ranked items; without words by value and recency");
  command.Option("words", options->words, "what to look for");
  AddFilterOptions(command, options->filter);
  command.Option("--exclude-operator", options->held_out, "nothing that stems from this operator; may be repeated");
  command.Option("--policy", options->policy, "rank as this policy does (default: combined); see memory policies")
      .OneOf(common::PolicyPresetNames());
  command.Option("--limit", options->limit, "how many at most (default: 10)").Range(1, 200);
  command.Option("--seed", options->seed, "of the exploration, for policies that explore");
  command.Flag("--explain", options->explain, "show how each score came about");
  command.Flag("--brief", options->brief, "ask for titles, values and scores only");
  command.Footer(
      "Examples:\n  kernelsmith memory search vectorised exp --family row_reduction --correct-only\n"
      "  kernelsmith memory search DataCopyPad --kind api-template --explain");
  command.Run([options, &session] { session.exit_code = Search(*options, session); });
}

}  // namespace kernelsmith::client
