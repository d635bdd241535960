#include "client/cli/up/up.h"

#include <memory>

#include "client/cli/commands/commands.h"

namespace kernelsmith::client {

void AddUp(Command& program, Session& session) {
  auto options = std::make_shared<UpOptions>();
  Command command = program.Add("up", "start memory, coordinator and workers on this machine, as long as it runs");
  command.Option("--workers", options->workers, "worker daemons, one card each (default: 2)").Range(0, 64);
  command.Option("--programs", options->programs, "folder of the daemons (default: that of this program)");
  command.Option("--memory-config", options->memory_config, "base configuration of the memory (text format)");
  command.Option("--coordinator-config", options->coordinator_config,
                 "base configuration of the coordinator: model endpoints, teams, limits");
  command.Option("--worker-config", options->worker_config, "base configuration of the workers");
  command.Option("--lock-dir", options->lock_dir, "host locks of the workers (default: shared by all of this host)");
  command
      .Option("--card-kind", options->card_kind,
              "cpu (default) or ascend: the CANN that ASCEND_HOME_PATH names, else emulated Ascend910B3 cards")
      .OneOf({"cpu", "ascend"});
  command.Option("--isolation", options->isolation, "what workers must have to start: bwrap or rlimits")
      .OneOf({"bwrap", "rlimits"});
  command.Option("--start-timeout-s", options->start_timeout_s, "limit for each daemon (default: 180)").Positive();
  command.Option("--stop-grace-s", options->stop_grace_s, "a daemon that drains longer is killed (default: 10)")
      .NonNegative();
  command.Footer(
      "kernelsmith up [OPTIONS] -- COMMAND... runs it with KERNELSMITH_SERVER and KERNELSMITH_MEMORY set, then stops "
      "everything and exits with its code.\n\nExamples:\n  kernelsmith up\n  kernelsmith up --workers 2 -- kernelsmith "
      "submit configs/tasks/softmax.py --out best");
  command.Run([options, &session] {
    options->command = session.trailing;
    session.exit_code = Up(*options, session);
  });
}

}  // namespace kernelsmith::client
