#!/bin/bash
# Measures everything that COMPARISON.md shows and prints its tables: first of all which budgets are met. Needs valgrind;
# takes five minutes or so, of which the machine should have nothing else to do.
#
#   benches/report.sh            prints the tables
#   benches/report.sh --write    puts them into COMPARISON.md too
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

step() { printf '%s (%s s)\n' "$1" "$SECONDS" >&2; }

../scripts/need.sh valgrind -- valgrind
{
    model=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    echo "$(nproc) cores${model:+ of an $model}"
    uname -sr
    rustc --version | cut -d ' ' -f 1,2
    valgrind --version
} >"$out/machine"
step "instructions"
# The compiler lays the code out anew beside the rivals, so each has a build of its own.
./instructions.sh >"$out/instructions"
./instructions.sh --features rivals | awk -F '\t' -v ours="$out/instructions" '
    BEGIN { while ((getline line < ours) > 0) { split(line, fields, "\t"); seen[fields[1]] = 1 } }
    !($1 in seen)
' >"$out/rivals"
cat "$out/rivals" >>"$out/instructions"
cargo build --quiet --release --ignore-rust-version --features rivals --bins
step "throughput"
"$target/release/throughput" >"$out/throughput"
step "bytes, and a million keys"
"$target/release/memory" --million >"$out/memory"
step "who does what"
"$target/release/semantics" >"$out/semantics"
step "compile time"
./compile-time.sh >"$out/compile-time"
step "done"
if [ "${1:-}" = --write ]; then
    "$target/release/report" "$out" --write ../COMPARISON.md
else
    "$target/release/report" "$out"
fi
