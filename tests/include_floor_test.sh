#!/bin/sh
# Includes point down the floors: a file includes only from its own folder and from floors below it. Headers of the project are
# named as users name them, <lanewise/folder/file.h>. Generated headers belong to no floor.
#
#   include_floor_test.sh <source root>
set -eu
cd "$1"

# check <folders>: prints each include that points up or sideways, or is not spelled <lanewise/...>.
check() {
  find "$@" -name '*.h' -o -name '*.cpp' | sort | xargs awk '
    BEGIN {
      n = split("dispatch_isa:1 vec:1 tensor:2 profiler:3 kernels:3 iterator:4 ops:5 autograd:6 optim:7 data:7 bench:8 examples:8 tests:8 tools:8", list, " ")
      for (i = 1; i <= n; ++i) { split(list[i], pair, ":"); floor_of[pair[1]] = pair[2] }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      # A program names its own headers, which lie beside the file; nothing below floor 8 names another folder so.
      split(FILENAME, here, "/")
      if (floor_of[here[1]] == 8 || $0 !~ /\//) next
      print FILENAME ":" FNR ": not spelled <lanewise/...>: " $0
      ++bad
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
      name = $0
      sub(/^[^<]*</, "", name)
      sub(/>.*/, "", name)
      if (name !~ /^lanewise\//) next
      split(FILENAME, here, "/")
      count = split(name, there, "/")
      if (there[2] == "generated") next
      if (name == "lanewise/lanewise.h" || name == "lanewise/torch_names.h") {
        if (floor_of[here[1]] < 8) { print FILENAME ":" FNR ": <" name "> is for users"; ++bad }
        next
      }
      if (!(there[2] in floor_of)) { print FILENAME ":" FNR ": <" name "> is in no floor"; ++bad; next }
      # Two folders share floor 1 (and 7 and 8): a file keeps to its own.
      up = floor_of[there[2]] > floor_of[here[1]]
      sideways = floor_of[there[2]] == floor_of[here[1]] && there[2] != here[1] && here[1] != "tests"
      if (up || sideways) {
        print FILENAME ":" FNR ": " here[1] " (floor " floor_of[here[1]] ") includes <" name "> (floor " floor_of[there[2]] ")"
        ++bad
      }
    }
    END { exit bad > 0 ? 1 : 0 }'
}

# The check itself is held against a planted fault.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vec" "$work/optim" "$work/ops"
printf '#include <lanewise/tensor/dtype.h>\n' > "$work/vec/up.h"
printf '#include <lanewise/data/idx.h>\n' > "$work/optim/sideways.h"
printf '#include "../autograd/node.h"\n' > "$work/ops/quoted.cpp"
for folder in vec optim ops; do
  if (cd "$work" && check "$folder" > /dev/null); then
    echo "FAILED: a planted include in $folder/ was not found"
    exit 1
  fi
done

check dispatch_isa vec tensor profiler kernels iterator ops autograd optim data bench examples tests tools
