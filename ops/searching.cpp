#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/room.h>
#include <lanewise/ops/search_keys.h>
#include <lanewise/ops/searching.h>
#include <lanewise/ops/sort_keys.h>
#include <lanewise/ops/views.h>
#include <lanewise/ops/visit_ordered.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {
namespace {

/// The keys of x in room for as many.
template <class T>
void keys_of(const T* x, std::int64_t n, typename SortKey<T>::Key* keys) {
  for (std::int64_t i = 0; i < n; ++i) keys[i] = SortKey<T>::of(x[i]);
}

/// What count_before gives for one key, by the same steps, so that sequences out of order get the same answers: for lines
/// that few values are looked up in.
template <class Key, class At>
std::int64_t bound(std::int64_t n, Key key, bool right, At&& key_at) {
  std::int64_t at = 0;
  const auto step = [&](std::int64_t by) {
    const Key middle = key_at(at + by - 1);
    if (right ? middle <= key : middle < key) at += by;
  };
  for (; n > 1; n -= n / 2) step(n / 2);
  if (n == 1) step(1);
  return at;
}

/// Lines of n elements, each in order, or in the order of its places if there are any.
template <class T>
struct SortedLines {
  using Key = typename SortKey<T>::Key;
  const T* x;
  const std::int64_t* places;
  std::int64_t n;

  Key key(std::int64_t line, std::int64_t i) const noexcept {
    return SortKey<T>::of(x[line * n + (places == nullptr ? i : places[line * n + i])]);
  }

  /// Whether the keys of a line are worth making, for all of which it is read, to look up so many values.
  bool takes_keys(std::int64_t count) const noexcept { return count * kWorth >= n; }

  /// Where `count` values belong in a line; if it takes keys, with room for those of the line and of kValues values.
  void search(std::int64_t line, const T* values, std::int64_t count, bool right, Key* keys,
              std::int64_t* out) const {
    if (!takes_keys(count)) {
      for (std::int64_t i = 0; i < count; ++i)
        out[i] = bound(n, SortKey<T>::of(values[i]), right, [&](std::int64_t j) { return key(line, j); });
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) keys[i] = key(line, i);
    Key* wanted = keys + n;
    for (std::int64_t i = 0; i < count; i += kValues) {
      const std::int64_t some = std::min(kValues, count - i);
      keys_of(values + i, some, wanted);
      if (right) {
        count_before<true>(keys, n, wanted, some, out + i);
      } else {
        count_before<false>(keys, n, wanted, some, out + i);
      }
    }
  }

  static constexpr std::int64_t kWorth = 8;
  static constexpr std::int64_t kValues = 256;
};

void check_search(const Tensor& sequence, const Tensor& values, std::optional<std::string_view> side,
                  bool right, const Tensor& sorter, bool out_int32) {
  if (side) {
    LANEWISE_CHECK(ValueError, *side == "left" || *side == "right",
                   "searchsorted: side can only be 'left' or 'right' but got ", *side);
    LANEWISE_CHECK(ValueError, !right || *side == "right",
                   "searchsorted: side and right can't be set to opposites, got side of ", *side,
                   " while right was True");
  }
  LANEWISE_CHECK(ShapeError, sequence.dim() > 0,
                 "searchsorted: boundaries tensor should have positive dimension, but got 0 dimension");
  bool fits = sequence.dim() == 1 || sequence.dim() == values.dim();
  for (std::int64_t d = 0; fits && sequence.dim() > 1 && d + 1 < sequence.dim(); ++d)
    fits = sequence.size(d) == values.size(d);
  LANEWISE_CHECK(ShapeError, fits,
                 "searchsorted: boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                 "boundaries tensor and input value tensor must match, but we got boundaries tensor ",
                 sequence.sizes(), " and input value tensor ", values.sizes());
  LANEWISE_CHECK(ValueError, !out_int32 || sequence.size(-1) < std::numeric_limits<std::int32_t>::max(),
                 "searchsorted: the size of boundaries' last dimension should be less than ",
                 std::numeric_limits<std::int32_t>::max());
  if (!sorter.defined()) return;
  LANEWISE_CHECK(ShapeError, sorter.sizes().equals(sequence.sizes()),
                 "searchsorted: boundary and sorter must have the same size, but got boundary tensor ",
                 sequence.sizes(), " and got sorter tensor ", sorter.sizes());
  LANEWISE_CHECK(DtypeError, sorter.scalar_type() == kLong,
                 "searchsorted: sorter must be a tensor of long dtype but got dtype ", sorter.scalar_type());
}

/// out[x]++ for each of n numbers. Where they are few different ones, they take turns at tables of their own: an increment would
/// wait for the one before it.
void count(const std::int64_t* x, std::int64_t n, std::int64_t* out, std::int64_t bins) {
  constexpr std::int64_t kTables = 4, kMostBins = 1024;
  std::int64_t i = 0;
  if (bins <= kMostBins && n >= 8 * bins) {
    std::vector<std::int64_t> tables(static_cast<std::size_t>((kTables - 1) * bins));
    std::int64_t* const more = tables.data();
    for (; i + kTables <= n; i += kTables) {
      ++out[x[i]];
      ++more[x[i + 1]];
      ++more[bins + x[i + 2]];
      ++more[2 * bins + x[i + 3]];
    }
    for (std::int64_t b = 0; b < bins; ++b) out[b] += more[b] + more[bins + b] + more[2 * bins + b];
  }
  for (; i < n; ++i) ++out[x[i]];
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
  check_search(sorted_sequence, values, side, right, sorter, out_int32);
  const bool behind = right || (side && *side == "right");
  const ScalarType common = result_type(sorted_sequence, values);
  const Tensor sequence = dense(sorted_sequence, common), wanted = dense(values, common);
  const Tensor order = sorter.defined() ? dense(sorter) : Tensor();
  const std::int64_t n = sequence.size(-1);
  const std::int64_t per_line = sequence.dim() == 1 ? std::max<std::int64_t>(wanted.numel(), 1)
                                                    : std::max<std::int64_t>(wanted.size(-1), 1);
  Tensor result = lanewise::detail::empty_cpu(values.sizes(), kLong);
  auto* out = result.data_ptr<std::int64_t>();
  const auto* place = order.defined() ? order.const_data_ptr<std::int64_t>() : nullptr;
  for (std::int64_t i = 0; place != nullptr && i < order.numel(); ++i) {
    LANEWISE_CHECK(IndexError, place[i] >= 0 && place[i] < n, "searchsorted: sorter index ", place[i],
                   " is out of range for a sequence of ", n);
  }
  visit_ordered("searchsorted", sequence.scalar_type(), [&]<class T>() {
    const SortedLines<T> lines{sequence.const_data_ptr<T>(), place, n};
    const auto* v = wanted.const_data_ptr<T>();
    parallel_for(0, wanted.numel(), 1024, [&](std::int64_t begin, std::int64_t end) {
      const bool takes_keys = lines.takes_keys(std::min(per_line, end - begin));
      const Room<typename SortKey<T>::Key> keys(takes_keys ? n + SortedLines<T>::kValues : 0);
      for (std::int64_t i = begin; i < end;) {
        const std::int64_t line = i / per_line, stop = std::min(end, (line + 1) * per_line);
        lines.search(line, v + i, stop - i, behind, keys.get(), out + i);
        i = stop;
      }
    });
  });
  return out_int32 ? dense(result, kInt) : result;
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool invert) {
  ResultType type;
  type.add(elements);
  type.add(test_elements);
  const Tensor wanted = dense(elements, type.get()), tests = dense(test_elements, type.get());
  Tensor result = lanewise::detail::empty_cpu(elements.sizes(), kBool);
  visit_ordered("isin", type.get(), [&]<class T>() {
    using Key = typename SortKey<T>::Key;
    const auto* y = tests.const_data_ptr<T>();
    std::vector<Key> keys;
    keys.reserve(static_cast<std::size_t>(tests.numel()));
    for (std::int64_t i = 0; i < tests.numel(); ++i) {
      if (y[i] == y[i]) keys.push_back(SortKey<T>::of(y[i]));  // NaN equals nothing
    }
    std::sort(keys.begin(), keys.end());
    const auto count = static_cast<std::int64_t>(keys.size());
    keys.push_back(0);  // read, and not used, for elements that come behind all others
    const auto* x = wanted.const_data_ptr<T>();
    auto* out = static_cast<bool*>(result.data_ptr());
    parallel_for(0, wanted.numel(), 1024, [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kSome = 256;
      std::array<Key, kSome> key;
      std::array<std::int64_t, kSome> at;
      for (std::int64_t i = begin; i < end; i += kSome) {
        const std::int64_t some = std::min(kSome, end - i);
        keys_of(x + i, some, key.data());
        count_before<false>(keys.data(), count, key.data(), some, at.data());
        for (std::int64_t j = 0; j < some; ++j) {
          const auto k = static_cast<std::size_t>(j), place = static_cast<std::size_t>(at[k]);
          // Both asked always, which is no branch; NaN comes behind all keys.
          const int found = static_cast<int>(at[k] < count) & static_cast<int>(keys[place] == key[k]);
          out[i + j] = (found != 0) != invert;
        }
      }
    });
  });
  return result;
}

Tensor bincount(const Tensor& self, const Tensor& weights, std::int64_t minlength) {
  LANEWISE_CHECK(ValueError, minlength >= 0, "bincount: minlength should be >= 0, found ", minlength);
  LANEWISE_CHECK(DtypeError, is_integral(self.scalar_type(), false),
                 "bincount: expected a vector of integers, found ", self.scalar_type());
  LANEWISE_CHECK(ShapeError, self.dim() == 1,
                 "bincount: only supports 1-d non-negative integral inputs, found shape ", self.sizes());
  LANEWISE_CHECK(ShapeError, !weights.defined() || weights.sizes().equals(self.sizes()),
                 "bincount: weights should be 1-d and have the same length as input, found shapes ",
                 weights.defined() ? weights.sizes() : IntArrayRef(), " and ", self.sizes());
  std::int64_t bins = minlength;
  if (self.numel() > 0) {
    const auto least = min(self).item<std::int64_t>();
    LANEWISE_CHECK(ValueError, least >= 0, "bincount: only supports 1-d non-negative integral inputs, found ",
                   least);
    const auto largest = max(self).item<std::int64_t>();
    bins = std::max(bins, lanewise::detail::checked_sum("bincount", largest, 1));
  }
  const Tensor numbers = dense(self, kLong);
  const auto* x = numbers.const_data_ptr<std::int64_t>();
  const bool counts = !weights.defined() || self.numel() == 0;
  const ScalarType dtype = counts ? kLong : weights.scalar_type() == kFloat ? kFloat : kDouble;
  Tensor result = filled({bins}, dtype, 0);
  if (counts) {
    count(x, numbers.numel(), result.data_ptr<std::int64_t>(), bins);
    return result;
  }
  const Tensor by = dense(weights, dtype);
  const auto add = [&]<class T>() {
    const auto* w = by.const_data_ptr<T>();
    auto* out = result.data_ptr<T>();
    for (std::int64_t i = 0; i < numbers.numel(); ++i) out[x[i]] += w[i];
  };
  if (dtype == kFloat) {
    add.template operator()<float>();
  } else {
    add.template operator()<double>();
  }
  return result;
}

Tensor histc(const Tensor& self, std::int64_t bins, const Scalar& min, const Scalar& max) {
  LANEWISE_CHECK(DtypeError, is_floating_point(self.scalar_type()), "histc: not implemented for ",
                 self.scalar_type(), "; expected a floating tensor");
  if (is_reduced_floating_point(self.scalar_type())) {
    return to_copy(histc(to_copy(self, kFloat), bins, min, max), self.scalar_type());
  }
  LANEWISE_CHECK(ValueError, bins > 0, "histc: bins must be > 0, found ", bins);
  const Tensor values = dense(self);
  Tensor result = filled({bins}, self.scalar_type(), 0);
  visit_ordered(self.scalar_type(), [&]<class T>() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      const auto* x = values.const_data_ptr<T>();
      auto low = min.to_unchecked<T>(), high = max.to_unchecked<T>();
      if (low == high && values.numel() > 0) {
        low = amin(values, {}, false).item<T>();
        high = amax(values, {}, false).item<T>();
      }
      if (low == high) {
        low -= 1;
        high += 1;
      }
      LANEWISE_CHECK(ValueError, std::isfinite(low) && std::isfinite(high), "histc: range of [", low, ", ",
                     high, "] is not finite");
      LANEWISE_CHECK(ValueError, low < high, "histc: max must be larger than min, found [", low, ", ", high,
                     "]");
      // As PyTorch rounds it, unless that overflows.
      const bool wide = !std::isfinite((high - low) * static_cast<T>(bins));
      const auto bin_of = [low, high, bins, wide](T y) {
        if (!wide) return (y - low) * static_cast<T>(bins) / (high - low);
        return (y / 2 - low / 2) / (high / 2 - low / 2) * static_cast<T>(bins);
      };
      const auto count = [x, low, high, bins, bin_of](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
        std::int64_t* const of_bin = counts.data();
        for (std::int64_t i = begin; i < end; ++i) {
          if (x[i] >= low && x[i] <= high)
            ++of_bin[std::min(static_cast<std::int64_t>(bin_of(x[i])), bins - 1)];
        }
        return counts;
      };
      std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
      std::mutex mutex;
      const std::int64_t grain = std::max(internal::GRAIN_SIZE, 2 * bins);
      parallel_for(0, values.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
        const std::vector<std::int64_t> part = count(begin, end);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += part[i];
      });
      std::copy(counts.begin(), counts.end(), result.data_ptr<T>());
    }
  });
  return result;
}

Tensor repeat_interleave(const Tensor& repeats, std::optional<std::int64_t> output_size) {
  LANEWISE_CHECK(ShapeError, repeats.dim() == 1,
                 "repeat_interleave: only accept 1D vector as repeat, found shape ", repeats.sizes());
  LANEWISE_CHECK(DtypeError, repeats.scalar_type() == kLong || repeats.scalar_type() == kInt,
                 "repeat_interleave: repeats has to be Long or Int tensor, found ", repeats.scalar_type());
  const Tensor counts = dense(repeats, kLong);
  const auto* n = counts.const_data_ptr<std::int64_t>();
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < counts.numel(); ++i) {
    LANEWISE_CHECK(ValueError, n[i] >= 0, "repeat_interleave: repeats can not be negative, found ", n[i]);
    total = lanewise::detail::checked_sum("repeat_interleave", total, n[i]);
  }
  LANEWISE_CHECK(ValueError, !output_size || *output_size == total, "repeat_interleave: allocated size ",
                 output_size.value_or(0), " does not match required size ", total);
  Tensor result = lanewise::detail::empty_cpu({total}, kLong);
  auto* out = result.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < counts.numel(); ++i) out = std::fill_n(out, n[i], i);
  return dense(result, repeats.scalar_type());
}

}  // namespace lanewise::ops
