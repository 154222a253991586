#!/usr/bin/env bash
# The tests of breaker-redis: several processes against a real redis-server, which they start themselves on a free port.
# In CI the server is installed from Debian's packages; elsewhere the tests are skipped where there is none, and say so.
#
#   scripts/fleet.sh               all of them, with their figures
#   scripts/fleet.sh probes        those of tests/probes.rs
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/need.sh redis-server openssl -- redis-server openssl || [ -z "${CI:-}" ]

if [ $# -gt 0 ]; then
    exec cargo test -q -p breaker-redis --test "$1"
fi
cargo test -q -p breaker-redis --doc
cargo test -q -p breaker-redis --test '*'
cargo test -q -p breaker-redis --features tls --lib --test tls
