#!/bin/sh
# Per-ISA files, and every header of the project that they reach, include only vec/, plain structs of kernels/, the plain
# enum of scalar types, and standard headers without inline functions of weight. See Note [ISA isolation] in cmake/LanewiseIsa.cmake.
#
#   per_isa_include_test.sh <source root> <generated folder>
set -eu
cd "$1"
generated=$2

std='array|bit|cfloat|climits|cmath|complex|concepts|cstddef|cstdint|cstring|initializer_list|limits|numbers|tuple|type_traits|utility'
todo=$(awk '/^lanewise_per_isa_sources\(/ {inside = 1; next} /^\)/ {inside = 0} inside && $1 !~ /^#/ {print "kernels/" $1}' \
  kernels/CMakeLists.txt)
[ -n "$todo" ] || { echo "FAILED: no per-ISA files found in kernels/CMakeLists.txt"; exit 1; }

seen=" "
bad=0
while [ -n "$todo" ]; do
  next=
  for file in $todo; do
    case $seen in *" $file "*) continue ;; esac
    seen="$seen$file "
    [ -f "$file" ] || continue
    for header in $(sed -n 's/^[ \t]*#[ \t]*include[ \t]*<\([^>]*\)>.*/\1/p' "$file"); do
      case $header in
        lanewise/vec/* | lanewise/kernels/* | lanewise/tensor/scalar_type.h) next="$next ${header#lanewise/}" ;;
        lanewise/generated/kernel_table*) next="$next $generated/${header#lanewise/generated/}" ;;
        xsimd/* | immintrin.h | arm_neon.h) ;;
        *)
          if ! echo "$header" | grep -Eqx "$std"; then
            echo "$file: <$header> must not be included by per-ISA code"
            bad=1
          fi
          ;;
      esac
    done
  done
  todo=$next
done
exit $bad
