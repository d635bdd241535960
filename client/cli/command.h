// A subcommand's options, help and action: what the commands need of CLI11, without its templates in every file (they
// take a compiler longer than everything else here).
//
//   Command& command = program.Add("jobs", "list the team's jobs, newest first");
//   command.Option("--limit", options->limit, "how many at most (default: 20)").Range(1, 1000);
//   command.Example("kernelsmith jobs --limit 5");
//   command.Run([options, &session] { session.exit_code = Jobs(*options, session); });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kernelsmith::client {

// One option as it was added, for constraints. Each returns the object itself.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CommandOption& Required();
  CommandOption& Range(int low, int high);
  CommandOption& Positive();
  CommandOption& NonNegative();
  CommandOption& OneOf(const std::vector<std::string>& values);
  CommandOption& TypeName(const std::string& name);
  CommandOption& Excludes(const CommandOption& other);

 private:
  CLI::Option* option_;
};

// A subcommand, or the program itself. Cheap to copy; the program object owns everything.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command Add(const std::string& name, const std::string& help);
  void RequireSubcommand();
  bool HasSubcommand() const;  // on the command line

  // `name` is "--long" for an option, or a bare word for a positional argument. `target` must live as long as the
  // command.
  CommandOption Option(const std::string& name, std::string& target, const std::string& help);
  CommandOption Option(const std::string& name, int& target, const std::string& help);
  CommandOption Option(const std::string& name, int64_t& target, const std::string& help);
  CommandOption Option(const std::string& name, uint64_t& target, const std::string& help);
  CommandOption Option(const std::string& name, double& target, const std::string& help);
  // May be repeated, one value each time; as a positional argument it takes all that follow.
  CommandOption Option(const std::string& name, std::vector<std::string>& target, const std::string& help);
  CommandOption Flag(const std::string& name, bool& target, const std::string& help);

  void Footer(const std::string& text);
  void Run(std::function<void()> action);

 private:
  CLI::App* app_;
};

}  // namespace kernelsmith::client
