#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <lanewise/autograd/explain.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>

#include "bench/case.h"
#include "commands.h"

namespace lanewise::tools {
namespace {

struct Settings {
  std::string op, dtype = "f32", size = "16Ki", layout = "contiguous", isa;
  std::vector<std::string> arguments;
  int threads = 0;
};

int explain_case(const Settings& s) {
  if (s.threads > 0) set_num_threads(s.threads);
  std::unique_ptr<const IsaGuard> guard;
  if (!s.isa.empty()) guard = std::make_unique<const IsaGuard>(parse_isa(s.isa));
  const PreparedCase prepared({s.op, parse_dtype(s.dtype), parse_shape(s.size), s.layout, get_num_threads(),
                               parse_arguments(s.arguments)});
  prepared.results();  // caches and the allocator are warm
  std::printf("%s", explain([&] { prepared.results(); }).c_str());
  return kSuccess;
}

}  // namespace

void add_explain(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Why an op gets its dtype and layout, how it loops, on which tier and with how many threads");
  const auto s = std::make_shared<Settings>();
  command->add_option("op", s->op, "An op such as add or sum.dim_IntList")->required();
  command->add_option("--dtype", s->dtype, "f32, f64, bf16, f16, i32...")->capture_default_str();
  command->add_option("--size", s->size, "A shape: 16Ki, 64x784; products: m x k x n")->capture_default_str();
  command->add_option("--layout", s->layout, "Where operands lie")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kLayouts), std::end(kLayouts))))
      ->capture_default_str();
  command->add_option("--threads", s->threads, "Number of threads (default: as the library chooses)")
      ->check(CLI::Range(1, kMaxThreads));
  command->add_option("--isa", s->isa, "A tier (default: as the library chooses)");
  command->add_option("--arg", s->arguments, "Other arguments of the op: dim=0");
  command->callback([s, &status] { status = explain_case(*s); });
}

}  // namespace lanewise::tools
