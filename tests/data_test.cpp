// Reading IDX files, damaged ones included, and cutting a data set into batches.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <lanewise/data/batches.h>
#include <lanewise/data/errors.h>
#include <lanewise/data/idx.h>
#include <lanewise/lanewise.h>

#include "call.h"

namespace lanewise::data {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A file with the given bytes that goes away with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes, bool compressed = false) {
    static int count = 0;
    path_ = (std::filesystem::path(::testing::TempDir()) /
             ("lanewise_idx_" + std::to_string(::getpid()) + "_" + std::to_string(count++)))
                .string();
    if (compressed) {
      gzFile file = gzopen(path_.c_str(), "wb");
      gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
      gzclose(file);
    } else {
      std::ofstream(path_, std::ios::binary) << bytes;
    }
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string word(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string header(char code, std::initializer_list<std::uint32_t> sizes) {
  std::string text = {0, 0, code, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) text += word(size);
  return text;
}

TEST(Idx, ReadsBytesPlainAndCompressed) {
  const std::string bytes = header(0x08, {2, 3}) + std::string{1, 2, 3, 4, 5, static_cast<char>(255)};
  for (const bool compressed : {false, true}) {
    const TemporaryFile file(bytes, compressed);
    const Tensor t = read_idx(file.path());
    EXPECT_EQ(t.scalar_type(), kByte);
    EXPECT_EQ(t.sizes(), IntArrayRef({2, 3}));
    EXPECT_EQ(t.data_ptr<std::uint8_t>()[0], 1);
    EXPECT_EQ(t.data_ptr<std::uint8_t>()[5], 255);
  }
}

TEST(Idx, TurnsBigEndianNumbersRound) {
  const TemporaryFile ints(header(0x0C, {2}) + word(7) + word(0xFFFFFFFE));
  const Tensor t = read_idx(ints.path());
  EXPECT_EQ(t.scalar_type(), kInt);
  EXPECT_EQ(t.data_ptr<std::int32_t>()[0], 7);
  EXPECT_EQ(t.data_ptr<std::int32_t>()[1], -2);
  const TemporaryFile floats(header(0x0D, {1}) + word(0x3FC00000));
  EXPECT_EQ(read_idx(floats.path()).item<float>(), 1.5F);
}

TEST(Idx, NamesAMissingFile) {
  EXPECT_THAT(
      Call([] { read_idx("/nonexistent/images.gz"); }),
      ThrowsMessage<DataError>(AllOf(HasSubstr("/nonexistent/images.gz"), HasSubstr("No such file"))));
}

TEST(Idx, NamesWhatIsWrongWithADamagedFile) {
  const auto reading = [](const std::string& bytes, bool compressed = false) {
    return [bytes, compressed] { read_idx(TemporaryFile(bytes, compressed).path()); };
  };
  const std::string good = header(0x08, {2, 2}) + "abcd";
  EXPECT_THAT(reading(good.substr(0, 15)),
              ThrowsMessage<DataError>(HasSubstr("ends after 3 of 4 bytes of data")));
  EXPECT_THAT(reading(good.substr(0, 6)), ThrowsMessage<DataError>(HasSubstr("bytes of sizes")));
  EXPECT_THAT(reading(""), ThrowsMessage<DataError>(HasSubstr("bytes of magic number")));
  EXPECT_THAT(reading(good + "e"), ThrowsMessage<DataError>(HasSubstr("goes on after the 4 elements")));
  EXPECT_THAT(reading("P5 something else"), ThrowsMessage<DataError>(HasSubstr("is not an IDX file")));
  EXPECT_THAT(reading(header(0x07, {1}) + "a"), ThrowsMessage<DataError>(HasSubstr("element code 7")));
  EXPECT_THAT(reading(header(0x08, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF})),
              ThrowsMessage<DataError>(HasSubstr("header is damaged")));
}

TEST(Idx, NoticesADamagedGzipStream) {
  const TemporaryFile whole(header(0x08, {4000}) + std::string(4000, 'x'), true);
  std::ifstream in(whole.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_THROW(read_idx(TemporaryFile(bytes.substr(0, bytes.size() / 2)).path()), DataError);
  // Without the sum and the length that it ends with, and with a wrong sum.
  EXPECT_THAT(Call([&] { read_idx(TemporaryFile(bytes.substr(0, bytes.size() - 8)).path()); }),
              ThrowsMessage<DataError>(HasSubstr("truncated")));
  std::string wrong = bytes;
  wrong[wrong.size() - 8] ^= 1;
  EXPECT_THAT(Call([&] { read_idx(TemporaryFile(wrong).path()); }),
              ThrowsMessage<DataError>(HasSubstr("incorrect data check")));
}

TEST(Batches, CoverEveryRowOnceAndKeepFeaturesBesideLabels) {
  const Tensor labels = arange(10).to(kLong), features = labels.to(kFloat).unsqueeze(1).expand({10, 3}) * 2;
  Batches batches(features, labels, {.batch_size = 4, .shuffle = true, .drop_last = false, .seed = 7});
  EXPECT_EQ(batches.size(), 3);
  for (int epoch = 0; epoch < 2; ++epoch) {
    batches.start(epoch);
    std::vector<std::int64_t> seen;
    Batch batch;
    while (batches.next(batch)) {
      for (std::int64_t i = 0; i < batch.labels.size(0); ++i) {
        const auto label = batch.labels[i].item<std::int64_t>();
        seen.push_back(label);
        EXPECT_EQ(batch.features.select(0, i).select(0, 2).item<float>(), static_cast<float>(2 * label));
      }
    }
    std::sort(seen.begin(), seen.end());
    std::vector<std::int64_t> all(10);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(seen, all);
  }
}

TEST(Batches, DropLastLeavesOutTheRest) {
  const Tensor labels = arange(10).to(kLong);
  Batches batches(labels, labels, {.batch_size = 4, .shuffle = false, .drop_last = true, .seed = 0});
  EXPECT_EQ(batches.size(), 2);
  Batch batch;
  int count = 0;
  while (batches.next(batch)) EXPECT_EQ(batch.labels[0].item<std::int64_t>(), 4 * count++);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(Batches(labels, labels, {.batch_size = INT64_MAX}).size(), 1);
}

TEST(Batches, RejectUnequalRows) {
  EXPECT_THAT(Call([] {
                Batches(zeros({3, 2}), zeros({4}));
              }),
              ThrowsMessage<DataError>(AllOf(HasSubstr("[3, 2]"), HasSubstr("[4]"))));
  EXPECT_THROW(Batches(zeros({3, 2}), zeros({3}), {.batch_size = 0}), ValueError);
}

TEST(Permutation, DependsOnSeedAndStreamAlone) {
  EXPECT_THROW(permutation(-1, 3, 5), ValueError);
  const auto first = permutation(1000, 3, 5);
  manual_seed(99);
  EXPECT_EQ(permutation(1000, 3, 5), first);
  EXPECT_NE(permutation(1000, 3, 6), first);
  EXPECT_NE(permutation(1000, 4, 5), first);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace lanewise::data
