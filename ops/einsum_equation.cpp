#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include <lanewise/ops/einsum_equation.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::ops {
namespace {

constexpr int kEllipsis = 52;  ///< after the letters

/// A to Z, then a to z.
int label_of(char c) { return c <= 'Z' ? c - 'A' : c - 'a' + 26; }
char letter(int label) { return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26); }

using Labels = std::vector<int>;

/// The part of an equation for one operand, or for the result.
Labels read_labels(std::string_view equation, std::string_view part, const std::string& owner) {
  const auto begin = static_cast<std::size_t>(part.data() - equation.data());
  Labels labels;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (c == '.') {
      LANEWISE_CHECK(ValueError, std::find(labels.begin(), labels.end(), kEllipsis) == labels.end(),
                     "einsum: found '.' for ", owner, " for which an ellipsis (...) was already found");
      LANEWISE_CHECK(ValueError, part.substr(i, 3) == "...", "einsum: found '.' for ", owner,
                     " that is not part of any ellipsis (...)");
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    LANEWISE_CHECK(ValueError, std::isalpha(static_cast<unsigned char>(c)) != 0,
                   "einsum: invalid subscript given at index ", begin + i, " in the equation string \"",
                   equation, "\", subscripts must be in [a-zA-Z]");
    labels.push_back(label_of(c));
  }
  return labels;
}

class Reader {
 public:
  Reader(std::string_view equation, ArrayRef<Tensor> operands) : equation_(equation), operands_(operands) {}

  EinsumEquation read() {
    const std::size_t arrow = equation_.find("->");
    read_operands(equation_.substr(0, arrow));
    for (std::size_t i = 0; i < labels_.size(); ++i) measure(i);
    if (arrow == std::string_view::npos) {
      implicit_result();
    } else {
      explicit_result(read_labels(equation_, equation_.substr(arrow + 2), "the result"));
    }
    result_.result_rank = result_.rank;
    for (int label = 0; label <= kEllipsis; ++label) {
      if (seen(label) > 0 && !first_[static_cast<std::size_t>(label)]) place(label);
    }
    for (std::size_t i = 0; i < labels_.size(); ++i) result_.operands.push_back(dims_of(i));
    check_sizes();
    return std::move(result_);
  }

 private:
  void read_operands(std::string_view left) {
    while (true) {
      const std::size_t comma = left.find(',');
      LANEWISE_CHECK(ValueError, labels_.size() < operands_.size(), "einsum: fewer operands were provided (",
                     operands_.size(), ") than specified in the equation \"", equation_, "\"");
      labels_.push_back(
          read_labels(equation_, left.substr(0, comma), "operand " + std::to_string(labels_.size())));
      if (comma == std::string_view::npos) break;
      left = left.substr(comma + 1);
    }
    LANEWISE_CHECK(ValueError, labels_.size() == operands_.size(), "einsum: more operands were provided (",
                   operands_.size(), ") than specified in the equation \"", equation_, "\"");
  }

  /// Counts letters, and finds how many dimensions an ellipsis has.
  void measure(std::size_t i) {
    const Labels& labels = labels_[i];
    const bool open = std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
    const auto named = static_cast<std::int64_t>(labels.size()) - (open ? 1 : 0);
    const std::int64_t rank = operands_[i].dim();
    LANEWISE_CHECK(
        ShapeError, open ? named <= rank : named == rank,
        "einsum: the number of subscripts in the equation (", named,
        open ? ") is more than the number of dimensions (" : ") does not match the number of dimensions (",
        rank, ") for operand ", i, open ? "" : " and no ellipsis was given");
    if (open) ellipsis_ = std::max(ellipsis_, rank - named);
    for (const int label : labels) ++count_[static_cast<std::size_t>(label)];
  }

  int seen(int label) const { return count_[static_cast<std::size_t>(label)]; }

  void place(int label) {
    first_[static_cast<std::size_t>(label)] = result_.rank;
    result_.rank += label == kEllipsis ? ellipsis_ : 1;
  }

  void implicit_result() {
    if (seen(kEllipsis) > 0) place(kEllipsis);
    for (int label = 0; label < kEllipsis; ++label) {
      if (seen(label) == 1) place(label);
    }
  }

  void explicit_result(const Labels& labels) {
    for (const int label : labels) {
      if (label == kEllipsis) {
        if (seen(kEllipsis) > 0) place(kEllipsis);
        continue;
      }
      LANEWISE_CHECK(ValueError, seen(label) > 0, "einsum: output subscript ", letter(label),
                     " does not appear in the equation for any input operand");
      LANEWISE_CHECK(ValueError, !first_[static_cast<std::size_t>(label)], "einsum: output subscript ",
                     letter(label), " appears more than once in the output");
      place(label);
    }
  }

  std::vector<std::int64_t> dims_of(std::size_t i) const {
    std::vector<std::int64_t> dims;
    const std::int64_t mine = operands_[i].dim() - static_cast<std::int64_t>(labels_[i].size()) +
                              1;  // dimensions of an ellipsis here
    for (const int label : labels_[i]) {
      const std::int64_t first = *first_[static_cast<std::size_t>(label)];
      if (label != kEllipsis) {
        dims.push_back(first);
      } else {
        for (std::int64_t d = 0; d < mine; ++d) dims.push_back(first + ellipsis_ - mine + d);
      }
    }
    return dims;
  }

  std::string name_of(std::int64_t dim) const {
    for (int label = 0; label < kEllipsis; ++label) {
      if (first_[static_cast<std::size_t>(label)] == dim) return {letter(label)};
    }
    return "...";
  }

  /// Sizes of one letter are equal or 1; within an operand, equal.
  void check_sizes() const {
    std::vector<std::int64_t> common(static_cast<std::size_t>(result_.rank), 1);
    for (std::size_t i = 0; i < result_.operands.size(); ++i) {
      std::vector<std::int64_t> own(static_cast<std::size_t>(result_.rank), -1);
      for (std::size_t d = 0; d < result_.operands[i].size(); ++d) {
        const std::int64_t dim = result_.operands[i][d], size = operands_[i].sizes()[d];
        std::int64_t& here = own[static_cast<std::size_t>(dim)];
        std::int64_t& all = common[static_cast<std::size_t>(dim)];
        LANEWISE_CHECK(ShapeError, here == -1 || here == size, "einsum: subscript ", name_of(dim),
                       " is repeated for operand ", i, " but the sizes don't match, ", size, " != ", here);
        LANEWISE_CHECK(ShapeError, all == size || all == 1 || size == 1, "einsum: subscript ", name_of(dim),
                       " has size ", size, " for operand ", i,
                       " which does not broadcast with previously seen size ", all);
        here = size;
        if (size != 1) all = size;
      }
    }
  }

  std::string_view equation_;
  ArrayRef<Tensor> operands_;
  std::vector<Labels> labels_;
  std::array<int, kEllipsis + 1> count_{};
  std::array<std::optional<std::int64_t>, kEllipsis + 1> first_{};
  std::int64_t ellipsis_ = 0;
  EinsumEquation result_;
};

}  // namespace

EinsumEquation read_einsum_equation(std::string_view equation, ArrayRef<Tensor> operands) {
  return Reader(equation, operands).read();
}

}  // namespace lanewise::ops
