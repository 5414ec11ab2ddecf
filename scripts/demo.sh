#!/bin/sh
# Installs fourfold into a virtual environment of its own and shows what it does. Nothing outside .venv is changed.
set -eu
cd "$(dirname "$0")/.."
. scripts/environment.sh

echo "Installing fourfold into $FOURFOLD_VENV ..."
install --editable .
cd docs/examples

say() {
    echo
    printf '%s\n' "$@"
}

# A command that finds something impossible ends with 1; anything else that is not 0 stops the demo.
show() {
    printf '\n$ fourfold'
    for word in "$@"; do
        case $word in *'*'*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    echo
    "$FOURFOLD" "$@" || [ $? = 1 ]
}

say '1. Can these numbers be true?' \
    'The README of a model prints a report and a confusion matrix. One row of the report is from another run.'
show check model_card.md

say 'A paper gives three scores and no matrix. No table of 100 sick and 200 healthy people has all three.'
show recover --folds none --positives 100 --negatives 200 accuracy=0.9567 sensitivity=0.8700 specificity=0.9750

say '2. Is it the group, or its size?' \
    'A model finds fewer of the sick in some clinics. Some of these clinics have very few patients.'
show audit clinics.csv --truth truth --prediction prediction --positive sick --by site --metric recall

say 'How many patients would be enough to tell?'
show plan recall --group 0.60 --reference 0.80 --prevalence 0.3

say '3. How much of a score rests on confident predictions?' \
    'A model of three kinds of animals gives a probability for each.'
show certainty animals_shy.csv --truth y --probabilities 'p_*' --metric accuracy

cat <<END

Type next:
  $FOURFOLD_VENV/bin/fourfold check YOUR_README.md           also .tex, .html, .csv, .ipynb
  $FOURFOLD_VENV/bin/fourfold audit FILE.csv --truth COLUMN --prediction COLUMN --by COLUMN
  $FOURFOLD_VENV/bin/fourfold metrics                        every metric, its formula and its other names
  $FOURFOLD_VENV/bin/fourfold --help
  $FOURFOLD_VENV/bin/python -m pip install --editable '.[all]' && $FOURFOLD_VENV/bin/fourfold serve
                                              a page on this machine for all three questions
END
