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

show check docs/examples/model_card.md || true
show recover --positives 994 --negatives 1006 accuracy=0.898 f1=0.8968
show recover --positives 100 --negatives 200 accuracy=0.9567 sensitivity=0.8700 specificity=0.9750 || true
show score tp=45 fn=5 fp=10 tn=40
show score tp=0 fn=4 fp=0 tn=46 --metric precision --metric recall --metric mcc
show holes prevalence_threshold 30
show audit docs/examples/clinics.csv --truth truth --prediction prediction --positive sick --by site --metric recall
show plan recall --group 0.60 --reference 0.80 --prevalence 0.3
show certainty docs/examples/animals_shy.csv --truth y --probabilities 'p_*' --metric accuracy

cat <<'END'

Type next:
  .venv/bin/fourfold metrics                            every metric, its formula and its other names
  .venv/bin/fourfold recover --total 110 accuracy=92.7% precision=96.9% recall=95%
  .venv/bin/fourfold check PAPER.tex README.md SHEET.csv
  .venv/bin/fourfold score FILE.csv --truth COLUMN --prediction COLUMN
  .venv/bin/fourfold audit FILE.csv --truth COLUMN --prediction COLUMN --by COLUMN
  .venv/bin/pip install '.[all]' && .venv/bin/fourfold serve      a page for all three questions
  .venv/bin/fourfold --help
END
