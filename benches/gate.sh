#!/bin/sh
# Fails if a guarded call takes over 10 % more instructions than gate.txt records. Needs valgrind.
#
#   benches/gate.sh             compares the measurement with gate.txt
#   benches/gate.sh --record    writes the measurement into gate.txt
set -eu
cd "$(dirname "$0")"
../scripts/need.sh valgrind -- valgrind
measured=$(mktemp)
trap 'rm -f "$measured" gate.new' EXIT
./instructions.sh >"$measured"
./instructions.sh --telemetry | grep -Ev '^(case|bare,)' >>"$measured"

if [ "${1:-}" = --record ]; then
    # The bare call is zero by definition, and the minimal breaker is not ours.
    { grep '^#' gate.txt | grep -v '^# rustc'; echo "# $(rustc --version)"; sed '1d' "$measured" | cut -f 1,3 | grep -Ev '^(bare|minimal breaker)	'; } >gate.new
    mv gate.new gate.txt
fi

awk -F '\t' -v compiler="$(rustc --version)" '
    /^# rustc/ { recorded_with = substr($0, 3); next }
    /^#/ { next }
    NR == FNR { recorded[$1] = $2; next }
    $1 in recorded {
        compared++
        result = $3 * 10 <= recorded[$1] * 11 ? "ok" : "TOO MANY"
        if (result != "ok") failed = 1
        printf "%-28s %5d instructions above the bare call, recorded %5d: %s\n", $1, $3, recorded[$1], result
    }
    END {
        for (name in recorded) expected++
        if (!expected || compared != expected) { print "a recorded case was not measured"; failed = 1 }
        if (failed && recorded_with != compiler) print "gate.txt was recorded with " recorded_with ", this is " compiler
        exit failed
    }
' gate.txt "$measured"
