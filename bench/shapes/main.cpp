// Ops on tensors of three to six dimensions, over each of their dimensions: a line a call, `shape op <tab> nanoseconds <tab> sum of the
// answer's elements`, as sweep/table.cpp reads them; with `backward` the backward pass alone of what has one, each on a new graph, and the
// sums of the gradients' magnitudes.
//
//   <program> <type> <layout> [forward|backward] [part of a line]   such as f32 channels_last, or f64 contiguous forward "8x64x28x28 sum"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "timer.h"

namespace {

using namespace shapes;

/// Images, activations, small batches, sequences, attention, and many short dimensions.
const Dims kShapes[] = {{8, 64, 28, 28}, {2, 3, 224, 224}, {64, 10, 12, 5}, {16, 128, 64},
                        {4, 8, 64, 64},  {6, 7, 8, 9, 10}, {300, 7, 3, 3},  {4, 6, 5, 7, 6, 8}};

Tensor laid_out(const Tensor& t, std::string_view layout) {
  const std::int64_t n = t.dim();
  if (layout == "channels_last") return t.movedim(1, -1).contiguous().movedim(-1, 1);
  if (layout == "turned") return t.transpose(1, n - 1).contiguous().transpose(1, n - 1);
  if (layout == "batch_second") return t.transpose(0, 1).contiguous().transpose(0, 1);
  if (layout == "window") {
    Tensor within = lib::constant_pad_nd(t, {1, 2, 0, 1}, 0);
    return within.narrow(n - 1, 1, t.size(n - 1)).narrow(n - 2, 0, t.size(n - 2));
  }
  if (layout == "every_second") return lib::stack({t, t}, n).select(n, 0);
  return t;
}

/// Operands of one shape and layout.
struct Case {
  Dims shape;
  lib::ScalarType type;
  Tensor x, y, dense;

  std::int64_t rank() const { return x.dim(); }
  /// Of size 1 along all dimensions but those that are kept.
  Tensor only(const Dims& kept) const {
    Dims sizes(shape.size(), 1);
    for (const std::int64_t d : kept) sizes[static_cast<std::size_t>(d)] = x.size(d);
    return scattered(sizes, 771, type);
  }
};

void pointwise(const Case& c, const Timer& time) {
  const std::int64_t n = c.rank();
  const Tensor channels = c.only({1}), places = c.only({n - 2, n - 1}), last = c.only({n - 1}),
               outer = c.only({0, 1});
  time("add", [&] { return c.x + c.y; });
  time("add contiguous", [&] { return c.x + c.dense; });
  time("add channels", [&] { return c.x + channels; });
  time("add places", [&] { return c.x + places; });
  time("add last", [&] { return c.x + last; });
  time("add of two broadcast", [&] { return outer + places; });
  time("addcmul channels", [&] { return lib::addcmul(c.x, c.y, channels); });
  time("where channels", [&] { return lib::where(channels != 1, c.x, c.y); });
  time("masked_fill places", [&] { return lib::masked_fill(c.x, places != 1, 2); });
  time("lt channels", [&] { return c.x < channels; });
}

void moves(const Case& c, const Timer& time) {
  const std::int64_t n = c.rank();
  Dims reversed, rotated;
  for (std::int64_t d = 0; d < n; ++d) {
    reversed.push_back(n - 1 - d);
    rotated.push_back((d + 1) % n);
  }
  time("contiguous", [&] { return c.x.contiguous(); });
  time("permute reversed", [&] { return c.x.permute(reversed).contiguous(); });
  time("permute rotated", [&] { return c.x.permute(rotated).contiguous(); });
  time("transpose 1 2", [&] { return c.x.transpose(1, 2).contiguous(); });
  time("transpose last two", [&] { return c.x.transpose(-2, -1).contiguous(); });
  time("constant_pad_nd", [&] { return lib::constant_pad_nd(c.x, {1, 1, 1, 1}, 0); });
  for (std::int64_t d = 0; d < n; ++d) {
    const std::string along = " " + std::to_string(d);
    const std::int64_t size = c.x.size(d);
    const Tensor index = lib::remainder(integers(2 * size / 3 + 1) * 5 + 1, size);
    Dims half = c.shape;
    half[static_cast<std::size_t>(d)] = (size + 1) / 2;
    const Tensor positions = lib::remainder((scattered(half, 313, lib::kDouble) * 1000).to(lib::kLong), size);
    time("cat" + along, [&] { return lib::cat({c.x, c.y}, d); });
    time("stack" + along, [&] { return lib::stack({c.x, c.y}, d); });
    time("flip" + along, [&] { return lib::flip(c.x, {d}); });
    time("roll" + along, [&] { return lib::roll(c.x, 1, d); });
    time("narrow" + along, [&] { return c.x.narrow(d, 1, size - 1).contiguous(); });
    time("unfold" + along, [&] { return c.x.unfold(d, 2, 1).contiguous(); });
    time("diff" + along, [&] { return lib::diff(c.x, 1, d); });
    time("repeat_interleave" + along, [&] { return lib::repeat_interleave(c.x, 2, d); });
    time("index_select" + along, [&] { return lib::index_select(c.x, d, index); });
    time("index_fill" + along, [&] { return lib::index_fill(c.x, d, index, 1); });
    time("index_add" + along, [&] { return lib::index_add(c.x, d, integers(size), c.y); });
    time("gather" + along, [&] { return lib::gather(c.x, d, positions); });
    time("scatter" + along, [&] { return lib::scatter(c.x, d, positions, c.y); });
  }
}

void reductions(const Case& c, const Timer& time) {
  const std::int64_t n = c.rank();
  std::vector<std::pair<std::string, Dims>> sets{
      {" 0 1", {0, 1}}, {" 0 2", {0, 2}}, {" last two", {n - 2, n - 1}}};
  Dims but_channels, but_batch;
  for (std::int64_t d = 0; d < n; ++d) {
    sets.push_back({" " + std::to_string(d), {d}});
    if (d != 1) but_channels.push_back(d);
    if (d != 0) but_batch.push_back(d);
  }
  sets.push_back({" but 1", but_channels});
  sets.push_back({" but 0", but_batch});
  for (const auto& set : sets) {
    const Dims& dims = set.second;
    time("sum" + set.first, [&] { return lib::sum(c.x, dims); });
    time("amax" + set.first, [&] { return lib::amax(c.x, dims); });
    time("mean" + set.first, [&] { return lib::mean(c.x, dims); });
    time("var" + set.first, [&] { return lib::var(c.x, dims, true, false); });
    time("logsumexp" + set.first, [&] { return lib::logsumexp(c.x, dims); });
  }
  time("sum", [&] { return c.x.sum(); });
  for (std::int64_t d = 0; d < n; ++d) {
    const std::string along = " " + std::to_string(d);
    time("max with indices" + along, [&] { return std::get<0>(lib::max(c.x, d)); });
    time("argmin" + along, [&] { return lib::argmin(c.x, d); });
    time("prod" + along, [&] { return lib::prod(c.x, d); });
    time("all" + along, [&] { return lib::all(c.x, d); });
    time("cumsum" + along, [&] { return lib::cumsum(c.x, d); });
    time("softmax" + along, [&] { return lib::softmax(c.x, d); });
    time("log_softmax" + along, [&] { return lib::log_softmax(c.x, d); });
    time("sort" + along, [&] { return std::get<0>(lib::sort(c.x, d)); });
    time("topk 2" + along,
         [&] { return std::get<0>(lib::topk(c.x, std::min<std::int64_t>(2, c.x.size(d)), d)); });
  }
}

void products(const Case& c, const Timer& time) {
  const Tensor weights = scattered({c.x.size(-1), 16}, 5, c.type), channels = c.only({1}).reshape(-1);
  time("matmul", [&] { return lib::matmul(c.x, c.y.transpose(-2, -1)); });
  time("matmul of a matrix", [&] { return lib::matmul(c.x, weights); });
  time("layer_norm", [&] { return lib::layer_norm(c.x, {c.x.size(-1)}); });
  time("batch_norm",
       [&] { return lib::batch_norm(c.x, channels, channels, channels, channels, false, 0.1, 1e-5, false); });
  time("batch_norm of batch",
       [&] { return lib::batch_norm(c.x, channels, channels, {}, {}, true, 0.1, 1e-5, false); });
  if (c.x.size(1) % 2 == 0) time("group_norm", [&] { return lib::group_norm(c.x, 2, channels, channels); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s <type> <layout> [forward|backward] [part of a line]\n", argv[0]);
    return 2;
  }
  const bool backward = argc > 3 && argv[3] == std::string_view("backward");
  const lib::AutoGradMode grad_mode(backward);
  lib::set_num_threads(1);
  const std::string_view part = argc > 4 ? argv[4] : "";
  for (const Dims& shape : kShapes) {
    std::string name;
    for (const std::int64_t size : shape) name += (name.empty() ? "" : "x") + std::to_string(size);
    const lib::ScalarType type = type_of(argv[1]);
    const Tensor dense = scattered(shape, 977, type);
    const Case c{shape, type, laid_out(scattered(shape, 2731, type), argv[2]),
                 laid_out(scattered(shape, 1543, type), argv[2]), dense};
    std::vector<Tensor> differentiated;
    if (backward) differentiated = {c.x, c.y};
    for (const Tensor& t : differentiated) t.set_requires_grad(true);
    const Timer time(name, differentiated, part);
    pointwise(c, time);
    moves(c, time);
    reductions(c, time);
    products(c, time);
  }
}
