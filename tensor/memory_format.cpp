#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/memory_format.h>
#include <lanewise/tensor/shape.h>

namespace lanewise {
namespace {

std::size_t rank_of(MemoryFormat format) { return format == MemoryFormat::ChannelsLast ? 4 : 5; }

/// Calls f(dimension) from the one whose elements lie next to each other to the one outside, while it returns true.
template <class F>
bool each_from_inside(std::size_t rank, F f) {
  if (!f(1)) return false;
  for (std::size_t d = rank; --d > 1;) {
    if (!f(d)) return false;
  }
  return f(0);
}

}  // namespace

DimVector strides_in(const char* op, IntArrayRef sizes, MemoryFormat format) {
  LANEWISE_CHECK(ValueError, format != MemoryFormat::Preserve, op,
                 ": there is no layout to preserve here; leave memory_format out");
  if (format == MemoryFormat::Contiguous) return contiguous_strides(sizes);
  const std::size_t rank = rank_of(format);
  LANEWISE_CHECK(ShapeError, sizes.size() == rank, op, ": required rank ", rank, " tensor to use ", format,
                 " format, found shape ", sizes);
  DimVector strides(sizes.size());
  std::int64_t next = 1;
  each_from_inside(rank, [&](std::size_t d) {
    strides[d] = next;
    next = detail::checked_product(op, next, sizes[d]);
    return true;
  });
  return strides;
}

bool lies_in(IntArrayRef sizes, IntArrayRef strides, MemoryFormat format) noexcept {
  if (sizes.size() != rank_of(format)) return false;
  std::int64_t next = 1;
  return each_from_inside(sizes.size(), [&](std::size_t d) {
    if (sizes[d] == 1) return true;
    if (strides[d] != next) return false;
    next *= sizes[d];
    return true;
  });
}

bool is_channels_last(IntArrayRef sizes, IntArrayRef strides) noexcept {
  const std::size_t rank = sizes.size();
  if ((rank != 4 && rank != 5) || strides[1] == 0) return false;
  std::int64_t least = 0;
  return each_from_inside(rank, [&](std::size_t d) {
    // One channel at one place, which both layouts hold: contiguous.
    if (d == 0 && least == strides[1]) return false;
    if (sizes[d] == 0 || strides[d] < least) return false;
    least = strides[d] * sizes[d];
    return true;
  });
}

MemoryFormat Tensor::suggest_memory_format(bool channels_last_strides_exact_match) const {
  if (impl_ == nullptr || !is_channels_last(sizes(), strides())) return MemoryFormat::Contiguous;
  const MemoryFormat format = dim() == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
  if (channels_last_strides_exact_match &&
      !strides().equals(strides_in("suggest_memory_format", sizes(), format)))
    return MemoryFormat::Contiguous;
  return format;
}

bool Tensor::lies_in(MemoryFormat format) const noexcept {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve) return impl_->is_contiguous();
  return lanewise::lies_in(sizes(), strides(), format);
}

namespace detail {

Tensor empty_in(const char* op, IntArrayRef sizes, ScalarType dtype, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return empty_cpu(sizes, dtype);
  const DimVector strides = strides_in(op, sizes, format);
  return empty_strided_cpu(sizes, strides, dtype);
}

Tensor empty_like_in(const char* op, const Tensor& like, ScalarType dtype,
                     std::optional<MemoryFormat> format) {
  return format.value_or(MemoryFormat::Preserve) == MemoryFormat::Preserve
             ? empty_like_cpu(like, dtype)
             : empty_in(op, like.sizes(), dtype, *format);
}

}  // namespace detail
}  // namespace lanewise
