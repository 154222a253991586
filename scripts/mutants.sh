#!/usr/bin/env bash
# Mutation tests: applies the breakages of `mutants.txt` one at a time and checks that the named test fails.
#
#   scripts/mutants.sh            all breakages
#   scripts/mutants.sh lease      the breakages whose name contains `lease`
#   scripts/mutants.sh --check [lease]   compiles them and runs no test, in a few seconds each
#   scripts/mutants.sh --list     prints the table of breakages and runs nothing
#
# A breakage is `killed` if its test fails, `survived` if its test passes, and `broken` if it cannot be applied or does not
# compile. The others run nevertheless. The exit code is 0 only if all are killed, or with `--check` if all compile. The script
# changes a copy of the tree, never the tree itself.
set -euo pipefail
cd "$(dirname "$0")/.."
check=
if [ "${1:-}" = --check ]; then
    check=1
    shift
fi
wanted=${1:-}

# Calls `$1 NAME FILE TEST OLD NEW` for each breakage.
each_breakage() {
    local name='' file='' test='' old='' new='' line
    flush() { [ -z "$name" ] || "$1" "$name" "$file" "$test" "${old%$'\n'}" "${new%$'\n'}"; }
    while IFS= read -r line; do
        case $line in
            '== '*) flush "$1" && name=${line#== } file='' test='' old='' new='' ;;
            'file: '*) file=${line#file: } ;;
            'test: '*) test=${line#test: } ;;
            -*) old+=${line#-}$'\n' ;;
            +*) new+=${line#+}$'\n' ;;
        esac
    done <scripts/mutants.txt
    flush "$1"
}

if [ "$wanted" = --list ]; then
    row() { printf '| `%s` | `%s` | `%s` |\n' "$1" "${2#breaker-core/src/}" "$3"; }
    printf '| breakage | file in `breaker-core/src/` | test |\n|---|---|---|\n'
    each_breakage row
    exit
fi

work=${CARGO_TARGET_DIR:-$PWD/target}/mutants
tree=$work/tree
export CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never RUST_BACKTRACE=0

rm -rf "$tree"
mkdir -p "$tree"
git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -C "$tree" -xf -

# Runs one test of the copy: BINARY::PATH of tests/, or loom::NAME with the model checker.
run() {
    local binary=${1%%::*} path=${1#*::}
    (
        cd "$tree"
        if [ "$binary" = loom ]; then
            export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$CARGO_TARGET_DIR/loom
            timeout 600 cargo test -q --release -p breaker-core --lib "loom_tests::$path" -- --exact
        else
            # Enough random steps that no breakage survives by chance.
            export MODEL_STEPS=150000
            timeout 600 cargo test -q -p breaker --test "$binary" "$path" -- --exact
        fi
    ) >"$work/output" 2>&1
}

killed=0 survived=0 broken=0 compiled=0
report_broken() {
    echo "BROKEN    $1: $2"
    broken=$((broken + 1))
}
try() {
    local name=$1 file=$2 test=$3 old=$4 new=$5 source
    case $name in *"$wanted"*) ;; *) return 0 ;; esac
    source=$(cat "$tree/$file") || { report_broken "$name" "$file does not exist"; return 0; }
    case $source in
        *"$old"*"$old"*) report_broken "$name" "its old text occurs in $file more than once"; return 0 ;;
        *"$old"*) ;;
        *) report_broken "$name" "its old text does not occur in $file"; return 0 ;;
    esac
    printf '%s\n' "${source/"$old"/"$new"}" >"$tree/$file"
    if [ -n "$check" ]; then
        # The same target directory for all, so that only breaker-core is compiled again.
        if (cd "$tree" && cargo check -q -p breaker-core --lib --all-features) >"$work/output" 2>&1; then
            compiled=$((compiled + 1))
        else
            report_broken "$name" "it does not compile"
            grep -A 5 '^error' "$work/output" | head -n 12
        fi
    elif run "$test"; then
        if grep -q '^running 1 test' "$work/output"; then
            echo "SURVIVED  $name: $test passes"
            survived=$((survived + 1))
        else
            report_broken "$name" "$test does not exist"
        fi
    # A failing model may abort, because objects of loom panic while the failure unwinds.
    elif grep -q -e 'test result: FAILED' -e SIGABRT "$work/output"; then
        echo "killed    $name, by $test"
        killed=$((killed + 1))
    else
        report_broken "$name" "it does not compile, or $test does not end"
        tail -n 30 "$work/output"
    fi
    printf '%s\n' "$source" >"$tree/$file"
}

each_breakage try
if [ -n "$check" ]; then
    echo "$compiled breakages compile, $broken broken"
else
    echo "$killed killed, $survived survived, $broken broken"
fi
[ "$survived" = 0 ] && [ "$broken" = 0 ]
