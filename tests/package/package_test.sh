#!/bin/sh
# Installs the library into an empty folder and uses it from outside: with find_package and with pkg-config, static and shared,
# also after the installed tree has been moved; and configures it as a subdirectory of another project.
#
#   package_test.sh <build dir> <source dir> <cmake> <compiler>
set -eu
build=$1
source=$2
cmake=$3
compiler=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { echo "package_test: $*"; }

"$cmake" --install "$build" --prefix "$work/first" > "$work/install.log"
mv "$work/first" "$work/prefix"   # nothing may remember where it was installed
if find "$work/prefix" -path '*/detail/*' -o -name '*_isa.cpp' | grep .; then
  say "FAILED: internal files are installed"
  exit 1
fi
config=$(find "$work/prefix" -name lanewiseConfig.cmake)
libdir=${config%/cmake/lanewise/lanewiseConfig.cmake}

# Each installed header finds what it includes among the installed ones.
(cd "$work/prefix/include" && find lanewise -name '*.h' | sort | sed 's/.*/#include <&>/') > "$work/all.cpp"
"$compiler" -std=c++20 -fsyntax-only -I"$work/prefix/include" "$work/all.cpp"
say "$(wc -l < "$work/all.cpp") installed headers: ok"

for kind in shared static; do
  mkdir "$work/outside_$kind"
  cp "$source/tests/package/CMakeLists.txt" "$source/tests/package/main.cpp" "$work/outside_$kind"
  "$cmake" -S "$work/outside_$kind" -B "$work/outside_$kind/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DKIND=$kind \
           -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/log" 2>&1 &&
    "$cmake" --build "$work/outside_$kind/build" >> "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/outside_$kind/build/outside"
  say "find_package, $kind: ok"
done

# -llanewise takes the shared library where both are installed; -l:liblanewise.a insists on the static one.
export PKG_CONFIG_PATH="$libdir/pkgconfig"
main=$source/tests/package/main.cpp
"$compiler" -std=c++20 $(pkg-config --cflags lanewise) "$main" -o "$work/pc_shared" $(pkg-config --libs lanewise)
LD_LIBRARY_PATH=$libdir "$work/pc_shared"
ldd "$work/pc_shared" | grep -q liblanewise || { say "FAILED: pkg-config shared is not shared"; exit 1; }
say "pkg-config, shared: ok"
"$compiler" -std=c++20 $(pkg-config --cflags lanewise) "$main" -o "$work/pc_static" \
  $(pkg-config --static --libs lanewise | sed 's/-llanewise/-l:liblanewise.a/')
"$work/pc_static"
if ldd "$work/pc_static" | grep -q liblanewise; then
  say "FAILED: pkg-config static is shared"
  exit 1
fi
say "pkg-config, static: ok"

# Nothing but marked names leaves the shared library: functions and data outside namespace lanewise would be a leak.
nm -D --defined-only --format=posix "$libdir/liblanewise.so" | awk '$2 ~ /^[TDBR]$/ && $1 !~ /lanewise/ {print $1}' > "$work/leaks"
if [ -s "$work/leaks" ]; then
  say "FAILED: exported names that are not ours:"
  cat "$work/leaks"
  exit 1
fi
if nm -D --defined-only "$libdir/liblanewise.so" | grep -E 'kernels(4neon|4avx2|6avx512|6sse4_2)'; then
  say "FAILED: kernels of a tier are exported"
  exit 1
fi
say "exported names: ok"

mkdir "$work/super"
cat > "$work/super/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(super LANGUAGES CXX)
add_subdirectory($source lanewise)
add_executable(outside $main)
target_link_libraries(outside PRIVATE lanewise::lanewise)
CMAKE
"$cmake" -S "$work/super" -B "$work/super/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
say "add_subdirectory configures: ok"
