#include "bench/standard_cases.h"

#include <lanewise/tensor/dtype.h>

namespace lanewise::tools {

std::vector<BenchCase> standard_cases() {
  constexpr std::int64_t kL2 = 1 << 14, kMemory = 1 << 24;  // f32: 64 KiB and 64 MiB an operand
  std::vector<BenchCase> cases;
  for (const std::int64_t n : {kL2, kMemory}) {
    for (const char* op : {"add", "mul", "div", "lt", "where", "sqrt", "exp", "sum"})
      cases.push_back({.op = op, .shape = {n}});
  }
  for (const char* op : {"log", "sin", "tanh", "sigmoid", "erf", "gelu", "maximum"})
    cases.push_back({.op = op, .shape = {kL2}});
  cases.push_back({.op = "clamp", .shape = {kL2}, .arguments = {{"min", "0.3"}, {"max", "0.7"}}});
  cases.push_back({.op = "pow.Tensor_Scalar", .shape = {kL2}});
  for (const ScalarType dtype : {kBFloat16, kHalf, kDouble, kInt32, kUInt8, kComplex64})
    cases.push_back({.op = "add", .dtype = dtype, .shape = {kL2}});
  for (const ScalarType dtype : {kBFloat16, kDouble})
    cases.push_back({.op = "exp", .dtype = dtype, .shape = {kL2}});
  for (const char* layout : {"contiguous", "transposed", "mixed", "strided", "expanded"})
    cases.push_back({.op = "add", .shape = {512, 512}, .layout = layout});
  cases.push_back({.op = "sum.dim_IntList", .shape = {512, 512}, .arguments = {{"dim", "0"}}});
  cases.push_back({.op = "sum.dim_IntList", .shape = {512, 512}, .arguments = {{"dim", "1"}}});
  cases.push_back(
      {.op = "_softmax", .shape = {512, 512}, .arguments = {{"dim", "1"}, {"half_to_float", "false"}}});
  cases.push_back({.op = "cumsum", .shape = {512, 512}, .arguments = {{"dim", "1"}}});
  cases.push_back({.op = "mm", .shape = {512, 512, 512}});
  cases.push_back({.op = "mm", .dtype = kDouble, .shape = {512, 512, 512}});
  cases.push_back({.op = "mv", .shape = {1024, 1024}});
  for (const char* op : {"add", "exp", "sum"}) {  // curves over size, from the cost of a call to memory
    for (const std::int64_t n : {1, 64, 1024, 1 << 18, 1 << 21}) cases.push_back({.op = op, .shape = {n}});
  }
  for (const char* op : {"add", "exp", "mm"})
    cases.push_back(
        {.op = op,
         .dtype = kDouble,
         .shape = op[0] == 'm' ? std::vector<std::int64_t>{16, 16, 16} : std::vector<std::int64_t>{64}});
  return cases;
}

}  // namespace lanewise::tools
