#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/formatting.h>

namespace lanewise {

namespace {

constexpr std::int64_t kSummaryFrom = 1000;
constexpr std::int64_t kEdge = 3;
constexpr std::int64_t kGap = -1;

/// The indices of a dimension that are shown; kGap stands for those left out.
std::vector<std::int64_t> shown(std::int64_t size, bool summarise) {
  std::vector<std::int64_t> indices;
  const bool gap = summarise && size > 2 * kEdge;
  for (std::int64_t i = 0; i < (gap ? kEdge : size); ++i) indices.push_back(i);
  if (gap) {
    indices.push_back(kGap);
    for (std::int64_t i = size - kEdge; i < size; ++i) indices.push_back(i);
  }
  return indices;
}

/// How the numbers of a vector or a matrix are written: libtorch's rule. They share a notation, a width and, where
/// all are large or all small, a factor that is printed once above them. Infinities and NaNs do not count.
class NumberFormat {
 public:
  void see(double x) {
    if (!std::isfinite(x)) return;
    const double magnitude = std::abs(x);
    // libtorch's rule to the letter: of negative numbers only the first counts.
    if (!any_ || x > largest_) largest_ = magnitude;
    smallest_ = any_ ? std::min(smallest_, magnitude) : magnitude;
    any_ = true;
    integers_ = integers_ && x == std::nearbyint(x);
  }

  /// Chooses, once all numbers were seen.
  void choose() {
    const int high = digits(largest_);
    const int low = digits(smallest_);
    if (integers_) {
      pattern_ = high > 9 ? "%.4e" : "%g";
      width_ = high > 9 ? 11 : high + 1;
    } else if (high - low > 4) {
      pattern_ = "%.4e";
      width_ = std::abs(high) > 99 || std::abs(low) > 99 ? 12 : 11;
    } else if (high > 5 || high < 0) {
      scale_ = std::pow(10.0, high - 1);
      width_ = 7;
    } else {
      width_ = high == 0 ? 7 : high + 6;
    }
  }

  std::string text_of_scale() const {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g", scale_);
    return text;
  }
  int width() const { return width_; }
  /// Of integers, all of whose digits are printed.
  int integer_width() const { return digits(largest_) + 1; }
  /// What the numbers are to be multiplied by; 1 is not printed.
  double scale() const { return scale_; }

  std::string text(double x) const {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    char text[400];
    std::snprintf(text, sizeof text, pattern_, x / scale_);
    return text;
  }

 private:
  /// Digits before the point; 0 and less for numbers below 1.
  static int digits(double x) { return x == 0 ? 1 : static_cast<int>(std::floor(std::log10(x))) + 1; }

  double largest_ = 0;
  double smallest_ = 0;
  bool any_ = false;
  bool integers_ = true;
  const char* pattern_ = "%.4f";
  int width_ = 2;
  double scale_ = 1;
};

std::string text_of(std::complex<double> z, const NumberFormat& format) {
  const std::string imag = format.text(z.imag());
  return format.text(z.real()) + (imag.front() == '-' ? "" : "+") + imag + "i";
}

/// One element, anywhere in the tensor, whatever its type.
class Elements {
 public:
  explicit Elements(const Tensor& t) : t_(t) {}

  void see(IntArrayRef index, NumberFormat& format) const {
    if (t_.is_complex()) {
      const auto z = at(index).to_unchecked<std::complex<double>>();
      format.see(z.real());
      format.see(z.imag());
    } else {
      format.see(at(index).to_unchecked<double>());
    }
  }
  std::string text(IntArrayRef index, const NumberFormat& format) const {
    const Scalar value = at(index);
    if (value.isComplex()) return text_of(value.to_unchecked<std::complex<double>>(), format);
    if (value.isFloatingPoint()) return format.text(value.to_unchecked<double>());
    return std::to_string(value.to_unchecked<std::int64_t>());
  }
  Scalar at(IntArrayRef index) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * t_.strides()[d];
    return visit_dtype(t_.scalar_type(),
                       [&]<class T>() { return Scalar(static_cast<const T*>(t_.data_ptr())[offset]); });
  }

 private:
  const Tensor& t_;
};

/// Calls f(index) for every combination of the shown indices of the first `dims` dimensions, the first running fastest; skips gaps.
template <class F>
void for_each_shown(const std::vector<std::vector<std::int64_t>>& lists, std::size_t dims, F&& f) {
  DimVector position(dims);
  DimVector index(dims);
  while (true) {
    bool gap = false;
    for (std::size_t d = 0; d < dims; ++d) {
      index[d] = lists[d][position[d]];
      gap |= index[d] == kGap;
    }
    if (!gap) f(index);
    std::size_t d = 0;
    while (d < dims && ++position[d] == static_cast<std::int64_t>(lists[d].size())) position[d++] = 0;
    if (d == dims) return;
  }
}

class Printer {
 public:
  Printer(std::ostream& out, const Tensor& t, std::int64_t line_width)
      : out_(out), t_(t), elements_(t), line_width_(line_width) {
    const bool summarise = t.numel() > kSummaryFrom;
    for (const std::int64_t size : t.sizes()) lists_.push_back(shown(size, summarise));
  }

  void run() {
    if (t_.dim() == 1) {
      choose_format({});
      scale("");
      for (const std::int64_t i : lists_[0])
        out_ << cell(i == kGap ? "..." : elements_.text({i}, format_)) << '\n';
    } else if (t_.dim() == 2) {
      matrix({}, "");
    } else {
      bool first = true;
      for_each_shown(lists_, lists_.size() - 2, [&](const DimVector& index) {
        out_ << (first ? "(" : "\n(");
        for (const std::int64_t i : index) out_ << i + 1 << ',';
        out_ << ".,.) = \n";
        matrix(index, " ");
        first = false;
      });
    }
  }

 private:
  /// For the elements whose first indices are `leading`.
  void choose_format(const DimVector& leading) {
    const std::vector<std::vector<std::int64_t>> own(
        lists_.begin() + static_cast<std::ptrdiff_t>(leading.size()), lists_.end());
    const auto for_each = [&](auto&& f) {
      for_each_shown(own, own.size(), [&](const DimVector& inner) {
        DimVector index(leading);
        for (const std::int64_t i : inner) index.push_back(i);
        f(index);
      });
    };
    format_ = NumberFormat();
    for_each([&](const DimVector& index) { elements_.see(index, format_); });
    format_.choose();
    width_ = static_cast<std::size_t>(format_.width());
    if (is_integral(t_.scalar_type(), true)) {
      width_ = static_cast<std::size_t>(format_.integer_width());
    } else if (t_.is_complex()) {
      for_each([&](const DimVector& index) {
        width_ = std::max(width_, elements_.text(index, format_).size() + 1);
      });
    }
  }

  std::string cell(const std::string& text) const {
    return std::string(width_ > text.size() ? width_ - text.size() : 0, ' ') + text;
  }

  void scale(const char* indent) {
    if (format_.scale() != 1) out_ << format_.text_of_scale() << " *\n" << indent;
  }

  void matrix(const DimVector& leading, const std::string& indent) {
    choose_format(leading);
    const auto& rows = lists_[lists_.size() - 2];
    const auto& columns = lists_.back();
    const auto fit = static_cast<std::size_t>(std::max<std::int64_t>(
        1, (line_width_ - static_cast<std::int64_t>(indent.size())) / static_cast<std::int64_t>(width_ + 1)));
    out_ << indent;
    for (std::size_t begin = 0; begin < columns.size(); begin += fit) {
      const std::size_t end = std::min(columns.size(), begin + fit);
      if (fit < columns.size()) {  // the first row follows in the same line, as in libtorch
        out_ << (begin == 0 ? "" : "\n") << "Columns " << begin + 1 << " to " << end << indent;
      }
      scale(indent.c_str());
      bool first = true;
      for (const std::int64_t row : rows) {
        if (!first) out_ << indent;
        if (!first && format_.scale() != 1) out_ << ' ';
        first = false;
        for (std::size_t c = begin; c < end; ++c) {
          DimVector index(leading);
          index.push_back(row);
          index.push_back(columns[c]);
          const bool gap = row == kGap || columns[c] == kGap;
          out_ << (c == begin ? "" : " ") << cell(gap ? "..." : elements_.text(index, format_));
        }
        out_ << '\n';
      }
    }
  }

  std::ostream& out_;
  const Tensor& t_;
  Elements elements_;
  std::int64_t line_width_;
  std::vector<std::vector<std::int64_t>> lists_;
  NumberFormat format_;
  std::size_t width_ = 2;
};

}  // namespace

void print(std::ostream& out, const Tensor& t, std::int64_t line_width) {
  if (!t.defined()) {
    out << "[ Tensor (undefined) ]";
    return;
  }
  if (t.dim() == 0) {
    const Scalar value = Elements(t).at({});
    if (value.isBoolean()) {
      out << value.to_unchecked<std::int64_t>() << '\n';
    } else {
      out << value << '\n';
    }
  } else if (t.numel() > 0) {
    Printer(out, t, line_width).run();
  }
  out << "[ " << t.toString() << '{';
  for (std::int64_t d = 0; d < t.dim(); ++d) out << (d == 0 ? "" : ",") << t.sizes()[d];
  out << "} ]";
}

void print(const Tensor& t, std::int64_t line_width) { print(std::cout, t, line_width); }

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  print(out, t);
  return out;
}

}  // namespace lanewise
