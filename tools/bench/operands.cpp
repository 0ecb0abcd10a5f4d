#include "bench/operands.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include <lanewise/autograd/detail/arguments.h>
#include <lanewise/lanewise.h>

namespace lanewise::tools {
namespace {

using Base = SchemaType::Base;
using Shape = std::vector<std::int64_t>;

/// How the factors of a product follow from its sizes.
struct Product {
  std::string_view op;
  std::size_t sizes;  ///< that describe it: 3 are m x k x n
  std::vector<Shape> (*factors)(const Shape& s);
};

const Product kProducts[] = {
    {"mm", 3,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0], s[1]}, {s[1], s[2]}};
     }},
    {"addmm", 3,
     [](const Shape& s) {
       return std::vector<Shape>{{s[2]}, {s[0], s[1]}, {s[1], s[2]}};
     }},
    {"mv", 2,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0], s[1]}, {s[1]}};
     }},
    {"addmv", 2,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0]}, {s[0], s[1]}, {s[1]}};
     }},
    {"bmm", 4,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0], s[1], s[2]}, {s[0], s[2], s[3]}};
     }},
    {"baddbmm", 4,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0], s[1], s[3]}, {s[0], s[1], s[2]}, {s[0], s[2], s[3]}};
     }},
    {"linear", 3,
     [](const Shape& s) {
       return std::vector<Shape>{{s[0], s[1]}, {s[2], s[1]}};
     }},
};

Tensor numbers(const Shape& shape, ScalarType dtype) {
  if (dtype == kBool) return randint(0, 2, shape, TensorOptions().dtype(kBool));
  if (is_integral(dtype, false)) return randint(1, 10, shape, TensorOptions().dtype(dtype));
  if (is_complex(dtype))
    return (rand(shape, TensorOptions().dtype(kDouble)) * 0.8 + 0.1).to(dtype) *
           Scalar(std::complex<double>(0.8, 0.6));
  return (rand(shape, TensorOptions().dtype(kDouble)) * 0.8 + 0.1).to(dtype);
}

class OperandMaker {
 public:
  OperandMaker(const BenchCase& c, const Schema& schema) : case_(c), schema_(schema) {
    for (const Product& product : kProducts) {
      if (product.op == schema.name) factors_ = product.factors(product_sizes(product));
    }
    for (const auto& [name, text] : c.arguments) {
      const bool known = std::any_of(schema.arguments.begin(), schema.arguments.end(),
                                     [&, n = name](const SchemaArgument& a) { return a.name == n; });
      LANEWISE_CHECK(ValueError, known, schema.to_string(), ": has no argument '", name, "'");
    }
  }

  std::vector<Value> make() {
    std::vector<Value> values;
    for (const SchemaArgument& a : schema_.arguments) values.push_back(value(a));
    return values;
  }

 private:
  Shape product_sizes(const Product& product) const {
    if (case_.shape.size() == product.sizes) return case_.shape;
    LANEWISE_CHECK(ValueError, case_.shape.size() == 1, case_.op, ": size [", case_.shape.size(),
                   " numbers]: expected 1 or ", product.sizes,
                   " of them, as in 64x784x256 for a product of [64, 784] and [784, 256]");
    // Square factors of about that many elements each.
    const bool batch = product.sizes == 4;
    const double n = static_cast<double>(case_.shape[0]) / (batch ? 8 : 1);
    Shape sizes(product.sizes, std::max<std::int64_t>(1, std::llround(std::sqrt(n))));
    if (batch) sizes[0] = 8;
    return sizes;
  }

  std::optional<std::string> given(std::string_view name) const {
    for (const auto& [key, text] : case_.arguments) {
      if (key == name) return text;
    }
    return std::nullopt;
  }

  Value value(const SchemaArgument& a) {
    if (const auto text = given(a.name)) return parse(a, *text);
    if (a.parsed.base == Base::Tensor && !a.parsed.optional)
      return a.parsed.list ? Value(std::vector<Tensor>{operand(a), operand(a)}) : Value(operand(a));
    if (a.has_default()) return detail::parse_default(a);
    if (a.parsed.optional) return {};
    if (a.parsed.base == Base::Scalar || a.parsed.base == Base::Float)
      return is_integral(case_.dtype, true) ? Value(2) : Value(2.5);
    if (a.parsed.base == Base::Bool) return false;
    if (a.parsed.base == Base::Int && (a.name == "dim" || a.name == "axis"))
      return a.parsed.list ? Value(std::vector<std::int64_t>{-1}) : Value(-1);
    if (a.parsed.base == Base::ScalarType) return case_.dtype == kDouble ? kFloat : kDouble;
    detail::raise<ValueError>(schema_.to_string(), ": argument '", a.name, "' (", a.type,
                              ") needs a value: --arg ", a.name, "=...");
  }

  Value parse(const SchemaArgument& a, const std::string& text) const {
    if (a.parsed.list && a.parsed.base == Base::Int) return parse_list(a, text);
    if (a.parsed.base == Base::Str || a.parsed.base == Base::MemoryFormat) return text;
    if (a.parsed.base == Base::ScalarType) return parse_dtype(text);
    if (text == "none") return {};
    if (text == "true" || text == "false") return text == "true";
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    LANEWISE_CHECK(ValueError, !text.empty() && *end == '\0' && a.parsed.base != Base::Tensor, "--arg ",
                   a.name, "=", text, ": expected ", a.type);
    if (text.find_first_of(".eni") == std::string::npos) return static_cast<std::int64_t>(number);
    return number;
  }
  static Value parse_list(const SchemaArgument& a, const std::string& text) {
    std::vector<std::int64_t> list;
    for (const char* at = text.c_str(); *at != '\0';) {
      char* end = nullptr;
      list.push_back(std::strtoll(at, &end, 10));
      LANEWISE_CHECK(ValueError, end != at && (*end == ',' || *end == '\0'), "--arg ", a.name, "=", text,
                     ": expected ", a.type, " as in 0,1");
      at = *end == ',' ? end + 1 : end;
    }
    return list;
  }

  Tensor operand(const SchemaArgument& a) {
    const std::size_t i = count_++;
    if (a.name == "index" || a.name == "indices" || a.name == "target") return positions(a);
    const ScalarType dtype = a.name == "condition" || a.name == "mask" ? kBool : case_.dtype;
    if (!factors_.empty()) return laid_out(factors_[std::min(i, factors_.size() - 1)], dtype, i);
    return laid_out(case_.shape, dtype, i);
  }

  // Places along the last dimension: one each for ops that move whole slices, one per element for gather and
  // its kin.
  Tensor positions(const SchemaArgument&) const {
    const bool slices =
        schema_.name.starts_with("index") || schema_.name == "embedding" || schema_.name == "take";
    const std::int64_t last = case_.shape.back();
    if (schema_.name.find("nll") != std::string_view::npos || schema_.name == "cross_entropy")
      return randint(0, last, {case_.shape.front()}, TensorOptions().dtype(kLong));
    return randint(0, last, slices ? IntArrayRef(last) : IntArrayRef(case_.shape),
                   TensorOptions().dtype(kLong));
  }

  Tensor laid_out(Shape shape, ScalarType dtype, std::size_t i) const {
    const std::string& layout = case_.layout;
    const std::size_t dims = shape.size();
    if (layout == "transposed" || (layout == "mixed" && i > 0)) {
      LANEWISE_CHECK(ValueError, case_.shape.size() >= 2 || !factors_.empty(), "layout ", layout,
                     ": needs at least two dimensions, as in --size 256x1024");
      if (dims < 2) return numbers(shape, dtype);
      std::swap(shape[dims - 1], shape[dims - 2]);
      return numbers(shape, dtype).transpose(-1, -2);
    }
    if (layout == "strided") {
      shape.back() *= 2;
      return numbers(shape, dtype).slice(-1, 0, shape.back(), 2);
    }
    if (layout == "expanded" && i > 0 && factors_.empty()) {
      LANEWISE_CHECK(ValueError, dims >= 2,
                     "layout expanded: needs at least two dimensions, as in --size 256x1024");
      return numbers({shape.back()}, dtype).expand(shape);
    }
    return numbers(shape, dtype);
  }

  const BenchCase& case_;
  const Schema& schema_;
  std::vector<Shape> factors_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<Value> make_operands(const BenchCase& c, const Schema& schema) {
  manual_seed(1);
  return OperandMaker(c, schema).make();
}

}  // namespace lanewise::tools
