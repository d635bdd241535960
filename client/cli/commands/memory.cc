#include <memory>
#include <string>
#include <vector>

#include "client/cli/commands/commands.h"
#include "client/cli/text/memory_text.h"
#include "common/status.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {
namespace {

struct SearchOptions {
  std::vector<std::string> words;
  std::vector<std::string> operators;
  std::vector<std::string> families;
  std::string job_id;
  bool correct_only = false;
  std::string policy;
  int limit = 10;
};

v1::RetrieveRequest RequestFrom(const SearchOptions& options) {
  v1::RetrieveRequest request;
  for (const std::string& word : options.words) {
    if (!request.query().empty()) request.mutable_query()->push_back(' ');
    request.mutable_query()->append(word);
  }
  v1::Filter& filter = *request.mutable_filter();
  filter.mutable_operators()->Add(options.operators.begin(), options.operators.end());
  filter.mutable_families()->Add(options.families.begin(), options.families.end());
  if (!options.job_id.empty()) filter.add_sessions(options.job_id);
  filter.set_correct_only(options.correct_only);
  request.mutable_policy()->set_preset(options.policy);
  request.mutable_policy()->set_top_k(options.limit);
  request.set_limit(options.limit);
  return request;
}

int Search(const SearchOptions& options, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::RetrieveResponse> found = memory->Retrieve(RequestFrom(options));
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else {
    session.out() << SearchText(*found) << std::flush;
  }
  return kExitOk;
}

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

int Lineage(const std::string& job_id, const std::string& operator_name, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<std::vector<v1::LineageNode>> nodes = memory->Lineage(job_id, operator_name);
  if (!nodes.ok()) return session.Fail(nodes.status());
  if (session.json) {
    v1::LineageResponse document;
    document.mutable_nodes()->Add(nodes->begin(), nodes->end());
    session.PrintJson(document);
  } else {
    session.out() << LineageText(*nodes) << std::flush;
  }
  return kExitOk;
}

int Stats(const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  const absl::StatusOr<v1::StatsResponse> stats = memory->Stats();
  if (!stats.ok()) return session.Fail(stats.status());
  if (session.json) {
    session.PrintJson(*stats);
  } else {
    session.out() << StatsText(*stats) << std::flush;
  }
  return kExitOk;
}

void AddSearch(Command& memory, Session& session) {
  auto options = std::make_shared<SearchOptions>();
  Command command = memory.Add("search", "ranked items; without words by value and recency");
  command.Option("words", options->words, "what to look for");
  command.Option("--operator", options->operators, "only experience of this operator; may be repeated");
  command.Option("--family", options->families, "only this family: elementwise, row_reduction, matmul, other");
  command.Option("--job", options->job_id, "only experience of this job");
  command.Flag("--correct-only", options->correct_only, "only correct kernels");
  command.Option("--policy", options->policy, "rank as this policy does (default: combined)");
  command.Option("--limit", options->limit, "how many at most (default: 10)").Range(1, 200);
  command.Footer("Example:\n  kernelsmith memory search vectorised exp --family row_reduction --correct-only");
  command.Run([options, &session] { session.exit_code = Search(*options, session); });
}

void AddShowItem(Command& memory, Session& session) {
  auto item_id = std::make_shared<std::string>();
  Command command = memory.Add("show", "one item whole, with its values");
  command.Option("item", *item_id, "the item's id").Required();
  command.Footer("Example:\n  kernelsmith memory show ITEM");
  command.Run([item_id, &session] { session.exit_code = Show(*item_id, session); });
}

void AddLineage(Command& memory, Session& session) {
  auto job_id = std::make_shared<std::string>();
  auto operator_name = std::make_shared<std::string>();
  Command command = memory.Add("lineage", "which attempt came from which, with r, label and d");
  command.Option("job,--job,--session", *job_id, "attempts of this job (default: all of the team)");
  command.Option("--operator", *operator_name, "attempts at this operator");
  command.Footer("Example:\n  kernelsmith memory lineage job-0123456789ab");
  command.Run([job_id, operator_name, &session] { session.exit_code = Lineage(*job_id, *operator_name, session); });
}

}  // namespace

void AddMemory(Command& program, Session& session) {
  Command command = program.Add("memory", "look into the experience memory");
  command.RequireSubcommand();
  AddSearch(command, session);
  AddShowItem(command, session);
  AddLineage(command, session);
  Command stats = command.Add("stats", "counts and sizes");
  stats.Footer("Example:\n  kernelsmith memory stats --json");
  stats.Run([&session] { session.exit_code = Stats(session); });
  command.Footer("Example:\n  kernelsmith memory search softmax");
}

}  // namespace kernelsmith::client
