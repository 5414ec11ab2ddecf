#!/bin/sh
# Sets up what the checks need, in .venv (and see browser.sh), then runs linters, type checks and all tests.
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
        tests/unit tests/contract tests/assistants tests/web/test_api.py tests/web/test_safety.py "$@"
fi

. scripts/environment.sh
echo "Installing fourfold with all extras and the tools that check it into $FOURFOLD_VENV ..."
install --constraint constraints.txt --editable '.[all,dev]'

sh scripts/browser.sh
# Nothing installs Java: the tests of Spark say that it is missing, and are skipped.

echo "Linting ..."
"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .

echo "Checking types, beside the tests ..."
"$PYTHON" -m mypy >"$FOURFOLD_VENV/types.txt" 2>&1 &
types=$!

echo "Running the tests ..."
code=0
"$PYTHON" -m pytest --numprocesses=auto --dist=loadgroup --no-loadscope-reorder "$@" || code=$?
wait "$types" || {
    cat "$FOURFOLD_VENV/types.txt"
    code=1
}
exit "$code"
