#!/bin/sh
# The example of HACKING.md, an op in three places, is the tree's own: each of its blocks stands in the file that the text before it names.
#
#   hacking_example_test.sh <source root>
set -eu
cd "$1"

words() { tr -s ' \n' '  '; }

found=$(awk '
  /^## / { inside = ($0 == "## Adding a pointwise op") }
  !inside { next }
  /^ *```/ { open = !open; if (!open) print "--"; next }
  open { print file "\t" $0; next }
  match($0, /`[a-z_\/]+\.(cpp|yaml)`/) { file = substr($0, RSTART + 1, RLENGTH - 2) }
' HACKING.md | awk -F '\t' '$0 == "--" { print file "\t" text; text = ""; next } { file = $1; text = text " " $2 }')

blocks=0
bad=0
tab=$(printf '\t')
while IFS=$tab read -r file text; do
  blocks=$((blocks + 1))
  block=$(printf '%s ' "$text" | words)
  case "$(words < "$file")" in
    *"$block"*) ;;
    *)
      echo "HACKING.md: not in $file: $block"
      bad=1
      ;;
  esac
done <<EOF
$found
EOF
[ "$blocks" -eq 4 ] || { echo "HACKING.md: expected 4 blocks of code, found $blocks"; bad=1; }
exit $bad
