#!/usr/bin/env bash
# Runs the tasks of examples/tasks in this machine's own bash and compares what they print with what the pages say.
# Each task gets a temporary folder and a HOME of its own. Usage: scripts/compare_tasks.sh [PAGE...]
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the calls of a page to N.sh and the expected outputs to N.expected.
take_apart() {
  awk -v folder="$2" '
    /^```sh$/ { file = sprintf("%s/%02d.sh", folder, ++call); printf "" > file; next }
    /^```output$/ { file = sprintf("%s/%02d.expected", folder, call); printf "" > file; next }
    /^```$/ { close(file); file = ""; next }
    file { print > file }
  ' "$1"
}

# Says which program the page needs and this machine has not.
find_missing() {
  local name
  for name in $(sed -n 's/^<!-- needs: \(.*\) -->$/\1/p' "$1"); do
    command -v "$name" > /dev/null || echo "$name"
  done
}

# Runs the calls of a task one after another in one shell, as an agent does.
run_calls() {
  mkdir "$1/home" "$1/work"
  # In one line, so that the shell counts the lines of each call from 1.
  (cd "$1/work" && env -i HOME="$1/home" PATH="$PATH" LANG=C.UTF-8 TZ=UTC bash -c \
    'for __call; do eval "$(cat "$__call.sh")" > "$__call.printed" 2>&1 < /dev/null; __code=$?; [ $__code = 0 ] || echo "[exit code $__code]" >> "$__call.printed"; done' \
    bash $(cd "$1" && printf "$1/%s\n" *.sh | sed 's/\.sh$//'))
}

pages=("$@")
[[ $# -gt 0 ]] || mapfile -t pages < <(find "$root/examples/tasks" -mindepth 2 -name '*.md' | sort)
different=0
for page in "${pages[@]}"; do
  name=${page#"$root/examples/tasks/"}
  missing=$(find_missing "$page")
  if [[ -n $missing ]]; then
    echo "skipped    $name: this machine has no" $missing
    continue
  fi
  folder=$(mktemp -d "$work/XXXXXX")
  take_apart "$page" "$folder"
  run_calls "$folder"
  same=yes
  for call in "$folder"/*.sh; do
    call=${call%.sh}
    [[ -e $call.expected ]] || : > "$call.expected"
    diff -u --label "$name, call ${call##*/}: expected" --label printed "$call.expected" "$call.printed" || same=no
  done
  if [[ $same == yes ]]; then echo "same       $name"; else echo "different  $name"; different=$((different + 1)); fi
done
[[ $different -eq 0 ]]
