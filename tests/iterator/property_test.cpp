// Pointwise ops over random shapes, layouts, dtypes and aliasings, against a loop over single elements.
// LANEWISE_TEST_SEED repeats a run, LANEWISE_TEST_CASES sets the number of cases.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/loops.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/promotion.h>

#include "random_tensor.h"

namespace lanewise::testing {
namespace {

using kernels::KernelTable;

struct Op {
  PointwiseOp op;
  int inputs;
  std::vector<Scalar> params;
  Wide (*reference)(const Wide* x);
  bool real_only = false;
};

Wide truth(bool b) { return b ? 1.0 : 0.0; }

const std::vector<Op>& ops() {
  static const std::vector<Op> list = {
      {{"add", &KernelTable::add}, 2, {1}, [](const Wide* x) { return x[0] + x[1]; }},
      {{"add", &KernelTable::add}, 2, {2}, [](const Wide* x) { return x[0] + 2.0 * x[1]; }},
      {{"mul", &KernelTable::mul}, 2, {}, [](const Wide* x) { return x[0] * x[1]; }},
      {{"eq", &KernelTable::eq}, 2, {}, [](const Wide* x) { return truth(x[0] == x[1]); }},
      {{"lt", &KernelTable::lt}, 2, {}, [](const Wide* x) { return truth(x[0].real() < x[1].real()); }, true},
      {{"maximum", &KernelTable::maximum},
       2,
       {},
       [](const Wide* x) { return Wide(std::max(x[0].real(), x[1].real())); },
       true},
      {{"where", &KernelTable::where}, 3, {}, [](const Wide* x) { return x[0] != Wide(0) ? x[1] : x[2]; }},
      {{"copy", &KernelTable::copy}, 1, {}, [](const Wide* x) { return x[0]; }},
      {{"neg", &KernelTable::neg}, 1, {}, [](const Wide* x) { return -x[0]; }},
      {{"square", &KernelTable::square, true}, 1, {}, [](const Wide* x) { return x[0] * x[0]; }},
      {{"abs", &KernelTable::abs},
       1,
       {},
       [](const Wide* x) {
         return x[0].imag() == 0 ? Wide(std::abs(x[0].real())) : Wide(std::hypot(x[0].real(), x[0].imag()));
       }},
      {{"addcmul", &KernelTable::addcmul}, 3, {1}, [](const Wide* x) { return x[0] + x[1] * x[2]; }},
  };
  return list;
}

constexpr ScalarType kTypes[] = {kBool, kByte,     kChar,  kShort,  kInt,          kLong,
                                 kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

ScalarType random_type(Rng& rng) { return kTypes[uniform(rng, 0, 11)]; }

std::vector<std::int64_t> random_shape(Rng& rng, bool large) {
  if (large) {  // long enough for several threads and 2-D blocks
    switch (uniform(rng, 0, 4)) {
      case 0: return {uniform(rng, 130'000, 200'000)};
      case 1: return {uniform(rng, 60'000, 90'000), uniform(rng, 2, 4)};
      case 2: return {uniform(rng, 300, 500), uniform(rng, 300, 500)};
      case 3: return {uniform(rng, 30, 50), uniform(rng, 60, 80), uniform(rng, 60, 80)};
      default: return {uniform(rng, 2, 4), uniform(rng, 60'000, 90'000)};
    }
  }
  std::vector<std::int64_t> shape(static_cast<std::size_t>(uniform(rng, 0, 5)));
  std::int64_t budget = uniform(rng, 1, 6) == 1 ? 6000 : 400;
  for (auto& size : shape) {
    constexpr std::int64_t kSizes[] = {1,  1,  2,  2,  3,  3,  4,  5,   7,   8,
                                       13, 16, 17, 31, 33, 64, 65, 100, 130, 200};
    size = chance(rng, 0.015) ? 0 : std::min(kSizes[uniform(rng, 0, 19)], std::max<std::int64_t>(budget, 1));
    budget /= std::max<std::int64_t>(size, 1);
  }
  std::shuffle(shape.begin(), shape.end(), rng);
  return shape;
}

/// A shape that broadcasts to `shape`.
std::vector<std::int64_t> narrowed(Rng& rng, std::vector<std::int64_t> shape, double p) {
  for (auto& size : shape) {
    if (chance(rng, p)) {
      size = 1;
    }
  }
  while (!shape.empty() && shape[0] == 1 && chance(rng, 0.7)) {
    shape.erase(shape.begin());
  }
  return shape;
}

bool same_bits_or_close(const char* found, const char* expected, ScalarType t, bool exact) {
  if (std::memcmp(found, expected, element_size(t)) == 0) {
    return true;
  }
  const Wide x = read_element(found, t), y = read_element(expected, t);
  if (x == y) {
    return true;  // zeros of both signs
  }
  const double unit = t == kBFloat16 ? 8e-3 : t == kHalf ? 1e-3 : t == kDouble ? 5e-16 : 3e-7;
  return !exact && is_differentiable(t) && std::abs(x - y) <= unit * std::abs(y);
}

std::vector<char> bytes_of(const Tensor& t) {
  const auto* p = static_cast<const char*>(t.storage().data());
  return {p, p + t.storage().nbytes()};
}

class Case {
 public:
  Case(std::uint64_t seed, bool large)
      : rng_(seed), op_(ops()[static_cast<std::size_t>(uniform(rng_, 0, std::ssize(ops()) - 1))]) {
    shape_ = random_shape(rng_, large);
    const ScalarType usual = random_type(rng_);
    const bool mixed = chance(rng_, 0.5);
    const double narrow = chance(rng_, 0.5) ? 0.3 : 0.0;
    for (int i = 0; i < op_.inputs; ++i) {
      const bool is_condition = op_.inputs == 3 && op_.op.kernel == &KernelTable::where && i == 0;
      const ScalarType t = is_condition ? kBool : mixed ? random_type(rng_) : usual;
      const auto sizes = narrowed(rng_, shape_, narrow);
      if (!is_condition && op_.inputs > 1 && chance(rng_, 0.1)) {
        number_ = i;
        value_ = Scalar(is_integral(t, true) ? Scalar(uniform(rng_, 0, 20))
                                             : Scalar(static_cast<double>(uniform(rng_, -80, 80)) / 8));
      }
      inputs_.push_back(random_layout(rng_, sizes, t, Repeats::Yes));
    }
  }

  void run() {
    switch (uniform(rng_, 0, 3)) {
      case 0:
      case 1: return fresh();
      case 2: return into_out();
      default: return in_place();
    }
  }

  std::string text() const {
    std::ostringstream out;
    out << op_.op.name << '(';
    for (int i = 0; i < op_.inputs; ++i) {
      out << (i == 0 ? "" : ", ");
      i == number_ ? void(out << value_) : void(out << describe(inputs_[static_cast<std::size_t>(i)]));
    }
    out << ") " << form_;
    return out.str();
  }

 private:
  const kernels::ElementwiseKernel& kernel() const { return *(kernels::active_kernels().*op_.op.kernel); }

  /// The dtype that the op computes in; Undefined if it has no kernel for it.
  ScalarType common() const {
    ResultType type;
    for (int i = 0; i < op_.inputs; ++i) {
      if (i == number_) {
        type.add(value_);
      } else if (kernel().roles[static_cast<std::size_t>(1 + i)] != kernels::Role::Bool) {
        type.add(inputs_[static_cast<std::size_t>(i)]);
      }
    }
    ScalarType t = type.get();
    if (op_.op.promote_integers_to_float && is_integral(t, true)) {
      t = kFloat;
    }
    const auto compute = static_cast<std::size_t>(kernels::compute_type(t));
    return kernel().fn[compute] == nullptr ? ScalarType::Undefined : t;
  }

  static ScalarType result_dtype(kernels::Role role, ScalarType t) {
    return role == kernels::Role::Bool ? kBool : role == kernels::Role::Real ? to_real_type(t) : t;
  }

  std::vector<std::int64_t> broadcast_shape() const {
    std::vector<std::int64_t> shape;
    for (int i = 0; i < op_.inputs; ++i) {
      if (i == number_) {
        continue;
      }
      const IntArrayRef sizes = inputs_[static_cast<std::size_t>(i)].sizes();
      if (sizes.size() > shape.size()) {
        shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
      }
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        auto& size = shape[shape.size() - sizes.size() + d];
        size = size == 1 ? sizes[d] : size;
      }
    }
    return shape;
  }

  /// Expected elements in C order, in the dtype of the output.
  std::vector<char> expected(IntArrayRef shape, ScalarType common, ScalarType out) const {
    std::int64_t n = 1;
    for (const auto size : shape) {
      n *= size;
    }
    const ScalarType compute = kernels::compute_type(common);
    const ScalarType computed = result_dtype(kernel().roles[0], compute);
    const std::size_t size = element_size(out);
    std::vector<char> elements(static_cast<std::size_t>(n) * size);
    for (std::int64_t e = 0; e < n; ++e) {
      Wide x[3];
      for (int i = 0; i < op_.inputs; ++i) {
        const Wide raw = i == number_
                             ? (value_.isIntegral(true) ? Wide(static_cast<double>(value_.to<std::int64_t>()))
                                                        : Wide(value_.to<double>()))
                             : broadcast_element(inputs_[static_cast<std::size_t>(i)], shape, e);
        const bool is_bool = kernel().roles[static_cast<std::size_t>(1 + i)] == kernels::Role::Bool;
        x[i] = is_bool ? raw : rounded(compute == common ? raw : rounded(raw, common), compute);
      }
      write_element(elements.data() + static_cast<std::size_t>(e) * size, out,
                    rounded(op_.reference(x), computed));
    }
    return elements;
  }

  void check(const Tensor& out, const std::vector<char>& elements, bool exact) const {
    const std::size_t size = out.itemsize();
    for (std::int64_t e = 0; e < out.numel(); ++e) {
      const char* found = element_at(out, e);
      const char* wanted = elements.data() + static_cast<std::size_t>(e) * size;
      ASSERT_TRUE(same_bits_or_close(found, wanted, out.scalar_type(), exact))
          << "element " << e << ": " << read_element(found, out.scalar_type()) << ", expected "
          << read_element(wanted, out.scalar_type()) << " in " << describe(out);
    }
  }

  bool exact(ScalarType common) const { return !(op_.op.kernel == &KernelTable::abs && is_complex(common)); }

  template <class F>
  auto call(F&& f) const {
    const auto arg = [&](int i) -> PointwiseInput {
      return i == number_ ? PointwiseInput(value_) : PointwiseInput(inputs_[static_cast<std::size_t>(i)]);
    };
    const auto with = [&](std::initializer_list<PointwiseInput> inputs) {
      return op_.params.empty() ? f(inputs, std::initializer_list<Scalar>{})
                                : f(inputs, std::initializer_list<Scalar>{op_.params[0]});
    };
    switch (op_.inputs) {
      case 1: return with({arg(0)});
      case 2: return with({arg(0), arg(1)});
      default: return with({arg(0), arg(1), arg(2)});
    }
  }

  void fresh() {
    form_ = "-> fresh";
    const auto run = [&] {
      return call([&](auto inputs, auto params) { return pointwise(op_.op, inputs, params); });
    };
    const ScalarType t = common();
    if (t == ScalarType::Undefined) {
      EXPECT_THROW(run(), DtypeError);
      return;
    }
    const auto shape = broadcast_shape();
    const Tensor out = run();
    ASSERT_TRUE(out.sizes().equals(shape)) << out.sizes();
    ASSERT_EQ(out.scalar_type(), result_dtype(kernel().roles[0], t));
    ASSERT_TRUE(out.numel() == 0 || out.is_non_overlapping_and_dense()) << describe(out);
    check(out, expected(shape, t, out.scalar_type()), exact(t));
  }

  void into_out() {
    const ScalarType t = common();
    const auto shape = broadcast_shape();
    const bool wrong_shape = chance(rng_, 0.2);
    auto sizes = shape;
    if (wrong_shape) {
      sizes.push_back(2);
    }
    Tensor out = random_layout(rng_, sizes, random_type(rng_), Repeats::No);
    form_ = "-> out " + describe(out);
    write_and_check(out, shape, t, wrong_shape, [&] {
      call([&](auto inputs, auto params) -> int { return pointwise_out(op_.op, out, inputs, params), 0; });
    });
  }

  void in_place() {
    const auto shape = broadcast_shape();
    Tensor self = random_layout(rng_, shape, random_type(rng_), Repeats::No);
    const int which = static_cast<int>(uniform(rng_, 0, op_.inputs - 1));
    const bool condition = kernel().roles[static_cast<std::size_t>(1 + which)] == kernels::Role::Bool;
    if (which != number_ && !condition) {
      // The output is an input, or a view of all, some or other parts of the same memory.
      auto& input = inputs_[static_cast<std::size_t>(which)];
      input = random_layout(rng_, shape, input.scalar_type(), Repeats::No);
      self = chance(rng_, 0.6) ? input : detail::make_alias(input);
      if (chance(rng_, 0.15)) {
        const std::int64_t shift = uniform(rng_, 0, 3);
        if (first_element(input) >= shift) {
          self = detail::make_view(input, input.sizes(), input.strides(), input.storage_offset() - shift);
        }
      }
    }
    form_ = "-> in place " + describe(self);
    write_and_check(self, shape, common(), false, [&] {
      call([&](auto inputs, auto params) -> int {
        return pointwise_inplace(op_.op, self, inputs, params), 0;
      });
    });
  }

  /// Position in its storage of the element with the lowest address.
  static std::int64_t first_element(const Tensor& t) {
    std::int64_t first = t.storage_offset();
    for (std::size_t d = 0; d < t.sizes().size(); ++d) {
      first += std::min<std::int64_t>(t.strides()[d], 0) * std::max<std::int64_t>(t.sizes()[d] - 1, 0);
    }
    return first;
  }

  /// Whether `out` shares a byte with an input otherwise than element by element, where both fill a stretch
  /// of memory. Else the input is read as it was before the call.
  bool overlaps_partially(const Tensor& out) const {
    for (int i = 0; i < op_.inputs; ++i) {
      const Tensor& input = inputs_[static_cast<std::size_t>(i)];
      if (i == number_ || !input.is_alias_of(out) || out.numel() == 0 || input.numel() == 0 ||
          get_overlap_status(out, input) == MemOverlapStatus::TooHard) {
        continue;
      }
      bool same = input.scalar_type() == out.scalar_type() && input.sizes().equals(out.sizes());
      std::vector<bool> used(out.storage().nbytes());
      for (std::int64_t e = 0; e < out.numel(); ++e) {
        same = same && element_at(out, e) == element_at(input, e);
        for (std::size_t b = 0; b < out.itemsize(); ++b) {
          used[static_cast<std::size_t>(element_at(out, e) - static_cast<const char*>(out.storage().data())) +
               b] = true;
        }
      }
      for (std::int64_t e = 0; !same && e < input.numel(); ++e) {
        for (std::size_t b = 0; b < input.itemsize(); ++b) {
          if (used[static_cast<std::size_t>(element_at(input, e) -
                                            static_cast<const char*>(out.storage().data())) +
                   b]) {
            return true;
          }
        }
      }
    }
    return false;
  }

  template <class F>
  void write_and_check(const Tensor& out, const std::vector<std::int64_t>& shape, ScalarType t, bool resized,
                       F&& run) {
    const std::vector<char> before = bytes_of(out);
    const std::vector<std::int64_t> strides = out.strides().vec();
    const bool casts =
        t != ScalarType::Undefined && can_cast(result_dtype(kernel().roles[0], t), out.scalar_type());
    if (!casts || overlaps_partially(out)) {
      EXPECT_THROW(run(), Error);
      EXPECT_EQ(bytes_of(out), before) << "something was written";
      return;
    }
    const auto elements = expected(shape, t, out.scalar_type());
    run();
    ASSERT_TRUE(out.sizes().equals(shape)) << out.sizes();
    check(out, elements, exact(t));
    if (resized) {
      return;
    }
    ASSERT_EQ(out.strides().vec(), strides);
    // Nothing outside the output's elements has changed.
    std::vector<char> after = bytes_of(out);
    const auto* base = static_cast<const char*>(out.storage().data());
    for (std::int64_t e = 0; e < out.numel(); ++e) {
      const std::size_t at = static_cast<std::size_t>(element_at(out, e) - base);
      std::memcpy(after.data() + at, before.data() + at, out.itemsize());
    }
    ASSERT_EQ(after, before) << "something beside the output was written";
  }

  Rng rng_;
  const Op& op_;
  std::vector<std::int64_t> shape_;
  std::vector<Tensor> inputs_;
  int number_ = -1;
  Scalar value_;
  std::string form_;
};

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

TEST(IteratorProperty, AgreesWithALoopOverElements) {
  const std::uint64_t seed =
      environment("LANEWISE_TEST_SEED",
                  static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
#ifdef LANEWISE_THREAD_SANITIZER
  constexpr std::uint64_t kCases = 3'000;  // each takes some fifty times as long
#else
  constexpr std::uint64_t kCases = 24'000;
#endif
  const std::uint64_t cases = environment("LANEWISE_TEST_CASES", kCases);
  std::cout << "LANEWISE_TEST_SEED=" << seed << ", " << cases << " cases\n";
  const auto isas = available_isas();
  const int threads = get_num_threads();
  for (std::uint64_t c = 0; c < cases && !HasFailure(); ++c) {
    const IsaGuard guard(isas[c % isas.size()]);
    set_num_threads(static_cast<int>(1 + c / isas.size() % 3));
    Case test(seed + c * 0x9E3779B97F4A7C15u, c % 200 == 7);
    try {
      test.run();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    if (HasFailure()) {
      std::cout << "case " << c << " (" << name(isas[c % isas.size()]) << ", " << get_num_threads()
                << " threads): " << test.text() << '\n';
    }
  }
  set_num_threads(threads);
}

}  // namespace
}  // namespace lanewise::testing
