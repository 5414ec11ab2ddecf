"""Files that come with a question, kept under names of ours: what a client calls them is shown, never opened."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ..data import FILE_ENDINGS
from ..errors import InputError, verbatim
from ..questions import FILES, MOST_FILES, DataFile, Question
from ..reports import ENDINGS
from .refusals import Refused

_LONGEST_LABEL: Final = 100


class Uploads:
    """The files of one question, in a folder of their own.

    Examples
    --------
    >>> from fourfold.questions import WEB_QUESTIONS
    >>> uploads = Uploads(Path("folder"), WEB_QUESTIONS["audit"])
    >>> uploads.add("Clinics of 2025.CSV").name, uploads.files
    ('upload-1.csv', [DataFile(label='Clinics of 2025.CSV', path='upload-1.csv')])
    """

    def __init__(self, folder: Path, question: Question) -> None:
        parameter = next(parameter for parameter in question.parameters if parameter.kind in FILES)
        self._folder = folder
        self._kind = parameter.kind
        self._room = MOST_FILES[parameter.kind]
        self._most = self._room if parameter.many else 1
        self.files: list[DataFile] = []

    def add(self, label: str) -> Path:
        """Take a file by what it is called, and return where to write it."""
        shown = "".join(letter for letter in label if letter.isprintable()).strip()
        label = shown if len(shown) <= _LONGEST_LABEL else "..." + shown[-_LONGEST_LABEL:]
        if len(self.files) == self._room:
            raise InputError("bad_request", "file", f"are more than {self._room}", len(self.files) + 1, "send fewer")
        name = f"upload-{len(self.files) + 1}{self._ending(label.lower())}"
        taken = {file.label for file in self.files}
        self.files.append(DataFile(f"{label} (2)" if label in taken else label, name))
        return self._folder / name

    def _ending(self, label: str) -> str:
        """Return the end of a name, which tells how the file is read."""
        data = [ending for ending in FILE_ENDINGS if label.endswith(ending)]
        if data:
            return max(data, key=len)
        ending = "".join(re.findall(r"\.[a-z0-9]{1,8}$", label))
        # Documents of all kinds are read: what an unknown one is shows in it. Data is not guessed at.
        if self._kind == "document" or (self._kind == "cases" and ending in ENDINGS):
            return ending
        known = [*FILE_ENDINGS, *(sorted(ENDINGS - set(FILE_ENDINGS)) if self._kind == "cases" else ())]
        hint = f"give a file that ends in {', '.join(known)}"
        raise Refused(415, InputError("bad_shape", "file", "is of a kind that cannot be read", label, hint))

    def check(self) -> None:
        """Refuse a question that has no file, or too many."""
        if not 1 <= len(self.files) <= self._most:
            hint = "send one file" if self._most == 1 else f"send one file, or up to {self._most}"
            raise InputError("bad_shape", "file", "must be a file", verbatim(f"{len(self.files)} files"), hint)
