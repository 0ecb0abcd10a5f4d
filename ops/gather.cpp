#include <algorithm>
#include <array>

#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_index.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/gather_scatter.h>
#include <lanewise/ops/index_walk.h>
#include <lanewise/ops/indexed_slices.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// An index whose runs along the last dimension are contiguous.
Tensor in_runs(const Tensor& index) {
  return index.dim() > 0 && index.stride(-1) == 1 ? index : dense(index);
}

/// to[j] = from[index[j]] for each j, all of steps of their own; returns how many were read before an index that is not in
/// [0, limit).
template <class T>
std::int64_t read_strided(const T* from, std::int64_t from_step, std::int64_t along,
                          const std::int64_t* index, T* to, std::int64_t to_step, std::int64_t n,
                          std::int64_t limit) {
  const std::int64_t *at = index, *const end = index + n;
  const auto is_inside = [limit](std::int64_t i) {
    return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(limit);
  };
  if (from_step == 0 && along == 1) {
    for (; at != end && is_inside(*at); ++at, to += to_step) *to = from[*at];
  } else {
    for (; at != end && is_inside(*at); ++at, from += from_step, to += to_step) *to = from[*at * along];
  }
  return at - index;
}

/// One index for n elements.
template <class T>
std::int64_t read_alike(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) to[k * to_step] = from[k * from_step];
  return n;
}

/// Of self, the index and the result.
std::array<DimVector, kWalked> read_strides(const ElementIndex& indexing, const Tensor& self,
                                            const Tensor& result) {
  return {indexing.strides_across(self.strides()), with_dim(indexing.index.strides()),
          with_dim(result.strides())};
}

/// Where the last dimensions are short. Apart from the loops for longer ones, which are slower beside it.
template <class T>
[[gnu::noinline]] bool read_short_dims(const ElementIndex& indexing, const Tensor& self,
                                       const std::array<DimVector, kWalked>& strides, const T* x, T* out) {
  const std::int64_t along = indexing.stride_along(self.strides());
  const auto limit = static_cast<std::uint64_t>(indexing.limit);
  const auto* chosen = indexing.index.const_data_ptr<std::int64_t>();
  return walk_short_dims(indexing.sizes, indexing.dim, strides, false, [=, &indexing](const IndexPlaces& p) {
    const auto [from, index, to] = p.offsets;
    const T* const source = x + p.at[0];
    const std::int64_t* const i = chosen + p.at[kIndex];
    T* const target = out + p.at[2];
    for (std::int64_t j = 0, n = p.n; j < n; ++j) {
      const std::int64_t at = i[index[j]];
      if (static_cast<std::uint64_t>(at) >= limit) indexing.check_bounds("gather", i + index[j], 1);
      target[to[j]] = source[from[j] + at * along];
    }
  });
}

/// self where the index says, element by element, into a tensor of the shape of the index.
void read_where(const ElementIndex& indexing, const Tensor& self, const Tensor& result) {
  const std::int64_t stride_along = indexing.stride_along(self.strides());
  const std::array<DimVector, kWalked> strides = read_strides(indexing, self, result);
  const auto* chosen = indexing.index.const_data_ptr<std::int64_t>();
  visit_size(self.itemsize(), [&]<class T>() {
    const auto* x = static_cast<const T*>(self.const_data_ptr());
    auto* out = static_cast<T*>(result.data_ptr());
    if (read_short_dims(indexing, self, strides, x, out)) return;
    walk_index(indexing.sizes, indexing.dim, strides, false, [&](const IndexBlock& in) {
      // Copies: as far as the compiler knows, what is written changes what is captured.
      const IndexBlock b = in;
      const std::int64_t along = stride_along, limit = indexing.limit, n = b.n;
      const auto [from_step, index_step, to_step] = b.step;
      const auto check = [&](const std::int64_t* i, std::int64_t done) {
        if (done < n) indexing.check_bounds("gather", i + done, 1);
      };
      if (from_step == 0 && along == 1 && index_step == 1 && to_step == 1) {
        const bool checked = indexing.check_runs == nullptr;
        return b.each_row([=](std::int64_t from_at, std::int64_t index_at, std::int64_t to_at) {
          const std::int64_t* i = chosen + index_at;
          const auto get = [from = x + from_at](std::int64_t at, std::int64_t) { return from[at]; };
          const auto put = [to = out + to_at](std::int64_t, std::int64_t k, const T& value) {
            to[k] = value;
          };
          if (checked) return each_chosen(i, n, get, put);
          // A branch that is never taken costs less than a pass of its own.
          check(i, each_within(i, n, limit, get, put));
        });
      }
      b.each_row([=](std::int64_t from_at, std::int64_t index_at, std::int64_t to_at) {
        const std::int64_t* i = chosen + index_at;
        const T* from = x + from_at;
        if (index_step != 0)
          return check(i, read_strided(from, from_step, along, i, out + to_at, to_step, n, limit));
        const bool inside = *i >= 0 && *i < limit;
        check(i, inside ? read_alike(from + *i * along, from_step, out + to_at, to_step, n) : 0);
      });
    });
  });
}

/// The same of any index, which it puts into such an order.
void read_in_runs(ElementIndex& indexing, const Tensor& self, const Tensor& result) {
  Tensor from, to;
  const bool shortened = indexing.has_single();
  if (shortened) {
    from = self;
    to = result;
    indexing.leave_out_single({&from, &to});
  }
  indexing.index = in_runs(indexing.index);
  read_where(indexing, shortened ? from : self, shortened ? to : result);
}

}  // namespace

Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index) {
  ElementIndex indexing("gather", dim, self.sizes(), index, "input", false);
  const Tensor result = lanewise::detail::empty_cpu(index.sizes(), self.scalar_type());
  if (indexing.empty) return result;
  if (indexing.slices.defined()) {
    const IndexedRows rows = indexing.slices_of("gather", self);
    const bool copies = wants_dense(rows, self);
    const Tensor in_rows = copies ? dense(self) : self;
    read_rows(copies ? indexing.slices_of("gather", in_rows) : rows, in_rows, result);
  } else {
    indexing.check_bounds("gather", true);
    read_in_runs(indexing, self, result);
  }
  return result;
}

void gather_into(const Destination& to, const Tensor& self, std::int64_t dim, const Tensor& index,
                 bool /*sparse_grad*/) {
  check_out_exact(to.op, to.tensor, self.scalar_type());
  assert_apart(to.op, to.tensor, {&self});
  if (to.tensor.defined()) assert_no_partial_overlap(to.op, to.tensor, index);
  ElementIndex indexing("gather", dim, self.sizes(), index, "input", false);
  bool direct = fits_apart(to, index.sizes(), self.scalar_type(), {&self, &index}) &&
                internal_overlap(to.tensor) == MemoryOverlap::None;
  if (indexing.empty)
    return write_result(to, index.sizes(), self.scalar_type(), direct, [](const Tensor&) {});
  if (indexing.slices.defined()) return select_into(to, "gather", self, dim, indexing.slices);
  // Into another order of dimensions if the index lies so too: else the copy is quicker.
  const DimVector order = direct ? memory_order(to.tensor) : DimVector();
  const bool turns = !std::is_sorted(order.begin(), order.end());
  if (turns && memory_order(index) != order) direct = false;
  const auto turned = [&](const Tensor& t) { return direct && turns ? permute(t, order) : t; };
  indexing.index = in_runs(turned(index));
  if (direct && turns) indexing.sizes = DimVector(indexing.index.sizes());
  indexing.check_bounds("gather", false);
  if (direct && turns) indexing.dim = std::find(order.begin(), order.end(), indexing.dim) - order.begin();
  write_result(to, index.sizes(), self.scalar_type(), direct,
               [&](const Tensor& out) { read_in_runs(indexing, turned(self), turned(out)); });
}

void select_into(const Destination& to, const char* op, const Tensor& self, std::int64_t dim,
                 const Tensor& index) {
  const IndexedRows rows = indexed_rows(op, self, dim, index);
  const bool apart = fits_apart(to, rows.sizes, self.scalar_type(), {&self, &index}) &&
                     internal_overlap(to.tensor) == MemoryOverlap::None;
  const std::int64_t along = wrap_dim(op, dim, self.dim());
  const auto write = [&](bool direct) {
    write_result(to, rows.sizes, self.scalar_type(), direct, [&](const Tensor& out) {
      out.is_contiguous() && reads_slices(rows, self, along) ? read_slices(rows, self, along, out)
                                                             : read_rows(rows, self, out);
    });
  };
  if (!apart || to.tensor.is_contiguous()) return write(apart);
  // Into another order of dimensions if self lies so too: else the copy is quicker.
  const DimVector order = memory_order(to.tensor);
  const bool turns = !std::is_sorted(order.begin(), order.end());
  if (turns && memory_order(self) != order) return write(false);
  const Tensor from = turns ? permute(self, order) : self,
               out = turns ? permute(to.tensor, order) : to.tensor;
  dim = along;
  if (turns) dim = std::find(order.begin(), order.end(), dim) - order.begin();
  const IndexedRows turned = turns ? indexed_rows(op, from, dim, index) : rows;
  if (out.is_contiguous() || (turned.row > 1 && row_step(turned, out))) return read_rows(turned, from, out);
  // Runs are better copied whole first, and so are single elements that do not lie in runs.
  if ((turned.row == 1) != (from.stride(-1) == 1)) return write(false);
  DimVector strides(out.sizes().size(), 0);
  strides[static_cast<std::size_t>(dim)] = 1;
  const Tensor vector = dense(index, kLong), whole = as_strided(vector, out.sizes(), strides);
  ElementIndex indexing(op, dim, from.sizes(), whole, "self", false);
  indexing.index = whole;
  read_where(indexing, from, out);
}

}  // namespace lanewise::ops
