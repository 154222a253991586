#!/usr/bin/env bash
# Checks outside the workspace: a real Prometheus exporter, a real browser, escalation with a SQLite file, a build without
# features, a build with LTO, and the packages as published. In CI the browser is installed. Elsewhere its tests are skipped if it
# is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# One target directory, so that shared dependencies are built once.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

# Without a browser its tests print a note and are skipped, except in CI.
scripts/need.sh chromium chromedriver cc -- chromium chromium-driver gcc libc6-dev || [ -z "${CI:-}" ]

for package in checks checks/lean examples/escalation; do
    echo "-- $package"
    cargo fmt --manifest-path "$package/Cargo.toml" --check
    cargo clippy -q --manifest-path "$package/Cargo.toml" --all-targets -- -D warnings
    cargo test -q --manifest-path "$package/Cargo.toml"
done

echo "-- marked types of a dependency, with link-time optimisation"
cargo fmt --manifest-path checks/lto/Cargo.toml --all --check
cargo run -q --release --manifest-path checks/lto/Cargo.toml

echo "-- the example escalation"
cargo run -q --manifest-path examples/escalation/Cargo.toml

echo "-- the packages"
cargo package -q --allow-dirty -p breaker-macros -p breaker-core -p breaker-redis
for package in breaker-core breaker-macros breaker-redis; do
    # `cargo package` does not report that one of these files is missing.
    cargo package -q --allow-dirty --list -p "$package" | grep -cxE 'README.md|LICENSE-MIT|LICENSE-APACHE' | grep -qx 3
done
