#include "client/cli/up/up.h"

#include <memory>

#include "client/cli/commands/commands.h"

namespace kernelsmith::client {

void AddUp(CLI::App& program, Session& session) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* command =
      program.add_subcommand("up", "start memory, coordinator and workers on this machine, as long as it runs");
  command->add_option("--workers", options->workers, "worker daemons, one card each (default: 2)")
      ->check(CLI::Range(0, 64));
  command->add_option("--programs", options->programs, "folder of the daemons (default: that of this program)");
  command->add_option("--memory-config", options->memory_config, "base configuration of the memory (text format)");
  command->add_option("--coordinator-config", options->coordinator_config,
                      "base configuration of the coordinator: model endpoints, teams, limits");
  command->add_option("--worker-config", options->worker_config, "base configuration of the workers");
  command->add_option("--lock-dir", options->lock_dir, "host locks of the workers (default: in the data folder)");
  command->add_option("--isolation", options->isolation, "what workers must have to start: bwrap or rlimits")
      ->check(CLI::IsMember({"bwrap", "rlimits"}));
  command->add_option("--start-timeout-s", options->start_timeout_s, "limit for each daemon (default: 60)")
      ->check(CLI::PositiveNumber);
  command->add_option("--stop-grace-s", options->stop_grace_s, "a daemon that drains longer is killed (default: 10)")
      ->check(CLI::NonNegativeNumber);
  command->footer(
      "kernelsmith up [OPTIONS] -- COMMAND... runs it with KERNELSMITH_SERVER and KERNELSMITH_MEMORY set, then stops "
      "everything and exits "
      "with "
      "its code.\n\nExamples:\n  kernelsmith up\n  kernelsmith up --workers 2 -- kernelsmith submit "
      "configs/tasks/softmax.py --out best");
  command->callback([options, &session] {
    options->command = session.trailing;
    session.exit_code = Up(*options, session);
  });
}

}  // namespace kernelsmith::client
