#!/usr/bin/env bash
# Run every ```python block of some Markdown files, each in a sandbox of its own: check_snippets.sh README.md docs/*.md
# One line of JSON for each goes to snippets.jsonl; the exit code is 1 if one of them failed.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
: > snippets.jsonl
for page in "$@"; do
  rm -f "$folder"/*
  awk -v folder="$folder" '
    /^```python$/ { file = sprintf("%s/line-%05d.py", folder, NR + 1); next }
    /^```$/ { file = ""; next }
    file { print > file }
  ' "$page"
  for snippet in "$folder"/*.py; do
    [ -e "$snippet" ] || continue
    place="$page, $(basename "$snippet" .py)"
    if cloche run --json --timeout 20 "$snippet" < /dev/null >> snippets.jsonl; then
      echo "ok      $place"
    else
      echo "failed  $place: exit code $?"
      failed=1
    fi
  done
done
exit $failed
