#include "command_line.h"

#include <cstdint>
#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>

#include "commands.h"

namespace lanewise::tools {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::separated_by(char delimiter) {
  option_->delimiter(delimiter);
  return *this;
}

Option& Option::values(int fewest, int most) {
  option_->expected(fewest, most);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

template <class T>
Option& Option::between(T least, T most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
template Option& Option::between(int, int);
template Option& Option::between(std::int64_t, std::int64_t);
template Option& Option::between(double, double);

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& description) {
  return Option(app_->add_option(names, value, description));
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, int&, const std::string&);
template Option Command::option(const std::string&, std::int64_t&, const std::string&);
template Option Command::option(const std::string&, std::size_t&, const std::string&);
template Option Command::option(const std::string&, double&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, std::vector<int>&, const std::string&);

Option Command::flag(const std::string& names, bool& value, const std::string& description) {
  return Option(app_->add_flag(names, value, description));
}

Option Command::defined(const std::string& name) const { return Option(app_->get_option(name)); }

void Command::action(std::function<int()> run) {
  app_->callback([run = std::move(run), status = status_] { *status = run(); });
}

struct CommandLine::State {
  State(const std::string& name, const std::string& description) : app(description, name) {}

  CLI::App app;
  int status = kSuccess;
};

CommandLine::CommandLine(const std::string& name, const std::string& description, const std::string& version)
    : state_(std::make_unique<State>(name, description)) {
  state_->app.require_subcommand(1);
  state_->app.set_help_all_flag("--help-all", "Help of all commands");
  state_->app.set_version_flag("--version", name + " " + version);
  state_->app.failure_message(CLI::FailureMessage::simple);
}

CommandLine::~CommandLine() = default;

Command CommandLine::command(const std::string& name, const std::string& description) {
  return Command(state_->app.add_subcommand(name, description), &state_->status);
}

void CommandLine::printing_flag(const std::string& name, std::function<std::string()> text,
                                const std::string& description) {
  state_->app.add_flag_callback(
      name,
      [text = std::move(text)] {
        std::printf("%s", text().c_str());
        throw CLI::Success();
      },
      description);
}

int CommandLine::run(int argc, const char* const* argv) {
  try {
    state_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return state_->app.exit(error) == 0 ? kSuccess : kUsage;
  }
  return state_->status;
}

std::vector<CommandLine::Words> CommandLine::words() const {
  const auto options_of = [](const CLI::App& app) {
    std::set<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.insert("--" + name);
    }
    return names;
  };
  std::vector<Words> result = {{"", options_of(state_->app)}};
  for (const CLI::App* command : std::as_const(state_->app).get_subcommands(nullptr))
    result.push_back({command->get_name(), options_of(*command)});
  return result;
}

}  // namespace lanewise::tools
