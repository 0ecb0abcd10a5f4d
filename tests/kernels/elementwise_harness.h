#pragma once

#include <functional>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel_support.h"

namespace lanewise::test {

/// Runs one kernel against a function of single elements: every length up to 130, every combination of
/// broadcast inputs, in place, from unaligned memory, with canaries around the output.
template <class Out, class... In>
class ElementwiseCheck {
 public:
  static constexpr std::size_t kCount = 160;
  static constexpr unsigned char kCanary = 0x5b;

  ElementwiseCheck(const ElementwiseKernel& kernel, kernels::ElementwiseFn fn,
                   std::vector<KernelScalar> params, std::tuple<Values<In>...> inputs)
      : fn_(fn), params_(std::move(params)), inputs_(std::move(inputs)) {
    params_.resize(8);
    EXPECT_EQ(kernel.num_outputs, 1);
    EXPECT_EQ(kernel.num_inputs, sizeof...(In));
  }

  /// Says whether a result is right for its inputs. Erased, because thousands of cases share a few
  /// signatures.
  using Matches = std::function<bool(Out, In...)>;

  void run(const Matches& matches) {
    ASSERT_NE(fn_, nullptr);
    for (std::int64_t n = 0; n <= 130; ++n) check(n, 0, -1, matches, Indices{});
    for (std::uint32_t mask = 1; mask < (1u << sizeof...(In)); ++mask) {
      for (const std::int64_t n : {1, 3, 17, 64, 130}) check(n, mask, -1, matches, Indices{});
    }
    for (int k = 0; k < static_cast<int>(sizeof...(In)); ++k) {
      for (const std::int64_t n : {1, 7, 33, 130}) check(n, 0, k, matches, Indices{});
    }
  }

 private:
  using Indices = std::index_sequence_for<In...>;

  /// `in_place` is the input that shares its memory with the output, or -1.
  template <std::size_t... K>
  void check(std::int64_t n, std::uint32_t mask, int in_place, const Matches& matches,
             std::index_sequence<K...>) {
    if (::testing::Test::HasFailure()) return;  // one report is enough
    const std::size_t count = static_cast<std::size_t>(n);
    const std::size_t first = count % 5;  // moves the inputs off their alignment
    std::vector<char> out(64 + (count + 1) * sizeof(Out) + 64, static_cast<char>(kCanary));
    char* result = out.data() + 32 + (count % 3) * sizeof(Out);
    std::tuple<Values<In>...> copy = inputs_;
    char* data[] = {result, reinterpret_cast<char*>(std::get<K>(copy).data() + first)...};
    if (in_place >= 0) {
      const bool possible[] = {std::is_same_v<In, Out>...};
      if (!possible[in_place]) return;
      const char* from = data[1 + in_place];
      std::memcpy(result, from, count * sizeof(Out));
      data[1 + in_place] = result;
    }
    fn_(data, mask << 1, n, params_.data());
    for (std::size_t i = 0; i < count; ++i) {
      Out got;
      std::memcpy(&got, result + i * sizeof(Out), sizeof got);
      const bool right =
          matches(got, static_cast<In>(std::get<K>(inputs_)[first + (mask >> K & 1 ? 0 : i)])...);
      if (!right) {
        ADD_FAILURE() << "element " << i << " of " << n << ", broadcast " << mask << ", in place " << in_place
                      << ": got " << text(got) << " for"
                      << ((" " + text<In>(std::get<K>(inputs_)[first + (mask >> K & 1 ? 0 : i)])) + ...);
        return;
      }
    }
    for (const char* p = out.data(); p < out.data() + out.size(); ++p) {
      if (p >= result && p < result + count * sizeof(Out)) continue;
      ASSERT_EQ(static_cast<unsigned char>(*p), kCanary)
          << "byte " << p - result << " beside " << n << " elements was written";
    }
  }

  template <class T>
  static std::string text(T x) {
    std::ostringstream stream;
    stream.precision(20);
    if constexpr (std::is_integral_v<T>) {
      stream << static_cast<long long>(x);
    } else {
      stream << x;
    }
    return stream.str();
  }

  kernels::ElementwiseFn fn_;
  std::vector<KernelScalar> params_;
  std::tuple<Values<In>...> inputs_;
};

template <class... T>
struct TypeList {};
using Integers = TypeList<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Floats = TypeList<float, double>;
using Complexes = TypeList<std::complex<float>, std::complex<double>>;
using Bools = TypeList<bool>;

template <class... T, class F>
void for_types(TypeList<T...>, F f) {
  (
      [&] {
        SCOPED_TRACE("type " + std::to_string(static_cast<int>(kScalarType<T>)));
        f.template operator()<T>();
      }(),
      ...);
}

/// For each tier and each type of the lists.
template <class... Lists, class F>
void sweep(F f) {
  for_each_isa([&](const KernelTable& table) {
    (for_types(Lists{}, [&]<class T>() { f.template operator()<T>(table); }), ...);
  });
}

using KernelField = const ElementwiseKernel* KernelTable::*;

/// Every tier, element type T, any values: the result must be `reference(x...)` exactly.
template <class T, class Out, class... In, class Reference>
void expect_exact(const KernelTable& table, KernelField field, std::vector<KernelScalar> params,
                  Reference reference) {
  std::mt19937_64 random(7);
  const ElementwiseKernel& kernel = *(table.*field);
  ElementwiseCheck<Out, In...>(kernel, kernel.fn[type_index<T>()], std::move(params),
                               std::tuple<Values<In>...>{values_of<In>(ElementwiseCheck<Out, In...>::kCount,
                                                                       random, random_value<In>)...})
      .run([&](Out got, In... x) { return same(got, static_cast<Out>(reference(x...))); });
}

/// The same within `ulp` of a reference in long double, for arguments that `draw` makes.
template <class T, class... In, class Draw, class Reference>
void expect_close(const KernelTable& table, KernelField field, std::vector<KernelScalar> params, double ulp,
                  Draw draw, Reference reference) {
  std::mt19937_64 random(11);
  const ElementwiseKernel& kernel = *(table.*field);
  ElementwiseCheck<T, In...>(
      kernel, kernel.fn[type_index<T>()], std::move(params),
      std::tuple<Values<In>...>{values_of<In>(ElementwiseCheck<T, In...>::kCount, random, draw)...})
      .run([&](T got, In... x) { return error_ulp(got, reference(x...)) <= ulp; });
}

}  // namespace lanewise::test
