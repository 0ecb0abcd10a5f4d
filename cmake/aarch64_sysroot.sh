#!/bin/sh
# Unpacks the arm64 packages that Lanewise needs into a folder, for cmake/aarch64.cmake. Leaves this machine's own packages and
# package lists alone, needs no root; wants apt-get, dpkg-deb and a network.
#
#   cmake/aarch64_sysroot.sh <folder>
#   cmake --preset aarch64 -DLANEWISE_SYSROOT=<folder>        (default: build/aarch64-sysroot)
set -eu
folder=${1:?usage: aarch64_sysroot.sh <folder>}
mkdir -p "$folder/.apt/state/lists/partial" "$folder/.apt/cache/archives/partial" "$folder/.apt/debs"
folder=$(cd "$folder" && pwd)
: > "$folder/.apt/status"

apt() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User= \
    -o Dir::State="$folder/.apt/state" -o Dir::State::status="$folder/.apt/status" \
    -o Dir::Cache="$folder/.apt/cache" -o Debug::NoLocking=1 "$@"
}

apt update
(cd "$folder/.apt/debs" && apt download libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 libhwloc-dev libhwloc15 libjansson-dev libjansson4 libudev1 \
  libxsimd-dev libcli11-dev nlohmann-json3-dev libmpfr-dev libmpfr6 libgmp-dev libgmp10 zlib1g zlib1g-dev)
for package in "$folder"/.apt/debs/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
rm -rf "$folder/.apt"
echo "$folder is ready"
