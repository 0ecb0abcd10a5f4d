#!/bin/sh
# Merges the objects of one ISA tier and proves that nothing but its kernel table can be seen from outside.
# See Note [ISA isolation] in LanewiseIsa.cmake.
#
#   merge_isa.sh <tier> <output.o> <object>...
#
# LD, OBJCOPY, NM, READELF, OBJDUMP name the tools. LANEWISE_SANITIZED=1 leaves out what sanitizers need by their nature: a
# constructor per file and calls into their runtime.
set -eu

tier=$1
output=$2
shift 2
: "${LD:=ld}" "${OBJCOPY:=objcopy}" "${NM:=nm}" "${READELF:=readelf}" "${OBJDUMP:=objdump}" "${LANEWISE_SANITIZED:=0}"

table="_ZN8lanewise7kernels${#tier}${tier}5tableE"
script="$output.ld"
report="$output.report"
trap 'rm -f "$script" "$report"' EXIT

fail() {
  echo "merge_isa.sh: $tier kernels: $1" >&2
  [ -s "$report" ] && sed 's/^/    /' "$report" >&2
  rm -f "$output"
  exit 1
}

# A section of its own, so that the tier's code keeps an address range of its own in the finished library.
echo "SECTIONS { .lanewise.text.$tier : { *(.text .text.*) } }" > "$script"
"$LD" -r --force-group-allocation -T "$script" -o "$output" "$@"
"$OBJCOPY" --keep-global-symbol="$table" "$output"

"$NM" --defined-only --extern-only --format=posix "$output" | awk '{print $1}' > "$report"
[ "$(cat "$report")" = "$table" ] ||
  fail "expected exactly one global symbol, lanewise::kernels::$tier::table, found:"

"$READELF" -W --section-groups "$output" | grep 'COMDAT' > "$report" && fail "COMDAT groups are left:"
"$READELF" -W --symbols "$output" | awk '$4 == "TLS" && $7 != "UND"' > "$report"
[ -s "$report" ] && fail "thread-local variables:"
"$NM" --format=posix "$output" | awk '$2 == "u"' > "$report"
[ -s "$report" ] && fail "symbols unique to the process:"

if [ "$LANEWISE_SANITIZED" = 0 ]; then
  "$READELF" -W --sections "$output" | grep -E '\.(init_array|ctors|preinit_array|fini_array|dtors)' > "$report" &&
    fail "static constructors or destructors:"
  # Functions of libm and libgcc would be other code on another machine; what vec/ lacks belongs into vec/.
  "$NM" --undefined-only --format=posix "$output" |
    awk '$1 !~ /^(memcpy|memset|memmove|memcmp|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$/ {print $1}' > "$report"
  [ -s "$report" ] && fail "calls to functions outside the tier (c++filt reads the names):"
fi
# No source says these: the compiler took a product and a sum for one operation, with other bits.
if "$OBJDUMP" -d --no-show-raw-insn "$output" | grep -m 5 -E 'vfm(addsub|subadd)' > "$report"; then
  fail "products fused that the source keeps apart (see vec::product):"
fi
exit 0
