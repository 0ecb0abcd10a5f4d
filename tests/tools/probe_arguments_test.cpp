// What a tracer such as bpftrace or perf does with the USDT probes: it reads from .note.stapsdt where they are and where their
// arguments lie, puts a breakpoint there in a running program, and reads the arguments from registers and memory.
#include <gtest/gtest.h>

#if __has_include(<sys/sdt.h>) && defined(__x86_64__) && defined(__linux__) && !defined(LANEWISE_SANITIZED)

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lanewise::test {
namespace {

struct Probe {
  std::string name, arguments;  ///< "8@16(%rbx) -4@%eax"
  std::uint64_t address = 0;    ///< in the file's own numbering
};

std::vector<Probe> probes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(text.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(text.data() + header->e_shoff);
  const char* names = text.data() + sections[header->e_shstrndx].sh_offset;
  std::vector<Probe> probes;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (std::strcmp(names + sections[i].sh_name, ".note.stapsdt") != 0) continue;
    const char* at = text.data() + sections[i].sh_offset;
    const char* const end = at + sections[i].sh_size;
    while (at < end) {
      const auto* note = reinterpret_cast<const Elf64_Nhdr*>(at);
      const char* description = at + sizeof(*note) + (note->n_namesz + 3) / 4 * 4;
      const char* provider = description + 3 * sizeof(std::uint64_t);  // place, base, semaphore
      const char* name = provider + std::strlen(provider) + 1;
      Probe probe{name, name + std::strlen(name) + 1};
      std::memcpy(&probe.address, description, sizeof(probe.address));
      if (std::strcmp(provider, "lanewise") == 0) probes.push_back(probe);
      at = description + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return probes;
}

/// A program that stands still at its first instruction.
class Traced {
 public:
  explicit Traced(const std::vector<std::string>& arguments) : process_(fork()) {
    if (process_ == 0) {
      std::vector<char*> words;
      for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
      words.push_back(nullptr);
      if (freopen("/dev/null", "w", stdout) == nullptr || ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
        _exit(99);
      execv(words[0], words.data());
      _exit(98);
    }
    waitpid(process_, &state_, 0);
  }
  ~Traced() {
    if (!stopped()) return;
    ptrace(PTRACE_KILL, process_, nullptr, nullptr);
    waitpid(process_, &state_, 0);
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  bool stopped() const { return WIFSTOPPED(state_); }
  int exit_code() const { return WIFEXITED(state_) ? WEXITSTATUS(state_) : -1; }
  /// On to the next breakpoint, or to the end.
  void go() {
    int signal = 0;
    do {
      ptrace(PTRACE_CONT, process_, nullptr, static_cast<long>(signal));
      waitpid(process_, &state_, 0);
      signal = stopped() ? WSTOPSIG(state_) : 0;
    } while (stopped() && signal != SIGTRAP);
  }
  /// Where the program's own file begins in memory.
  std::uint64_t base() const {
    std::ifstream maps("/proc/" + std::to_string(process_) + "/maps");
    std::string line;
    while (std::getline(maps, line)) {
      if (line.find(LANEWISE_TOOL) != std::string::npos) return std::stoull(line, nullptr, 16);
    }
    return 0;
  }
  std::uint64_t word(std::uint64_t address) const {
    errno = 0;
    return static_cast<std::uint64_t>(ptrace(PTRACE_PEEKDATA, process_, address, nullptr));
  }
  void set_word(std::uint64_t address, std::uint64_t value) const {
    ptrace(PTRACE_POKEDATA, process_, address, value);
  }
  std::string text(std::uint64_t address) const {
    std::string result;
    for (; result.size() < 200; ++address) {
      const char c = static_cast<char>(word(address) & 0xff);
      if (c == 0 || errno != 0) break;
      result += c;
    }
    return result;
  }
  user_regs_struct registers() const {
    user_regs_struct registers{};
    ptrace(PTRACE_GETREGS, process_, nullptr, &registers);
    return registers;
  }

 private:
  pid_t process_;
  int state_ = 0;
};

/// "%eax", "%r12d": the whole register; what is below eight bytes is cut off by the argument's size.
std::optional<std::uint64_t> register_of(const user_regs_struct& r, std::string name) {
  if (name.size() > 1 && name[1] == 'r' && std::isdigit(static_cast<unsigned char>(name[2])) != 0) {
    const std::uint64_t numbered[] = {r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
    return numbered[std::stoi(name.substr(2)) - 8];
  }
  if (name[1] == 'r' || name[1] == 'e') name.erase(1, 1);
  const std::map<std::string, std::uint64_t> named = {{"%ax", r.rax}, {"%bx", r.rbx}, {"%cx", r.rcx},
                                                      {"%dx", r.rdx}, {"%si", r.rsi}, {"%di", r.rdi},
                                                      {"%bp", r.rbp}, {"%sp", r.rsp}};
  const auto found = named.find(name);
  return found == named.end() ? std::nullopt : std::optional(found->second);
}

/// An argument such as -4@%eax, 8@$3, 8@16(%rbx), as its size and sign say.
std::optional<std::int64_t> argument(const Traced& program, const std::string& spec) {
  const user_regs_struct registers = program.registers();
  const std::size_t at = spec.find('@'), open = spec.find('(');
  const int size = std::stoi(spec.substr(0, at));
  const std::string place = spec.substr(at + 1);
  std::optional<std::uint64_t> value;
  if (place[0] == '$') {
    value = static_cast<std::uint64_t>(std::stoll(place.substr(1)));
  } else if (place[0] == '%') {
    value = register_of(registers, place);
  } else if (open != spec.npos && spec.find(',') == spec.npos) {
    const auto base = register_of(registers, spec.substr(open + 1, spec.size() - open - 2));
    const std::int64_t offset = place[0] == '(' ? 0 : std::stoll(place);
    if (base) value = program.word(*base + static_cast<std::uint64_t>(offset));
  }
  if (!value) return std::nullopt;
  const int unused = 64 - 8 * std::abs(size);
  return size < 0 ? static_cast<std::int64_t>(*value << unused) >> unused
                  : static_cast<std::int64_t>(*value << unused >> unused);
}

struct Hit {
  std::string probe, op;
  std::vector<std::int64_t> arguments;
};

TEST(Probes, ATracerReadsTheirArguments) {
  ::setenv("LANEWISE_PROBES", "1", 1);
  ::setenv("LANEWISE_NUM_THREADS", "1", 1);  // one thread to follow
  Traced program({LANEWISE_TOOL, "passport", "exp", "--points", "40000"});
  ::unsetenv("LANEWISE_PROBES");
  ::unsetenv("LANEWISE_NUM_THREADS");
  if (!program.stopped()) GTEST_SKIP() << "this system lets nobody trace: " << program.exit_code();

  std::map<std::uint64_t, Probe> breakpoints;
  for (const Probe& probe : probes_of(LANEWISE_TOOL)) {
    const std::uint64_t address = program.base() + probe.address;
    const std::uint64_t code = program.word(address);
    ASSERT_EQ(code & 0xff, 0x90) << probe.name << " is not at an instruction that does nothing";
    program.set_word(address, (code & ~std::uint64_t{0xff}) | 0xcc);
    breakpoints[address] = probe;
  }
  ASSERT_GE(breakpoints.size(), 2U);

  std::vector<Hit> hits;
  for (program.go(); program.stopped() && hits.size() < 5000; program.go()) {
    // What the breakpoint took the place of does nothing, so the program goes on behind it.
    const auto hit = breakpoints.find(program.registers().rip - 1);
    ASSERT_NE(hit, breakpoints.end());
    Hit& h = hits.emplace_back();
    h.probe = hit->second.name;
    std::istringstream specs(hit->second.arguments);
    for (std::string spec; specs >> spec;) {
      const auto value = argument(program, spec);
      ASSERT_TRUE(value) << spec << " is a place that this test does not know";
      h.arguments.push_back(*value);
    }
    h.op = program.text(static_cast<std::uint64_t>(h.arguments.at(0)));
  }
  EXPECT_TRUE(program.stopped() || program.exit_code() == 0);  // enough was seen, or it came to its end

  int begins = 0, ends = 0, singles = 0;
  for (const Hit& h : hits) {
    if (h.op != "exp.out") continue;
    EXPECT_EQ(h.arguments.at(1), 0) << "an op";
    if (h.probe == "op_begin") {
      ++begins;
      continue;
    }
    ++ends;
    EXPECT_GT(h.arguments.at(2), 0) << "nanoseconds";
    EXPECT_LT(h.arguments.at(2), std::int64_t{60} * 1000 * 1000 * 1000);
    singles += h.arguments.at(3) == 2 * 4 * 16384;  // the passport's full blocks, f32 in and out
  }
  EXPECT_GT(begins, 0);
  EXPECT_LE(begins - ends, 1) << "the last may still run";
  EXPECT_GE(begins, ends);
  EXPECT_GT(singles, 0);
}

}  // namespace
}  // namespace lanewise::test

#endif
