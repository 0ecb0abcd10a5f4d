// Tensors and lists of tensors to files and back; files by others, damaged ones included.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A folder of its own, which goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::path(::testing::TempDir()) / ("lanewise_save_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// A file of the format, made by hand.
std::string file_of(const std::string& header, const std::string& elements = "") {
  const std::uint64_t length = header.size();
  std::string all(sizeof(length), '\0');
  std::memcpy(all.data(), &length, sizeof(length));
  return all + header + elements;
}

NamedTensors read(const std::string& bytes, Metadata* metadata = nullptr) {
  return read_safetensors(bytes.data(), bytes.size(), metadata);
}

Tensor through(const Tensor& t) {
  std::stringstream stream;
  save(t, stream);
  Tensor back;
  load(back, stream);
  return back;
}

void expect_same(const Tensor& a, const Tensor& b) {
  ASSERT_TRUE(a.defined() && b.defined());
  EXPECT_EQ(a.scalar_type(), b.scalar_type());
  EXPECT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(a.equal(b)) << a << b;
}

TEST(Save, EveryDtypeTheFormatHas) {
  for (const ScalarType dtype :
       {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kComplexFloat}) {
    const Tensor t = randint(0, 100, {3, 5}, kLong).to(dtype);
    expect_same(through(t), t);
  }
  EXPECT_THAT([] { through(ones({2}, kComplexDouble)); },
              ThrowsMessage<DtypeError>(HasSubstr("write view_as_real()")));
}

TEST(Save, EveryShapeAndLayout) {
  const Tensor t = arange(60, kFloat).reshape({3, 4, 5});
  for (const Tensor& each : {t, t.transpose(0, 2), t.slice(1, 1, 4, 2), t[1][2][3], t.slice(0, 0, 0),
                             t.select(2, 1).expand({2, 3, 4}), t.flip({1})}) {
    const Tensor back = through(each);
    expect_same(back, each);
    EXPECT_TRUE(back.is_contiguous());
  }
}

TEST(Save, OfAViewOnlyItsElements) {
  std::ostringstream small;
  save(zeros({1000, 1000}).select(0, 3).slice(0, 0, 4), small);
  EXPECT_LT(small.str().size(), 200U);
}

TEST(Save, ALoadedParameterStaysTheVariableThatItIs) {
  Tensor w = zeros({2, 2}, requires_grad());
  const Tensor same = w;
  std::stringstream stream;
  save(ones({2, 2}), stream);
  load(w, stream);
  EXPECT_TRUE(same.equal(ones({2, 2})));
  EXPECT_TRUE(w.requires_grad() && w.is_leaf());
  (w * w).sum().backward();
  EXPECT_TRUE(w.grad().equal(full({2, 2}, 2)));
}

TEST(Save, NothingOfTheGraph) {
  const Tensor w = ones({2}, requires_grad());
  EXPECT_FALSE(through(w * 2).requires_grad());
}

TEST(Save, Lists) {
  std::vector<Tensor> list, back;
  for (int i = 0; i < 12; ++i) list.push_back(full({i}, i));
  std::stringstream stream;
  save(list, stream);
  load(back, stream);
  ASSERT_EQ(back.size(), list.size());
  for (std::size_t i = 0; i < list.size(); ++i) expect_same(back[i], list[i]);
}

TEST(Save, OneAfterTheOtherInAStream) {
  std::stringstream stream;
  save(ones({3}), stream);
  save(zeros({2}, kLong), stream);
  Tensor a, b;
  load(a, stream);
  load(b, stream);
  expect_same(a, ones({3}));
  expect_same(b, zeros({2}, kLong));
}

TEST(Save, FilesMemoryAndFunctions) {
  const TemporaryFolder folder;
  const Tensor t = randn({4, 7});
  Tensor back;
  save(t, folder.file("t"));
  load(back, folder.file("t"));
  expect_same(back, t);

  std::string bytes;
  save(t, [&](const void* from, std::size_t count) {
    bytes.append(static_cast<const char*>(from), count);
    return count;
  });
  Tensor from_memory, from_function;
  load(from_memory, bytes.data(), bytes.size());
  expect_same(from_memory, t);
  load(
      from_function,
      [&](std::uint64_t position, void* to, std::size_t count) {
        return bytes.copy(static_cast<char*>(to), count, position);
      },
      [&] { return bytes.size(); });
  expect_same(from_function, t);
  EXPECT_THROW(save(t, [](const void*, std::size_t count) { return count - 1; }), DataError);
}

TEST(Save, AFileIsReplacedWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder.file("t");
  save(ones({3}), path);
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_THROW(save(ones({3}, kComplexDouble), path), DtypeError);
  Tensor back;
  load(back, path);
  expect_same(back, ones({3}));
  EXPECT_EQ(folder.count(), 1U);

  std::filesystem::create_symlink(path, folder.file("link"));
  save(zeros({2}), folder.file("link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  Tensor other;
  load(other, path);
  expect_same(other, zeros({2}));
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_THAT([&] { save(back, folder.file("none/t")); }, ThrowsMessage<DataError>(HasSubstr("none/t")));

  std::filesystem::create_symlink(folder.file("later"), folder.file("dangling"));
  save(zeros({2}), folder.file("dangling"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("dangling")));
  load(other, folder.file("later"));
  EXPECT_THAT([&] { save(ones({1000000}), std::string("/dev/full")); },
              ThrowsMessage<DataError>(HasSubstr("/dev/full: No space left")));
  EXPECT_THROW(save(zeros({2}), folder.file("")), DataError);  // a folder
  save(zeros({2}), folder.file(std::string(255, 'n')));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) save(full({5000}, i), path);
    });
  }
  for (std::thread& t : threads) t.join();
  Tensor last;
  load(last, path);
  EXPECT_TRUE(last.eq(last[0]).all().item<bool>());
}

TEST(Save, OtherDevicesAndNoTensors) {
  std::stringstream stream;
  save(ones({3}), stream);
  Tensor t;
  EXPECT_THROW(load(t, stream, kCUDA), NotImplementedError);
  load(t, stream, kCPU);
  expect_same(t, ones({3}));
  EXPECT_THAT([&] { save(Tensor(), stream); }, ThrowsMessage<ValueError>(HasSubstr("is undefined")));

  std::stringstream named;
  save(NamedTensors{{"w", ones({2})}}, named);
  EXPECT_THAT([&] { load(t, named); }, ThrowsMessage<ValueError>(HasSubstr("No such serialized tensor '0'")));
}

// ------------------------------------------------------------------------------------------------ the format

TEST(Safetensors, IsWhatTheFormatSays) {
  std::ostringstream out;
  write_safetensors(out, {{"b", tensor({1.0f, -2.0f})}, {"a", tensor({true, false})}}, {{"by", "us"}});
  const std::string bytes = out.str();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const std::string header = bytes.substr(8, length);
  EXPECT_EQ(length % 8, 0U);
  EXPECT_EQ(
      header.substr(0, header.find_last_not_of(' ') + 1),
      R"({"__metadata__":{"by":"us"},)"
      R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"BOOL","shape":[2],"data_offsets":[8,10]}})");
  EXPECT_EQ(bytes.substr(8 + length), std::string("\0\0\x80\x3f\0\0\0\xc0\1\0", 10));
  Metadata metadata;
  const NamedTensors back = read(bytes, &metadata);
  EXPECT_EQ(metadata, (Metadata{{"by", "us"}}));
  ASSERT_EQ(back.size(), 2U);
  expect_same(back.at("a"), tensor({true, false}));
}

TEST(Safetensors, AnyOrderAnySpacesAndEmptyTensors) {
  const NamedTensors back = read(file_of(
      R"( { "y" : {"data_offsets":[2,4],"dtype":"I16","shape":[]}, "none":{"dtype":"F64","shape":[0,3],"data_offsets":[2,2]},
            "x":{"shape":[2],"dtype":"U8","data_offsets":[0,2]} }   )",
      std::string("\7\x9\1\1", 4)));
  expect_same(back.at("x"), tensor({7, 9}, kByte));
  expect_same(back.at("y"), tensor(257, kShort));
  EXPECT_EQ(back.at("none").sizes(), (IntArrayRef{0, 3}));
  EXPECT_TRUE(read(file_of("{}")).empty());
}

TEST(Safetensors, BytesOfBool) {
  const Tensor t =
      read(file_of(R"({"x":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}})", std::string("\0\2\xff", 3)))
          .at("x");
  EXPECT_EQ(t.sum().item<int>(), 2);
}

TEST(Safetensors, NamesOfAnyLetters) {
  const NamedTensors all = {{"", ones({1})}, {"a \"quoted\"\n\\name", ones({2})}, {"größe", ones({3})}};
  std::stringstream stream;
  write_safetensors(stream, all);
  const NamedTensors back = read_safetensors(stream);
  for (const auto& [name, t] : all) expect_same(back.at(name), t);
  EXPECT_THAT(
      [&] {
        write_safetensors(stream, {{"\xff\xfe", ones({1})}});
      },
      ThrowsMessage<DataError>(HasSubstr("is not UTF-8")));
  EXPECT_THROW(write_safetensors(stream, {{"__metadata__", ones({1})}}), DataError);
  EXPECT_THROW(write_safetensors(stream, {{std::string("a\0b", 3), ones({1})}}), DataError);

  Metadata metadata = {{"k", std::string("a\0b", 3)}}, read_back = {{"old", ""}};
  std::stringstream texts;
  write_safetensors(texts, {}, metadata);
  read_safetensors(texts, &read_back);
  EXPECT_EQ(read_back, metadata);
}

TEST(Safetensors, DamagedFiles) {
  const std::string entry = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";
  const std::string eight(8, '\0');
  const std::pair<std::string, const char*> cases[] = {
      {"", "ends after 0 of 8 bytes of the header's length"},
      {std::string(8, '\xff'), "is no safetensors file"},
      {file_of("{\"x\":{" + entry + "}}", eight).substr(0, 30), "is no safetensors file"},
      {file_of("[1]"), "is not a JSON object"},
      {file_of("{\"x\":"), "is not JSON"},
      {file_of("{\"x\":{" + entry + "},\"x\":{" + entry + "}}", eight), "is not JSON"},
      {file_of("{\"x\":3}"), "'x' is not described by a JSON object"},
      {file_of("{\"x\":{\"shape\":[2],\"data_offsets\":[0,8]}}", eight), "'x' has no dtype"},
      {file_of("{\"x\":{\"dtype\":\"F32\",\"data_offsets\":[0,8]}}", eight), "'x' has no shape"},
      {file_of("{\"x\":{\"dtype\":\"F32\",\"shape\":[2]}}", eight), "'x' has no data_offsets"},
      {file_of(R"({"x":{"dtype":"U32","shape":[2],"data_offsets":[0,8]}})", eight), "'x' is of dtype U32"},
      {file_of(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", eight), "whole numbers"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", eight), "whole numbers"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})", eight), "are 3, expected 2"},
      {file_of(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", eight),
       "its shape and dtype take 12"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight), "has the bytes 8 to 0"},
      {file_of(R"({"x":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", eight),
       "is too large"},
      {file_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", std::string(12, '\0')),
       "begins at byte 4, expected 0"},
      {file_of("{\"x\":{" + entry + "},\"y\":{" + entry + "}}", eight), "begins at byte 0, expected 8"},
      {file_of("{\"x\":{" + entry + "}}", eight.substr(1)), "the file is truncated"},
      {file_of("{\"x\":{" + entry + "}}", eight + "!"), "goes on after the last element"},
      {file_of("{\"__metadata__\":[]}"), "__metadata__ is not a JSON object"},
      {file_of("{\"__metadata__\":{\"a\":1}}"), "'a' is not a string"},
  };
  for (const auto& [bytes, message] : cases) {
    const auto damaged = [&all = bytes] { read(all); };
    EXPECT_THAT(damaged, ThrowsMessage<DataError>(HasSubstr(message))) << bytes;
  }
  EXPECT_THAT([] { read_safetensors("no such file"); },
              ThrowsMessage<DataError>(HasSubstr("cannot open no such file")));
  std::istringstream stream(file_of("{\"x\":{" + entry + "}}", eight.substr(1)));
  EXPECT_THAT([&] { read_safetensors(stream); },
              ThrowsMessage<DataError>(HasSubstr("ends after 7 of 8 bytes of the tensors")));
}

TEST(Safetensors, AnyByteChangedIsReadOrRefused) {
  std::ostringstream out;
  write_safetensors(out, {{"a", ones({2, 3})}, {"b", ones({4}, kBool)}}, {{"k", "v"}});
  const std::string whole = out.str();
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char c : {'\0', '"', '1', '}', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[i] = c;
      try {
        read(changed);
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace lanewise::data
