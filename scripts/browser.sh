#!/bin/sh
# Sees to Chromium, which the tests of the page drive. It is the one thing that is installed outside the virtual environment:
# as root, with apt-get, and only after saying so. FOURFOLD_SYSTEM=no leaves it out.
set -eu

without() {
    echo "No Chromium: $1. The tests of the page in a browser are skipped."
    exit 0
}

command -v chromium >/dev/null 2>&1 && exit 0
[ "${FOURFOLD_SYSTEM-}" != no ] || without "FOURFOLD_SYSTEM=no forbids installing it"
command -v apt-get >/dev/null 2>&1 || without "there is no apt-get to install it with"
[ "$(id -u)" = 0 ] || without "only root can install it (apt-get install chromium)"
echo "Outside the virtual environment: installing Debian's package chromium with apt-get, for the tests of the page."
echo "(FOURFOLD_SYSTEM=no would leave that out.)"
{ apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1 || without "apt-get could not install it"
