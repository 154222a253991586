#!/usr/bin/env bash
# Runs the models of breaker-core/src/loom_tests.rs: the published code under every interleaving of a few threads.
#
#   scripts/loom.sh                all models
#   scripts/loom.sh lease          the models whose name contains `lease`
set -euo pipefail
cd "$(dirname "$0")/.."
# With its own target directory, because another flag rebuilds everything.
export RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/loom
cargo test --release -p breaker-core --lib --no-default-features "loom_tests::${1:-}"
