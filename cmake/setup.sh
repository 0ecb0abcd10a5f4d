# Shared by ./test and ./demo; sourced, not run.

say() { printf '==> %s\n' "$*"; }

# One clear sentence, then the end.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# need_packages <Debian packages>: installs those that are missing.
need_packages() {
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    say "Not a Debian system: going on with what is installed (wanted: $*)"
    return
  fi
  local package missing=()
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null ||
      die "these Debian packages are missing and only root can install them: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q > /dev/null ||
    die "apt-get update failed, so these packages cannot be installed: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" \
    > /dev/null || die "apt-get could not install: ${missing[*]}"
}

build_packages=(g++ binutils cmake ninja-build pkg-config libxsimd-dev libtbb-dev libhwloc-dev libjansson-dev libyaml-cpp-dev zlib1g-dev)

# build <preset> [targets]: configures and builds; the second time only what has changed.
build() {
  local preset=$1 log launcher=()
  shift
  command -v ccache > /dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  say "Configuring build/$preset"
  log=$(mktemp)
  if ! cmake --preset "$preset" "${launcher[@]}" > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "CMake could not configure build/$preset; its words are above."
  fi
  rm -f "$log"
  say "Building with $(nproc) processes"
  cmake --build "build/$preset" --parallel "$(nproc)" ${1:+--target "$@"} || die "the build failed; the first error above says where."
}
