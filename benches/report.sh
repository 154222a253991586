#!/bin/bash
# Measures all figures of COMPARISON.md and prints its tables, with the budgets first. Needs valgrind and about five minutes
# on an otherwise idle machine.
#
#   benches/report.sh            prints the tables
#   benches/report.sh --write    also writes them into COMPARISON.md
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
# breaker-core is measured in a build without the rivals, because their code changes how the compiler places its code.
./instructions.sh >"$out/instructions"
./instructions.sh --features rivals | awk -F '\t' -v core="$out/instructions" '
    BEGIN { while ((getline line < core) > 0) { split(line, fields, "\t"); measured[fields[1]] = 1 } }
    !($1 in measured)
' >"$out/rivals"
cat "$out/rivals" >>"$out/instructions"
cargo build --quiet --release --ignore-rust-version --features rivals --bins
step "throughput"
"$target/release/throughput" >"$out/throughput"
step "bytes, and a million circuits"
"$target/release/memory" --million >"$out/memory"
step "behaviour"
"$target/release/semantics" >"$out/semantics"
step "compile time"
./compile-time.sh >"$out/compile-time"
step "done"
if [ "${1:-}" = --write ]; then
    "$target/release/report" "$out" --write ../COMPARISON.md
else
    "$target/release/report" "$out"
fi
