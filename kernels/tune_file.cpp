#include <array>
#include <charconv>
#include <set>
#include <tuple>

#include <lanewise/kernels/detail/tunable.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/parse_dtype.h>

namespace lanewise::kernels {
namespace {

constexpr std::string_view kFirstLine = "lanewise-tune 1";
constexpr std::array<std::string_view, kSizeClasses> kSizes = {"small", "cache", "memory"};
constexpr std::size_t kWords = 6;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    result.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return result;
}

SizeClass parse_size(std::string_view text) {
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    if (text == kSizes[i]) return static_cast<SizeClass>(i);
  }
  lanewise::detail::raise<ValueError>("size '", text, "': expected small, cache or memory");
}

std::int64_t parse_number(std::string_view text, const char* what) {
  if (text == "-") return 0;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  LANEWISE_CHECK(ValueError, error == std::errc() && end == text.data() + text.size() && number > 0, what,
                 " '", text, "': expected elements, 1 or more, or -");
  return number;
}

Tuning parse_line(std::string_view line) {
  const std::vector<std::string_view> w = words(line);
  LANEWISE_CHECK(ValueError, w.size() == kWords, "'", line, "' has ", w.size(), " words, expected ", kWords,
                 ": kernel, dtype, size, tier, grain, block");
  return {.kernel = std::string(w[0]),
          .dtype = parse_dtype(w[1]),
          .size = parse_size(w[2]),
          .isa = parse_isa(w[3]),
          .grain = parse_number(w[4], "grain"),
          .block = parse_number(w[5], "block")};
}

}  // namespace

std::string TuneFile::text() const {
  std::string text(kFirstLine);
  text += "\ncpu " + cpu + "\n# kernel dtype size tier grain block; what is not named keeps the defaults\n";
  const auto number = [](std::int64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
  for (const Tuning& t : tunings) {
    text += t.kernel + " " + short_name(t.dtype) + " " +
            std::string(kSizes[static_cast<std::size_t>(t.size)]) + " " + name(t.isa) + " " +
            number(t.grain) + " " + number(t.block) + "\n";
  }
  return text;
}

TuneFile TuneFile::parse(std::string_view text, const std::string& source) {
  TuneFile file;
  bool begun = false, has_cpu = false;
  std::set<std::tuple<std::string, ScalarType, SizeClass>> seen;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      if (!begun) {
        LANEWISE_CHECK(ValueError, line == kFirstLine,
                       "no file of `lanewise bench --tune`, which begins with '", kFirstLine, "'");
        begun = true;
      } else if (line.empty() || line.front() == '#') {
        continue;
      } else if (!has_cpu) {
        LANEWISE_CHECK(ValueError, line.starts_with("cpu"), "'", line, "': expected 'cpu' and its model");
        file.cpu = trimmed(line.substr(3));
        has_cpu = true;
      } else {
        Tuning tuning = parse_line(line);
        if (file.cpu == cpu_model()) check_tuning(tuning);
        LANEWISE_CHECK(ValueError, seen.insert({tuning.kernel, tuning.dtype, tuning.size}).second, "'", line,
                       "': tuned before");
        file.tunings.push_back(std::move(tuning));
      }
    } catch (const Error& error) {
      lanewise::detail::raise<ValueError>(source, ":", number, ": ", error.what());
    }
  }
  LANEWISE_CHECK(ValueError, has_cpu, source, ": cut off, the line 'cpu <model>' is missing");
  return file;
}

}  // namespace lanewise::kernels
