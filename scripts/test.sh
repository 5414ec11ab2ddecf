#!/bin/sh
# Sets up everything the checks need, then runs linters, type checks and all tests.
# With --lowest: the tests of the library alone, with the lowest versions of all packages that pyproject.toml allows.
set -eu
cd "$(dirname "$0")/.."
# The tests run in one process for each core, so that each needs one thread only.
export OMP_NUM_THREADS=1

if [ "${1-}" = --lowest ]; then
    shift
    FOURFOLD_VENV=.venv-lowest
    FOURFOLD_PYTHON=${FOURFOLD_PYTHON-python3.11}
    . scripts/environment.sh
    "$PYTHON" scripts/lowest.py >"$FOURFOLD_VENV/constraints.txt"
    echo "Installing fourfold with the lowest versions it allows ..."
    install --constraint "$FOURFOLD_VENV/constraints.txt" --editable '.[all]' \
        httpx hypothesis jsonschema pandas polars pyarrow pytest pytest-xdist pyyaml
    echo "Running the tests ..."
    exec "$PYTHON" -m pytest --numprocesses=auto --dist=loadgroup --no-loadscope-reorder \
        tests/unit tests/contract tests/web/test_api.py tests/web/test_safety.py "$@"
fi

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
exec "$PYTHON" -m pytest --numprocesses=auto --dist=loadgroup --no-loadscope-reorder "$@"
