#include "random_program.h"

#include <algorithm>
#include <random>

#include "program_machine.h"

namespace lanewise::testing {

using Op = Statement::Op;

Program random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Program program;
  program.seed = seed;
  const std::size_t length = 4 + random() % 24;
  for (std::size_t i = 0; i < length; ++i) {
    Statement s;
    s.op = static_cast<Op>(random() % static_cast<std::uint64_t>(Op::kCount));
    // Late variables more often than early ones.
    s.a = static_cast<std::uint32_t>(random() % 2 == 0 ? 4 + i - std::min<std::uint64_t>(i, random() % 4)
                                                       : random());
    s.b = static_cast<std::uint32_t>(random());
    s.i = static_cast<std::uint32_t>(random());
    s.j = static_cast<std::uint32_t>(random());
    s.number = static_cast<double>(random() % 17) / 8 - 1;
    program.statements.push_back(s);
  }
  return program;
}

Program shrink(Program program, Checks checks) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t i = program.statements.size(); i-- > 0;) {
      Program shorter = program;
      shorter.statements.erase(shorter.statements.begin() + static_cast<std::ptrdiff_t>(i));
      if (check(shorter, checks).empty()) continue;
      program = std::move(shorter);
      smaller = true;
    }
  }
  return program;
}

std::string as_code(const Program& program) {
  std::string head = "// v0, v1, v2: leaves [2, 3], [3], [2, 1, 2]; v3: a constant [2, 3]\n";
  try {
    return head + Machine(program, {}, {}).code;
  } catch (const std::exception& error) {
    return head + "// raises while it runs: " + error.what();
  }
}

}  // namespace lanewise::testing
