#!/bin/sh
# Sets up everything the checks need, then runs linters, type checks and all tests.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh

echo "Installing fourfold with all extras and the tools that check it ..."
install --constraint constraints.txt --editable '.[all,dev]'

# The tests of the page need a browser, those of Spark need Java; where they are missing, the tests say so and skip.
if ! command -v chromium >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Installing Chromium for the tests of the page ..."
    { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1 || echo "No Chromium: those tests are skipped."
fi

echo "Linting ..."
"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .

echo "Checking types ..."
"$PYTHON" -m mypy

echo "Running the tests ..."
exec "$PYTHON" -m pytest "$@"
