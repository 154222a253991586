#!/usr/bin/env bash
# The tests of breaker-redis: several processes against a real redis-server, which they start themselves on a free port.
# In CI the server is installed from Debian's packages; elsewhere the tests are skipped where there is none, and say so.
#
#   scripts/fleet.sh               all of them, with their figures
#   scripts/fleet.sh probes        those of tests/probes.rs
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${CI:-}" ] && ! command -v redis-server >/dev/null; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qq -y --no-install-recommends redis-server >/dev/null
fi

if [ $# -gt 0 ]; then
    exec cargo test -q -p breaker-redis --test "$1" -- --nocapture --test-threads=1
fi
cargo test -q -p breaker-redis --lib
cargo test -q -p breaker-redis --doc
# One after the other: they measure how long things take.
cargo test -q -p breaker-redis --test '*' -- --nocapture --test-threads=1
