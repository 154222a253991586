#!/usr/bin/env bash
# Checks the published crates with the oldest supported Rust, `rust-version` in Cargo.toml. If that compiler cannot be installed,
# prints a note and checks nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
oldest=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)
if ! { command -v rustup && rustup toolchain install "$oldest" --profile minimal --no-self-update; } >/dev/null 2>&1; then
    echo "SKIPPED: Rust $oldest cannot be installed here"
    exit 0
fi
# With its own target directory, so that the newer compiler does not have to rebuild everything.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/msrv
cargo "+$oldest" check -q -p breaker-core -p breaker-macros -p breaker-redis --all-features
echo "the published crates build with Rust $oldest"
