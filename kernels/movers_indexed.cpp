// Rows in the order of an index.

#include <lanewise/kernels/movers_strided.h>
#include <lanewise/vec/isa.h>

namespace lanewise::kernels::LANEWISE_ISA {
namespace {

/// f(row, its place in the result) for all rows; so many bytes of later ones are asked for.
template <class F>
LANEWISE_INLINE void each_row(const IndexedRowCopies& rows, std::int64_t places, char* to, int asked, F f) {
  const char* from = rows.from;
  for (; places > 0; --places, from += rows.place_step) {
    for (std::int64_t i = 0; i < rows.count; ++i, to += rows.bytes) {
      if (rows.ahead != 0 && i + rows.ahead < rows.count) {
        const char* next = from + rows.offsets[i + rows.ahead] * rows.step;
        for (int line = 0; line < asked; line += 64) __builtin_prefetch(next + line);
      }
      f(from + rows.offsets[i] * rows.step, to);
    }
  }
}

/// kParts parts of kPart bytes of each row; the last one ends where the row does, and may have bytes of the one before.
template <int kPart, int kParts>
[[gnu::noinline]] void copy(const IndexedRowCopies& rows, std::int64_t places, char* to) {
  typedef char Part __attribute__((vector_size(kPart), aligned(1), may_alias));
  const std::int64_t last = rows.bytes - kPart;
  const auto at = [last](int k) { return k + 1 < kParts ? k * kPart : last; };
  each_row(
      rows, places, to, kPart * kParts, [&](const char* row, char* out) __attribute__((always_inline)) {
        Part part[kParts];
        for (int k = 0; k < kParts; ++k) part[k] = *reinterpret_cast<const Part*>(row + at(k));
        for (int k = 0; k < kParts; ++k) *reinterpret_cast<Part*>(out + at(k)) = part[k];
      });
}

/// Rows of more parts than are held at once.
[[gnu::noinline]] void copy_long(const IndexedRowCopies& rows, std::int64_t places, char* to) {
  typedef char Part __attribute__((vector_size(vec::kRegisterBytes), aligned(1), may_alias));
  constexpr int kAsked = 256;
  const std::int64_t last = rows.bytes - vec::kRegisterBytes;
  each_row(
      rows, places, to, kAsked, [&](const char* row, char* out) __attribute__((always_inline)) {
        for (std::int64_t at = 0; at < last; at += vec::kRegisterBytes)
          *reinterpret_cast<Part*>(out + at) = *reinterpret_cast<const Part*>(row + at);
        *reinterpret_cast<Part*>(out + last) = *reinterpret_cast<const Part*>(row + last);
      });
}

/// Rows of at least kPart bytes, in parts of so many.
template <int kPart>
void copy_in_parts(const IndexedRowCopies& rows, std::int64_t places, char* to) {
  if (rows.bytes == kPart) return copy<kPart, 1>(rows, places, to);
  if (rows.bytes <= 2 * kPart) return copy<kPart, 2>(rows, places, to);
  if constexpr (kPart < vec::kRegisterBytes) {
    copy_in_parts<2 * kPart>(rows, places, to);
  } else {
    if (rows.bytes <= 3 * kPart) return copy<kPart, 3>(rows, places, to);
    if (rows.bytes <= 4 * kPart) return copy<kPart, 4>(rows, places, to);
    copy_long(rows, places, to);
  }
}

}  // namespace

void copy_rows(const IndexedRowCopies& rows, std::int64_t places, char* to) noexcept {
  copy_in_parts<2>(rows, places, to);
}

}  // namespace lanewise::kernels::LANEWISE_ISA
