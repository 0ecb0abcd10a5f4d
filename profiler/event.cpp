#include <lanewise/profiler/event.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::profiler {
namespace {

std::string list(const std::vector<std::int64_t>& numbers, char open, char close) {
  std::string text(1, open);
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
  return text + close;
}

}  // namespace

bool TensorRecord::is_contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return true;
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

std::string describe_arguments(const Event& event) {
  std::string text;
  for (const TensorRecord& t : event.tensors) {
    if (t.is_result) break;
    if (!text.empty()) text += ' ';
    if (t.dtype == ScalarType::Undefined) {
      text += "none";
      continue;
    }
    text += short_name(t.dtype) + list(t.sizes, '[', ']');
    if (!t.is_contiguous()) text += ":" + list(t.strides, '(', ')');
  }
  return text;
}

}  // namespace lanewise::profiler
