#!/bin/sh
# Prints the instructions, allocations and clock reads of a call: one line for each case, separated by tabs. Needs valgrind.
#
#   benches/instructions.sh                      breaker-core only
#   benches/instructions.sh --features rivals    breaker-core and the rivals
#   benches/instructions.sh --telemetry          a few cases with the features `metrics` and `tracing`, and nothing to report
set -eu
cd "$(dirname "$0")"
suffix=
cases=
if [ "${1:-}" = --telemetry ]; then
    shift
    set -- --features telemetry "$@"
    suffix=", with telemetry"
    cases="bare held call_async"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo build --quiet --release --ignore-rust-version --bin instructions "$@" >&2
target=${CARGO_TARGET_DIR:-target}
valgrind --quiet --tool=callgrind --compress-strings=no --callgrind-out-file="$out/dump" \
    --zero-before='instructions::measured_case*' --dump-before='instructions::end_of_case*' \
    "$target/release/instructions" $cases >"$out/names"
printf 'case\tinstructions\tabove bare\tallocations\tclock reads\n'
number=0
while read -r name; do
    number=$((number + 1))
    awk -v name="$name$suffix" -v bare="${bare:-}" '
        /^totals:/ { total = $2 / 1000 }
        /^cfn=(malloc|calloc|realloc|posix_memalign|aligned_alloc)$/ { allocates = 1; next }
        /^cfn=clock_gettime/ { reads_clock = 1; next }
        /^calls=/ { split($1, calls, "="); if (allocates) allocations += calls[2]; if (reads_clock) reads += calls[2] }
        { allocates = reads_clock = 0 }
        END {
            if (bare == "") bare = total
            printf "%s\t%d\t%d\t%.2g\t%.2g\n", name, total + 0.5, total - bare + 0.5, allocations / 1000, reads / 1000
        }
    ' "$out/dump.$number"
    [ "$number" -gt 1 ] || bare=$(awk '/^totals:/ { print $2 / 1000 }' "$out/dump.1")
done <"$out/names"
