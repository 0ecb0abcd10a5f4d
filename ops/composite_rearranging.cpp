#include <algorithm>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

/// Elements moved to other places, put together from other public ops.
namespace lanewise {
namespace {

/// Positions along a dimension of size n, for each place of a padded one.
template <class Source>
Tensor padded_positions(std::int64_t n, std::int64_t before, std::int64_t after, Source&& source) {
  Tensor positions = empty({std::max<std::int64_t>(before + n + after, 0)}, kLong);
  auto* out = positions.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < positions.numel(); ++i) out[i] = source(i - before);
  return positions;
}

/// Padding with what is there: an element for each place outside, `source(position, size)`.
template <class Source>
Tensor pad_by_positions(const Tensor& self, IntArrayRef pad, Source&& source) {
  Tensor result = self;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::int64_t dim = self.dim() - 1 - static_cast<std::int64_t>(i), n = self.size(dim);
    if (pad[2 * i] == 0 && pad[2 * i + 1] == 0) continue;
    const std::int64_t padded =
        detail::checked_sum("pad", detail::checked_sum("pad", n, pad[2 * i]), pad[2 * i + 1]);
    LANEWISE_CHECK(ShapeError, padded > 0 && n > 0, "pad: padding ", pad, " leaves nothing of dimension ",
                   dim, " of size ", n);
    result = result.index_select(
        dim, padded_positions(n, pad[2 * i], pad[2 * i + 1], [&](std::int64_t p) { return source(p, n); }));
  }
  return result.is_same(self) ? self.clone() : result;
}

}  // namespace

Tensor movedim(const Tensor& self, IntArrayRef source, IntArrayRef destination) {
  ops::check_defined("movedim", "self", self);
  LANEWISE_CHECK(ShapeError, source.size() == destination.size(),
                 "movedim: Invalid source or destination dims: source (", source,
                 " dims) should contain the same number of dims as destination (", destination, " dims)");
  const DimVector from = wrap_dims("movedim", source, self.dim()),
                  to = wrap_dims("movedim", destination, self.dim());
  if (self.dim() == 0) return alias(self);
  const auto rank = static_cast<std::size_t>(self.dim());
  DimVector order(rank, -1);
  for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
  std::int64_t next = 0;
  for (std::int64_t& d : order) {
    if (d >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    d = next++;
  }
  return self.permute(order);
}

Tensor unflatten(const Tensor& self, std::int64_t dim, IntArrayRef sizes) {
  ops::check_defined("unflatten", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 0, "unflatten: expected a tensor with dimensions");
  LANEWISE_CHECK(ValueError, !sizes.empty(), "unflatten: sizes must be non-empty");
  const auto d = static_cast<std::size_t>(wrap_dim("unflatten", dim, self.dim()));
  DimVector shape(self.sizes());
  const DimVector inner = infer_size("unflatten", sizes, shape[d]);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
  for (std::size_t i = 0; i < inner.size(); ++i)
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d + i), inner[i]);
  return self.view(shape);
}

Tensor fliplr(const Tensor& self) {
  ops::check_defined("fliplr", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() >= 2, "fliplr: Input must be >= 2-d, found shape ", self.sizes());
  return self.flip({1});
}

Tensor flipud(const Tensor& self) {
  ops::check_defined("flipud", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() >= 1, "flipud: Input must be >= 1-d, found shape ", self.sizes());
  return self.flip({0});
}

Tensor tile(const Tensor& self, IntArrayRef dims) {
  ops::check_defined("tile", "self", self);
  DimVector repeats(dims);
  while (static_cast<std::int64_t>(repeats.size()) < self.dim()) repeats.insert(repeats.begin(), 1);
  return self.repeat(repeats);
}

Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
  ops::check_defined("repeat_interleave", "self", self, "repeats", repeats);
  const Tensor input = dim ? self : self.flatten();
  const std::int64_t d = wrap_dim("repeat_interleave", dim.value_or(0), input.dim());
  const Tensor at_least = input.dim() == 0 ? input.unsqueeze(0) : input;
  LANEWISE_CHECK(ShapeError,
                 repeats.dim() <= 1 && (repeats.numel() == 1 || repeats.numel() == at_least.size(d)),
                 "repeat_interleave: repeats must have the same size as input along dim, found ",
                 repeats.sizes(), " for size ", at_least.size(d));
  const Tensor counts = repeats.numel() == 1 ? repeats.reshape({1}).expand({at_least.size(d)}) : repeats;
  return at_least.index_select(d, repeat_interleave(counts, output_size));
}

Tensor repeat_interleave(const Tensor& self, std::int64_t repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
  ops::check_defined("repeat_interleave", "self", self);
  return repeat_interleave(self, full({1}, repeats, kLong), dim, output_size);
}

Tensor channel_shuffle(const Tensor& self, std::int64_t groups) {
  ops::check_defined("channel_shuffle", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() > 2,
                 "channel_shuffle: expects input with > 2 dims, but got input with sizes ", self.sizes());
  const std::int64_t channels = self.size(1);
  LANEWISE_CHECK(ValueError, groups > 0 && channels % groups == 0,
                 "channel_shuffle: Number of channels must be divisible by groups. Got ", channels,
                 " channels and ", groups, " groups");
  const Tensor turned = self.unflatten(1, {groups, channels / groups}).transpose(1, 2);
  return _unsafe_view(turned.clone(MemoryFormat::Contiguous), self.sizes());
}

Tensor diagflat(const Tensor& self, std::int64_t offset) {
  ops::check_defined("diagflat", "self", self);
  return self.contiguous().view({-1}).diag(offset);
}

Tensor pad(const Tensor& self, IntArrayRef pad, std::string_view mode, std::optional<double> value) {
  ops::check_defined("pad", "self", self);
  if (mode == "constant") return self.constant_pad_nd(pad, value.value_or(0.0));
  LANEWISE_CHECK(ValueError, !value || *value == 0, "pad: Padding mode \"", mode,
                 "\" doesn't take in value argument");
  const auto count = static_cast<std::int64_t>(pad.size());
  LANEWISE_CHECK(ValueError,
                 count % 2 == 0 && count <= 6 && (self.dim() == count / 2 + 1 || self.dim() == count / 2 + 2),
                 "pad: Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now; found ",
                 self.dim(), " dimensions and padding ", pad);
  if (mode == "replicate") {
    return pad_by_positions(
        self, pad, [](std::int64_t p, std::int64_t n) { return std::clamp<std::int64_t>(p, 0, n - 1); });
  }
  if (mode == "circular") {
    for (std::size_t i = 0; i < pad.size(); ++i) {
      const std::int64_t n = self.size(-1 - static_cast<std::int64_t>(i / 2));
      LANEWISE_CHECK(ValueError, pad[i] <= n,
                     "pad: Padding value causes wrapping around more than once: ", pad[i], " for size ", n);
    }
    // What is cut off is not there to wrap around.
    DimVector cut(pad), added(pad);
    for (std::size_t i = 0; i < pad.size(); ++i) {
      cut[i] = std::min<std::int64_t>(pad[i], 0);
      added[i] = std::max<std::int64_t>(pad[i], 0);
    }
    const Tensor kept = cut == DimVector(pad.size(), 0) ? self : self.constant_pad_nd(cut, 0.0);
    return pad_by_positions(kept, added, [](std::int64_t p, std::int64_t n) { return ((p % n) + n) % n; });
  }
  LANEWISE_CHECK(NotImplementedError, mode == "reflect", "pad: Unrecognised padding mode ", mode);
  for (std::size_t i = 0; i < pad.size(); ++i) {
    const std::int64_t n = self.size(-1 - static_cast<std::int64_t>(i / 2));
    LANEWISE_CHECK(
        ValueError, pad[i] < n,
        "pad: Padding size should be less than the corresponding input dimension, but got: padding ", pad,
        " at dimension ", self.dim() - 1 - static_cast<std::int64_t>(i / 2), " of input ", self.sizes());
  }
  return pad_by_positions(self, pad, [](std::int64_t p, std::int64_t n) {
    return p < 0 ? -p : p >= n ? 2 * (n - 1) - p : p;
  });
}

Tensor vander(const Tensor& x, std::optional<std::int64_t> N, bool increasing) {
  ops::check_defined("vander", "x", x);
  LANEWISE_CHECK(ShapeError, x.dim() == 1, "vander: x must be a one-dimensional tensor, found shape ",
                 x.sizes());
  const std::int64_t n = N.value_or(x.numel());
  LANEWISE_CHECK(ValueError, n >= 0, "vander: N must be non-negative, found ", n);
  const Tensor powers = arange(n, kLong);
  const Tensor base = is_integral(x.scalar_type(), true) ? x.to(kLong) : x;
  const Tensor result = base.unsqueeze(1).pow(powers);
  return increasing ? result : result.flip({1});
}

Tensor& fill_diagonal_(Tensor& self, const Scalar& fill_value, bool wrap) {
  ops::check_defined("fill_diagonal_", "self", self);
  LANEWISE_CHECK(ShapeError, self.dim() >= 2, "fill_diagonal_: dimensions must larger than 1, found shape ",
                 self.sizes());
  const std::int64_t height = self.size(0), width = self.size(1);
  for (const std::int64_t size : self.sizes()) {
    LANEWISE_CHECK(ShapeError, self.dim() == 2 || size == height,
                   "fill_diagonal_: all dimensions of input must be of equal length, found ", self.sizes());
  }
  std::int64_t step = 0;
  for (const std::int64_t stride : self.strides()) step += stride;
  const std::int64_t size = std::min(height, width);
  self.as_strided({size}, {step}, self.storage_offset()).fill_(fill_value);
  // A tall matrix goes on below with a row between.
  if (wrap && self.dim() == 2 && height > width + 1) {
    for (std::int64_t row = width + 1; row < height; row += width + 1) {
      self.as_strided({std::min(width, height - row)}, {step}, self.storage_offset() + row * self.stride(0))
          .fill_(fill_value);
    }
  }
  return self;
}

}  // namespace lanewise
