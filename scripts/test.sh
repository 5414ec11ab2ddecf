#!/bin/sh
# Sets up everything the checks need, then runs linters, type checks and all tests.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh

echo "Installing fourfold with all extras and the tools that check it ..."
install --constraint constraints.txt --editable '.[all,dev]'

echo "Linting ..."
"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .

echo "Checking types ..."
"$PYTHON" -m mypy

echo "Running the tests ..."
exec "$PYTHON" -m pytest --cov --cov-report=term "$@"
