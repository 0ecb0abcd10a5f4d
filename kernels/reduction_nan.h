#pragma once

#include <lanewise/vec/arithmetic.h>

/// Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

/// Whether any of many numbers is NaN.
template <class T>
class NanSeen {
  using V = vec::Vec<T>;

 public:
  LANEWISE_INLINE void add(V a, V b) {
#if defined(LANEWISE_ISA_AVX512)
    // One instruction, where "or" of masks would be three.
    using vec::detail::bits;
    if constexpr (sizeof(T) == 4) {
      numbers_ = _mm512_mask_cmp_ps_mask(numbers_, bits<__m512>(a.reg), bits<__m512>(b.reg), _CMP_ORD_Q);
    } else {
      numbers_ = _mm512_mask_cmp_pd_mask(numbers_, bits<__m512d>(a.reg), bits<__m512d>(b.reg), _CMP_ORD_Q);
    }
#else
    nan_ |= vec::unordered(a, b);
#endif
  }
  LANEWISE_INLINE bool any() const {
#if defined(LANEWISE_ISA_AVX512)
    return numbers_ != kAll;
#else
    return !vec::none(nan_);
#endif
  }

 private:
#if defined(LANEWISE_ISA_AVX512)
  using Bits = typename vec::Mask<T>::Native;
  static constexpr Bits kAll = static_cast<Bits>(~Bits{0});
  Bits numbers_ = kAll;
#else
  vec::Mask<T> nan_ = vec::Mask<T>::splat(false);
#endif
};

}  // namespace lanewise::kernels::LANEWISE_ISA
