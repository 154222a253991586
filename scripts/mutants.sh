#!/usr/bin/env bash
# Breaks the core on purpose, one breakage of `mutants.txt` after the other, and wants the named test to see it.
#
#   scripts/mutants.sh            all of them
#   scripts/mutants.sh lease      those whose name has `lease` in it
#
# It works on a copy, so the tree stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=${1:-}
work=${CARGO_TARGET_DIR:-$PWD/target}/mutants
tree=$work/tree
export CARGO_TARGET_DIR=$work/target CARGO_TERM_COLOR=never RUST_BACKTRACE=0

rm -rf "$tree"
mkdir -p "$tree"
git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -C "$tree" -xf -

# Runs one test of the copy: `FILE::NAME` of tests/, or `loom::NAME` with the model checker.
run() {
    local file=${1%%::*} name=${1#*::}
    (
        cd "$tree"
        if [ "$file" = loom ]; then
            export RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$CARGO_TARGET_DIR/loom
            timeout 600 cargo test -q --release -p breaker-core --lib "$name"
        else
            # So many steps that chance leaves nothing out.
            export MODEL_STEPS=150000
            timeout 600 cargo test -q -p breaker --test "$file" "$name"
        fi
    ) >"$work/output" 2>&1
}

killed=0 survived=0
try() {
    local name=$1 file=$2 test=$3 old=$4 new=$5 source
    case $name in *"$wanted"*) ;; *) return ;; esac
    source=$(cat "$tree/$file")
    case $source in
        *"$old"*"$old"*) echo "$name: its text is in $file more than once" && exit 1 ;;
        *"$old"*) ;;
        *) echo "$name: its text is not in $file any more" && exit 1 ;;
    esac
    printf '%s\n' "${source/"$old"/"$new"}" >"$tree/$file"
    if run "$test"; then
        echo "SURVIVED  $name: $test is green"
        survived=$((survived + 1))
    # A model that fails may abort, for loom's own objects panic while the failure unwinds.
    elif grep -q -e 'test result: FAILED' -e SIGABRT "$work/output"; then
        echo "killed    $name, by $test"
        killed=$((killed + 1))
    else
        echo "$name: it did not come as far as a failing test" && tail -n 30 "$work/output" && exit 1
    fi
    printf '%s\n' "$source" >"$tree/$file"
}

# `== NAME`, `file: PATH`, `test: FILE::NAME`, then the old text behind `-` and the new text behind `+`.
name='' file='' test='' old='' new=''
flush() { [ -z "$name" ] || try "$name" "$file" "$test" "${old%$'\n'}" "${new%$'\n'}"; }
while IFS= read -r line; do
    case $line in
        '== '*) flush && name=${line#== } file='' test='' old='' new='' ;;
        'file: '*) file=${line#file: } ;;
        'test: '*) test=${line#test: } ;;
        -*) old+=${line#-}$'\n' ;;
        +*) new+=${line#+}$'\n' ;;
    esac
done <scripts/mutants.txt
flush
echo "$killed killed, $survived survived"
[ "$survived" = 0 ]
