#pragma once

#include <cstdint>
#include <limits>

#include <lanewise/kernels/scan_table.h>
#include <lanewise/vec/math.h>
#include <lanewise/vec/select.h>

/// Running log(exp(x0) + exp(x1) + ...). Included by per-ISA files.
///
/// Of a sequence its largest element m so far is carried, and the sum of exp(x - m) over all of it but that one; the result is
/// m + log1p(sum), which is exact for small sums too. What an element waits for is a comparison, a product and an addition: with
/// log(exp(a) + exp(x)) of the result a before it that was an exponential and a logarithm, 52 ns on a Zen 4.
namespace lanewise::kernels::LANEWISE_ISA {

/// Lanes carries elements of type T as registers of Wide, see scan.cpp.
template <class T, class Lanes>
class ScanExponentials {
 public:
  using V = vec::Vec<T>;
  using Wide = typename Lanes::Wide;
  using W = typename Lanes::W;
  static constexpr std::uint16_t kCarrySize = 2 * sizeof(Wide);

  static void start(char* carry, std::int64_t cols) noexcept {
    const std::int64_t end = (cols + V::size - 1) / V::size * V::size;
    for (std::int64_t c = 0; c < end; c += W::size) {
      Wide* at = carries(carry, c);
      W(-std::numeric_limits<Wide>::infinity()).store(at);
      W(Wide(-1)).store(at + W::size);  // with what the largest element counts, nothing
    }
  }

  /// The entry for columns.
  static void run(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t rows,
                  std::int64_t cols, char* carry) noexcept {
    for (std::int64_t c = 0; c < cols; c += V::size) {
      const int n = cols - c < V::size ? static_cast<int>(cols - c) : V::size;
      const auto offset = c * static_cast<std::int64_t>(sizeof(T));
      n <= W::size
          ? panel<1>(x + offset, stride, out + offset, out_stride, rows, n, carries(carry, c))
          : panel<Lanes::kParts>(x + offset, stride, out + offset, out_stride, rows, n, carries(carry, c));
    }
  }

  /// The entry for rows: only the sums take one element after the other.
  static void run_rows(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t n,
                       std::int64_t rows, bool reverse, char* carry) noexcept {
    for (std::int64_t r = 0; r < rows; ++r) {
      Wide* to = carries(carry, r) + r % W::size;
      row(reinterpret_cast<const T*>(x + r * stride), reinterpret_cast<T*>(out + r * out_stride), n, reverse,
          to[0], to[W::size]);
    }
  }

 private:
  static_assert(kScanPadding >= V::size);

  /// The largest elements of a register of columns, and behind them their sums.
  static LANEWISE_INLINE Wide* carries(char* carry, std::int64_t column) {
    return reinterpret_cast<Wide*>(carry) + column / W::size * W::size * 2;
  }

  /// exp(x - most), or exp(most - x) where x is larger; 1 also for infinities of one sign.
  static LANEWISE_INLINE W exponential(W x, W most) {
    return vec::select(x == most, W(Wide(1)), vec::exp(-vec::abs(x - most)));
  }
  static LANEWISE_INLINE W result(W most, W sum) { return most + vec::log1p(sum); }

  /// Columns of `Parts` registers.
  template <int Parts>
  [[gnu::noinline]] static void panel(const char* x, std::int64_t stride, char* out, std::int64_t out_stride, std::int64_t rows,
                    int n, Wide* carry) {
    W most[Lanes::kParts], sum[Lanes::kParts];
    for (int p = 0; p < Lanes::kParts; ++p) {
      most[p] = W::load(carry + 2 * p * W::size);
      sum[p] = W::load(carry + (2 * p + 1) * W::size);
    }
    for (std::int64_t r = 0; r < rows; ++r, x += stride, out += out_stride) {
      const T* from = reinterpret_cast<const T*>(x);
      W wide[Lanes::kParts];
      Lanes::widen(n == V::size ? V::load(from) : V::load_partial(from, n), wide);
      for (int p = 0; p < Parts; ++p) {
        const W e = exponential(wide[p], most[p]);
        sum[p] = vec::select(wide[p] > most[p], (sum[p] + W(Wide(1))) * e, sum[p] + e);
        most[p] = vec::maximum(most[p], wide[p]);
        wide[p] = result(most[p], sum[p]);
      }
      const V all = Lanes::narrow(wide);
      T* to = reinterpret_cast<T*>(out);
      n == V::size ? all.store(to) : all.store_partial(to, n);
    }
    for (int p = 0; p < Parts; ++p) {
      most[p].store(carry + 2 * p * W::size);
      sum[p].store(carry + (2 * p + 1) * W::size);
    }
  }

  static void row(const T* x, T* out, std::int64_t n, bool reverse, Wide& most, Wide& sum) {
    constexpr std::int64_t kBlock = 64;
    Wide element[kBlock] = {}, before[kBlock] = {}, most_so_far[kBlock] = {}, sums[kBlock] = {};
    for (std::int64_t done = 0; done < n; done += kBlock) {
      const std::int64_t count = n - done < kBlock ? n - done : kBlock;
      const auto at = [&](std::int64_t i) { return reverse ? n - 1 - done - i : done + i; };
      for (std::int64_t i = 0; i < count; ++i) {
        const Wide e = element[i] = static_cast<Wide>(x[at(i)]);
        before[i] = most;
        most = e > most || e != e ? e : most;
        most_so_far[i] = most;
      }
      for (std::int64_t i = 0; i < count; i += W::size)
        exponential(W::load(element + i), W::load(before + i)).store(sums + i);
      for (std::int64_t i = 0; i < count; ++i) {
        const Wide e = sums[i];
        sums[i] = sum = element[i] > before[i] ? (sum + 1) * e : sum + e;
      }
      for (std::int64_t i = 0; i < count; i += W::size)
        result(W::load(most_so_far + i), W::load(sums + i)).store(sums + i);
      for (std::int64_t i = 0; i < count; ++i) out[at(i)] = static_cast<T>(sums[i]);
    }
  }
};

}  // namespace lanewise::kernels::LANEWISE_ISA
