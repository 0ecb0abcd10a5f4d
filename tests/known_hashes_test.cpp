// The bits of every op, as written down on one machine: what a compiler, a processor or a change does to them shows here.
// LANEWISE_WRITE_HASHES=<file> writes the list anew.

#include "made_up_call.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace lanewise::testing {
namespace {

/// "add.Tensor Float" and the hashes of its results and its gradients.
using Hashes = std::map<std::string, std::string>;

std::string digits(Hash hash) {
  std::ostringstream text;
  text << std::hex << std::setfill('0') << std::setw(8) << static_cast<std::uint32_t>(hash ^ hash >> 32);
  return text.str();
}

/// Eight digits, and eight more if there are gradients; nothing if the op refuses the shape or the dtype.
std::string hashes_of(const MadeUpCall& call) {
  std::string text;
  try {
    text = digits(call.run(0, false));
    const Hash gradients = call.differentiable() ? call.run(0, true) : 0;
    if (gradients != 0) text += " " + digits(gradients);
  } catch (const Error&) {  // a derivative may be refused where the op is not
  }
  return text;
}

/// Of the first shape that each op takes.
Hashes hashes_here() {
  Hashes all;
  for (const Schema& schema : registry()) {
    if (!has_hash(schema)) continue;
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kHalf, kInt, kComplexFloat}) {
      for (const Dims& sizes : {Dims{19, 37}, Dims{21, 21}, Dims{3, 9, 9}, Dims{43}}) {
        const MadeUpCall call(schema, sizes, dtype);
        std::string hashes = call.usable() ? hashes_of(call) : std::string();
        if (hashes.empty()) continue;
        all.emplace(schema.full_name() + " " + std::string(toString(dtype)), std::move(hashes));
        break;
      }
    }
  }
  return all;
}

Hashes hashes_written_down() {
  std::ifstream file(LANEWISE_GOLDEN_DIR "/hashes.txt");
  Hashes all;
  std::string op, dtype, hashes;
  while (file >> op >> dtype && std::getline(file >> std::ws, hashes)) all.emplace(op + " " + dtype, hashes);
  return all;
}

TEST(KnownHashes, AreThoseOfThisMachine) {
  // sse4_2 has no fused multiply-add, and other bits.
  if (active_isa() == Isa::sse4_2) GTEST_SKIP() << "the list is that of the tiers with fused multiply-add";
  const Hashes here = hashes_here();
  if (const char* path = std::getenv("LANEWISE_WRITE_HASHES")) {
    std::ofstream file(path);
    for (const auto& [call, hashes] : here) file << call << " " << hashes << "\n";
  }
  const Hashes known = hashes_written_down();
  EXPECT_GT(known.size(), 3000u);
  for (const auto& [call, hashes] : known) {
    const auto found = here.find(call);
    EXPECT_EQ(found == here.end() ? "refused" : found->second, hashes) << call;
  }
  for (const auto& [call, hashes] : here) EXPECT_TRUE(known.contains(call)) << call << " is not in the list";
}

}  // namespace
}  // namespace lanewise::testing
