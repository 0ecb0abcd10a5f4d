// Ops that write where an index says: what they write to shares no memory with what they read.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

struct Form {
  const char* name;
  std::function<void(Tensor& written, const Tensor& index, const Tensor& source)> call;
};

const std::vector<Form> kForms = {
    {"index_add_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.index_add_(0, i, s); }},
    {"index_copy_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.index_copy_(0, i, s); }},
    {"index_put_", [](Tensor& w, const Tensor& i, const Tensor& s) { index_put_(w, {i}, s); }},
    {"index_reduce_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.index_reduce_(0, i, s, "prod"); }},
    {"put_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.put_(i, s); }},
    {"scatter_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.scatter_(0, i, s); }},
    {"scatter_add_", [](Tensor& w, const Tensor& i, const Tensor& s) { w.scatter_add_(0, i, s); }},
    {"scatter_reduce_",
     [](Tensor& w, const Tensor& i, const Tensor& s) { w.scatter_reduce_(0, i, s, "amax"); }},
    {"gather", [](Tensor& w, const Tensor& i, const Tensor& s) { gather_out(w, s, 0, i); }},
    {"index_select", [](Tensor& w, const Tensor& i, const Tensor& s) { index_select_out(w, s, 0, i); }},
    {"take", [](Tensor& w, const Tensor& i, const Tensor& s) { take_out(w, s, i); }},
    {"cat",
     [](Tensor& w, const Tensor& i, const Tensor& s) {
       cat_out(w, {i, s.narrow(0, 0, 0)});
     }},
};

TEST(WrittenApart, FromWhatIsRead) {
  const Tensor index = tensor({2, 1, 0, 3});
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.name);
    const auto refuses = [&](Tensor written, const Tensor& i, const Tensor& source) {
      const Tensor before = written.clone();
      EXPECT_THROW(form.call(written, i, source), StorageError);
      EXPECT_TRUE(equal(written, before));
    };
    Tensor memory = arange(8).remainder(4), other = arange(4);
    if (form.name != std::string("cat")) {
      refuses(other, index, other);
      refuses(memory.narrow(0, 1, 4), index, memory.narrow(0, 2, 4));
    }
    if (form.name != std::string("gather")) refuses(other, other, index);
    Tensor apart = memory.narrow(0, 0, 4);  // beside each other
    EXPECT_NO_THROW(form.call(apart, index, memory.narrow(0, 4, 4)));
  }
}

// As PyTorch does, what is read whole before anything is written may be anywhere.
TEST(WrittenApart, ButForOneValueUnderAMaskAndTheIndexOfGather) {
  Tensor x = tensor({3.0, -1.0, -2.0});
  x.index_put_({x < 0}, x[0]);
  EXPECT_TRUE(equal(x, tensor({3.0, 3.0, 3.0})));
  Tensor mask = tensor({true, false});
  mask.index_put_({mask}, false);
  EXPECT_FALSE(mask.any().item<bool>());
  Tensor index = tensor({2, 0, 1});
  gather_out(index, tensor({10, 20, 30}), 0, index);
  EXPECT_TRUE(equal(index, tensor({30, 10, 20})));
}

// Strided tensors that meet are not noticed; an index that is overwritten meanwhile must not be used.
TEST(WrittenApart, FromStridedIndices) {
  for (int kind = 0; kind < 3; ++kind) {
    const Tensor memory = arange(8).remainder(4);
    Tensor written = memory.slice(0, 0, 8, 2);
    const Tensor index = memory.narrow(0, 0, 4), source = full({4}, 1000000, TensorOptions(kLong));
    if (kind == 0) written.scatter_(0, index, source);
    if (kind == 1) written.scatter_add_(0, index, source);
    if (kind == 2) written.scatter_reduce_(0, index, source, "amax");
    EXPECT_TRUE((written >= 1000000).all().item<bool>());
    EXPECT_TRUE(equal(memory.slice(0, 1, 8, 2), tensor({1, 3, 1, 3})));
  }
}

TEST(WrittenApart, FromTheIndexOfAFill) {
  Tensor x = arange(4);
  EXPECT_THROW(x.index_fill_(0, x, 1), StorageError);
  EXPECT_THROW(x.scatter_(0, x, 1), StorageError);
  EXPECT_TRUE(equal(x, arange(4)));
}

}  // namespace
}  // namespace lanewise
