#include <memory>

#include "commands.h"
#include "passport.h"

namespace lanewise::tools {

void add_passport(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("passport", "Largest error and speed of every mathematical op");
  const auto settings = std::make_shared<PassportSettings>();
  command->add_flag("--markdown", settings->markdown, "Write docs/mathematics.md");
  command->add_option("--points", settings->points, "Arguments per op")
      ->check(CLI::Range(kFewestPoints, std::int64_t{1} << 32))
      ->capture_default_str();
  command->add_option("op", settings->names, "Ops (default: all)");
  command->callback([settings, &status] { status = passport(*settings); });
}

}  // namespace lanewise::tools
