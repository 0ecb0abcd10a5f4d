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
    refuses(other, other, index);
    Tensor apart = memory.narrow(0, 0, 4);  // beside each other
    EXPECT_NO_THROW(form.call(apart, index, memory.narrow(0, 4, 4)));
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
