#include <algorithm>
#include <memory>
#include <string>

#include "client/cli/commands/commands.h"
#include "client/cli/text/dead_letter_text.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

absl::StatusOr<v1::ListDeadLettersResponse> Letters(const Client& client, int limit) {
  v1::ListDeadLettersResponse all;
  v1::ListDeadLettersRequest request;
  do {
    request.set_page_size(std::min(limit - all.letters_size(), 500));
    ASSIGN_OR_RETURN(const v1::ListDeadLettersResponse page, client.ListDeadLetters(request));
    all.mutable_letters()->MergeFrom(page.letters());
    all.set_next_page_token(page.next_page_token());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && all.letters_size() < limit);
  return all;
}

int List(int limit, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::ListDeadLettersResponse> found = Letters(*client, limit);
  if (!found.ok()) return session.Fail(found.status());
  if (session.json) {
    session.PrintJson(*found);
  } else if (found->letters().empty()) {
    session.out() << "no dead letters: no evaluation was given up" << std::endl;
  } else {
    session.out() << DeadLetterList({found->letters().begin(), found->letters().end()}) << std::flush;
  }
  return kExitOk;
}

int Replay(const std::string& id, const Session& session) {
  const absl::StatusOr<Client> client = session.ConnectServer();
  if (!client.ok()) return session.Fail(client.status());
  const absl::StatusOr<v1::Job> job = client->ReplayDeadLetter(id);
  if (!job.ok()) return session.Fail(job.status());
  if (session.json) {
    session.PrintJson(*job);
  } else {
    session.out() << "job " << job->id() << " goes on; see it with: kernelsmith watch " << job->id() << std::endl;
  }
  return kExitOk;
}

}  // namespace

void AddDeadLetters(Command& program, Session& session) {
  auto limit = std::make_shared<int>(50);
  Command command =
      program.Add("dead-letters", "list evaluations given up after too many infrastructure failures (role admin)");
  command.Option("--limit", *limit, "how many at most (default: 50)").Range(1, 1000000);
  command.Footer("Examples:\n  kernelsmith dead-letters\n  kernelsmith dead-letters replay job-1a2b3c/4/evaluate");

  auto id = std::make_shared<std::string>();
  Command replay = command.Add("replay", "take one up again: the job that failed for it goes on (role admin)");
  replay.Option("id", *id, "the letter, as `kernelsmith dead-letters` shows it").Required();
  replay.Footer("Example:\n  kernelsmith dead-letters replay job-1a2b3c/4/evaluate");
  replay.Run([id, &session] { session.exit_code = Replay(*id, session); });

  command.Run([command, limit, &session] {
    if (!command.HasSubcommand()) session.exit_code = List(*limit, session);
  });
}

}  // namespace kernelsmith::client
