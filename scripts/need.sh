#!/usr/bin/env bash
# Installs Debian packages if one of their commands is missing and CI is set. Without CI, prints the missing commands and fails.
#
#   scripts/need.sh COMMAND... -- PACKAGE...
set -euo pipefail
missing=()
while [ "$1" != -- ]; do
    command -v "$1" >/dev/null || missing+=("$1")
    shift
done
shift
[ ${#missing[@]} -gt 0 ] || exit 0
if [ -z "${CI:-}" ]; then
    echo "missing: ${missing[*]} (Debian: apt-get install --no-install-recommends $*)" >&2
    exit 1
fi
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qq -y --no-install-recommends "$@" >/dev/null
