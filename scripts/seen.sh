#!/usr/bin/env bash
# What needs more than the workspace: the checks against a real Prometheus exporter and a real browser, escalation on a real
# SQLite file, a build without features, one with LTO, and the packages as they would be published. In CI the browser is
# installed; elsewhere its tests are skipped where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
# One target folder, so that what the packages share is built once.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

# Where there is no browser, its tests say so and are skipped, but not in CI.
scripts/need.sh chromium chromedriver cc -- chromium chromium-driver gcc libc6-dev || [ -z "${CI:-}" ]

for package in checks checks/lean examples/escalation; do
    echo "-- $package"
    cargo fmt --manifest-path "$package/Cargo.toml" --check
    cargo clippy -q --manifest-path "$package/Cargo.toml" --all-targets -- -D warnings
    cargo test -q --manifest-path "$package/Cargo.toml"
done

echo "-- marked types of a dependency, in a program that the linker optimised as a whole"
cargo fmt --manifest-path checks/lto/Cargo.toml --all --check
cargo run -q --release --manifest-path checks/lto/Cargo.toml

echo "-- the story of an escalation"
cargo run -q --manifest-path examples/escalation/Cargo.toml

echo "-- the packages"
cargo package -q --allow-dirty -p breaker-macros -p breaker-core -p breaker-redis
for package in breaker-core breaker-macros breaker-redis; do
    # `cargo package` itself says nothing where one of these is missing.
    cargo package -q --allow-dirty --list -p "$package" | grep -cxE 'README.md|LICENSE-MIT|LICENSE-APACHE' | grep -qx 3
done
