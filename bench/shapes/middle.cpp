// Ops over the middle dimension of tensors of three, of every size from few to many: a line a call, as those of main.cpp. What is slow with so
// many rows of so many columns, and with a few more or less is not, shows here.
//
//   <program> <type> [elements [part of a line]]   such as f32, or f64 100000 cumsum

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "timer.h"

namespace {

using namespace shapes;

constexpr std::int64_t kRows[] = {2, 3, 5, 8, 12, 17, 24, 33, 48, 64, 70, 100, 200, 300, 1000};
constexpr std::int64_t kColumns[] = {1, 2, 3, 5, 8, 12, 16, 20, 28, 32, 48, 64, 100, 256, 1000};

struct Case {
  Tensor x, row, column, matrix;

  explicit Case(const Tensor& t)
      : x(t),
        row(t.select(0, 0).select(0, 0).clone()),
        column(t.narrow(2, 0, 1).clone()),
        matrix(t.narrow(1, 0, 1).clone()) {}
  std::vector<Tensor> operands() const { return {x, row, column, matrix}; }
};

void reductions(const Tensor& x, const Timer& time) {
  const Dims middle{1};
  time("sum", [&] { return lib::sum(x, middle); });
  time("sum 0 1", [&] { return lib::sum(x, Dims{0, 1}); });
  time("sum 0 2", [&] { return lib::sum(x, Dims{0, 2}); });
  time("mean", [&] { return lib::mean(x, middle); });
  time("prod", [&] { return lib::prod(x, 1); });
  time("nansum", [&] { return lib::nansum(x, middle); });
  time("var", [&] { return lib::var(x, middle, true, false); });
  time("amax", [&] { return lib::amax(x, middle); });
  time("argmax", [&] { return lib::argmax(x, 1); });
  time("max with indices", [&] { return std::get<0>(lib::max(x, 1)); });
  time("any", [&] { return lib::any(x, 1); });
  time("logsumexp", [&] { return lib::logsumexp(x, middle); });
  time("softmax", [&] { return lib::softmax(x, 1); });
  time("log_softmax", [&] { return lib::log_softmax(x, 1); });
  time("cumsum", [&] { return lib::cumsum(x, 1); });
  time("cumprod", [&] { return lib::cumprod(x, 1); });
  time("cummax", [&] { return std::get<0>(lib::cummax(x, 1)); });
  time("sort", [&] { return std::get<0>(lib::sort(x, 1)); });
  time("topk 1", [&] { return std::get<0>(lib::topk(x, 1, 1)); });
}

void broadcasts(const Case& c, const Timer& time) {
  time("add a row", [&] { return c.x + c.row; });
  time("add a column", [&] { return c.x + c.column; });
  time("add a matrix", [&] { return c.x + c.matrix; });
}

void moves(const Tensor& x, const Timer& time) {
  const Tensor reversed = x.size(1) - 1 - integers(x.size(1));
  time("add of first and last", [&] { return x.select(1, 0) + x.select(1, x.size(1) - 1); });
  time("narrow", [&] { return x.narrow(1, 1, x.size(1) - 1).contiguous(); });
  time("transpose", [&] { return x.transpose(1, 2).contiguous(); });
  time("flip", [&] { return lib::flip(x, {1}); });
  time("roll", [&] { return lib::roll(x, 1, 1); });
  time("diff", [&] { return lib::diff(x, 1, 1); });
  time("cat", [&] { return lib::cat({x, x}, 1); });
  time("index_select", [&] { return lib::index_select(x, 1, reversed); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <type> [elements [forward|backward [part of a line]]]\n", argv[0]);
    return 2;
  }
  const bool backward = argc > 3 && argv[3] == std::string_view("backward");
  const lib::AutoGradMode grad_mode(backward);
  lib::set_num_threads(1);
  const std::int64_t elements = argc > 2 ? std::atoll(argv[2]) : 150000;
  const std::string_view part = argc > 4 ? argv[4] : "";
  for (const std::int64_t rows : kRows) {
    for (const std::int64_t columns : kColumns) {
      const std::int64_t batches = std::max<std::int64_t>(1, elements / (rows * columns));
      const Case c(scattered({batches, rows, columns}, 2731, type_of(argv[1])));
      const std::vector<Tensor> differentiated = backward ? c.operands() : std::vector<Tensor>();
      for (const Tensor& t : differentiated) t.set_requires_grad(true);
      const Timer time(std::to_string(batches) + "x" + std::to_string(rows) + "x" + std::to_string(columns),
                       differentiated, part);
      reductions(c.x, time);
      broadcasts(c, time);
      moves(c.x, time);
    }
  }
}
