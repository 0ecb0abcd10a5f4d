#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/cat.h>
#include <lanewise/ops/channels_last.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/rearranging.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

void copy_into(Tensor window, const Tensor& src) { copy_(window, src); }

/// Rolls along one dimension after the other; `to` and `from` are windows of the result and of self.
void roll_into(const Tensor& to, const Tensor& from, IntArrayRef shifts, const DimVector& dims,
               std::size_t i) {
  if (i == dims.size()) {
    copy_into(to, from);
    return;
  }
  const std::int64_t d = dims[i], n = from.size(d);
  if (n == 0) return;
  const std::int64_t shift = ((shifts[i] % n) + n) % n;
  roll_into(narrow(to, d, shift, n - shift), narrow(from, d, 0, n - shift), shifts, dims, i + 1);
  if (shift > 0) roll_into(narrow(to, d, 0, shift), narrow(from, d, n - shift, shift), shifts, dims, i + 1);
}

/// Rolls a contiguous tensor of several batches, some of them at a time: all that is there moves by the longer part of a batch, and then, while
/// it is in L1, the shorter parts are put in their places. Two windows would share the lines between them: of 16 uint8 a row half of the
/// time. False if windows are as good.
bool roll_batches(const Tensor& to, const Tensor& from, std::int64_t dim, std::int64_t shift) {
  constexpr std::int64_t kBlock = 32 << 10, kMostBatch = 8 << 10, kMostPart = 128,
                         kGrain = 128 << 10;  // bytes
  if (!from.is_contiguous()) return false;
  const auto size = static_cast<std::int64_t>(from.itemsize());
  const IntArrayRef sizes = from.sizes();
  const std::int64_t n = from.size(dim);
  std::int64_t row = size;
  for (auto d = static_cast<std::size_t>(dim) + 1; d < sizes.size(); ++d) row *= sizes[d];
  const std::int64_t batch = n * row, batches = from.numel() * size / batch;
  const std::int64_t at = ((shift % n) + n) % n * row;  // of the first row in the result
  const bool up = 2 * at <= batch;
  const std::int64_t part = up ? at : batch - at;
  if (part == 0 || part > kMostPart || batch > kMostBatch || batches < 2) return false;
  const auto log2 = static_cast<std::size_t>(std::countr_zero(from.itemsize()));
  const kernels::Movers& movers = *kernels::active_kernels().movers;
  const std::int64_t together = kBlock / batch;
  parallel_for(0, batches, divup(kGrain, batch), [&](std::int64_t begin, std::int64_t end) {
    char* parts =
        lanewise::detail::scratch(lanewise::detail::Scratch::Tile, static_cast<std::size_t>(together * part));
    for (; begin < end; begin += together) {
      const std::int64_t count = std::min(together, end - begin);
      const char* x = static_cast<const char*>(from.const_data_ptr()) + begin * batch;
      char* y = static_cast<char*>(to.data_ptr()) + begin * batch;
      lanewise::detail::copy_bytes(up ? y + part : y, up ? x : x + part,
                                   static_cast<std::size_t>(count * batch - part));
      movers.gather[log2](up ? x + batch - part : x, batch, size, count, part / size, parts);
      movers.scatter[log2](parts, up ? y : y + batch - part, batch, size, count, part / size,
                           kernels::scatter_ahead);
    }
  });
  return true;
}

/// A copy of self with src in `window` of the copy.
template <class Window>
Tensor scatter_window(const char* op, const Tensor& self, const Tensor& src, Window&& window) {
  const Tensor result = clone(self);
  Tensor target = window(result);
  LANEWISE_CHECK(ShapeError, target.sizes().equals(src.sizes()), op,
                 ": expected src to have a size equal to the slice of self: src size = ", src.sizes(),
                 ", slice size = ", target.sizes());
  copy_(target, src);
  return result;
}

}  // namespace

Tensor flip(const Tensor& self, IntArrayRef dims) {
  DimVector strides(self.strides());
  std::int64_t offset = self.storage_offset();
  for (const std::int64_t dim : wrap_dims("flip", dims, self.dim())) {
    if (self.dim() == 0) break;
    const auto d = static_cast<std::size_t>(dim);
    offset += std::max<std::int64_t>(self.sizes()[d] - 1, 0) * strides[d];
    strides[d] = -strides[d];
  }
  Tensor result = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  if (self.numel() > 0) copy_(result, lanewise::detail::make_view(self, self.sizes(), strides, offset));
  return result;
}

Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
  LANEWISE_CHECK(ValueError, !shifts.empty(), "roll: `shifts` required");
  if (dims.empty() && shifts.size() == 1) {
    const Tensor flat = view(dense(self), {self.numel()});
    return view(roll(flat, shifts, IntArrayRef(std::int64_t{0})), self.sizes());
  }
  LANEWISE_CHECK(ValueError, shifts.size() == dims.size(),
                 "roll: shifts and dimensions must align. shifts: ", shifts.size(), ", dims: ", dims.size());
  LANEWISE_CHECK(IndexError, self.dim() > 0, "roll: dimension specified as ", dims[0],
                 " but tensor has no dimensions");
  DimVector wrapped;
  for (const std::int64_t dim : dims) wrapped.push_back(wrap_dim("roll", dim, self.dim()));
  // A dimension that comes twice moves by both shifts.
  DimVector once, by;
  bool stays = false;  // along one dimension
  for (std::size_t i = 0; i < wrapped.size(); ++i) {
    const auto place =
        static_cast<std::size_t>(std::find(once.begin(), once.end(), wrapped[i]) - once.begin());
    const std::int64_t shift = shifts[i] % std::max<std::int64_t>(self.size(wrapped[i]), 1);
    stays = stays || shift == 0;
    if (place < once.size()) {
      by[place] += shift;
    } else {
      once.push_back(wrapped[i]);
      by.push_back(shift);
    }
  }
  if (self.numel() == 0) return clone(self);
  // As in PyTorch, which joins two parts: one without elements is contiguous, and with it the result.
  if (!stays && is_channels_last(self)) {
    const Tensor from = channels_moved(self);
    const Tensor result = lanewise::detail::empty_cpu(from.sizes(), self.scalar_type());
    for (std::int64_t& dim : once) dim = moved_dim(dim, self.dim());
    roll_into(result, from, by, once, 0);
    return channels_back(result);
  }
  const Tensor result = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  if (self.dim() == 0) {
    copy_into(result, self);
  } else if (once.size() > 1 || !roll_batches(result, self, once[0], by[0])) {
    roll_into(result, self, by, once, 0);
  }
  return result;
}

Tensor rot90(const Tensor& self, std::int64_t k, IntArrayRef dims) {
  LANEWISE_CHECK(ValueError, dims.size() == 2,
                 "rot90: expected total rotation dims == 2, but got dims = ", dims.size());
  LANEWISE_CHECK(ShapeError, self.dim() >= 2,
                 "rot90: expected total dims >= 2, but got total dims = ", self.dim());
  const DimVector d = wrap_dims("rot90", dims, self.dim());
  switch (((k % 4) + 4) % 4) {
    case 1: return transpose(flip(self, d[1]), d[0], d[1]);
    case 2: return flip(self, d);
    case 3: return transpose(flip(self, d[0]), d[0], d[1]);
    default: return clone(self, MemoryFormat::Contiguous);
  }
}

Tensor repeat(const Tensor& self, IntArrayRef repeats) {
  const std::size_t rank = self.sizes().size();
  LANEWISE_CHECK(
      ShapeError, repeats.size() >= rank,
      "repeat: Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: ",
      repeats, " for shape ", self.sizes());
  DimVector sizes, apart;
  const std::size_t fresh = repeats.size() - rank;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    LANEWISE_CHECK(ValueError, repeats[i] >= 0, "repeat: repeats must not be negative, found ", repeats);
    const std::int64_t size = i < fresh ? 1 : self.sizes()[i - fresh];
    sizes.push_back(lanewise::detail::checked_product("repeat", repeats[i], size));
    apart.push_back(repeats[i]);
    apart.push_back(size);
  }
  const Tensor result = lanewise::detail::empty_cpu(sizes, self.scalar_type());
  if (result.numel() == 0) return result;
  // What lies apart is brought together once, not for each repetition, unless it comes from memory.
  constexpr std::int64_t kInL2 = 1 << 20;
  const bool apart_too = rank > 0 && self.stride(-1) > 1 && self.numel() * self.element_size() <= kInL2;
  const Tensor from = apart_too && result.numel() >= 2 * self.numel() ? dense(self) : self;
  DimVector strides(apart.size(), 0);
  for (std::size_t d = 0; d < rank; ++d) strides[2 * (fresh + d) + 1] = from.strides()[d];
  copy_into(view(result, apart), lanewise::detail::make_view(from, apart, strides, from.storage_offset()));
  return result;
}

Tensor constant_pad_nd(const Tensor& self, IntArrayRef pad, const Scalar& value) {
  LANEWISE_CHECK(ValueError, pad.size() % 2 == 0,
                 "constant_pad_nd: Length of pad must be even but instead it equals ", pad.size());
  const auto rank = static_cast<std::size_t>(self.dim());
  LANEWISE_CHECK(ValueError, pad.size() <= 2 * rank,
                 "constant_pad_nd: Length of pad should be no more than twice the number of dimensions of "
                 "the input. Pad length is ",
                 pad.size(), " while the input has ", rank, " dimensions");
  DimVector sizes(self.sizes());
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    std::int64_t& size = sizes[rank - 1 - i];
    std::int64_t left = size;
    bool cuts = true;
    for (const std::int64_t p : {pad[2 * i], pad[2 * i + 1]}) {
      size = lanewise::detail::checked_sum("constant_pad_nd", size, p);
      cuts = cuts && p >= -left;
      left += cuts ? std::min<std::int64_t>(p, 0) : 0;
    }
    LANEWISE_CHECK(ShapeError, size >= 0, "constant_pad_nd: The input size ", self.sizes()[rank - 1 - i],
                   ", plus negative padding ", pad[2 * i], " and ", pad[2 * i + 1],
                   " resulted in a negative output size, which is invalid. Check dimension ", rank - 1 - i,
                   " of your input");
    LANEWISE_CHECK(ShapeError, cuts, "constant_pad_nd: padding ", pad[2 * i], " and ", pad[2 * i + 1],
                   " cuts more than the size ", self.sizes()[rank - 1 - i], " of dimension ", rank - 1 - i);
  }
  value.check_fits(self.scalar_type(), "constant_pad_nd");
  const bool last = is_channels_last(self);
  if (last) std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  const Tensor memory = lanewise::detail::empty_cpu(sizes, self.scalar_type());
  const Tensor result = last ? channels_back(memory) : memory;
  // So few bytes are filled in one go, faster than the margins apart.
  const bool few = result.nbytes() < (512 << 10);
  const auto fill = [&](Tensor margin) { fill_(margin, value); };
  if (few) fill(result);
  Tensor to = result, from = self;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const auto d = static_cast<std::int64_t>(rank - 1 - i);
    const std::int64_t cut_before = std::max<std::int64_t>(-pad[2 * i], 0),
                       cut_after = std::max<std::int64_t>(-pad[2 * i + 1], 0);
    const std::int64_t length = self.size(d) - cut_before - cut_after;
    if (length <= 0) {
      if (!few) fill(to);
      return result;
    }
    const std::int64_t before = std::max<std::int64_t>(pad[2 * i], 0), end = before + length;
    if (!few && before > 0) fill(narrow(to, d, 0, before));
    if (!few && end < to.size(d)) fill(narrow(to, d, end, to.size(d) - end));
    from = narrow(from, d, cut_before, length);
    to = narrow(to, d, before, length);
  }
  copy_into(to, from);
  return result;
}

Tensor pixel_shuffle(const Tensor& self, std::int64_t upscale_factor) {
  LANEWISE_CHECK(ShapeError, self.dim() >= 3,
                 "pixel_shuffle: expects input to have at least 3 dimensions, but got input with ",
                 self.dim(), " dimension(s)");
  LANEWISE_CHECK(ValueError, upscale_factor > 0, "pixel_shuffle: expects a positive upscale_factor, but got ",
                 upscale_factor);
  const std::int64_t r = upscale_factor, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  const std::int64_t square = lanewise::detail::checked_product("pixel_shuffle", r, r);
  LANEWISE_CHECK(ShapeError, c % square == 0,
                 "pixel_shuffle: expects its input's 'channel' dimension to be divisible by the square of "
                 "upscale_factor, but input.size(-3)=",
                 c, " is not divisible by ", square);
  DimVector sizes(self.sizes().slice(0, self.sizes().size() - 3));
  const std::int64_t batch = lanewise::detail::checked_numel("pixel_shuffle", sizes);
  const Tensor all = view(dense(self), {batch, c / square, r, r, h, w});
  const Tensor moved = clone(permute(all, {0, 1, 4, 2, 5, 3}), MemoryFormat::Contiguous);
  for (const std::int64_t size : {c / square, h * r, w * r}) sizes.push_back(size);
  return view(moved, sizes);
}

Tensor pixel_unshuffle(const Tensor& self, std::int64_t downscale_factor) {
  LANEWISE_CHECK(ShapeError, self.dim() >= 3,
                 "pixel_unshuffle: expects input to have at least 3 dimensions, but got input with ",
                 self.dim(), " dimension(s)");
  LANEWISE_CHECK(ValueError, downscale_factor > 0,
                 "pixel_unshuffle: expects a positive downscale_factor, but got ", downscale_factor);
  const std::int64_t r = downscale_factor, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  LANEWISE_CHECK(ShapeError, h % r == 0 && w % r == 0,
                 "pixel_unshuffle: expects height and width to be divisible by downscale_factor, but ", h,
                 " x ", w, " is not divisible by ", r);
  const std::int64_t square = lanewise::detail::checked_product("pixel_unshuffle", r, r);
  const std::int64_t channels = lanewise::detail::checked_product("pixel_unshuffle", c, square);
  DimVector sizes(self.sizes().slice(0, self.sizes().size() - 3));
  const std::int64_t batch = lanewise::detail::checked_numel("pixel_unshuffle", sizes);
  const Tensor all = view(dense(self), {batch, c, h / r, r, w / r, r});
  const Tensor moved = clone(permute(all, {0, 1, 3, 5, 2, 4}), MemoryFormat::Contiguous);
  for (const std::int64_t size : {channels, h / r, w / r}) sizes.push_back(size);
  return view(moved, sizes);
}

Tensor diag(const Tensor& self, std::int64_t diagonal) {
  LANEWISE_CHECK(ShapeError, self.dim() == 1 || self.dim() == 2,
                 "diag: matrix or a vector expected, found shape ", self.sizes());
  if (self.dim() == 2) return clone(ops::diagonal(self, diagonal), MemoryFormat::Contiguous);
  return diag_embed(self, diagonal, 0, 1);
}

Tensor diag_embed(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "diag_embed: expected a tensor with dimensions");
  const std::int64_t rank = self.dim() + 1;
  const std::int64_t a = wrap_dim("diag_embed", dim1, rank), b = wrap_dim("diag_embed", dim2, rank);
  LANEWISE_CHECK(IndexError, a != b, "diag_embed: diagonal dimensions cannot be identical ", dim1, ", ",
                 dim2);
  LANEWISE_CHECK(ShapeError, offset != std::numeric_limits<std::int64_t>::min(), "diag_embed: offset ",
                 offset, " is further out than int64 counts");
  const std::int64_t n =
      lanewise::detail::checked_sum("diag_embed", self.size(-1), offset < 0 ? -offset : offset);
  DimVector sizes(self.sizes().slice(0, self.sizes().size() - 1));
  sizes.insert(sizes.begin() + std::min(a, b), n);
  sizes.insert(sizes.begin() + std::max(a, b), n);
  const Tensor result = filled(sizes, self.scalar_type(), 0);
  copy_into(ops::diagonal(result, offset, a, b), self);
  return result;
}

Tensor block_diag(ArrayRef<Tensor> tensors) {
  ResultType type;
  std::int64_t rows = 0, columns = 0;
  std::vector<Tensor> blocks;
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(ShapeError, t.dim() <= 2,
                   "block_diag: Input tensors must have 2 or fewer dimensions, found shape ", t.sizes());
    blocks.push_back(t.dim() == 2 ? t : view(dense(t), {1, t.numel()}));
    type.add(t);
    rows += blocks.back().size(0);
    columns += blocks.back().size(1);
  }
  const Tensor result =
      filled({tensors.empty() ? 1 : rows, columns}, tensors.empty() ? get_default_dtype() : type.get(), 0);
  rows = columns = 0;
  for (const Tensor& block : blocks) {
    copy_into(narrow(narrow(result, 0, rows, block.size(0)), 1, columns, block.size(1)), block);
    rows += block.size(0);
    columns += block.size(1);
  }
  return result;
}

Tensor stack(ArrayRef<Tensor> tensors, std::int64_t dim) {
  LANEWISE_CHECK(ValueError, !tensors.empty(), "stack: expected a non-empty list of tensors");
  const std::int64_t d = wrap_dim("stack", dim, tensors[0].dim() + 1);
  for (const Tensor& t : tensors) {
    LANEWISE_CHECK(ShapeError, t.sizes().equals(tensors[0].sizes()),
                   "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
                   " at entry 0 and ", t.sizes(), " at entry ", &t - tensors.begin(),
                   "; reshape or pad them first");
  }
  if (d < tensors[0].dim()) {  // joined, then taken apart: the layout is that of cat()
    DimVector sizes(tensors[0].sizes());
    sizes.push_back(static_cast<std::int64_t>(tensors.size()));
    std::rotate(sizes.begin() + d, sizes.end() - 1, sizes.end());
    return view(cat(tensors, d), sizes);
  }
  std::vector<Tensor> slices;
  slices.reserve(tensors.size());
  for (const Tensor& t : tensors) slices.push_back(unsqueeze(t, d));
  return cat(slices, d);
}

Tensor select_scatter(const Tensor& self, const Tensor& src, std::int64_t dim, std::int64_t index) {
  return scatter_window("select_scatter", self, src, [&](const Tensor& t) { return select(t, dim, index); });
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, std::int64_t dim,
                     std::optional<std::int64_t> start, std::optional<std::int64_t> end, std::int64_t step) {
  return scatter_window("slice_scatter", self, src,
                        [&](const Tensor& t) { return slice(t, dim, start, end, step); });
}

Tensor diagonal_scatter(const Tensor& self, const Tensor& src, std::int64_t offset, std::int64_t dim1,
                        std::int64_t dim2) {
  return scatter_window("diagonal_scatter", self, src,
                        [&](const Tensor& t) { return diagonal(t, offset, dim1, dim2); });
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef size, IntArrayRef stride,
                          std::optional<std::int64_t> storage_offset) {
  // As in PyTorch, the window counts in the memory of the copy, which has no gaps and begins with the result.
  Tensor copy = clone(self);
  Tensor window = as_strided(copy, size, stride, storage_offset);
  LANEWISE_CHECK(ShapeError, window.sizes().equals(src.sizes()),
                 "as_strided_scatter: expected src to have a size equal to the slice of self: src size = ",
                 src.sizes(), ", slice size = ", window.sizes());
  copy_(window, src);
  return copy;
}

Tensor unfold_backward(const Tensor& grad_in, IntArrayRef input_sizes, std::int64_t dim, std::int64_t size,
                       std::int64_t step) {
  constexpr PointwiseOp kAdd{"unfold_backward", &kernels::KernelTable::add};
  Tensor result = filled(input_sizes, grad_in.scalar_type(), 0);
  if (input_sizes.empty()) {
    Tensor number = view(result, {1});
    if (size == 1) copy_(number, view(dense(grad_in), {1}));
    return result;
  }
  const std::int64_t d = wrap_dim("unfold_backward", dim, static_cast<std::int64_t>(input_sizes.size()));
  const std::int64_t windows = grad_in.size(d);
  // Element j of every window at once: those do not overlap.
  for (std::int64_t j = 0; j < size; ++j) {
    Tensor places = slice(result, d, j, j + (windows - 1) * step + 1, step);
    const Tensor part = select(grad_in, -1, j);
    pointwise_inplace(kAdd, places, {places, part}, {Scalar(1)});
  }
  return result;
}

}  // namespace lanewise::ops
