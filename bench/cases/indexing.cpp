// Choosing elements by indices and masks, sorting and selecting. Good for choosing: the speed of memory for
// what is read and written, where rows are long or indices are near each other; a random element costs a
// cache line whatever is done.

#include "support.h"

namespace {

constexpr std::int64_t kRows = 1 << 16, kWidth = 64, kElements = 1 << 20;

lib::Tensor random_rows(std::int64_t n) { return lib::randint(kRows, {n}, lib::kLong); }

// A table of 16 MB, 65536 rows of 256 bytes in random order.
void index_rows(benchmark::State& state) {
  const lib::Tensor table = bench::uniform({kRows, kWidth}), order = random_rows(kRows);
  const auto* index = order.data_ptr<std::int64_t>();
  if (!bench::verify(state, lib::index_select(table, 0, order), [&](std::int64_t i) {
        return bench::floats(table)[index[i / kWidth] * kWidth + i % kWidth];
      }))
    return;
  bench::time(state, kRows * kWidth, kRows * kWidth * 8,
              [&] { benchmark::DoNotOptimize(lib::index_select(table, 0, order)); });
}
BENCHMARK(index_rows);

void index_rows_by_list(benchmark::State& state) {
  const lib::Tensor table = bench::uniform({kRows, kWidth}), order = random_rows(kRows);
  bench::time(state, kRows * kWidth, kRows * kWidth * 8,
              [&] { benchmark::DoNotOptimize(table.index({order})); });
}
BENCHMARK(index_rows_by_list);

void index_columns(benchmark::State& state) {
  const lib::Tensor table = bench::uniform({kWidth, kRows}), order = random_rows(kRows);
  bench::time(state, kRows * kWidth, kRows * kWidth * 8,
              [&] { benchmark::DoNotOptimize(lib::index_select(table, 1, order)); });
}
BENCHMARK(index_columns);

void index_add_rows(benchmark::State& state) {
  lib::Tensor table = lib::zeros({kRows, kWidth});
  const lib::Tensor rows = bench::uniform({kRows, kWidth}), order = random_rows(kRows);
  bench::time(state, kRows * kWidth, kRows * kWidth * 12, [&] { table.index_add_(0, order, rows); });
}
BENCHMARK(index_add_rows);

void index_put_accumulate(benchmark::State& state) {
  lib::Tensor sums = lib::zeros({kRows});
  const lib::Tensor values = bench::uniform({kElements}), order = random_rows(kElements);
  bench::time(state, kElements, kElements * 20, [&] { sums.index_put_({order}, values, true); });
}
BENCHMARK(index_put_accumulate);

void gather_rows(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({1024, 1024}), index = lib::randint(1024, {1024, 1024}, lib::kLong);
  bench::time(state, kElements, kElements * 16, [&] { benchmark::DoNotOptimize(x.gather(1, index)); });
}
BENCHMARK(gather_rows);

void gather_columns(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({1024, 1024}), index = lib::randint(1024, {1024, 1024}, lib::kLong);
  bench::time(state, kElements, kElements * 16, [&] { benchmark::DoNotOptimize(x.gather(0, index)); });
}
BENCHMARK(gather_columns);

void scatter_add_rows(benchmark::State& state) {
  lib::Tensor x = lib::zeros({1024, 1024});
  const lib::Tensor src = bench::uniform({1024, 1024}), index = lib::randint(1024, {1024, 1024}, lib::kLong);
  bench::time(state, kElements, kElements * 20, [&] { x.scatter_add_(1, index, src); });
}
BENCHMARK(scatter_add_rows);

void masked_select_random(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({kElements}), mask = lib::rand({kElements}) > 0.5;
  bench::time(state, kElements, kElements * 7, [&] { benchmark::DoNotOptimize(x.masked_select(mask)); });
}
BENCHMARK(masked_select_random);

void nonzero_random(benchmark::State& state) {
  const lib::Tensor mask = lib::rand({1024, 1024}) > 0.5;
  bench::time(state, kElements, kElements * 9, [&] { benchmark::DoNotOptimize(mask.nonzero()); });
}
BENCHMARK(nonzero_random);

void sort_floats(benchmark::State& state) {
  const lib::Tensor x = lib::randn({state.range(0)});
  bench::time(state, x.numel(), 0, [&] { benchmark::DoNotOptimize(x.sort()); });
}
BENCHMARK(sort_floats)->Arg(100)->Arg(1 << 12)->Arg(1 << 20);

void sort_doubles(benchmark::State& state) {
  const lib::Tensor x = lib::randn({kElements}, lib::kDouble);
  bench::time(state, x.numel(), 0, [&] { benchmark::DoNotOptimize(x.sort()); });
}
BENCHMARK(sort_doubles);

void sort_integers(benchmark::State& state) {
  const lib::Tensor x = lib::randint(1 << 20, {kElements}, lib::kLong);
  bench::time(state, x.numel(), 0, [&] { benchmark::DoNotOptimize(x.sort()); });
}
BENCHMARK(sort_integers);

void sort_rows(benchmark::State& state) {
  const lib::Tensor x = lib::randn({1 << 14, 64});
  bench::time(state, x.numel(), 0, [&] { benchmark::DoNotOptimize(x.sort(1)); });
}
BENCHMARK(sort_rows);

void topk_of_many(benchmark::State& state) {
  const lib::Tensor x = lib::randn({kElements});
  bench::time(state, x.numel(), kElements * 4, [&] { benchmark::DoNotOptimize(x.topk(100)); });
}
BENCHMARK(topk_of_many);

void topk_of_rows(benchmark::State& state) {
  const lib::Tensor x = lib::randn({1 << 10, 1 << 10});
  bench::time(state, x.numel(), kElements * 4, [&] { benchmark::DoNotOptimize(x.topk(5, 1)); });
}
BENCHMARK(topk_of_rows);

void unique_integers(benchmark::State& state) {
  const lib::Tensor x = lib::randint(1000, {kElements}, lib::kLong);
  bench::time(state, x.numel(), 0, [&] { benchmark::DoNotOptimize(lib::_unique2(x, true, true, true)); });
}
BENCHMARK(unique_integers);

void flip_rows(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({1024, 1024});
  bench::time(state, kElements, kElements * 8, [&] { benchmark::DoNotOptimize(x.flip({1})); });
}
BENCHMARK(flip_rows);

void roll_rows(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({1024, 1024});
  bench::time(state, kElements, kElements * 8, [&] { benchmark::DoNotOptimize(x.roll({3, 5}, {0, 1})); });
}
BENCHMARK(roll_rows);

void tril_square(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({1024, 1024});
  bench::time(state, kElements, kElements * 6, [&] { benchmark::DoNotOptimize(x.tril()); });
}
BENCHMARK(tril_square);

void pad_image(benchmark::State& state) {
  const lib::Tensor x = bench::uniform({64, 3, 64, 64});
  bench::time(state, x.numel(), x.numel() * 8, [&] {
    benchmark::DoNotOptimize(lib::constant_pad_nd(x, {1, 1, 1, 1}, 0));
  });
}
BENCHMARK(pad_image);

}  // namespace
