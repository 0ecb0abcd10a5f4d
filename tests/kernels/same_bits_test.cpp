#include <algorithm>
#include <cstddef>
#include <span>

#include "kernel_support.h"

// The promise of fixed arithmetic: every kernel of every type gives the same bits on all tiers with fused
// multiply-add, wherever an element stands; integer kernels on all tiers.

namespace lanewise::test {
namespace {

/// The elementwise kernels of a table: its first fields.
std::span<const ElementwiseKernel* const> elementwise_kernels(const KernelTable& table) {
  static_assert(std::is_standard_layout_v<KernelTable>);
  const auto* first = reinterpret_cast<const ElementwiseKernel* const*>(&table);
  return {first, offsetof(KernelTable, uniform) / sizeof(const void*)};
}

std::string kernel_name(std::size_t index) { return "kernel " + std::to_string(index); }

ScalarType operand_type(kernels::Role role, ScalarType compute) {
  switch (role) {
    case kernels::Role::Compute: return compute;
    case kernels::Role::Bool: return ScalarType::Bool;
    case kernels::Role::Long: return ScalarType::Long;
    case kernels::Role::Real:
      return compute == ScalarType::ComplexFloat    ? ScalarType::Float
             : compute == ScalarType::ComplexDouble ? ScalarType::Double
                                                    : compute;
    default:
      return compute == ScalarType::Float    ? ScalarType::ComplexFloat
             : compute == ScalarType::Double ? ScalarType::ComplexDouble
                                             : compute;
  }
}

template <class T>
void fill(std::vector<char>& bytes, std::mt19937_64& random) {
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    const T x = random() % 2 == 0 ? random_value<T>(random) : moderate_value<T>(random);
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

std::vector<char> random_elements(ScalarType t, std::size_t n, std::mt19937_64& random) {
  std::vector<char> bytes(n * element_size(t));
  switch (t) {
    case ScalarType::Bool: fill<bool>(bytes, random); break;
    case ScalarType::Byte: fill<std::uint8_t>(bytes, random); break;
    case ScalarType::Char: fill<std::int8_t>(bytes, random); break;
    case ScalarType::Short: fill<std::int16_t>(bytes, random); break;
    case ScalarType::Int: fill<std::int32_t>(bytes, random); break;
    case ScalarType::Long: fill<std::int64_t>(bytes, random); break;
    case ScalarType::Float: fill<float>(bytes, random); break;
    case ScalarType::Double: fill<double>(bytes, random); break;
    case ScalarType::ComplexFloat: fill<std::complex<float>>(bytes, random); break;
    case ScalarType::ComplexDouble: fill<std::complex<double>>(bytes, random); break;
    default: ADD_FAILURE() << "kernels compute in no such type";
  }
  return bytes;
}

/// One NaN for all: which of two NaNs survives an addition is not promised.
template <class T>
void canonical_nans(std::vector<char>& bytes) {
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T x;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if (std::isnan(x)) x = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

/// All outputs of a kernel, run in pieces of at most `piece` elements.
std::vector<char> outputs(const ElementwiseKernel& kernel, std::size_t type,
                          const std::vector<std::vector<char>>& inputs, std::size_t n, std::size_t piece,
                          std::span<const KernelScalar> params) {
  const auto compute = static_cast<ScalarType>(type);
  std::vector<char> all;
  std::vector<std::vector<char>> out;
  for (int k = 0; k < kernel.num_outputs; ++k) {
    out.emplace_back(n * element_size(operand_type(kernel.roles[static_cast<std::size_t>(k)], compute)));
  }
  for (std::size_t i = 0; i < n; i += piece) {
    char* data[kernels::kMaxOperands] = {};
    for (std::size_t k = 0; k < static_cast<std::size_t>(kernel.num_outputs + kernel.num_inputs); ++k) {
      const std::size_t size = element_size(operand_type(kernel.roles[k], compute));
      const bool is_output = k < kernel.num_outputs;
      const char* base = is_output ? out[k].data() : inputs[k - kernel.num_outputs].data();
      data[k] = const_cast<char*>(base) + i * size;
    }
    kernel.fn[type](data, 0, static_cast<std::int64_t>(std::min(piece, n - i)), params.data());
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    const ScalarType t = operand_type(kernel.roles[k], compute);
    if (t == ScalarType::Float || t == ScalarType::ComplexFloat) canonical_nans<float>(out[k]);
    if (t == ScalarType::Double || t == ScalarType::ComplexDouble) canonical_nans<double>(out[k]);
    all.insert(all.end(), out[k].begin(), out[k].end());
  }
  return all;
}

/// Those have entries on some tiers only; halves_test has them.
bool is_half(std::size_t type) {
  return kernels::compute_type(static_cast<ScalarType>(type)) != static_cast<ScalarType>(type);
}
bool is_integral(std::size_t type) { return type <= static_cast<std::size_t>(ScalarType::Long); }

const std::vector<std::vector<KernelScalar>> kParams = {
    {param(1), param(20), param(0), param(0.01), param(1), param(0), param(0.1), param(0.2)},
    {param(0.37), param(0.9), param(0.99), param(0.001), param(0), param(1), param(0.5), param(0.7)},
    {param(3), param(2), param(1), param(0.1), param(0.5), param(0), param(0.3), param(0.9)},
};

TEST(SameBits, OnEveryTier) {
  constexpr std::size_t kCount = 2000;
  std::vector<const KernelTable*> tables;
  for_each_isa([&](const KernelTable& table) { tables.push_back(&table); });
  const bool has_sse = !available_isas().empty() && available_isas().front() == Isa::sse4_2;
  std::mt19937_64 random(21);
  for (std::size_t k = 0; k < elementwise_kernels(*tables[0]).size(); ++k) {
    for (std::size_t type = 0; type < static_cast<std::size_t>(kNumScalarTypes); ++type) {
      if (is_half(type)) continue;
      const ElementwiseKernel& first = *elementwise_kernels(*tables[0])[k];
      for (const KernelTable* table : tables) {
        const ElementwiseKernel& kernel = *elementwise_kernels(*table)[k];
        ASSERT_EQ(kernel.fn[type] != nullptr, first.fn[type] != nullptr)
            << kernel_name(k) << " type " << type;
        ASSERT_EQ(kernel.num_inputs, first.num_inputs);
        ASSERT_EQ(kernel.roles, first.roles);
      }
      if (first.fn[type] == nullptr) continue;
      std::vector<std::vector<char>> inputs;
      for (std::size_t i = 0; i < first.num_inputs; ++i) {
        const ScalarType t = operand_type(first.roles[first.num_outputs + i], static_cast<ScalarType>(type));
        inputs.push_back(random_elements(t, kCount, random));
      }
      for (const std::vector<KernelScalar>& params : kParams) {
        std::vector<char> expected;
        for (std::size_t t = tables.size(); t-- > 0;) {
          if (t == 0 && has_sse && !is_integral(type)) continue;  // rounds products: no fused multiply-add
          const std::vector<char> got =
              outputs(*elementwise_kernels(*tables[t])[k], type, inputs, kCount, kCount, params);
          if (expected.empty()) expected = got;
          EXPECT_TRUE(got == expected) << kernel_name(k) << " type " << type << " differs between tiers";
        }
      }
    }
  }
}

TEST(SameBits, WhereverAnElementStands) {
  constexpr std::size_t kCount = 500;
  for_each_isa([](const KernelTable& table) {
    std::mt19937_64 random(22);
    for (std::size_t k = 0; k < elementwise_kernels(table).size(); ++k) {
      const ElementwiseKernel& kernel = *elementwise_kernels(table)[k];
      for (std::size_t type = 0; type < static_cast<std::size_t>(kNumScalarTypes); ++type) {
        if (is_half(type)) continue;
        if (kernel.fn[type] == nullptr) continue;
        std::vector<std::vector<char>> inputs;
        for (std::size_t i = 0; i < kernel.num_inputs; ++i) {
          const ScalarType t =
              operand_type(kernel.roles[kernel.num_outputs + i], static_cast<ScalarType>(type));
          inputs.push_back(random_elements(t, kCount, random));
        }
        const std::vector<char> whole = outputs(kernel, type, inputs, kCount, kCount, kParams[1]);
        for (const std::size_t piece : {1, 7, 37}) {
          EXPECT_TRUE(whole == outputs(kernel, type, inputs, kCount, piece, kParams[1]))
              << kernel_name(k) << " type " << type << " in pieces of " << piece;
        }
      }
    }
  });
}

}  // namespace
}  // namespace lanewise::test
