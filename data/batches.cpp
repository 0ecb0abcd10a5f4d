#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>

#include <lanewise/data/batches.h>
#include <lanewise/data/errors.h>
#include <lanewise/generated/functions.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::data {
namespace {

/// The named rows of a contiguous tensor.
Tensor take_rows(const Tensor& source, std::span<const std::int64_t> rows) {
  std::vector<std::int64_t> sizes(source.sizes().begin(), source.sizes().end());
  sizes[0] = static_cast<std::int64_t>(rows.size());
  Tensor result = empty(sizes, source.options().requires_grad(false));
  const std::size_t row_bytes = source.nbytes() / static_cast<std::size_t>(source.size(0));
  const auto* from = static_cast<const char*>(source.const_data_ptr());
  auto* to = static_cast<char*>(result.data_ptr());
  for (const std::int64_t row : rows) {
    if (row_bytes > 0) std::memcpy(to, from + static_cast<std::size_t>(row) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return result;
}

}  // namespace

std::vector<std::int64_t> permutation(std::int64_t n, std::uint64_t seed, std::uint64_t stream) {
  LANEWISE_CHECK(ValueError, n >= 0 && n < std::int64_t{1} << 32, "permutation: n is ", n,
                 ", expected 0 to 2^32 - 1");
  std::vector<std::int64_t> keys(static_cast<std::size_t>(n));
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  const std::array<kernels::KernelScalar, 4> params = {
      kernels::KernelScalar{static_cast<std::int64_t>(seed), 0, 0},
      kernels::KernelScalar{static_cast<std::int64_t>(stream), 0, 0}, kernels::KernelScalar{0, 0, 0},
      kernels::KernelScalar{std::int64_t{1} << 62, 0, 0}};
  kernels::active_kernels().random_int->fn[static_cast<std::size_t>(kLong)](
      reinterpret_cast<char*>(keys.data()), 0, n, params.data());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  // Equal keys are settled by the index, so the order never depends on the sort's implementation.
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const std::int64_t x = keys[static_cast<std::size_t>(a)];
    const std::int64_t y = keys[static_cast<std::size_t>(b)];
    return x != y ? x < y : a < b;
  });
  return order;
}

Batches::Batches(const Tensor& features, const Tensor& labels, const BatchOptions& options)
    : features_(features.contiguous()), labels_(labels.contiguous()), options_(options) {
  LANEWISE_CHECK(
      DataError,
      features.dim() >= 1 && labels.dim() >= 1 && features.size(0) == labels.size(0) && features.size(0) > 0,
      "Batches: features ", features.sizes(), " and labels ", labels.sizes(),
      " must have the same number of rows, at least one");
  LANEWISE_CHECK(ValueError, options.batch_size >= 1, "Batches: batch_size is ", options.batch_size,
                 ", expected at least 1");
  start(0);
}

std::int64_t Batches::size() const {
  const std::int64_t rows = features_.size(0);
  return options_.drop_last ? rows / options_.batch_size
                            : rows / options_.batch_size + (rows % options_.batch_size != 0 ? 1 : 0);
}

void Batches::start(std::int64_t epoch) {
  cursor_ = 0;
  if (options_.shuffle) {
    order_ = permutation(features_.size(0), options_.seed, static_cast<std::uint64_t>(epoch));
  } else if (order_.empty()) {
    order_.resize(static_cast<std::size_t>(features_.size(0)));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }
}

bool Batches::next(Batch& batch) {
  const std::int64_t left = features_.size(0) - cursor_;
  const std::int64_t count = std::min(left, options_.batch_size);
  if (count == 0 || (options_.drop_last && count < options_.batch_size)) return false;
  const std::span<const std::int64_t> rows(order_.data() + cursor_, static_cast<std::size_t>(count));
  batch = {take_rows(features_, rows), take_rows(labels_, rows)};
  cursor_ += count;
  return true;
}

}  // namespace lanewise::data
