#!/bin/sh
# Installs fourfold into a virtual environment of its own and shows what it does.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh

echo "Installing fourfold ..."
install .

show() {
    printf '\n$ fourfold %s\n' "$*"
    .venv/bin/fourfold "$@"
}

show score tp=45 fn=5 fp=10 tn=40
show score tp=0 fn=4 fp=0 tn=46 --metric precision --metric recall --metric mcc
show holes prevalence_threshold 30
show metrics mcc

cat <<'END'

Type next:
  .venv/bin/fourfold metrics                            every metric, its formula and its other names
  .venv/bin/fourfold score FILE.csv --truth COLUMN --prediction COLUMN
  .venv/bin/fourfold --help
END
