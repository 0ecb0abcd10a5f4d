#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>

// Strided loops that callers bring.
namespace lanewise {

bool TensorIterator::needs_conversion() const {
  return std::any_of(operands_.begin(), operands_.end(),
                     [](const IteratorOperand& o) { return o.memory != o.target; });
}

void TensorIterator::loop_rows(Loop1d loop, char** base, const std::int64_t* strides, std::int64_t n0,
                               std::int64_t n1) const {
  InlineVector<char*, 8> data(operands_.size());  // fresh for every row: the loop may change its pointers
  for (std::int64_t row = 0; row < n1; ++row) {
    for (std::size_t k = 0; k < data.size(); ++k) {
      data[k] = base[k] + row * strides[data.size() + k];
    }
    loop(data.data(), strides, n0);
  }
}

void TensorIterator::serial_for_each_2d(Loop2d loop, Range range) const {
  if (range.size() <= 0) {
    return;
  }
  LANEWISE_CHECK(IndexError, range.begin >= 0 && range.end <= numel(), op_, ": range [", range.begin, ", ",
                 range.end, ") of ", numel(), " elements");
  needs_conversion() ? walk_converted(loop, range) : walk(loop, range);
}

void TensorIterator::walk_converted(Loop2d loop, Range range) const {
  constexpr std::int64_t kTile = 64;
  struct alignas(64) Elements {
    char bytes[kTile * sizeof(std::complex<double>)];
  };
  const std::size_t operands = operands_.size(), outputs = static_cast<std::size_t>(num_outputs_);
  const auto& convert = kernels::active_kernels().movers->convert;
  std::vector<Elements> tiles(operands);
  InlineVector<char*, 8> base(operands);
  DimVector steps(2 * operands);
  /// Element i of a run at `data` beside its place in a row of such elements.
  const auto each_element = [](const IteratorOperand& o, char* data, std::int64_t stride, std::int64_t n,
                               char* row, auto copy) {
    const std::int64_t size = o.memory_size();
    for (std::int64_t i = 0; i < n; ++i)
      copy(data + i * stride, row + i * size, static_cast<std::size_t>(size));
  };
  const auto run = [&](char* const* data, const std::int64_t* strides, std::int64_t n) {
    Elements row;
    for (std::size_t k = 0; k < operands; ++k) {
      const IteratorOperand& o = operands_[k];
      base[k] = data[k];
      steps[k] = strides[k];
      if (o.memory == o.target) continue;
      const std::int64_t distinct = strides[k] == 0 ? 1 : n;
      each_element(o, data[k], strides[k], distinct, row.bytes,
                   [](const char* from, char* to, std::size_t size) { std::memcpy(to, from, size); });
      convert[static_cast<std::size_t>(o.memory)][static_cast<std::size_t>(o.target)](
          row.bytes, tiles[k].bytes, distinct);
      base[k] = tiles[k].bytes;
      steps[k] = strides[k] == 0 ? 0 : static_cast<std::int64_t>(lanewise::element_size(o.target));
    }
    InlineVector<char*, 8> given = base;  // the loop may change its pointers
    loop(given.data(), steps.data(), n, 1);
    for (std::size_t k = 0; k < outputs; ++k) {
      const IteratorOperand& o = operands_[k];
      if (o.memory == o.target) continue;
      const std::int64_t distinct = strides[k] == 0 ? 1 : n;
      convert[static_cast<std::size_t>(o.target)][static_cast<std::size_t>(o.memory)](tiles[k].bytes,
                                                                                      row.bytes, distinct);
      each_element(o, data[k], strides[k], distinct, row.bytes,
                   [](char* to, const char* from, std::size_t size) { std::memcpy(to, from, size); });
    }
  };
  const auto rows_in_tiles = [&](char** first, const std::int64_t* strides, std::int64_t n0,
                                 std::int64_t n1) {
    InlineVector<char*, 8> data(operands);
    for (std::int64_t row = 0; row < n1; ++row) {
      for (std::int64_t at = 0; at < n0; at += kTile) {
        for (std::size_t k = 0; k < operands; ++k)
          data[k] = first[k] + row * strides[operands + k] + at * strides[k];
        run(data.data(), strides, std::min(kTile, n0 - at));
      }
    }
  };
  walk(rows_in_tiles, range);
}

void TensorIterator::walk(Loop2d loop, Range range) const {
  const std::size_t operands = operands_.size(), dims = std::max<std::size_t>(shape_.size(), 2);
  DimVector sizes = shape_;
  sizes.resize(dims, 1);
  DimVector index(dims);
  InlineVector<char*, 8> data;
  DimVector strides(2 * operands);
  const auto stride = [&](std::size_t k, std::size_t d) {
    return d < shape_.size() ? operands_[k].strides[d] : std::int64_t{0};
  };
  std::int64_t position = range.begin;
  for (std::size_t d = 0; d < dims; ++d) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  for (std::size_t k = 0; k < operands; ++k) {
    char* at = operands_[k].address();
    for (std::size_t d = 0; d < dims; ++d) {
      at += index[d] * stride(k, d);
    }
    data.push_back(at);
    strides[k] = stride(k, 0);
    strides[operands + k] = stride(k, 1);
  }
  const auto move = [&](std::size_t d, std::int64_t steps) {
    for (std::size_t k = 0; k < operands; ++k) {
      data[k] += steps * stride(k, d);
    }
  };
  for (std::int64_t left = range.size(); left > 0;) {
    const std::int64_t rows = index[0] == 0 ? std::min(left / sizes[0], sizes[1] - index[1]) : 0;
    const std::int64_t n0 = rows > 0 ? sizes[0] : std::min(left, sizes[0] - index[0]);
    const std::int64_t n1 = std::max<std::int64_t>(rows, 1);
    InlineVector<char*, 8> base = data;  // the loop may change the pointers that it is given
    loop(base.data(), strides.data(), n0, n1);
    left -= n0 * n1;
    std::size_t d = rows > 0 ? 1 : 0;
    std::int64_t steps = rows > 0 ? rows : n0;
    for (; d < dims; ++d, steps = 1) {
      index[d] += steps;
      move(d, steps);
      if (index[d] < sizes[d]) {
        break;
      }
      move(d, -index[d]);
      index[d] = 0;
    }
  }
}

void TensorIterator::for_each_2d(Loop2d loop, std::int64_t grain) const {
  const std::int64_t n = numel();
  if (n == 0) {
    return;
  }
  if (needs_conversion()) {
    InlineVector<ScalarType, 8> types;
    for (const IteratorOperand& o : operands_) {
      types.push_back(o.target);
    }
    struct Context {
      Loop2d loop;
      int operands;
      const ScalarType* types;
    } context{loop, ntensors(), types.data()};
    const RunFn run_loop_on_tile = [](char* const* data, std::uint32_t broadcast, std::int64_t count,
                                      const kernels::KernelScalar* opaque) {
      const auto& c = *reinterpret_cast<const Context*>(opaque);
      char* base[kernels::kMaxOperands];
      std::int64_t strides[2 * kernels::kMaxOperands] = {};
      for (int k = 0; k < c.operands; ++k) {
        base[k] = data[k];
        strides[k] =
            (broadcast >> k & 1) != 0 ? 0 : static_cast<std::int64_t>(lanewise::element_size(c.types[k]));
      }
      c.loop(base, strides, count, 1);
    };
    run(run_loop_on_tile, reinterpret_cast<const kernels::KernelScalar*>(&context),
        {types.data(), types.size()},
        {.in_order = linear_, .copies = false, .grain = std::max<std::int64_t>(grain, 1)});
    return;
  }
  bool splits = !serial_;  // not where several elements write to one place
  for (int d = 0; d < ndim(); ++d) {
    splits = splits && !is_dim_reduced(d);
  }
  if (!splits) {
    serial_for_each_2d(loop, {0, n});
    return;
  }
  parallel_for(0, n, std::max<std::int64_t>(grain, 1), [&](std::int64_t begin, std::int64_t end) {
    serial_for_each_2d(loop, {begin, end});
  });
}

}  // namespace lanewise
