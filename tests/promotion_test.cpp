#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

// Against what PyTorch 1.13 answers; tests/golden/make_promotion.py wrote the file.
namespace lanewise {
namespace {

constexpr ScalarType kAll[] = {kBool, kByte,     kChar,  kShort,  kInt,          kLong,
                               kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

struct Golden {
  std::vector<std::string> operands;
  std::map<std::string, std::map<std::string, std::string>> types;
  std::map<std::string, std::vector<int>> casts;

  Golden() {
    std::ifstream file(LANEWISE_GOLDEN_DIR "/promotion.txt");
    std::string line;
    std::getline(file, line);
    std::istringstream first(line);
    for (std::string word; first >> word;) operands.push_back(word);
    bool cast_part = false;
    while (std::getline(file, line)) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      if (name == "can_cast") {
        cast_part = true;
      } else if (cast_part) {
        for (int value; words >> value;) casts[name].push_back(value);
      } else {
        for (const std::string& other : operands) words >> types[name][other];
      }
    }
  }
};

ScalarType type_of(const std::string& operand) {
  const std::string name = operand.substr(2);
  const auto* found =
      std::find_if(std::begin(kAll), std::end(kAll), [&](ScalarType t) { return name == short_name(t); });
  if (found == std::end(kAll)) throw std::runtime_error(operand);
  return *found;
}

Tensor tensor_of(const std::string& operand) {
  Tensor t =
      operand[0] == 'd' ? detail::empty_cpu({2}, type_of(operand)) : detail::empty_cpu({}, type_of(operand));
  t.unsafeGetTensorImpl()->set_wrapped_number(operand[0] == 'w');
  return t;
}

TEST(Promotion, AgreesForEveryPairOfOperands) {
  const Golden golden;
  ASSERT_EQ(golden.operands.size(), 28u);
  ASSERT_EQ(golden.types.size(), 28u);
  for (const std::string& a : golden.operands) {
    for (const std::string& b : golden.operands) {
      EXPECT_STREQ(short_name(result_type(tensor_of(a), tensor_of(b))), golden.types.at(a).at(b).c_str())
          << a << " with " << b;
    }
  }
}

TEST(Promotion, NumbersAreWrappedNumbers) {
  const Golden golden;
  const std::map<std::string, Scalar> numbers = {
      {"w_bool", true}, {"w_i64", 1}, {"w_f64", 1.5}, {"w_c128", std::complex<double>(0, 1)}};
  for (const auto& [name, number] : numbers) {
    for (const std::string& other : golden.operands) {
      const std::string& expected = golden.types.at(name).at(other);
      EXPECT_STREQ(short_name(result_type(number, tensor_of(other))), expected.c_str())
          << name << " with " << other;
      EXPECT_STREQ(short_name(result_type(tensor_of(other), number)), expected.c_str())
          << other << " with " << name;
    }
  }
}

TEST(Promotion, PromoteTypesIsThePairOfDimensionedTensors) {
  const Golden golden;
  for (const ScalarType a : kAll) {
    for (const ScalarType b : kAll) {
      const std::string& expected =
          golden.types.at(std::string("d_") + short_name(a)).at(std::string("d_") + short_name(b));
      EXPECT_STREQ(short_name(promote_types(a, b)), expected.c_str()) << a << " with " << b;
    }
    EXPECT_EQ(promote_types(a, ScalarType::Undefined), a);
    EXPECT_EQ(promote_types(ScalarType::Undefined, a), a);
  }
}

TEST(Promotion, CanCast) {
  const Golden golden;
  ASSERT_EQ(golden.casts.size(), 12u);
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < 12; ++b) {
      EXPECT_EQ(can_cast(kAll[a], kAll[b]), golden.casts.at(short_name(kAll[a])).at(b) != 0)
          << kAll[a] << " to " << kAll[b];
    }
  }
}

TEST(Promotion, FollowsTheDefaultDtype) {
  const Tensor ints = detail::empty_cpu({3}, kInt);
  set_default_dtype(kDouble);
  EXPECT_EQ(result_type(ints, 2.5), kDouble);
  EXPECT_EQ(result_type(ints, std::complex<double>(0, 1)), kComplexDouble);
  set_default_dtype(kFloat);
  EXPECT_EQ(result_type(ints, 2.5), kFloat);
  set_default_dtype(kInt);  // as in libtorch
  EXPECT_EQ(TensorOptions().dtype(), kInt);
  EXPECT_EQ(get_default_complex_dtype(), kComplexFloat);
  set_default_dtype(kFloat);
  EXPECT_THROW(set_default_dtype(ScalarType::Undefined), DtypeError);
  EXPECT_EQ(get_default_dtype_as_scalartype(), kFloat);
}

}  // namespace
}  // namespace lanewise
