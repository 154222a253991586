#!/usr/bin/env bash
# Runs the unit tests of breaker-core and the tests of the laws under Miri, which detects undefined behaviour and simulates weak
# memory. It needs a nightly toolchain with the `miri` component:
#
#   rustup toolchain install nightly --component miri --component rust-src
#
# Tests with many threads, megabytes of data or real connections are left out, because Miri is some hundred times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/miri
cargo +nightly miri test -p breaker-core --lib
tests=(law_01_eras law_03_no_slot_leaks law_04_first_poll law_05_nesting law_06_rejections law_08_reads law_10_time
    law_13_reset law_14_windows)
# Some tests leak a permit on purpose.
MIRIFLAGS=-Zmiri-ignore-leaks cargo +nightly miri test -p breaker --test laws -- "${tests[@]/%/::}" \
    --skip clock_steps_of_days --skip jitter_differs --skip ten_thousand --skip a_reset_wins_over_concurrent
# Many schedules of the test for the last handle, because eviction relies on its memory order.
MIRIFLAGS="-Zmiri-many-seeds=0..16" cargo +nightly miri test -p breaker-core --lib the_last_handle
