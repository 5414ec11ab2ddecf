"""The kinds of attacks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .certainties import CertaintyAttack
from .class_reports import ClassAttack
from .documents import CheckAttack
from .fold_reports import FoldAttack
from .group_tests import GroupAttack
from .one_table import RecoverAttack
from .running import Attack

KINDS: Final[Mapping[str, Callable[[], Attack]]] = {
    "certainty": CertaintyAttack,
    "check": CheckAttack,
    "classes": ClassAttack,
    "folds": FoldAttack,
    "groups": GroupAttack,
    "recover": RecoverAttack,
}
