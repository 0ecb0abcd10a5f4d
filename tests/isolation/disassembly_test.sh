#!/bin/sh
# Disassembles finished libraries and proves, by mnemonic, register class and encoding, that
#   - no AVX code (VEX or EVEX: v-mnemonics, ymm, zmm, mask registers, BMI) and no lzcnt lies outside the avx2 and avx512 tiers;
#   - no zmm, mask register, register 16 to 31, or other EVEX code lies outside the avx512 tier.
# Tier code has its own section, .lanewise.text.<tier>; see cmake/merge_isa.sh.
#
#   disassembly_test.sh <objdump> <compiler> <tiers that are built in> <library>...
set -eu
objdump=$1
compiler=$2
tiers=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints offending instructions (at most 20) and a summary line; fails if there are any.
inspect() {
  "$objdump" -d --wide --no-addresses "$1" 2> "$work/errors" | awk -v file="${1##*/}" -v tiers=" $tiers " '
    /^Disassembly of section / {
      section = $4
      sub(/:$/, "", section)
      tier = section ~ /^\.lanewise\.text\./ ? substr(section, 16) : "none"
      next
    }
    /^<.*>:$/ { function_name = $1; next }
    /^\t/ {
      # Tab, bytes, tab, mnemonic and operands.
      n = split($0, part, "\t")
      if (n < 3) next
      split(part[3], word, " ")
      mnemonic = word[1]
      operands = part[3]
      bytes = part[2]
      # In 64-bit mode 62 begins nothing but EVEX, c4 and c5 nothing but VEX; segment and address-size prefixes may precede.
      while (bytes ~ /^(26|2e|36|3e|64|65|67) /) bytes = substr(bytes, 4)
      lead = substr(bytes, 1, 2)
      evex = lead == "62" || operands ~ /%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])/
      avx = evex || lead == "c4" || lead == "c5" || operands ~ /%ymm/ || mnemonic == "lzcnt" ||
            (mnemonic ~ /^v/ && mnemonic !~ /^ver[rw]$/)
      ++instructions[tier]
      if (evex) ++evex_count[tier]
      if (operands ~ /%zmm/) ++zmm_count[tier]
      if (operands ~ /%ymm/) ++ymm_count[tier]
      if (evex && tier != "avx512" || avx && tier != "avx512" && tier != "avx2") {
        if (++bad <= 20) print file ": " section ": " function_name " " part[3]
      }
    }
    END {
      printf "%s: instructions: outside the tiers %d, sse4_2 %d, avx2 %d (%d with ymm), avx512 %d (%d with zmm); misplaced: %d\n",
             file, instructions["none"], instructions["sse4_2"], instructions["avx2"], ymm_count["avx2"],
             instructions["avx512"], zmm_count["avx512"], bad
      # Without vector code in the tiers the proof would be empty.
      if (instructions["none"] == 0 || index(tiers, " avx2 ") && ymm_count["avx2"] == 0 ||
          index(tiers, " avx512 ") && zmm_count["avx512"] == 0) exit 2
      exit bad > 0 ? 1 : 0
    }'
}

# The inspection itself is held against planted faults.
plant() {
  printf '%s\n' '#include <immintrin.h>' "$2" > "$work/$1.cpp"
  "$compiler" -O1 $3 -c "$work/$1.cpp" -o "$work/$1.o"
  if inspect "$work/$1.o" | grep -q 'misplaced: 0$'; then
    echo "FAILED: planted $1 code was not found"
    exit 1
  fi
}
plant ymm '__m256 f(__m256 a) { return _mm256_add_ps(a, a); }' -mavx2
plant vex_xmm '__m128 f(__m128 a) { return _mm_add_ps(a, a); }' -mavx
plant bmi 'unsigned f(unsigned a, unsigned b) { return ~a & b; }' -mbmi
plant lzcnt 'unsigned f(unsigned a) { return _lzcnt_u32(a); }' -mlzcnt
plant zmm '__m512 f(__m512 a) { return _mm512_add_ps(a, a); }' -mavx512f
plant mask '__attribute__((section(".lanewise.text.avx2"))) __m256 f(__m256 a, __mmask8 m) { return _mm256_maskz_add_ps(m, a, a); }' \
  '-mavx512f -mavx512vl'
plant evex_ymm '__attribute__((section(".lanewise.text.avx2"))) __m256i f(__m256i a, __m256i b) { return _mm256_ternarylogic_epi32(a, b, a, 30); }' \
  '-mavx512f -mavx512vl'

for library in "$@"; do
  inspect "$library"
done
