# Sees to it that valgrind is there: read by the scripts that need it. Where CI is true it is installed.
if ! command -v valgrind >/dev/null; then
    if [ "${CI:-}" != true ]; then
        echo "valgrind is missing: apt-get install --no-install-recommends valgrind" >&2
        exit 1
    fi
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qq -y --no-install-recommends valgrind >/dev/null
fi
