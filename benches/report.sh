#!/bin/sh
# Prints everything that COMPARISON.md shows, measured anew. Needs valgrind; takes a few minutes.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}

section() { printf '\n== %s\n\n' "$1"; }

section "the machine"
uname -srm
grep -m 1 'model name' /proc/cpuinfo || true
rustc --version
valgrind --version
section "instructions and allocations a call"
./instructions.sh --features rivals
cargo build --quiet --release --ignore-rust-version --features rivals --bins
section "calls a second, one thread and two on one circuit"
"$target/release/throughput"
section "bytes, and the registry at a million keys"
"$target/release/memory" --million
section "who does what"
"$target/release/semantics"
section "compile time"
./compile-time.sh
