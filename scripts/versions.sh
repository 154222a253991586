#!/usr/bin/env bash
# Tests the oldest version of each supported crate, in checks/versions. The tests of the workspace use the newest versions, which
# are those of Cargo.lock; a newer one that the requirements allow is printed.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cargo fmt --manifest-path checks/versions/Cargo.toml --check
cargo test -q --locked --manifest-path checks/versions/Cargo.toml

crates=$(sed -n '/^\[dependencies\]/,$s/^\([a-z0-9_-]*\) = .*"=.*/\1/p' checks/versions/Cargo.toml | paste -sd '|')
cargo update --dry-run 2>&1 | grep -E "Updating ($crates) " || echo "Cargo.lock has the newest version of each supported crate"
