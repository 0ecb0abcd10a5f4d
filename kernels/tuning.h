#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/scalar_type.h>

/// Which tier, grain and block an elementwise kernel takes on this machine, where another than the default is
/// faster. `lanewise bench --tune` finds that out; the environment variable LANEWISE_TUNE names its file. Only
/// tiers with the same bits stand for one another, so a tuning changes times, never results.
namespace lanewise::kernels {

/// Calls are tuned by how many elements they have.
enum class SizeClass : std::uint8_t {
  Small,   ///< up to kSmallElements: one thread, the nearest cache
  Cache,   ///< up to kCacheElements
  Memory,  ///< more
};
inline constexpr int kSizeClasses = 3;
inline constexpr std::int64_t kSmallElements = 4096, kCacheElements = std::int64_t{1} << 18;

constexpr SizeClass size_class(std::int64_t elements) noexcept {
  return elements <= kSmallElements   ? SizeClass::Small
         : elements <= kCacheElements ? SizeClass::Cache
                                      : SizeClass::Memory;
}

struct Tuning {
  std::string kernel;  ///< a name of tunable_kernels()
  ScalarType dtype;    ///< that the op computes in: the promoted type of its operands
  SizeClass size;
  Isa isa;
  std::int64_t grain = 0;  ///< elements that a thread gets at least; 0: by the kernel's cost
  std::int64_t block = 0;  ///< elements converted at a time, 64 to 2048 in steps of 64; 0: as many as fit
};

/// The elementwise kernels by name, sorted.
LANEWISE_API std::span<const std::string_view> tunable_kernels() noexcept;

/// The tiers of this CPU that give the bits of its best one, best last.
LANEWISE_API std::span<const Isa> tunable_isas() noexcept;

/// A file of tunings: the line "lanewise-tune 1", the line "cpu <model>", then a line per tuning, "exp f32 small
/// avx2 - -"; '#' begins a comment.
struct LANEWISE_API TuneFile {
  std::string cpu;
  std::vector<Tuning> tunings;

  std::string text() const;
  /// Throws   ValueError, beginning with `source` and the line's number, for what no such file holds and for
  ///          tunings that this machine cannot follow; these are not looked at if the file is of another CPU
  static TuneFile parse(std::string_view text, const std::string& source);
};

/// Runs the ops of its scope as the tunings say, in all threads of the process; where there is none, on the
/// best tier. An IsaGuard inside of it wins. One at a time; no op may run while it begins or ends.
/// Throws   ValueError if there is one already, or for a tuning that cannot be followed
class LANEWISE_API TuneGuard {
 public:
  explicit TuneGuard(std::span<const Tuning> tunings);
  ~TuneGuard();
  TuneGuard(const TuneGuard&) = delete;
  TuneGuard& operator=(const TuneGuard&) = delete;

 private:
  std::uint8_t previous_;
};

/// What a tuning comes to.
struct TunedRun {
  ElementwiseFn fn;
  Isa isa;
  std::int64_t grain, block;
  bool rows;  ///< fn follows kManyRows
};

namespace detail {
LANEWISE_API const TunedRun* find_tuned_run(const ElementwiseKernel& kernel, ScalarType dtype,
                                            std::int64_t elements) noexcept;
}  // namespace detail

/// Of a kernel of active_kernels(), for a type that it computes in; null where nothing is tuned for it, which
/// costs one relaxed load while nothing is tuned at all.
inline const TunedRun* tuned_run(const ElementwiseKernel& kernel, ScalarType dtype,
                                 std::int64_t elements) noexcept {
  if (lanewise::detail::active_isa.load(std::memory_order_relaxed) != lanewise::detail::kIsaTuned) [[likely]]
    return nullptr;
  return detail::find_tuned_run(kernel, dtype, elements);
}

}  // namespace lanewise::kernels
