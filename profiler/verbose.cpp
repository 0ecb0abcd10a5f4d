#include <cstdio>
#include <string>

#include <lanewise/profiler/detail/recorder.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::profiler::detail {
namespace {

std::string tensors(const std::int64_t* words, const std::int64_t* end, bool results) {
  std::string text;
  for (const std::int64_t* at = words; at < end; at += 3 + 2 * at[2]) {
    if ((at[1] != 0) != results) continue;
    const auto dtype = static_cast<ScalarType>(at[0]);
    text += (text.empty() ? "" : " ") +
            std::string(dtype == ScalarType::Undefined ? "none" : short_name(dtype)) + "[";
    for (std::int64_t d = 0; d < at[2]; ++d) text += (d == 0 ? "" : " x ") + std::to_string(at[3 + d]);
    text += "]";
  }
  return text;
}

}  // namespace

void print_verbose(const Frame& frame, std::int64_t end) {
  static std::once_flag header;
  std::call_once(header, [] {
    std::fputs("lanewise,thread,depth,kind,name,arguments,results,isa,path,threads,bytes,allocations,us\n",
               stderr);
  });
  const std::vector<std::int64_t>& scratch = frame.log_.scratch;
  const std::int64_t* words = scratch.data() + frame.words_;
  const std::int64_t* words_end = scratch.data() + scratch.size();
  const char* kind = frame.kind_ == Kind::Op ? "op" : frame.kind_ == Kind::Backward ? "backward" : "range";
  char numbers[96];
  std::snprintf(numbers, sizeof(numbers), "%d,%lld,%u,%.3f\n", frame.notes_.threads,
                static_cast<long long>(frame.bytes_), frame.notes_.allocations,
                static_cast<double>(end - frame.begin_) * 1e-3);
  const std::string line = "lanewise," + std::to_string(frame.log_.number) + "," +
                           std::to_string(frame.depth_) + "," + kind + "," + std::string(frame.name_) + "," +
                           tensors(words, words_end, false) + "," + tensors(words, words_end, true) + "," +
                           lanewise::name(active_isa()) + "," + std::string(path_name(frame.notes_.path)) +
                           "," + numbers;
  std::fwrite(line.data(), 1, line.size(), stderr);  // in one piece, whoever else writes
}

}  // namespace lanewise::profiler::detail
