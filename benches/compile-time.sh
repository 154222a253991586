#!/bin/bash
# Prints the cost of the macros at compile time: CPU seconds of `cargo check`, the least of five alternating rounds. Prints
# one line for each case, separated by tabs.
#
#   benches/compile-time.sh
#
# The cases are 200 functions with `#[breaker]`, with `#[tracing::instrument]` and plain, an enum of 200 variants with the
# derive and without, and a clean build of breaker-core alone.
set -euo pipefail
cd "$(dirname "$0")/.."
core=$PWD/breaker-core
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0 TIMEFORMAT='%U %S'

package() { # NAME < SOURCE
    mkdir -p "$work/$1/src"
    cat >"$work/$1/src/lib.rs"
    cat >"$work/$1/Cargo.toml" <<TOML
[workspace]
[package]
name = "$1"
version = "0.0.0"
edition = "2024"
[dependencies]
breaker-core = { path = "$core" }
thiserror = "2"
tracing = "0.1"
TOML
}

functions() { # ATTRIBUTE
    cat <<'RUST'
#[derive(Debug, thiserror::Error)]
pub enum ShopError {
    #[error("down")]
    Down,
    #[error(transparent)]
    Rejected(#[from] breaker_core::CircuitOpen),
}
impl breaker_core::ProvesReachable for ShopError {
    fn evidence(&self) -> breaker_core::Evidence {
        breaker_core::Evidence::Failed
    }
}
pub struct Shop {
    pub circuit: breaker_core::Circuit,
}
async fn remote(article: u64) -> Result<u64, ShopError> {
    if article == 0 { Err(ShopError::Down) } else { Ok(article) }
}
impl Shop {
RUST
    for number in $(seq 200); do
        echo "    $1"
        echo "    pub async fn article_$number(&self, article: u64, times: usize) -> Result<u64, ShopError> {"
        echo "        let mut sum = 0;"
        echo "        for _ in 0..times { sum += remote(article + $number).await?; }"
        echo "        Ok(sum)"
        echo "    }"
    done
    echo "}"
}

variants() { # DERIVE ATTRIBUTE
    echo "#[derive(Debug, thiserror::Error$1)]"
    echo "pub enum ShopError {"
    for number in $(seq 200); do
        echo "    #[error(\"no such article, of kind $number: {0}\")]"
        if [ $((number % 2)) = 0 ]; then echo "    $2"; fi
        echo "    ArticleKind${number}NotFound(u64),"
    done
    echo "}"
}

functions '' | package plain
functions '#[tracing::instrument(skip(self))]' | package tracing_instrument
functions '#[breaker_core::breaker(connection = self.circuit)]' | package breaker
variants '' '' | package enum_plain
variants ', breaker_core::ProvesReachable' '#[reachable(status = 404)]' | package enum_derived

declare -A least
for round in 0 1 2 3 4 5; do
    for name in plain tracing_instrument breaker enum_plain enum_derived; do
        touch "$work/$name/src/lib.rs"
        seconds=$( { time cargo check --quiet --manifest-path "$work/$name/Cargo.toml" >&2; } 2>&1 | tail -n 1 | awk '{ print $1 + $2 }')
        # Round 0 builds the dependencies and is not measured.
        if [ "$round" -gt 0 ]; then
            least[$name]=$(awk -v a="${least[$name]:-9999}" -v b="$seconds" 'BEGIN { print a < b ? a : b }')
        fi
    done
done
printf '200 functions, plain\t%s\n' "${least[plain]}"
printf '200 functions, `#[tracing::instrument]`\t%s\n' "${least[tracing_instrument]}"
printf '200 functions, `#[breaker]`\t%s\n' "${least[breaker]}"
printf 'enum of 200 variants, `thiserror` only\t%s\n' "${least[enum_plain]}"
printf 'enum of 200 variants, `thiserror` and `ProvesReachable`\t%s\n' "${least[enum_derived]}"

rm -rf "$work/target"
printf 'fn main() {}' | package alone
sed -i '/thiserror\|tracing/d' "$work/alone/Cargo.toml"
seconds=$( { time cargo build --quiet --manifest-path "$work/alone/Cargo.toml" >&2; } 2>&1 | tail -n 1 | awk '{ print $1 + $2 }')
crates=$(cargo tree --quiet --prefix none --edges normal,build --manifest-path "$work/alone/Cargo.toml" \
    | grep -v '^alone' | sed 's/ (\*)//' | sort -u | wc -l)
printf 'clean build of `breaker-core` with the macros, %s crates\t%s\n' "$crates" "$seconds"
