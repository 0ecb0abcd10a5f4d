#pragma once

#include <lanewise/vec/arithmetic.h>

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Whether any of many numbers is NaN.
template <class T>
class NanSeen {
  using V = vec::Vec<T>;

 public:
  /// Additions with one `chain`, even or odd, wait for each other.
  LANEWISE_INLINE void add(V a, V b, [[maybe_unused]] int chain = 0) {
#if defined(LANEWISE_ISA_AVX512)
    // One instruction, where "or" of masks would be three.
    using vec::detail::bits;
    Bits& ordered = chain % 2 == 0 ? even_ : odd_;
    b = vec::in_register(b);
    if constexpr (sizeof(T) == 4) {
      ordered = _mm512_mask_cmp_ps_mask(ordered, bits<__m512>(a.reg), bits<__m512>(b.reg), _CMP_ORD_Q);
    } else {
      ordered = _mm512_mask_cmp_pd_mask(ordered, bits<__m512d>(a.reg), bits<__m512d>(b.reg), _CMP_ORD_Q);
    }
#else
    nan_ |= vec::unordered(a, b);
#endif
  }
  LANEWISE_INLINE bool any() const {
#if defined(LANEWISE_ISA_AVX512)
    return (even_ & odd_) != kAll;
#else
    return !vec::none(nan_);
#endif
  }

 private:
#if defined(LANEWISE_ISA_AVX512)
  using Bits = typename vec::Mask<T>::Native;
  static constexpr Bits kAll = static_cast<Bits>(~Bits{0});
  Bits even_ = kAll, odd_ = kAll;
#else
  vec::Mask<T> nan_ = vec::Mask<T>::splat(false);
#endif
};

}  // namespace lanewise::kernels::LANEWISE_ISA
