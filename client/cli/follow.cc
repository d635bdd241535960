#include "client/cli/follow.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/job_display.h"
#include "client/cli/text/job_text.h"
#include "common/status.h"
#include "kernelsmith/client/kernel_folder.h"

namespace kernelsmith::client {

absl::Status SaveKernel(const Session& session, const Client& client, const std::string& job_id,
                        const std::string& folder) {
  const absl::StatusOr<MemoryClient> memory = session.ConnectMemory();
  ASSIGN_OR_RETURN(const KernelEvidence evidence, FetchEvidence(client, memory.ok() ? &*memory : nullptr, job_id));
  RETURN_IF_ERROR(WriteKernelFolder(evidence, folder));
  if (session.json) {
    session.out() << nlohmann::json{{"kernel_folder", folder}}.dump() << std::endl;
  } else {
    session.out() << "kernel and evidence written to " << folder << "/ (README.md explains)" << std::endl;
  }
  return absl::OkStatus();
}

int FollowJob(const Session& session, const Client& client, const v1::Job& job, const FollowOptions& options) {
  absl::Status status;
  {
    JobDisplay display(session, job, options.from_sequence);
    WatchOptions watch;
    watch.from_sequence = options.from_sequence;
    bool away = false;
    watch.on_reconnect = [&](const absl::Status& reason) {
      if (!away) display.Say(absl::StrCat("connection lost, trying again: ", reason.message()));
      away = true;
    };
    status = client.WatchJob(
        job.id(), watch,
        [&](const v1::JobEvent& event) {
          away = false;
          display.Show(event);
          return true;
        },
        session.surroundings.interrupted);
  }
  if (session.surroundings.interrupted.stop_requested()) {
    session.err() << "job " << job.id() << " goes on; see it again with: kernelsmith watch " << job.id() << std::endl;
    return kExitDetached;
  }
  if (!status.ok()) return session.Fail(status);
  const absl::StatusOr<v1::Job> ended = client.GetJob(job.id());
  if (!ended.ok()) return session.Fail(ended.status());
  if (session.json) {
    session.PrintJsonLine("job", *ended);
  } else {
    session.out() << "\n" << JobSummary(*ended) << std::flush;
  }
  if (!options.out_folder.empty() && ended->incumbent_round() > 0) {
    const absl::Status saved = SaveKernel(session, client, job.id(), options.out_folder);
    if (!saved.ok()) return session.Fail(saved);
  }
  return ExitCodeOf(ended->state());
}

}  // namespace kernelsmith::client
