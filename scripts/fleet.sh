#!/usr/bin/env bash
# Runs the tests of breaker-redis: several processes against a real redis-server, which the tests start on a free port.
# In CI the server is installed from Debian packages. Elsewhere the tests print a note and pass where it is missing.
#
#   scripts/fleet.sh               all of them, with their figures
#   scripts/fleet.sh probes        those of breaker-redis/tests/fleet/probes.rs
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/need.sh redis-server openssl -- redis-server openssl || [ -z "${CI:-}" ]

if [ $# -gt 0 ]; then
    exec cargo test -q -p breaker-redis --test fleet "$1::"
fi
cargo test -q -p breaker-redis --doc
cargo test -q -p breaker-redis --test '*'
cargo test -q -p breaker-redis --features tls --lib --test tls
