#include "client/cli/command.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace kernelsmith::client {

CommandOption& CommandOption::Required() {
  option_->required();
  return *this;
}

CommandOption& CommandOption::Range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

CommandOption& CommandOption::Positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

CommandOption& CommandOption::NonNegative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

CommandOption& CommandOption::OneOf(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

CommandOption& CommandOption::TypeName(const std::string& name) {
  option_->type_name(name);
  return *this;
}

CommandOption& CommandOption::Excludes(const CommandOption& other) {
  option_->excludes(other.option_);
  return *this;
}

Command Command::Add(const std::string& name, const std::string& help) {
  return Command(app_->add_subcommand(name, help));
}

void Command::RequireSubcommand() { app_->require_subcommand(1); }

bool Command::HasSubcommand() const { return !app_->get_subcommands().empty(); }

CommandOption Command::Option(const std::string& name, std::string& target, const std::string& help) {
  return CommandOption(app_->add_option(name, target, help));
}

CommandOption Command::Option(const std::string& name, int& target, const std::string& help) {
  return CommandOption(app_->add_option(name, target, help));
}

CommandOption Command::Option(const std::string& name, int64_t& target, const std::string& help) {
  return CommandOption(app_->add_option(name, target, help));
}

CommandOption Command::Option(const std::string& name, uint64_t& target, const std::string& help) {
  return CommandOption(app_->add_option(name, target, help));
}

CommandOption Command::Option(const std::string& name, double& target, const std::string& help) {
  return CommandOption(app_->add_option(name, target, help));
}

CommandOption Command::Option(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  CLI::Option* option = app_->add_option(name, target, help);
  if (name[0] == '-') option->allow_extra_args(false);
  return CommandOption(option);
}

CommandOption Command::Flag(const std::string& name, bool& target, const std::string& help) {
  return CommandOption(app_->add_flag(name, target, help));
}

void Command::Footer(const std::string& text) { app_->footer(text); }

void Command::Run(std::function<void()> action) { app_->callback(std::move(action)); }

}  // namespace kernelsmith::client
