#include <algorithm>
#include <cstdlib>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_index.h>
#include <lanewise/ops/index_walk.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {

DimVector memory_order(const Tensor& t) {
  DimVector order;
  for (std::int64_t d = 0; d < t.dim(); ++d) order.push_back(d);
  const auto step = [&](std::int64_t d) { return std::abs(t.stride(d)); };
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return step(a) != step(b) ? step(a) > step(b) : a < b; });
  return order;
}

ElementIndex::ElementIndex(const char* op, std::int64_t along, IntArrayRef self_sizes,
                           const Tensor& any_index, const char* self_name, bool densely) {
  const auto rank = static_cast<std::int64_t>(self_sizes.size());
  dim = named_dim_ = wrap_dim(op, along, rank);
  sizes = with_dim(any_index.sizes());
  empty = any_index.numel() == 0;
  if (empty) return;  // of whatever dtype, as in PyTorch
  LANEWISE_CHECK(DtypeError, any_index.scalar_type() == kLong, op, ": Expected dtype int64 for index, found ",
                 short_name(any_index.scalar_type()));
  const DimVector limits = with_dim(self_sizes);
  LANEWISE_CHECK(ShapeError, sizes.size() == limits.size(), op,
                 ": Index tensor must have the same number of dimensions as ", self_name,
                 " tensor; found shapes ", any_index.sizes(), " and ", self_sizes);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    LANEWISE_CHECK(ShapeError, static_cast<std::int64_t>(d) == dim || sizes[d] <= limits[d], op,
                   ": Size does not match at dimension ", d, ": expected index ", any_index.sizes(),
                   " to be smaller than ", self_name, " ", self_sizes, " apart from dimension ", dim);
  }
  if (is_expanded_vector(any_index, limits)) {
    slices = as_strided(any_index, {any_index.size(dim)}, {any_index.stride(dim)});
  } else {
    index = densely ? dense(any_index) : any_index;
  }
  limit = limits[static_cast<std::size_t>(dim)];
}

void ElementIndex::check_bounds(const char* op, bool fresh_result) {
  if (empty || slices.defined()) return;  // indexed_rows() checks slices
  if (fresh_result) {
    check_runs = op;
    return;
  }
  check_all(op);
}

void ElementIndex::check_all(const char* op) const {
  if (!index.is_contiguous()) {
    const DimVector none(sizes.size(), 0);
    walk_index(sizes, index.dim() - 1, {none, DimVector(index.strides()), none}, false,
               [&](const IndexBlock& block) {
                 block.each_row([&](std::int64_t, std::int64_t at, std::int64_t) {
                   check_bounds(op, index.const_data_ptr<std::int64_t>() + at, block.n);
                 });
               });
    return;
  }
  const auto* values = index.const_data_ptr<std::int64_t>();
  parallel_for(0, index.numel(), 32768,
               [&](std::int64_t begin, std::int64_t end) { check_bounds(op, values + begin, end - begin); });
}

void ElementIndex::check_bounds(const char* op, const std::int64_t* values, std::int64_t n) const {
  if (kernels::active_kernels().in_bounds(values, n, limit)) return;
  for (std::int64_t i = 0; i < n; ++i) {
    LANEWISE_CHECK(IndexError, values[i] >= 0 && values[i] < limit, op, ": index ", values[i],
                   " is out of bounds for dimension ", named_dim_, " with size ", limit);
  }
}

bool ElementIndex::has_single() const {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1 && static_cast<std::int64_t>(d) != dim) return true;
  }
  return false;
}

void ElementIndex::leave_out_single(std::initializer_list<Tensor*> operands) {
  for (auto d = static_cast<std::int64_t>(sizes.size()) - 1; d >= 0; --d) {
    if (d == dim || sizes[static_cast<std::size_t>(d)] != 1) continue;
    index = select(index, d, 0);
    for (Tensor* t : operands) {
      if (t->dim() > 0) *t = select(*t, d, 0);
    }
    sizes.erase(sizes.begin() + d);
    if (d < dim) --dim;
  }
}

void ElementIndex::check_src(const char* op, const Tensor& self, const Tensor& src) const {
  LANEWISE_CHECK(DtypeError, self.scalar_type() == src.scalar_type(), op,
                 ": Expected self.dtype to be equal to src.dtype, found ", self.scalar_type(), " and ",
                 src.scalar_type());
  if (empty) return;
  const DimVector limits = with_dim(src.sizes());
  LANEWISE_CHECK(ShapeError, sizes.size() == limits.size(), op,
                 ": Index tensor must have the same number of dimensions as src tensor; found shapes ",
                 IntArrayRef(sizes), " and ", src.sizes());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    LANEWISE_CHECK(ShapeError, sizes[d] <= limits[d], op, ": Expected index ", IntArrayRef(sizes),
                   " to be smaller than src ", src.sizes(), " in every dimension");
  }
}

DimVector ElementIndex::strides_across(IntArrayRef strides) const {
  DimVector result = with_dim(strides);
  result[static_cast<std::size_t>(dim)] = 0;
  return result;
}

void ElementIndex::expand_slices() {
  if (!slices.defined()) return;
  DimVector strides(sizes.size(), 0);
  strides[static_cast<std::size_t>(dim)] = slices.stride(0);
  index = dense(as_strided(slices, sizes, strides), kLong);
  slices = Tensor();
}

Tensor ElementIndex::values_of(Tensor src) const {
  if (src.dim() == 0) return src;
  for (std::int64_t d = 0; d < src.dim(); ++d) src = narrow(src, d, 0, sizes[static_cast<std::size_t>(d)]);
  return dense(src);
}

bool ElementIndex::is_expanded_vector(const Tensor& any_index, const DimVector& limits) const {
  if (any_index.dim() < 2) return false;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (static_cast<std::int64_t>(d) == dim) continue;
    if (sizes[d] != limits[d] || (sizes[d] != 1 && any_index.strides()[d] != 0)) return false;
  }
  return true;
}

}  // namespace lanewise::ops
