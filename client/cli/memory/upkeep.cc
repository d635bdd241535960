#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/memory/commands.h"
#include "client/cli/progress_display.h"
#include "client/cli/text/format.h"
#include "client/cli/text/memory_text.h"

namespace kernelsmith::client {
namespace {

// Prints what a call gave: JSON, or `text` of it. After Ctrl-C says `left` instead.
template <typename Response, typename Text>
int Finish(const absl::StatusOr<Response>& response, const Session& session, const Text& text,
           const std::string& left) {
  if (!response.ok() && session.surroundings.interrupted.stop_requested()) {
    session.err() << left << std::endl;
    return kExitDetached;
  }
  if (!response.ok()) return session.Fail(response.status());
  if (session.json) {
    session.PrintJson(*response);
  } else {
    session.out() << text(*response) << std::flush;
  }
  return kExitOk;
}

int Verify(const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  absl::StatusOr<v1::VerifyProgress> verdict;
  {
    ProgressDisplay progress(session, "verifying");
    verdict = memory->Verify(
        [&](const v1::VerifyProgress& now) {
          progress.Show({.done = static_cast<int64_t>(now.facts()),
                         .total = static_cast<int64_t>(now.total_facts()),
                         .detail = absl::StrCat(now.facts(), " of ", now.total_facts(), " facts")});
        },
        session.surroundings.interrupted);
  }
  const int code = Finish(verdict, session, VerifyText, "interrupted; nothing was changed");
  return code == kExitOk && !verdict->equal() ? kExitFailed : code;
}

int Backup(const std::string& directory, const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  return Finish(
      memory->Backup(directory, session.surroundings.interrupted), session,
      [&](const v1::BackupResponse& made) {
        return absl::StrCat("backup of ", FormatBytes(made.bytes()), ", up to fact ", made.last_sequence(), ", in ",
                            directory, " on the server's host\n");
      },
      "interrupted; remove the folder on the server's host before the next try");
}

int Seal(const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  return Finish(
      memory->SealIndex(session.surroundings.interrupted), session,
      [](const v1::SealIndexResponse& sealed) {
        return absl::StrCat(sealed.items(), " items in ", sealed.segments(), " segments, sealed in ",
                            FormatSeconds(sealed.seconds()), "\n");
      },
      "interrupted; the server goes on by itself");
}

int Stats(const Session& session) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  if (!memory.ok()) return session.Fail(memory.status());
  return Finish(memory->Stats(), session, StatsText, "interrupted");
}

}  // namespace

void AddMemoryUpkeep(Command& memory, Session& session) {
  Command verify = memory.Add("verify", "fold the log again and compare with what is served (role admin)");
  verify.Footer("The exit code is 1 if something differs.\n\nExample:\n  kernelsmith memory verify");
  verify.Run([&session] { session.exit_code = Verify(session); });

  auto directory = std::make_shared<std::string>();
  Command backup =
      memory.Add("backup", "copy the store into a folder of the server's host while it serves (role admin)");
  backup.Option("directory", *directory, "an absolute path there, absent or empty").Required();
  backup.Footer("Example:\n  kernelsmith memory backup /backup/memory-monday");
  backup.Run([directory, &session] { session.exit_code = Backup(*directory, session); });

  Command seal = memory.Add("seal", "seal the search indexes now rather than in the background (role admin)");
  seal.Footer("Example:\n  kernelsmith memory seal");
  seal.Run([&session] { session.exit_code = Seal(session); });

  Command stats = memory.Add("stats", "counts and sizes");
  stats.Footer("Example:\n  kernelsmith memory stats --json");
  stats.Run([&session] { session.exit_code = Stats(session); });
}

}  // namespace kernelsmith::client
