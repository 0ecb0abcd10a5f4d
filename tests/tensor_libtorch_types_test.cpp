// Devices, options and types under libtorch's names, and what an undefined tensor answers.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class T>
std::string printed(const T& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

TEST(Devices, FromText) {
  EXPECT_EQ(Device("cpu"), Device(kCPU));
  EXPECT_EQ(Device("cpu:0"), Device(kCPU, 0));
  EXPECT_FALSE(Device("cpu") == Device("cpu:0"));
  for (const char* bad :
       {"", "cud:1", "cpu:", "cpu::1", ":1", "3", "cpu:-1", "cpu:128", "cpu:1x", "cpu:00", "cpu:01", "cud"}) {
    EXPECT_THAT(
        Call([&] { Device device{std::string(bad)}; }),
        ThrowsMessage<ValueError>(AllOf(HasSubstr("Invalid device string"), HasSubstr("expected \"cpu\""))))
        << bad;
  }
}

TEST(Devices, OthersThanCpusRaise) {
  EXPECT_FALSE(cuda::is_available());
  EXPECT_EQ(cuda::device_count(), 0);
  EXPECT_EQ(Device(cuda::is_available() ? kCUDA : kCPU), Device(kCPU));
  EXPECT_EQ(printed(kCUDA), "cuda");
  const auto no_cuda = ThrowsMessage<NotImplementedError>(HasSubstr("there is no cuda here"));
  EXPECT_THAT(Call([] { Device{kCUDA}; }), no_cuda);
  EXPECT_THAT(Call([] { Device(kCUDA, 1); }), no_cuda);
  for (const char* text : {"cuda", "cuda:0"}) EXPECT_THAT(Call([&] { Device{std::string(text)}; }), no_cuda);
  EXPECT_THAT(Call([] { ones({2}, kCUDA); }), no_cuda);
  EXPECT_THAT(Call([] { static_cast<void>(ones({2}).to(kCUDA)); }), no_cuda);
  EXPECT_THAT(Call([] { static_cast<void>(TensorOptions().device(kCUDA, 0)); }), no_cuda);
}

TEST(Dispatch, CompilesForEachType) {
  const auto bytes_of = [](ScalarType dtype) {
    return AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(kBool, kHalf, kBFloat16, dtype, "bytes_of",
                                                  [&] { return sizeof(scalar_t); });
  };
#define CHECK_SIZE(type, name)                         \
  EXPECT_EQ(bytes_of(ScalarType::name), sizeof(type)); \
  EXPECT_EQ(bytes_of(ScalarType::name), element_size(ScalarType::name));
  AT_FORALL_SCALAR_TYPES_AND3(Bool, Half, BFloat16, CHECK_SIZE)
#undef CHECK_SIZE
  EXPECT_EQ(bytes_of(kComplexDouble), 16U);
  const Tensor x = arange(4, kFloat);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "double_in_place", [&] {
    for (std::int64_t i = 0; i < x.numel(); ++i) x.data_ptr<scalar_t>()[i] *= 2;
  });
  EXPECT_TRUE(x.equal(tensor({0.0F, 2.0F, 4.0F, 6.0F})));
  EXPECT_THAT(
      Call([] { AT_DISPATCH_INTEGRAL_TYPES(kFloat, "count_bits", [] { static_cast<void>(scalar_t()); }); }),
      ThrowsMessage<DtypeError>(HasSubstr("\"count_bits\" not implemented for 'Float'")));
}

TEST(Devices, Print) {
  EXPECT_EQ(printed(Device(kCPU)), "cpu");
  EXPECT_EQ(printed(Device("cpu:3")), "cpu:3");
  EXPECT_EQ(printed(kCPU), "cpu");
  EXPECT_EQ(printed(kStrided), "Strided");
  EXPECT_EQ(printed(MemoryFormat::Contiguous), "Contiguous");
}

TEST(Options, RememberWhatWasSet) {
  const TensorOptions none;
  EXPECT_FALSE(none.has_dtype() || none.has_device() || none.has_layout() || none.has_requires_grad());
  EXPECT_EQ(none.dtype(), kFloat);
  EXPECT_EQ(none.device().index(), -1);
  const TensorOptions all = TensorOptions({kCPU, 0}).dtype(kInt).layout(kStrided).requires_grad(true);
  EXPECT_EQ(all.device(), Device(kCPU, 0));
  EXPECT_EQ(all.device_index(), 0);
  EXPECT_EQ(all.layout_opt(), kStrided);
  EXPECT_EQ(all.dtype_opt(), kInt);
  EXPECT_EQ(none.device_opt(), std::nullopt);
}

TEST(Options, Merge) {
  const TensorOptions merged = TensorOptions(kInt).requires_grad(true).merge_in(TensorOptions(kDouble));
  EXPECT_EQ(merged.dtype(), kDouble);
  EXPECT_TRUE(merged.requires_grad());
  EXPECT_TRUE(TensorOptions().type_equal(TensorOptions(kFloat)));
  EXPECT_FALSE(TensorOptions(kInt).type_equal(TensorOptions(kFloat)));
}

TEST(Options, Print) {
  EXPECT_EQ(printed(TensorOptions()),
            "TensorOptions(dtype=Float (default), device=cpu (default), layout=Strided (default), "
            "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))");
  EXPECT_EQ(printed(TensorOptions(Device("cpu:0")).dtype(kHalf).requires_grad(true)),
            "TensorOptions(dtype=Half, device=cpu:0, layout=Strided (default), requires_grad=true, "
            "pinned_memory=false (default), memory_format=(nullopt))");
}

TEST(Options, PinnedMemoryIsRefused) {
  EXPECT_FALSE(TensorOptions().pinned_memory(false).pinned_memory());
  EXPECT_THAT(Call([] { (void)TensorOptions().pinned_memory(true); }),
              ThrowsMessage<NotImplementedError>(HasSubstr("pinned_memory")));
}

// A function of an older libtorch program.
Tensor twice_ones(DeprecatedTypeProperties& type) { return ones({2}, type) + ones({2}, type.options()); }

TEST(Types, OfTensors) {
  const Tensor t = twice_ones(CPU(kHalf));
  EXPECT_EQ(t.dtype(), kHalf);
  EXPECT_EQ(t.type(), CPU(kHalf));
  EXPECT_EQ(&t.type(), &CPU(kHalf));
  EXPECT_FALSE(t.type() == CPU(kFloat));
  EXPECT_EQ(t.type().scalarType(), kHalf);
  EXPECT_EQ(t.type().backend(), Backend::CPU);
  EXPECT_EQ(t.type().layout(), kStrided);
  EXPECT_EQ(t.toType(CPU(kLong)).dtype(), kLong);
  EXPECT_EQ(&t.type().toScalarType(kInt), &CPU(kInt));
  EXPECT_EQ(printed(t.type()), "CPUHalfType");
  EXPECT_EQ(t.toString(), "CPUHalfType");
  EXPECT_FALSE(t.has_names());
}

TEST(Undefined, AnswersWhatItCan) {
  const Tensor u;
  EXPECT_FALSE(u.defined());
  EXPECT_EQ(u.sizes(), IntArrayRef({0}));
  EXPECT_EQ(u.dim(), 1);
  EXPECT_EQ(u.size(0), 0);
  EXPECT_EQ(u.numel(), 0);
  EXPECT_EQ(u.scalar_type(), ScalarType::Undefined);
  EXPECT_EQ(u.toString(), "UndefinedType");
  EXPECT_EQ(u.type().backend(), Backend::Undefined);
  EXPECT_FALSE(u.requires_grad() || u.is_inference() || u.is_wrapped_number() || u.is_floating_point());
  EXPECT_FALSE(u.is_cpu());
  EXPECT_FALSE(u.toType(u.type()).defined());
}

TEST(Undefined, RaisesWhereThereIsNoAnswer) {
  Tensor u;
  const Tensor t = ones({1});
  EXPECT_THAT(Call([&] { u.strides(); }),
              ThrowsMessage<ValueError>(AllOf(HasSubstr("strides"), HasSubstr("undefined"))));
  EXPECT_THROW(u.is_contiguous(), ValueError);
  EXPECT_THROW(u.options(), ValueError);
  EXPECT_THROW(u.device(), ValueError);
  EXPECT_THROW(u.get_device(), ValueError);
  EXPECT_THROW(u.is_same_size(t), ValueError);
  EXPECT_THROW(t.is_same_size(u), ValueError);
  EXPECT_THROW(u.grad_fn(), AutogradError);
  EXPECT_THROW(u.storage(), ValueError);
  EXPECT_THROW(u.storage_offset(), ValueError);
  EXPECT_THROW(u.data_ptr(), ValueError);
  EXPECT_THROW(u.element_size(), ValueError);
  EXPECT_THROW(u.item(), ValueError);
  EXPECT_THROW(u.toType(t.type()), DtypeError);
  EXPECT_THROW(t.toType(u.type()), DtypeError);
  EXPECT_THROW(u.add(t), Error);
  EXPECT_THROW(t.add(u), Error);
  EXPECT_THROW(u.add(5), Error);
  EXPECT_THROW(u.mm(u), Error);
  EXPECT_THROW(u.sum(), Error);
  EXPECT_THROW(u.clone(), Error);
  EXPECT_THROW(u.view({0}), Error);
  EXPECT_THROW(u.copy_(t), Error);
  EXPECT_THROW(Tensor(t).copy_(u), Error);
  EXPECT_THROW(u.equal(t), Error);
  EXPECT_THROW(t.equal(u), Error);
  EXPECT_THROW(u[0], Error);
  EXPECT_THROW(Tensor() = Scalar(5), Error);
  EXPECT_THROW(u.backward(), Error);
}

TEST(Undefined, EveryOpByNameTakesItOrRaises) {
  // The ops that need nothing but tensors; none may crash.
  int raised = 0;
  for (const Schema& schema : registry()) {
    std::vector<Value> arguments;
    bool only_tensors = true;
    for (const SchemaArgument& argument : schema.arguments) {
      if (argument.has_default()) continue;
      only_tensors = only_tensors && argument.type == "Tensor" && !argument.kwarg_only;
      arguments.emplace_back(Tensor());
    }
    if (!only_tensors || arguments.empty()) continue;
    try {
      call(schema.full_name(), arguments);
    } catch (const Error&) {
      ++raised;
    }
  }
  EXPECT_GT(raised, 300);
}

TEST(Scalars, Logarithms) {
  EXPECT_EQ(Scalar(1).log().toDouble(), 0);
  EXPECT_TRUE(std::isnan(Scalar(-1.0).log().toDouble()));
  EXPECT_NEAR(Scalar(std::complex<double>(-1, 0)).log().toComplexDouble().imag(), 3.14159265358979, 1e-12);
}

TEST(Halves, CompoundAssignment) {
  Half h = 1.5f;
  h += 1;
  h *= h;
  EXPECT_EQ(static_cast<float>(h), 6.25f);
  BFloat16 b = 3.0f;
  b -= 1;
  b /= 4;
  EXPECT_EQ(static_cast<float>(b), 0.5f);
}

template <class H>
class HalfArithmetic : public testing::Test {};
using HalfTypes = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfArithmetic, HalfTypes);

TYPED_TEST(HalfArithmetic, RoundsEachTime) {
  using H = TypeParam;
  static_assert(std::is_same_v<decltype(H() + H()), H> && std::is_same_v<decltype(-H()), H>);
  static_assert(std::is_same_v<decltype(H() * 2), H> && std::is_same_v<decltype(2 / H()), H>);
  static_assert(std::is_same_v<decltype(H() * 2.0f), float> && std::is_same_v<decltype(2.0 - H()), double>);
  const float most =
      2 / static_cast<float>(std::numeric_limits<H>::epsilon());  // above it odd numbers are no halves
  EXPECT_EQ(H(most) + H(1.0f), H(most));
  EXPECT_EQ(H(most) + std::int64_t{3}, H(most + 4));
  EXPECT_EQ(1 - H(0.25f), H(0.75f));
  EXPECT_EQ(H(1.0f) / 3, H(1.0f / 3.0f));
  EXPECT_EQ(std::numeric_limits<H>::denorm_min() / 2, 0.0f);
  EXPECT_EQ(H(3.0f) * 1.5f, 4.5f);
}

TEST(Generators, TheDefaultOnesSeed) {
  const Generator::State before = detail::getDefaultCPUGenerator().state();
  Generator generator = detail::getDefaultCPUGenerator();
  generator.set_current_seed(7);
  EXPECT_EQ(generator.current_seed(), 7u);
  EXPECT_EQ(initial_seed(), 7u);
  detail::getDefaultCPUGenerator().set_state(before);
}

TEST(Storages, AreSetAsMemory) {
  const Tensor x = arange(12);
  EXPECT_EQ(x.storage().data_ptr().get(), x.data_ptr());
  EXPECT_EQ(x.storage().device(), Device(kCPU));
  Tensor y = empty({2}, kLong);
  EXPECT_TRUE(y.set_(x.storage()).is_set_to(x));
  EXPECT_TRUE(equal(y.set_(x.storage(), 2, {2, 3}), tensor({{2, 3, 4}, {5, 6, 7}})));
  EXPECT_TRUE(equal(y.set_(x.storage(), 1, {2, 2}, {1, 4}), tensor({{1, 5}, {2, 6}})));
  EXPECT_EQ(y.storage_offset(), 1);
  Tensor scalar = empty({2}, kLong);
  EXPECT_EQ(scalar.set_(x.storage(), 7, {}).item<int>(), 7);
  y.set_(x.storage(), 0, {20});  // grows
  EXPECT_EQ(x.storage().nbytes(), 160U);
  EXPECT_EQ(x.data_ptr(), y.data_ptr());
  EXPECT_EQ(x[11].item<int>(), 11);
  Tensor bytes = empty({0}, kByte);
  EXPECT_EQ(bytes.set_(x.storage()).size(0), 160);

  EXPECT_THAT(Call([&] { y.set_(x.storage(), -1, {2}); }),
              ThrowsMessage<ShapeError>(HasSubstr("invalid storage offset -1")));
  const Tensor parameter = zeros({2}).requires_grad_();
  const std::size_t bytes_before = x.storage().nbytes();
  EXPECT_THROW(parameter.set_(x.storage(), 0, {1000}), AutogradError);
  EXPECT_EQ(x.storage().nbytes(), bytes_before);  // it has not grown
  EXPECT_THROW(y.set_(x.storage(), 0, {2, 2}, {1}), ShapeError);
  EXPECT_THROW(y.set_(x.storage(), 0, {2, 2}, {-1, 1}), ShapeError);
  EXPECT_THROW(y.set_(x.storage(), 0, {-2}), ShapeError);
  EXPECT_EQ(y.size(0), 20);
  std::int64_t outside[3] = {};
  const Tensor blob = from_blob(outside, {3}, kLong);
  EXPECT_THROW(y.set_(blob.storage(), 0, {4}), StorageError);
  EXPECT_EQ(y.data_ptr(), x.data_ptr());
  Tensor leaf = ones({2}, requires_grad());
  EXPECT_THROW(leaf.set_(zeros({2}).storage()), AutogradError);
  const auto version = y._version();
  y.set_(x.storage());
  EXPECT_EQ(y._version(), version + 1);
}

TEST(Versions, LibtorchsCounter) {
  const Tensor x = ones({2});
  const auto counter = autograd::impl::version_counter(x);
  EXPECT_EQ(counter.current_version(), 0u);
  counter.bump();
  Tensor(x.view({1, 2})).zero_();
  EXPECT_EQ(counter.current_version(), 2u);
  Tensor inference;
  {
    const InferenceMode mode;
    inference = ones({2});
  }
  EXPECT_FALSE(autograd::impl::version_counter(inference).enabled());
  EXPECT_THROW(autograd::impl::version_counter(inference).current_version(), AutogradError);
}

TEST(Views, LibtorchsCreationMeta) {
  const Tensor x = ones({2, 2}, requires_grad()) * 1;
  Tensor view;
  {
    const InferenceMode mode;
    view = x.view({4});
  }
  ASSERT_NE(autograd::impl::get_view_autograd_meta(view), nullptr);
  EXPECT_EQ(autograd::impl::get_view_autograd_meta(view)->get_creation_meta(),
            autograd::CreationMeta::INFERENCE_MODE);
  EXPECT_EQ(autograd::impl::get_view_autograd_meta(x), nullptr);
  EXPECT_EQ(autograd::impl::get_autograd_meta(ones({1})), nullptr);
  EXPECT_TRUE(autograd::any_variable_requires_grad({ones({1}), x}));
  EXPECT_FALSE(autograd::any_variable_requires_grad({ones({1}), Tensor()}));
}

TEST(Reductions, AnIntegerIsADimensionAndABoolIsNot) {
  const Tensor x = tensor({{1., 2., 4.}, {3., 5., 9.}});
  EXPECT_TRUE(x.var(0).equal(x.var(IntArrayRef({0}))));
  EXPECT_EQ(x.std(0).sizes(), IntArrayRef({3}));
  EXPECT_EQ(var(x, 1).sizes(), IntArrayRef({2}));
  EXPECT_EQ(lanewise::std(x, std::int64_t{-1}).sizes(), IntArrayRef({2}));
  EXPECT_EQ(std::get<0>(var_mean(x, 0)).sizes(), IntArrayRef({3}));
  EXPECT_TRUE(std::get<1>(std_mean(x, 0)).equal(x.mean(0)));
  EXPECT_EQ(x.var(false).dim(), 0);
  EXPECT_EQ(x.std(true).dim(), 0);
  EXPECT_NE(x.var(false).item<float>(), x.var(true).item<float>());
  EXPECT_EQ(std::get<0>(std_mean(x, false)).dim(), 0);
}

TEST(Names, OutFormsOfMaxAndMin) {
  const Tensor a = tensor({1., 5.}), b = tensor({2., 3.});
  Tensor out = empty({0});
  EXPECT_TRUE(max_out(out, a, b).equal(tensor({2., 5.})));
  EXPECT_TRUE(min_out(out, a, b).equal(tensor({1., 3.})));
  EXPECT_TRUE(max(a, b).equal(tensor({2., 5.})) && a.min(b).equal(out));
}

TEST(Names, SpecialAndLinalgAreNamespacesToo) {
  const Tensor x = tensor({0.5, 1.5});
  EXPECT_TRUE(special::expm1(x).equal(expm1(x)));
  EXPECT_TRUE(special::gammaln(x).equal(lgamma(x)));
  EXPECT_TRUE(special::xlogy(x, 2).equal(xlogy(x, 2)));
  EXPECT_TRUE(special::softmax(x, 0, std::nullopt).equal(softmax(x, 0)));
  Tensor out = empty({0});
  EXPECT_TRUE(special::erf_out(out, x).equal(erf(x)));
  EXPECT_TRUE(linalg::vector_norm(x, 2, std::nullopt, false, std::nullopt).equal(x.norm()));
  EXPECT_TRUE(linalg::norm(x, std::nullopt, std::nullopt, false, std::nullopt).equal(x.norm()));
  EXPECT_TRUE(linalg::norm_out(out, x, std::nullopt, std::nullopt, false, std::nullopt).equal(x.norm()));
}

TEST(Names, FlatListsOfTensors) {
  const std::vector<Tensor> parts{arange(6, kFloat).view({2, 3}).t(), ones({2}), empty({0, 3})};
  const Tensor flat = utils::flatten_dense_tensors(parts);
  EXPECT_TRUE(flat.equal(tensor({0., 3., 1., 4., 2., 5., 1., 1.})));
  const std::vector<Tensor> again = utils::unflatten_dense_tensors(flat, parts);
  ASSERT_EQ(again.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(again[i].equal(parts[i])) << i;
  EXPECT_TRUE(again[1].is_alias_of(flat));
  EXPECT_THROW(utils::flatten_dense_tensors({ones({1}), ones({1}, kInt)}), DtypeError);
}

TEST(Names, OptionsFromTextAndTypes) {
  EXPECT_EQ(TensorOptions("cpu").device(), Device(kCPU));
  EXPECT_EQ(TensorOptions().device("cpu:0").device_index(), 0);
  EXPECT_EQ(device_index(0).device(), Device(kCPU, 0));
  EXPECT_EQ(dtype<double>().dtype(), kDouble);
  EXPECT_EQ(TensorOptions().dtype<std::int64_t>().dtype_opt(), kLong);
  static_assert(CppTypeToScalarType<float>::value == kFloat && CppTypeToScalarType<std::int64_t>() == kI64);
  EXPECT_TRUE(ones({2}).to("cpu").equal(ones({2})));
  EXPECT_THROW(TensorOptions("gpu"), ValueError);
}

TEST(Names, FunctionsOfTensorsThatAreMethods) {
  Tensor x = ones({2, 3});
  EXPECT_EQ(numel(x), 6);
  EXPECT_TRUE(is_nonzero(x[0][0]) && is_floating_point(x) && !is_complex(x) && is_signed(x));
  EXPECT_EQ(x.data<float>(), x.data_ptr<float>());
  EXPECT_FALSE(x.is_sparse() || x.is_quantized() || x.is_conj() || x.is_meta());
}

TEST(LibtorchTypes, OptionalTensorsMayBeMissing) {
  const Tensor x = ones({2, 3}), none;
  EXPECT_TRUE(layer_norm(x, {3}, std::nullopt, std::nullopt).equal(zeros({2, 3})));
  EXPECT_TRUE(linear(x, ones({4, 3}), std::optional<Tensor>()).equal(full({2, 4}, 3.0)));
  EXPECT_TRUE(clamp(x, std::nullopt, full({3}, 0.5)).equal(full({2, 3}, 0.5)));
  EXPECT_FALSE(Tensor(std::nullopt).defined());
  EXPECT_TRUE(Tensor(std::optional<Tensor>(x)).is_same(x));
}

TEST(LibtorchTypes, NoElementsHaveNoAddress) {
  EXPECT_EQ(empty({0}).data_ptr(), nullptr);
  EXPECT_EQ(ones({3}).narrow(0, 3, 0).data_ptr<float>(), nullptr);
}

TEST(LibtorchTypes, NumbersAreSoughtInWhatHoldsThem) {
  const Tensor bounds = tensor({0, 2, 4, 5});
  EXPECT_EQ(bucketize(2.5, bounds).item<std::int64_t>(), 2);
  EXPECT_EQ(searchsorted(bounds.to(kByte), 300).item<std::int64_t>(), 4);
}

TEST(LibtorchTypes, IndexFillCountsFromTheEnd) {
  EXPECT_TRUE(zeros({3}).index_fill(0, tensor({-1}), 1.0).equal(tensor({0., 0., 1.})));
  EXPECT_THROW(zeros({3}).index_fill(0, tensor({-4}), 1.0), IndexError);
}

TEST(LibtorchTypes, ResultsShareNoMemoryTheyShouldNot) {
  const Tensor a = ones({2, 2});
  EXPECT_FALSE(chain_matmul({a}).is_alias_of(a));
  EXPECT_FALSE(std::get<0>(native_dropout(a, 0.5, false)).is_alias_of(a));
  EXPECT_TRUE(broadcast_tensors({a, ones({1})})[0].is_same(a));
  EXPECT_EQ(block_diag({a, ones({}, kDouble)}).scalar_type(), kFloat);
  EXPECT_EQ(repeat_interleave(tensor({1, 2}).to(kInt)).scalar_type(), kInt);
  EXPECT_EQ(cat({empty({0})}, 2).sizes(), IntArrayRef({0}));
}

TEST(C10Names, AreThoseOfTheStandardLibrary) {
  std::vector<std::int64_t> seen;
  for (const std::int64_t i : irange(std::int64_t{3})) seen.push_back(i);
  for (const int i : irange(5, 7)) seen.push_back(i);
  for (const std::size_t i : irange(std::size_t{0})) seen.push_back(static_cast<std::int64_t>(i) + 100);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 5, 6}));
  EXPECT_EQ(irange(4, 2).begin(), irange(4, 2).end());
  const optional<int> none = nullopt;
  EXPECT_FALSE(none.has_value());
}

}  // namespace
}  // namespace lanewise
