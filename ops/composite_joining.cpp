#include <algorithm>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

/// Joining and splitting, put together from other public ops.
namespace lanewise {
namespace {

/// How many ways there are to choose r of n >= 0.
std::int64_t choices(std::int64_t n, std::int64_t r) {
  if (r > n) return 0;
  std::int64_t count = 1;
  for (std::int64_t i = 1; i <= std::min(r, n - r); ++i)
    count = detail::checked_product("combinations", count, n - i + 1) / i;
  return count;
}

std::vector<Tensor> each(ArrayRef<Tensor> tensors, Tensor (*op)(const Tensor&)) {
  std::vector<Tensor> results;
  results.reserve(tensors.size());
  for (const Tensor& t : tensors) results.push_back(op(t));
  return results;
}

void check_some(const char* op, ArrayRef<Tensor> tensors) {
  LANEWISE_CHECK(ValueError, !tensors.empty(), op, ": expects a non-empty TensorList");
}

/// The pieces between `indices` along dim; indices outside the dimension are clamped as in a slice.
std::vector<Tensor> pieces_between(const Tensor& self, IntArrayRef indices, std::int64_t dim) {
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t end : indices) {
    parts.push_back(self.slice(dim, start, end));
    start = end;
  }
  parts.push_back(self.slice(dim, start, self.size(dim)));
  return parts;
}

std::vector<Tensor> equal_pieces(const char* op, const Tensor& self, std::int64_t sections,
                                 std::int64_t dim) {
  LANEWISE_CHECK(ValueError, sections > 0, op, ": number of sections must be larger than 0, got ", sections);
  const std::int64_t size = self.size(dim), small = size / sections, larger = size % sections;
  std::vector<Tensor> parts = ops::room_for(op, sections);
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < sections; ++i) {
    const std::int64_t length = small + (i < larger ? 1 : 0);
    parts.push_back(self.slice(dim, start, start + length));
    start += length;
  }
  return parts;
}

/// hsplit and its kin: along `dim` of a tensor with at least `rank` dimensions, in equal parts only.
std::vector<Tensor> split_evenly(const char* op, const Tensor& self, std::int64_t rank, std::int64_t dim,
                                 std::int64_t sections) {
  LANEWISE_CHECK(ShapeError, self.dim() >= rank, op, ": requires a tensor with at least ", rank,
                 " dimension, but got a tensor with ", self.dim(), " dimensions");
  LANEWISE_CHECK(ValueError, sections > 0 && self.size(dim) % sections == 0, op,
                 ": attempted to split along dimension ", dim, ", but the size of the dimension ",
                 self.size(dim), " is not divisible by the split_size ", sections);
  return tensor_split(self, sections, dim);
}

std::vector<Tensor> split_between(const char* op, const Tensor& self, std::int64_t rank, std::int64_t dim,
                                  IntArrayRef indices) {
  LANEWISE_CHECK(ShapeError, self.dim() >= rank, op, ": requires a tensor with at least ", rank,
                 " dimension, but got a tensor with ", self.dim(), " dimensions");
  return tensor_split(self, indices, dim);
}

}  // namespace

Tensor atleast_1d(const Tensor& self) {
  ops::check_defined("atleast_1d", "self", self);
  return self.dim() == 0 ? self.reshape({1}) : self;
}

Tensor atleast_2d(const Tensor& self) {
  ops::check_defined("atleast_2d", "self", self);
  if (self.dim() == 0) return self.reshape({1, 1});
  return self.dim() == 1 ? self.unsqueeze(0) : self;
}

Tensor atleast_3d(const Tensor& self) {
  ops::check_defined("atleast_3d", "self", self);
  if (self.dim() == 0) return self.reshape({1, 1, 1});
  if (self.dim() == 1) return self.unsqueeze(0).unsqueeze(-1);
  return self.dim() == 2 ? self.unsqueeze(-1) : self;
}

std::vector<Tensor> atleast_1d(ArrayRef<Tensor> tensors) {
  ops::check_defined("atleast_1d", "tensors", tensors);
  return each(tensors, atleast_1d);
}
std::vector<Tensor> atleast_2d(ArrayRef<Tensor> tensors) {
  ops::check_defined("atleast_2d", "tensors", tensors);
  return each(tensors, atleast_2d);
}
std::vector<Tensor> atleast_3d(ArrayRef<Tensor> tensors) {
  ops::check_defined("atleast_3d", "tensors", tensors);
  return each(tensors, atleast_3d);
}

Tensor hstack(ArrayRef<Tensor> tensors) {
  ops::check_defined("hstack", "tensors", tensors);
  check_some("hstack", tensors);
  const std::vector<Tensor> parts = atleast_1d(tensors);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(ArrayRef<Tensor> tensors) {
  ops::check_defined("vstack", "tensors", tensors);
  check_some("vstack", tensors);
  return cat(atleast_2d(tensors), 0);
}

Tensor dstack(ArrayRef<Tensor> tensors) {
  ops::check_defined("dstack", "tensors", tensors);
  check_some("dstack", tensors);
  return cat(atleast_3d(tensors), 2);
}

Tensor column_stack(ArrayRef<Tensor> tensors) {
  ops::check_defined("column_stack", "tensors", tensors);
  check_some("column_stack", tensors);
  std::vector<Tensor> columns;
  for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t);
  return hstack(columns);
}

Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first, double padding_value) {
  ops::check_defined("pad_sequence", "sequences", sequences);
  check_some("pad_sequence", sequences);
  const Tensor& first = sequences[0];
  std::int64_t longest = 0;
  for (const Tensor& t : sequences) {
    bool fits = t.dim() > 0 && t.dim() == first.dim();
    for (std::int64_t d = 1; fits && d < t.dim(); ++d) fits = t.size(d) == first.size(d) || t.size(d) == 1;
    LANEWISE_CHECK(
        ShapeError, fits,
        "pad_sequence: sequences must have a length and the trailing dimensions of the first, found shapes ",
        first.sizes(), " and ", t.sizes());
    longest = std::max(longest, t.size(0));
  }
  std::vector<Tensor> padded;
  padded.reserve(sequences.size());
  for (const Tensor& t : sequences) {
    DimVector sizes(first.sizes());
    sizes[0] = t.size(0);
    DimVector pad(2 * sizes.size(), 0);
    pad.back() = longest - t.size(0);
    padded.push_back(constant_pad_nd(t.to(first.scalar_type()).expand(sizes), pad, padding_value));
  }
  return stack(padded, batch_first ? 0 : 1);
}

std::vector<Tensor> broadcast_tensors(ArrayRef<Tensor> tensors) {
  ops::check_defined("broadcast_tensors", "tensors", tensors);
  DimVector sizes;
  for (const Tensor& t : tensors) sizes = broadcast_shapes("broadcast_tensors", sizes, t.sizes());
  std::vector<Tensor> results;
  for (const Tensor& t : tensors) results.push_back(t.sizes().equals(sizes) ? t : t.expand(sizes));
  return results;
}

std::vector<Tensor> meshgrid(ArrayRef<Tensor> tensors) {
  ops::check_defined("meshgrid", "tensors", tensors);
  check_some("meshgrid", tensors);
  DimVector sizes;
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(ShapeError, t.dim() <= 1,
                   "meshgrid: Expected 0D or 1D tensor in the tensor list but got shape ", t.sizes());
    LANEWISE_CHECK(DtypeError, t.scalar_type() == tensors[0].scalar_type(),
                   "meshgrid: expects all tensors to have the same dtype, found ", tensors[0].scalar_type(),
                   " and ", t.scalar_type());
    sizes.push_back(t.numel());
  }
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    DimVector shape(tensors.size(), 1);
    shape[i] = -1;
    grids.push_back(tensors[i].view(shape).expand(sizes));
  }
  return grids;
}

std::vector<Tensor> meshgrid(ArrayRef<Tensor> tensors, std::string_view indexing) {
  ops::check_defined("meshgrid", "tensors", tensors);
  LANEWISE_CHECK(ValueError, indexing == "ij" || indexing == "xy",
                 "meshgrid: indexing must be one of \"xy\" or \"ij\", but received: ", indexing);
  if (indexing == "ij" || tensors.size() < 2) return meshgrid(tensors);
  std::vector<Tensor> swapped(tensors.begin(), tensors.end());
  std::swap(swapped[0], swapped[1]);
  std::vector<Tensor> grids = meshgrid(swapped);
  std::swap(grids[0], grids[1]);
  return grids;
}

Tensor cartesian_prod(ArrayRef<Tensor> tensors) {
  ops::check_defined("cartesian_prod", "tensors", tensors);
  check_some("cartesian_prod", tensors);
  for (const Tensor& t : tensors)
    LANEWISE_CHECK(ShapeError, t.dim() == 1, "cartesian_prod: Expect a 1D vector, but got shape ", t.sizes());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns = meshgrid(tensors);
  for (Tensor& column : columns) column = column.flatten();
  return stack(columns, 1);
}

Tensor combinations(const Tensor& self, std::int64_t r, bool with_replacement) {
  ops::check_defined("combinations", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() == 1, "combinations: Expect a 1D vector, but got shape ",
                 self.sizes());
  LANEWISE_CHECK(ValueError, r >= 0, "combinations: Expect a non-negative number, but got ", r);
  if (r == 0) return empty({0}, self.options());
  const std::int64_t n = self.numel();
  const std::int64_t count = choices(with_replacement ? n + r - 1 : n, r);
  if (count == 0) return _unsafe_view(self.index_select(0, empty({0}, kLong)), {0, r});
  Tensor positions = empty({detail::checked_product("combinations", count, r)}, kLong);
  // In lexicographic order, as an odometer turns; its last wheel to the end by itself.
  auto* row = positions.data_ptr<std::int64_t>();
  std::vector<std::int64_t> now(static_cast<std::size_t>(r));
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = with_replacement ? 0 : static_cast<std::int64_t>(i);
  for (bool more = count > 0; more;) {
    for (std::int64_t last = now.back(); last < n; ++last) {
      row = std::copy(now.begin(), now.end() - 1, row);
      *row++ = last;
    }
    more = false;
    for (std::size_t i = now.size() - 1; i-- > 0;) {
      const std::int64_t most = with_replacement ? n - 1 : n - r + static_cast<std::int64_t>(i);
      if (now[i] == most) continue;
      ++now[i];
      for (std::size_t j = i + 1; j < now.size(); ++j) now[j] = with_replacement ? now[i] : now[j - 1] + 1;
      more = true;
      break;
    }
  }
  return _unsafe_view(self.index_select(0, positions), {count, r});
}

std::vector<Tensor> split(const Tensor& self, IntArrayRef split_size, std::int64_t dim) {
  ops::check_defined("split", "self", self);
  return split_with_sizes(self, split_size, dim);
}

std::vector<Tensor> tensor_split(const Tensor& self, std::int64_t sections, std::int64_t dim) {
  ops::check_defined("tensor_split", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 0,
                 "tensor_split: expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  return equal_pieces("tensor_split", self, sections, wrap_dim("tensor_split", dim, self.dim()));
}

std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, std::int64_t dim) {
  ops::check_defined("tensor_split", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 0,
                 "tensor_split: expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  return pieces_between(self, indices, wrap_dim("tensor_split", dim, self.dim()));
}

std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& tensor_indices_or_sections,
                                 std::int64_t dim) {
  ops::check_defined("tensor_split", "self", self, "tensor_indices_or_sections", tensor_indices_or_sections);
  const Tensor& given = tensor_indices_or_sections;
  LANEWISE_CHECK(DtypeError, given.scalar_type() == kLong,
                 "tensor_split: expected tensor_indices_or_sections to have dtype of long, but got ",
                 given.scalar_type());
  LANEWISE_CHECK(ShapeError, given.dim() <= 1,
                 "tensor_split: expected tensor_indices_or_sections to be a zero-dimensional or "
                 "one-dimensional tensor, but got a tensor with ",
                 given.dim(), " dims");
  if (given.dim() == 0) return tensor_split(self, given.item<std::int64_t>(), dim);
  const Tensor list = given.contiguous();
  return tensor_split(
      self, IntArrayRef(list.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(list.numel())), dim);
}

std::vector<Tensor> hsplit(const Tensor& self, std::int64_t sections) {
  ops::check_defined("hsplit", "self", self);
  return split_evenly("hsplit", self, 1, self.dim() == 1 ? 0 : 1, sections);
}
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  ops::check_defined("hsplit", "self", self);
  return split_between("hsplit", self, 1, self.dim() == 1 ? 0 : 1, indices);
}
std::vector<Tensor> vsplit(const Tensor& self, std::int64_t sections) {
  ops::check_defined("vsplit", "self", self);
  return split_evenly("vsplit", self, 2, 0, sections);
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  ops::check_defined("vsplit", "self", self);
  return split_between("vsplit", self, 2, 0, indices);
}
std::vector<Tensor> dsplit(const Tensor& self, std::int64_t sections) {
  ops::check_defined("dsplit", "self", self);
  return split_evenly("dsplit", self, 3, 2, sections);
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  ops::check_defined("dsplit", "self", self);
  return split_between("dsplit", self, 3, 2, indices);
}

}  // namespace lanewise
