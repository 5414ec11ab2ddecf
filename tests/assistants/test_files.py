"""What an assistant may have read: text, and plain files below the folders that the user named; nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import fourfold as ff
from fourfold.mcp import files
from fourfold.mcp.files import Folders, keep
from fourfold.questions import WEB_QUESTIONS
from fourfold.workers.refusals import Refused
from fourfold.workers.uploads import Uploads

SECRET = "do not show this"


@pytest.fixture(params=[True, False], ids=["from within", "looked at first"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is open, beside one that is not; opened as this system can, and as any can."""
    monkeypatch.setattr(files, "_BELOW", files._BELOW and request.param)
    allowed, private = tmp_path / "allowed", tmp_path / "private"
    (allowed / "inner").mkdir(parents=True)
    private.mkdir()
    (allowed / "inner" / "a.csv").write_text("inside")
    (private / "a.csv").write_text(SECRET)
    (allowed / "link.csv").symlink_to(private / "a.csv")
    (allowed / "out").symlink_to(private)
    (allowed / "near.csv").symlink_to("inner/a.csv")
    (allowed / "loop").symlink_to("loop")
    if hasattr(os, "mkfifo"):
        os.mkfifo(allowed / "pipe")
    return allowed


def read(folders: Folders, path: str) -> str:
    with folders.open(path) as file:
        return file.read().decode()


def test_what_is_inside_opens(house: Path) -> None:
    folders = Folders([str(house)])
    assert read(folders, "inner/a.csv") == read(folders, "./inner//a.csv") == "inside"


HOSTILE = [
    "../private/a.csv",
    "inner/../../private/a.csv",
    "..",
    "..\\private\\a.csv",
    "/etc/passwd",
    "//etc/passwd",
    "\\\\server\\share\\a.csv",
    "C:\\a.csv",
    "C:a.csv",
    "file:///etc/passwd",
    "http://localhost/a.csv",
    "s3://bucket/a.csv",
    "link.csv",
    "out/a.csv",
    "near.csv",
    "loop",
    "loop/a.csv",
    "inner",
    ".",
    "",
    "a\0.csv",
    pytest.param("pipe", marks=pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")),
]


@pytest.mark.parametrize("path", HOSTILE)
def test_what_leads_elsewhere_is_refused(house: Path, path: str) -> None:
    with pytest.raises(ff.InputError) as refused:
        Folders([str(house)]).open(path)
    assert refused.value.code == "refused"
    assert refused.value.hint


@pytest.mark.parametrize("path", ["no.csv", "inner/no.csv", "no/a.csv", "inner/a.csv/b.csv", "~/a.csv", "inner/*.csv"])
def test_what_is_not_there_is_told(house: Path, path: str) -> None:
    with pytest.raises(ff.InputError) as missing:
        Folders([str(house)]).open(path)
    assert missing.value.code == "no_file"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev")
@pytest.mark.parametrize("name", ["null", "zero", "stdin", "fd/0"])
def test_devices_are_refused(name: str) -> None:
    with pytest.raises(ff.InputError) as refused:
        Folders(["/dev"]).open(name)
    assert refused.value.code == "refused"


def test_a_file_that_becomes_a_link_is_not_followed(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the opening another program may change what is there."""
    plain = os.stat(house / "inner" / "a.csv")
    monkeypatch.setattr(files.os, "stat", lambda *_, **__: plain)
    monkeypatch.setattr(Path, "lstat", lambda self: plain)
    with pytest.raises(ff.InputError) as refused:
        Folders([str(house)]).open("link.csv")
    assert refused.value.code in ("refused", "no_file")


def test_several_folders(house: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "inner").mkdir(parents=True)
    (other / "b.csv").write_text("second")
    both = Folders([str(house), str(other)])
    assert read(both, "inner/a.csv") == "inside"
    assert read(both, "b.csv") == "second"
    (other / "inner" / "a.csv").write_text("which?")
    with pytest.raises(ff.InputError, match="in several of the folders"):
        both.open("inner/a.csv")
    assert len(Folders([str(other), f"{other}/."]).names) == 1


def test_without_a_folder_no_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(ff.InputError, match=r"no folder was named.*--folder"):
        Folders([]).open("a.csv")
    for wrong in (tmp_path / "none", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(ff.InputError, match="is not a folder"):
            Folders([str(wrong)])


def test_files_are_kept_under_names_of_ours(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.CSV").write_bytes(b"y,p\n")
    uploads = Uploads(tmp_path, WEB_QUESTIONS["certainty"])
    keep([{"text": "é"}, {"path": "b.CSV"}], "cases", Folders([str(tmp_path / "in")]), uploads, 6)
    assert [(file.label, (tmp_path / file.path).read_bytes()) for file in uploads.files] == [
        ("text.csv", "é".encode()),
        ("b.CSV", b"y,p\n"),
    ]
    assert {file.path for file in uploads.files} == {"upload-1.csv", "upload-2.csv"}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([], "must be a file, got 0 files"),
        ("a.csv", "must be an object of texts"),
        ({"text": 5}, "must be an object of texts"),
        ({"name": "a.csv"}, "either a text or a path"),
        ({"text": "x", "path": "a.csv"}, "either a text or a path"),
        ({"text": "x", "url": "http://localhost"}, "either a text or a path"),
        ([{"text": "x"}] * 3, "are more than 2"),
        ({"text": "x" * 101}, "must have at most 100 bytes"),
    ],
)
def test_other_files_are_errors(tmp_path: Path, given: object, problem: str) -> None:
    with pytest.raises((ff.FourfoldError, Refused)) as error:
        keep(given, "cases", Folders([]), Uploads(tmp_path, WEB_QUESTIONS["certainty"]), 100)
    assert problem in str(getattr(error.value, "error", error.value))


def test_what_is_no_table_is_not_taken_for_one(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, WEB_QUESTIONS["review"])
    with pytest.raises(Refused) as refused:
        keep({"text": "x", "name": "../../a.exe"}, "file", Folders([]), uploads, 100)
    assert "is of a kind that cannot be read" in str(refused.value.error)
    keep({"text": "x", "name": "../../a.csv"}, "file", Folders([]), uploads, 100)
    assert [path.name for path in tmp_path.iterdir()] == ["upload-1.csv"]


@pytest.mark.parametrize("question", ["audit", "preview", "review"])
def test_packed_tables_keep_their_whole_ending(tmp_path: Path, question: str) -> None:
    """Else a reader takes what is packed for text."""
    assert Uploads(tmp_path, WEB_QUESTIONS[question]).add("Rows.CSV.gz").name == "upload-1.csv.gz"
