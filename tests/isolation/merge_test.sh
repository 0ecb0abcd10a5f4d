#!/bin/sh
# cmake/merge_isa.sh accepts a clean tier and refuses each kind of leak.
#   merge_test.sh <merge_isa.sh> <compiler> <tier>      (LD, OBJCOPY, NM, READELF, OBJDUMP as for merge_isa.sh)
set -eu
merge=$1
compiler=$2
tier=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

table="namespace lanewise::kernels::$tier { struct T { int (*f)(int); };
static int twice(int x) { return 2 * x; }
extern const T table; constinit const T table{twice}; }"

# check <name> <expected part of the message, or ok> <source>
check() {
  printf '%s\n' "$3" > "$work/$1.cpp"
  "$compiler" -std=c++20 -O1 -fPIC -fno-exceptions -fvisibility=hidden -c "$work/$1.cpp" -o "$work/$1.o"
  if sh "$merge" "$tier" "$work/merged.o" "$work/$1.o" > "$work/log" 2>&1; then
    result=ok
  else
    result=$(cat "$work/log")
  fi
  case $result in
    *"$2"*) echo "ok: $1" ;;
    *) echo "FAILED: $1: expected '$2', got: $result"; failures=$((failures + 1)) ;;
  esac
}

check clean ok "$table"
# Inline functions are emitted as COMDAT; merging has to make them local, not to refuse them.
check inline_function ok "$table
template <class T> __attribute__((noinline)) T thrice(T x) { return 3 * x; }
namespace { __attribute__((used)) int use(int x) { return thrice(x); } }"
check no_table "expected exactly one global symbol" "int lonely() { return 1; }"
check static_constructor "static constructors or destructors" "$table
struct S { S() noexcept; int x; }; inline __attribute__((noinline)) S::S() noexcept : x(1) { asm volatile(\"\"); }
namespace { __attribute__((used)) S s; }"
check thread_local "thread-local" "$table
namespace { __attribute__((used)) thread_local int counter = 3; }"
check libm_call "calls to functions outside" "$table
#include <cmath>
namespace { __attribute__((used)) double sine(double x) { return std::sin(x); } }"
check library_call "calls to functions outside" "$table
#include <new>
namespace { __attribute__((used)) int* allocate() { return new int[7]; } }"
check fused_product "products fused" "$table
namespace { __attribute__((used)) void fused() { asm volatile(\"vfmaddsub231pd %xmm2, %xmm1, %xmm0\"); } }"

# The weak copy of an inline function must not replace anybody else's: two objects, one with the name already taken.
cat > "$work/a.cpp" <<SOURCE
$table
inline __attribute__((noinline)) int shared_inline() { return 1; }
namespace { __attribute__((used)) int use() { return shared_inline(); } }
SOURCE
"$compiler" -std=c++20 -O1 -fPIC -fvisibility=hidden -c "$work/a.cpp" -o "$work/a.o"
sh "$merge" "$tier" "$work/merged.o" "$work/a.o"
if "${NM:-nm}" "$work/merged.o" | grep -E ' [tT] .*shared_inline' | grep -q ' t '; then
  echo "ok: inline functions are local"
else
  echo "FAILED: shared_inline is not a local symbol"
  failures=$((failures + 1))
fi
exit "$failures"
