# Sourced by the other scripts: makes a virtual environment in .venv, or where $FOURFOLD_VENV says, with Python 3.11 or newer;
# $FOURFOLD_PYTHON, if it is set, is tried first.
# Afterwards $PYTHON is that environment's interpreter, and $FOURFOLD the command, whatever the working directory.

find_python() {
    for candidate in ${FOURFOLD_PYTHON-} python3 python3.15 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "fourfold needs Python 3.11 or newer, and found none." >&2
    exit 1
}

FOURFOLD_VENV=${FOURFOLD_VENV:-.venv}
case $FOURFOLD_VENV in
    /*) PYTHON=$FOURFOLD_VENV/bin/python ;;
    *) PYTHON=$PWD/$FOURFOLD_VENV/bin/python ;;
esac
FOURFOLD=${PYTHON%python}fourfold
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    base=$(find_python) || exit 1
    echo "Making a virtual environment in $FOURFOLD_VENV ($("$base" --version)) ..."
    if ! "$base" -m venv "$FOURFOLD_VENV"; then
        echo "Python's venv module is missing; on Debian or Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
fi

# Python compiles what it imports, and keeps that for the next process; to compile all of every package at once would
# take longer.
unset PYTHONDONTWRITEBYTECODE
install() {
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-compile "$@"
}
