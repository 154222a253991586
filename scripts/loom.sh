#!/usr/bin/env bash
# Runs the models of breaker-core/src/loom_tests.rs: the code that ships under every interleaving of a few threads.
#
#   scripts/loom.sh                all of them
#   scripts/loom.sh lease          those whose name has `lease` in it
set -euo pipefail
cd "$(dirname "$0")/.."
# In a directory of its own: with another flag everything is another build.
export RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/loom
cargo test --release -p breaker-core --lib --no-default-features "loom_tests::${1:-}"
