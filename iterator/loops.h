#pragma once

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/iterator/vectorized.h>

/// Pointwise ops from lambdas: written once for a single element, they run on any layout, with promotion and
/// in parallel.
///
///   TensorIterator iter = TensorIterator::binary_op(out, a, b);
///   cpu_kernel(iter, [](float x, float y) { return std::fma(x, x, y); });
///   return iter.output();
namespace lanewise {

namespace detail {

/// Result and parameter types of a callable that is not overloaded.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... Args>
struct Signature<R (*)(Args...)> {
  using Result = R;
  using Arguments = std::tuple<std::remove_cvref_t<Args>...>;
};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...)> : Signature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const> : Signature<R (*)(Args...)> {};
template <class R, class... Args>
struct Signature<R (*)(Args...) noexcept> : Signature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) noexcept> : Signature<R (*)(Args...)> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const noexcept> : Signature<R (*)(Args...)> {};

template <class R>
struct Outputs {
  using Types = std::tuple<R>;
};
template <>
struct Outputs<void> {
  using Types = std::tuple<>;
};
template <class... R>
struct Outputs<std::tuple<R...>> {
  using Types = std::tuple<R...>;
};

/// Throws DtypeError unless the iterator's operand can be seen as the lambda's type.
LANEWISE_API void check_lambda_type(const TensorIterator& iter, int i, ScalarType lambda);
LANEWISE_API void check_lambda_arity(const TensorIterator& iter, int outputs, int inputs);

template <class T>
T load_element(const char* p) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return *reinterpret_cast<const unsigned char*>(p) != 0;
  } else {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
}

/// How a lambda is called: in parallel, in any order, and only results of the output's own type are taken; or
/// in one thread, element after element, so that it may have state, and any number is converted.
enum class Order { Any, Serial };

#if defined(__clang__)  // a lambda that cannot be vectorised is no fault
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
/// Calls a lambda for the elements of a contiguous run.
template <class F, Order order, class Out, class In>
struct LambdaLoop;

template <class F, Order order, class... Out, class... In>
struct LambdaLoop<F, order, std::tuple<Out...>, std::tuple<In...>> {
  static constexpr int kOutputs = sizeof...(Out);
  static constexpr int kInputs = sizeof...(In);
  static_assert(kOutputs + kInputs <= kernels::kMaxOperands, "too many operands");
  static_assert(((scalar_type_of<Out> != ScalarType::Undefined) && ...) &&
                    ((scalar_type_of<In> != ScalarType::Undefined) && ...),
                "the lambda's parameters and result must be element types of tensors");

  struct Context {
    F* f;
  };

  static void run(char* const* data, std::uint32_t broadcast, std::int64_t n,
                  const kernels::KernelScalar* opaque) {
    F& f = *reinterpret_cast<const Context*>(opaque)->f;
    if (broadcast == 0) {
      loop(f, data, n, std::index_sequence_for<Out...>(), std::index_sequence_for<In...>(),
           [](std::size_t) { return std::int64_t{1}; });
    } else {
      loop(f, data, n, std::index_sequence_for<Out...>(), std::index_sequence_for<In...>(),
           [=](std::size_t k) { return std::int64_t{1} - (broadcast >> k & 1); });
    }
  }

  /// An output may be exactly an input: element i is written after it was read. Without state that is all the
  /// order that matters, so the compiler may vectorise.
  template <std::size_t... O, std::size_t... I, class Step>
  static void loop(F& f, char* const* data, std::int64_t n, std::index_sequence<O...>,
                   std::index_sequence<I...>, [[maybe_unused]] Step step) {
    char* const out[kOutputs + 1] = {data[O]...};
    const char* const in[kInputs + 1] = {data[kOutputs + I]...};
    const std::int64_t steps[kInputs + 1] = {step(kOutputs + I) * static_cast<std::int64_t>(sizeof(In))...};
    const auto element = [&](std::int64_t i) {
      const auto call = [&]() -> decltype(auto) { return f(load_element<In>(in[I] + i * steps[I])...); };
      if constexpr (kOutputs == 0) {
        call();
      } else if constexpr (std::is_same_v<typename Signature<F>::Result, std::tuple<Out...>>) {
        const std::tuple<Out...> result = call();
        (std::memcpy(out[O] + i * static_cast<std::int64_t>(sizeof(Out)), &std::get<O>(result), sizeof(Out)),
         ...);
      } else {
        const auto result = call();
        (std::memcpy(out[O] + i * static_cast<std::int64_t>(sizeof(Out)), &result, sizeof(Out)), ...);
      }
    };
    if constexpr (order == Order::Serial) {
      for (std::int64_t i = 0; i < n; ++i) element(i);
    } else {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
      for (std::int64_t i = 0; i < n; ++i) element(i);
    }
  }
};
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <Order order, class F>
void run_lambda(const TensorIterator& iter, F& f, TensorIterator::RunOptions options) {
  using In = typename Signature<F>::Arguments;
  using Out = typename Outputs<typename Signature<F>::Result>::Types;
  using Loop = LambdaLoop<F, order, Out, In>;
  check_lambda_arity(iter, Loop::kOutputs, Loop::kInputs);
  [&]<class... O, class... I>(std::tuple<O...>*, std::tuple<I...>*) {
    const ScalarType types[] = {scalar_type_of<O>..., scalar_type_of<I>...};
    for (int i = 0; i < Loop::kOutputs + Loop::kInputs; ++i) {
      if (i >= Loop::kOutputs || order == Order::Any) {
        check_lambda_type(iter, i, types[i]);
      }
    }
    const typename Loop::Context context{&f};
    iter.run(&Loop::run, reinterpret_cast<const kernels::KernelScalar*>(&context), types, options);
  }(static_cast<Out*>(nullptr), static_cast<In*>(nullptr));
}

template <Order order, class F, class V>
void run_vector_lambda(const TensorIterator& iter, F& op, V& vector_op, TensorIterator::RunOptions options) {
  using In = typename Signature<F>::Arguments;
  using T = typename Signature<F>::Result;
  if constexpr (VectorLoop<V, T, In>::kCallable) {
    using Loop = VectorLoop<V, T, In>;
    check_lambda_arity(iter, 1, static_cast<int>(std::tuple_size_v<In>));
    ScalarType types[1 + std::tuple_size_v<In>];
    for (int i = 0; i <= static_cast<int>(std::tuple_size_v<In>); ++i) {
      types[i] = scalar_type_of<T>;
      check_lambda_type(iter, i, types[i]);
    }
    const typename Loop::Context context{&vector_op};
    iter.run(&Loop::run, reinterpret_cast<const kernels::KernelScalar*>(&context), types, options);
  } else {
    run_lambda<order>(iter, op, options);
  }
}

inline TensorIterator::RunOptions options_for_grain(std::int64_t grain) {
  return {.in_order = false, .copies = false, .grain = grain < 1 ? 1 : grain};
}

}  // namespace detail

/// out = f(inputs...) for every element, in parallel in parts of at least `grain` elements. The lambda's
/// parameters must be the iterator's dtype(i) (for halves also float); operands with another dtype in memory
/// are converted tile by tile. It is called from several threads at once. Throws DtypeError, ValueError.
template <class F>
void cpu_kernel(TensorIterator& iter, F&& f, std::int64_t grain = TensorIterator::kGrainSize) {
  detail::run_lambda<detail::Order::Any>(iter, f, detail::options_for_grain(grain));
}

/// The same for a lambda that returns a std::tuple with a value per output.
template <class F>
void cpu_kernel_multiple_outputs(TensorIterator& iter, F&& f,
                                 std::int64_t grain = TensorIterator::kGrainSize) {
  cpu_kernel(iter, f, grain);
}

/// The same in one thread, element after element in the order of iteration: for lambdas with state.
/// enforce_linear_iteration() makes that C order. A result of another type is converted to the output's.
template <class F>
void cpu_serial_kernel(TensorIterator& iter, F&& f) {
  detail::run_lambda<detail::Order::Serial>(iter, f, {.cost = 1, .in_order = true, .copies = false});
}

/// The same with a second lambda on Vectorized<T>. All elements go through the vector lambda, also those at
/// the end of a run (in a padded vector), so that a value never depends on its position; the scalar lambda
/// gives the types, and does the work where `vector_op` cannot be called with Vectorized<T>: a generic
/// lambda, say, that serves as both.
template <class F, class V>
void cpu_kernel_vec(TensorIterator& iter, F&& op, V&& vector_op,
                    std::int64_t grain = TensorIterator::kGrainSize) {
  detail::run_vector_lambda<detail::Order::Any>(iter, op, vector_op, detail::options_for_grain(grain));
}

/// The same in one thread, in the order of iteration.
template <class F, class V>
void cpu_serial_kernel_vec(TensorIterator& iter, F&& op, V&& vector_op) {
  detail::run_vector_lambda<detail::Order::Serial>(iter, op, vector_op,
                                                   {.cost = 1, .in_order = true, .copies = false});
}

/// The names under which PyTorch has these.
namespace native {
using lanewise::cpu_kernel;
using lanewise::cpu_kernel_multiple_outputs;
using lanewise::cpu_kernel_vec;
using lanewise::cpu_serial_kernel;
using lanewise::cpu_serial_kernel_vec;
}  // namespace native

}  // namespace lanewise
