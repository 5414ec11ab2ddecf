# Sourced by the other scripts: makes a virtual environment in .venv with Python 3.11 or newer.
# Afterwards $PYTHON is that environment's interpreter.

find_python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "fourfold needs Python 3.11 or newer, and found none." >&2
    exit 1
}

PYTHON=.venv/bin/python
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    base=$(find_python) || exit 1
    echo "Making a virtual environment in .venv ($("$base" --version)) ..."
    if ! "$base" -m venv .venv; then
        echo "Python's venv module is missing; on Debian or Ubuntu: apt-get install python3-venv" >&2
        exit 1
    fi
fi

install() {
    "$PYTHON" -m pip install --quiet --disable-pip-version-check "$@"
}
