from __future__ import annotations

from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest

import fourfold as ff
from fourfold.exact.reported import ROUNDINGS, Reported, is_above_one
from fourfold.exact.surd import root

# Text, low end, high end, by hand.
READ = [
    ("0.890", F("0.8895"), F("0.8905")),
    ("0.89", F("0.885"), F("0.895")),
    (".89", F("0.885"), F("0.895")),
    ("1.", F("0.5"), F("1.5")),
    ("1.000", F("0.9995"), F("1.0005")),
    ("85.0%", F("0.8495"), F("0.8505")),
    ("85.0 %", F("0.8495"), F("0.8505")),
    (" 85% ", F("0.845"), F("0.855")),
    ("-0.25", F("-0.255"), F("-0.245")),
    ("−0.25", F("-0.255"), F("-0.245")),
    ("+0.25", F("0.245"), F("0.255")),
    ("8.9e-1", F("0.885"), F("0.895")),
    ("1E2", F(50), F(150)),
    ("0,85", F("0.845"), F("0.855")),
    ("0,850", F("0.8495"), F("0.8505")),
    ("85,0%", F("0.8495"), F("0.8505")),
    ("[0.81, 0.86]", F("0.81"), F("0.86")),
    ("[81%; 86%]", F("0.81"), F("0.86")),
    ("[81, 86]%", F("0.81"), F("0.86")),
    ("0.85 ± 0.01", F("0.84"), F("0.86")),
    ("0.85+/-0.01", F("0.84"), F("0.86")),
    ("85 ± 1 %", F("0.84"), F("0.86")),
    ("85% ± 1", F("0.84"), F("0.86")),
    ("(85 ± 1)%", F("0.84"), F("0.86")),
    ("3/10", F(3, 10), F(3, 10)),
    ("=0.5", F(1, 2), F(1, 2)),
    ("=85%", F(17, 20), F(17, 20)),
    ("= 2/3", F(2, 3), F(2, 3)),
]


@pytest.mark.parametrize(("text", "low", "high"), READ)
def test_read(text: str, low: F, high: F) -> None:
    found = Reported.read(text)
    assert (found.low, found.high) == (low, high)
    assert (found.low_open, found.high_open) == (False, False)
    assert found.notes == ()


def test_brackets_leave_ends_out() -> None:
    found = Reported.read("(0.81, 0.86]")
    assert F("0.81") not in found
    assert F("0.86") in found
    assert F("0.87") not in found


# Rule, text, values that print as it, values that do not: by the meaning of each rule.
RULES = [
    ("any", "0.85", ["0.845", "0.855"], ["0.8449", "0.8551"]),
    ("half_up", "0.85", ["0.845", "0.8549"], ["0.855", "0.8449"]),
    ("half_up", "-0.85", ["-0.845", "-0.8549"], ["-0.855", "-0.8449"]),
    ("half_up", "0.00", ["0.0049", "-0.0049", "0"], ["0.005", "-0.005"]),
    ("half_even", "0.84", ["0.835", "0.845"], ["0.8349", "0.8451"]),
    ("half_even", "0.85", ["0.8451", "0.8549"], ["0.845", "0.855"]),
    ("truncate", "0.85", ["0.85", "0.8599"], ["0.86", "0.8499"]),
    ("truncate", "-0.85", ["-0.85", "-0.8599"], ["-0.86", "-0.8499"]),
    ("truncate", "0.00", ["0.0099", "-0.0099"], ["0.01", "-0.01"]),
    ("ceiling", "0.85", ["0.85", "0.8401"], ["0.84", "0.8501"]),
    ("ceiling", "-0.85", ["-0.85", "-0.8599"], ["-0.86", "-0.8499"]),
]


@pytest.mark.parametrize(("rule", "text", "inside", "outside"), RULES)
def test_rounding_rules(rule: str, text: str, inside: list[str], outside: list[str]) -> None:
    found = Reported.read(text, rounding=rule)
    assert all(F(value) in found for value in inside)
    assert not any(F(value) in found for value in outside)
    assert found.rounding == rule


def test_roots_are_compared_exactly() -> None:
    assert root(2) - 1 in Reported.read("[0.41421356237309504880168872420969, 0.41421356237309504880168872420970]")
    assert root(2) - 1 not in Reported.read("[0.41421356237309504880168872420970, 0.41421356237309504880168872420971]")


def test_a_float_printed_in_full_has_the_room_that_floats_need() -> None:
    """A mean of two rates, computed in floats in two orders, differs by more than its last digit shows."""
    truth = (F(115, 273) + F(72, 127)) / 2
    assert float(truth) == 0.4940872775518445
    assert truth in Reported.read("0.49408727755184445")
    assert truth in Reported.read(float(truth))
    assert truth + F(1, 10**13) not in Reported.read(float(truth))
    assert F(1, 3) in Reported.read(1 / 3)


@pytest.mark.parametrize("value", [0.8, np.float64(0.8), np.float32(0.8)])
def test_floats_are_read_by_their_shortest_text_with_a_note(value: object) -> None:
    found = Reported.read(value, argument="accuracy")
    assert (found.low, found.high) == (F("0.75"), F("0.85"))
    assert found.notes[0].code == "float_read_as_text"
    assert "accuracy" in found.notes[0].text
    assert found.notes[0].to_dict()["data"] == {"argument": "accuracy", "text": "0.8"}


def test_decimals_and_fractions_keep_what_they_say() -> None:
    assert Reported.read(Decimal("0.890")) == Reported.read("0.890")
    assert Reported.read(F(1, 3)).low == F(1, 3)
    assert Reported.read(1).high == F(3, 2)


def test_shown() -> None:
    assert repr(Reported.read("=1/3")) == "Reported('=1/3': [1/3, 1/3])"
    assert Reported.read("0.85", rounding="half_up").to_dict() == {
        "text": "0.85",
        "low": "169/200",
        "high": "171/200",
        "low_open": False,
        "high_open": True,
        "rounding": "half_up",
        "notes": [],
    }


@pytest.mark.parametrize(
    "value",
    ["", "abc", "0.8.5", "--1", "1,234", "[0.86, 0.81]", "(0.5, 0.5]", "[0.5]", "0.5 ± x", "1/0", "=", "%", "nan", "inf",
     "1e999", "9" * 200, "٠.٨", "0.5 ± -0.1", "0.85 12", "85 90", "0.85 ± 1%", "30/100%", "3/10/2", None, True, [0.5], float("nan"), float("inf"), b"0.5"],
)  # fmt: skip
def test_bad_text_gets_the_one_grammar(value: object) -> None:
    with pytest.raises(ff.InputError, match=r"^accuracy: .+, got .+\. Hint: .+\.$") as caught:
        Reported.read(value, argument="accuracy")
    assert caught.value.code == "bad_number"


def test_unknown_rule() -> None:
    with pytest.raises(ff.InputError, match="half_down") as caught:
        Reported.read("0.5", rounding="half_down")
    assert caught.value.code == "bad_option"
    assert set(ROUNDINGS) == {"any", "half_up", "half_even", "truncate", "ceiling"}


def test_a_raised_point_is_a_point() -> None:
    assert Reported.read("0·91").low == Reported.read("0.91").low


#: The floats of 32 bits next to 1 are 1.00000012, 1.00000024 and so on; half a millionth is a few of them.
@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("1.0000000000000002", 1),
        ("1.0000001", 1),
        ("1.00000012", 1),
        ("1.0000002", 1),
        ("-1.00000012", -1),
        ("-1.0000000000000002", -1),
        ("100.00001%", 1),
    ],
)
def test_what_floats_leave_beyond_1_is_1(text: str, one: int) -> None:
    inside = Reported.read(text).within(F(-1), F(1))
    assert F(one) in inside
    # No more than half a millionth is given away.
    assert F(one) * F("0.999999") not in inside
    assert not is_above_one(F(Reported.read(text).low + Reported.read(text).high) / 2)


@pytest.mark.parametrize(
    "text", ["1.00001", "1.000001", "1.01", "100.0001%", "-1.000001", "=1.0000001", "[1.0000001, 1.1]"]
)
def test_what_no_float_explains_is_not_1(text: str) -> None:
    assert Reported.read(text).within(F(-1), F(1)) == Reported.read(text)


def test_what_floats_leave_below_0_is_not_given_room() -> None:
    """Only limits of 1 and -1 are reached by dividing; a score below 0 is something else."""
    assert Reported.read("-0.0000001").within(F(0), F(1)) == Reported.read("-0.0000001")
