#!/bin/sh
# Prints what sharing circuits costs. Needs redis-server and valgrind; takes about three minutes once it is built.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}

../scripts/need.sh redis-server valgrind -- redis-server valgrind

section() { printf '\n== %s\n\n' "$1"; }

section "the machine"
uname -srm
grep -m 1 'model name' /proc/cpuinfo || true
nproc
rustc --version
redis-server --version
section "instructions and allocations a call, without a fleet and in one"
./instructions.sh | grep -E '^(case|bare|held|text key)(, in a fleet)?	'
cargo build --quiet --release --ignore-rust-version --features fleet --bin fleet
"$target/release/fleet"
