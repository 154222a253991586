#!/bin/sh
# Fails where a guarded call takes over 10 % more instructions than recorded in gate.txt. Needs valgrind.
#
#   benches/gate.sh             compares
#   benches/gate.sh --record    writes what it measures into gate.txt
set -eu
cd "$(dirname "$0")"
../scripts/need.sh valgrind -- valgrind
measured=$(mktemp)
trap 'rm -f "$measured" gate.new' EXIT
./instructions.sh >"$measured"

if [ "${1:-}" = --record ]; then
    { grep '^#' gate.txt | grep -v '^# rustc'; echo "# $(rustc --version)"; cut -f 1,3 "$measured" | grep -E '^(held|held, in a fleet|call_async|text key|text key, in a fleet|failed|rejected)	'; } >gate.new
    mv gate.new gate.txt
fi

awk -F '\t' -v compiler="$(rustc --version)" '
    /^# rustc/ { recorder = substr($0, 3); next }
    /^#/ { next }
    NR == FNR { recorded[$1] = $2; next }
    $1 in recorded {
        seen++
        verdict = $3 * 10 <= recorded[$1] * 11 ? "ok" : "TOO MANY"
        if (verdict != "ok") failed = 1
        printf "%-12s %5d instructions above the bare call, recorded %5d: %s\n", $1, $3, recorded[$1], verdict
    }
    END {
        for (name in recorded) wanted++
        if (!wanted || seen != wanted) { print "a recorded case was not measured"; failed = 1 }
        if (failed && recorder != compiler) print "recorded with " recorder ", and this is " compiler
        exit failed
    }
' gate.txt "$measured"
