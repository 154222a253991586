#!/usr/bin/env bash
# Runs the core's own tests and those of the laws under Miri, which looks for undefined behaviour in all that they touch
# and shuffles what threads see of each other's writes. It needs a nightly toolchain with the `miri` component:
#
#   rustup toolchain install nightly --component miri --component rust-src
#
# Left out are the tests that make crowds of threads, megabytes or real connections: Miri is some hundred times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/miri
cargo +nightly miri test -p breaker-core --lib
tests=(law_01_eras law_03_no_slot_leaks law_04_first_poll law_05_nesting law_06_rejections law_08_reads law_10_time
    law_13_reset law_14_windows)
# Some tests leak a permit on purpose.
MIRIFLAGS=-Zmiri-ignore-leaks cargo +nightly miri test -p breaker --test laws -- "${tests[@]/%/::}" \
    --skip clock_steps_of_days --skip ten_thousand --skip a_reset_wins_over_concurrent
# Who holds the last handle, at many schedules: the memory order that eviction relies on.
MIRIFLAGS="-Zmiri-many-seeds=0..16" cargo +nightly miri test -p breaker-core --lib the_last_handle
