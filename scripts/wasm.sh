#!/usr/bin/env bash
# Checks breaker-core for wasm32-unknown-unknown, which has no clock, and runs `checks/wasm` there if Node.js is installed. If
# the target cannot be installed, prints a note and checks nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
if ! { command -v rustup && rustup target add "$target"; } >/dev/null 2>&1; then
    echo "SKIPPED: the target $target cannot be installed here"
    exit 0
fi
# With its own target directory, because nothing of the other builds fits another target.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/wasm
cargo check -q --target "$target" -p breaker-core
# These features need no system either.
cargo check -q --target "$target" -p breaker-core --features anyhow,http,io,metrics,serde,stream,tower,tracing,testing
echo "breaker-core builds for $target"
cargo build -q --release --target "$target" --manifest-path checks/wasm/Cargo.toml
if ! command -v node >/dev/null; then
    echo "SKIPPED: without Node.js, checks/wasm is built and not run"
    exit 0
fi
node --eval '
    const bytes = require("fs").readFileSync(process.argv[1]);
    WebAssembly.instantiate(bytes, {}).then(({ instance: { exports } }) => {
        const expect = (what, seen, wanted) => {
            if (seen !== wanted) throw new Error(`${what}: ${seen} instead of ${wanted}`);
        };
        for (let second = 0; second < 5; second++) expect("a failing call", exports.call(1000 * second, 0), 0);
        expect("a call of the open circuit", exports.call(10_000, 1), 2);
        expect("the probe", exports.call(80_000, 1), 1);
        expect("a call of the closed circuit", exports.call(80_001, 1), 1);
        expect("the circuits", exports.circuits(), 1);
        expect("a call two hours later", exports.call(7_280_001, 1), 1);
        console.log("checks/wasm runs in Node.js");
    }).catch((error) => { console.error(error); process.exit(1); });
' "$CARGO_TARGET_DIR/$target/release/breaker_wasm.wasm"
