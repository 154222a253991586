#!/usr/bin/env bash
# Runs the program of checks/features with each feature of breaker-core, and compares what each changes with
# checks/features/changes.txt. With --write, writes that file anew.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
program=(cargo run -q --manifest-path checks/features/Cargo.toml)
changes() {
    local without with feature
    without=$("${program[@]}")
    printf '%s\n' "without further features" "$without" | sed '2,$s/^/    /'
    for feature in "$@"; do
        with=$("${program[@]}" --features "breaker-core/${feature//,/,breaker-core/}")
        printf '\n%s\n' "$feature"
        { diff <(echo "$without") <(echo "$with") || true; } | sed -n 's/^>/   /p'
    done
}

cargo fmt --manifest-path checks/features/Cargo.toml --check
# These change nothing in the program, so they are turned on together.
silent=dynamic,eyre,hyper,hyper-util,io,metrics,serde,serde_json,stream,testing,tracing
features=$(sed -n '/^\[features\]/,/^\[/s/^\([a-z0-9_-]*\) *=.*/\1/p' breaker-core/Cargo.toml |
    grep -vxE "default|macros|anyhow|reqwest-0-13|${silent//,/|}")
# shellcheck disable=SC2086
if [ "${1:-}" = --write ]; then
    changes "$silent" $features > checks/features/changes.txt
else
    diff checks/features/changes.txt <(changes "$silent" $features)
fi
