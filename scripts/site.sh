#!/bin/sh
# Builds the documentation as a site below build/site; nothing is fetched. Arguments go to mkdocs.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh

if ! "$PYTHON" -c 'import material, fourfold' 2>/dev/null; then
    echo "Installing fourfold and the tools that build its site ..."
    install --constraint constraints.txt --editable '.[all,dev]'
fi
"$PYTHON" scripts/reference.py
# The theme prints a notice on its own future, which would hide what the build has to say.
NO_MKDOCS_2_WARNING=1 "$PYTHON" -m mkdocs build --strict --quiet "$@"
echo "The site is in build/site: open build/site/index.html. Its search works from there, too."
