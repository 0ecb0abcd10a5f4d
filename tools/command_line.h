#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lanewise::tools {

/// An option of a command while it is defined. These classes are a front of CLI11, whose headers take the compiler five
/// seconds wherever they are included; here that is one file.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  /// --help shows the value that it has without.
  Option& show_default();
  /// Several values in one word: "f32,f64".
  Option& separated_by(char delimiter);
  Option& values(int fewest, int most);
  Option& one_of(const std::vector<std::string>& words);
  /// For int, std::int64_t and double.
  template <class T>
  Option& between(T least, T most);
  /// Only beside the other.
  Option& needs(const Option& other);
  /// Never beside the other.
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

/// A subcommand while it is defined.
class Command {
 public:
  Command(CLI::App* app, int* status) : app_(app), status_(status) {}

  /// "--name", "-n,--name", or "name" for what stands without one; `value` is written when the arguments are read, and must live
  /// until then. For std::string, int, std::int64_t, std::size_t, double, and vectors of std::string and int.
  template <class T>
  Option option(const std::string& names, T& value, const std::string& description);
  Option flag(const std::string& names, bool& value, const std::string& description);
  /// One that has been defined.
  Option defined(const std::string& name) const;
  /// What it does once the arguments have been read; returns the tool's exit code.
  void action(std::function<int()> run);

 private:
  CLI::App* app_;
  int* status_;
};

/// The tool's arguments: its subcommands, --help, --help-all and --version.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  Command command(const std::string& name, const std::string& description);
  /// A flag without a subcommand: prints this and ends.
  void printing_flag(const std::string& name, std::function<std::string()> text,
                     const std::string& description);

  /// Reads the arguments and runs the command that they name. Its exit code, kSuccess after a help text, or
  /// kUsage after a message on stderr; what the command throws goes on.
  int run(int argc, const char* const* argv);

  struct Words {
    std::string command;  ///< empty: the tool itself
    std::set<std::string> options;
  };
  /// Long names of all options; the tool first, then its commands in their order.
  std::vector<Words> words() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanewise::tools
