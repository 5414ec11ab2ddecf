"""Builds fourfold as it is handed out, checks it, and installs it in fresh environments: `python scripts/release.py`.

It builds sdist and wheel into dist/, checks both, README's links and CITATION.cff, then installs the wheel bare and
with each extra, asks a question of each (scripts/smoke.py) and prints their sizes. It needs Python 3.11 or newer, git
and a network for pip, and changes nothing outside dist/ and build/; nothing is uploaded.
"""

from __future__ import annotations

import argparse
import email
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parent.parent
DIST: Final = ROOT / "dist"
WORK: Final = ROOT / "build" / "release"
#: The page with the table of sizes, which stands between two comments.
PAGE: Final = ROOT / "docs" / "installation.md"
_TABLE: Final = re.compile(r"(<!-- sizes[^>]*-->\n).*?(<!-- /sizes -->)", re.DOTALL)
#: Extras for work on the project itself: nobody installs them from a wheel.
_OF_THE_PROJECT: Final = ("dev", "bench")
#: Files of the repository that are no part of what is handed out.
_NOT_HANDED_OUT: Final = re.compile(r"\.ci/.*|\.gitignore")
#: What comes with any environment.
_NOT_COUNTED: Final = re.compile(
    r"(?:pip|setuptools|_distutils_hack|pkg_resources)\b.*|distutils-precedence\.pth|__pycache__"
)
#: The repository has no address yet.
_PLACEHOLDER: Final = "/OWNER/"


class Installed(NamedTuple):
    """What an installation holds."""

    name: str
    packages: int
    bytes: int

    @property
    def cells(self) -> tuple[str, str, str]:
        """What the table of sizes says of it."""
        asked = "fourfold" if self.name == "bare" else f"fourfold[{self.name}]"
        return f"`{asked}`", str(self.packages), f"{self.bytes / 1e6:.0f} MB"


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    add = parser.add_argument
    add("--extra", action="append", help="bare, or one extra, instead of all; may be given several times")
    add("--python", default=sys.executable, help="the interpreter of the fresh environments")
    add("--write", action="store_true", help=f"write the table of sizes into {PAGE.relative_to(ROOT)}")
    add("--licences", action="store_true", help="list the licences of all packages that fourfold[all] brings, and end")
    add("--tests", action="store_true", help="run all tests in the unpacked sdist as well (minutes)")
    asked = parser.parse_args()
    names = asked.extra or extras()
    shutil.rmtree(WORK, ignore_errors=True)
    wheel = build()
    if asked.licences:
        licences(wheel, asked.python)
        return
    unchecked = check(wheel)
    if asked.tests:
        test_sdist(asked.python)
    sizes = [smoke(wheel, name, asked.python) for name in names]
    table = sizes_as_markdown(sizes, python_version(asked.python))
    print(f"\n{table}")
    if asked.write:
        write_table(PAGE, table)
    for line in [*unchecked, *open_points(wheel)]:
        print(f"Before this is published: {line}")


def extras() -> list[str]:
    """Return the ways to install: bare, and each extra for users."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return ["bare", *(name for name in project["optional-dependencies"] if name not in _OF_THE_PROJECT)]


def run(*command: str | Path, at: Path = ROOT) -> str:
    """Run a command and return what it prints; stop with all of it where it fails."""
    ended = subprocess.run([*map(str, command)], cwd=at, capture_output=True, text=True)  # noqa: S603
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def environment(name: str, python: str, *packages: str) -> Path:
    """Make a fresh environment with some packages, and return its interpreter."""
    folder = WORK / name
    run(python, "-m", "venv", folder)
    fresh = folder / "bin" / "python"
    run(fresh, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return fresh


def tool(package: str) -> Path | None:
    """Return the interpreter of an environment with a tool for checks; say so where pip cannot install it."""
    folder = WORK / f"tool-{package}"
    run(sys.executable, "-m", "venv", folder)
    fresh = folder / "bin" / "python"
    install = [fresh, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    ended = subprocess.run([*map(str, install)], capture_output=True, text=True)  # noqa: S603
    if ended.returncode == 0:
        return fresh
    reason = (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
    print(f"  {package} is missing, pip cannot install it here: {reason}")
    return None


def build() -> Path:
    """Build the sdist, and the wheel from it; return the wheel."""
    print("Building ...")
    shutil.rmtree(DIST, ignore_errors=True)
    tools = environment("tools", sys.executable, "build")
    run(tools, "-m", "build", "--outdir", DIST)
    for path in sorted(DIST.iterdir()):
        print(f"  {path.relative_to(ROOT)}  {path.stat().st_size / 1e3:,.0f} kB")
    [wheel] = DIST.glob("*.whl")
    return wheel


def check(wheel: Path) -> list[str]:
    """Check what was built, and what describes it; return what could not be checked, as things to do."""
    print("Checking ...")
    unchecked = []
    if twine := tool("twine"):
        run(twine, "-m", "twine", "check", "--strict", *DIST.iterdir())
        print("  twine finds nothing wrong")
    else:
        unchecked.append("install twine and run `twine check --strict dist/*`, which was left out.")
    problems = [*problems_of_the_sdist(), *problems_of_the_wheel(wheel), *problems_of_readme(wheel)]
    if problems:
        sys.exit("\n".join(problems))
    print("  the sdist has every file of the repository, the wheel only the package, README no relative link")
    if citation := tool("cffconvert"):
        run(citation, "-c", "from cffconvert.cli.cli import cli; cli()", "--validate", "-i", ROOT / "CITATION.cff")
        print("  CITATION.cff is valid")
    else:
        unchecked.append("install cffconvert and run `cffconvert --validate`, which was left out.")
    return unchecked


def problems_of_the_sdist() -> Iterable[str]:
    """Compare the sdist with the files that git knows: what is needed for tests is in it, and nothing else."""
    known = {name for name in run("git", "ls-files", "-z").split("\0") if name and (ROOT / name).is_file()}
    wanted = {name for name in known if not _NOT_HANDED_OUT.fullmatch(name)}
    [sdist] = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        found = {name.partition("/")[2] for name in packed.getnames()} - {"PKG-INFO"}
    yield from (f"{sdist.name}: {name} is missing" for name in sorted(wanted - found))
    # Hatchling puts .gitignore into each sdist.
    yield from (f"{sdist.name}: {name} does not belong there" for name in sorted(found - wanted - {".gitignore"}))


def problems_of_the_wheel(wheel: Path) -> Iterable[str]:
    """See that the wheel has the package, typed, and nothing beside it."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    if "fourfold/py.typed" not in names:
        yield f"{wheel.name}: fourfold/py.typed is missing"
    for name in names:
        if not name.startswith(("fourfold/", "fourfold-")) or "__pycache__" in name:
            yield f"{wheel.name}: {name} does not belong there"


def problems_of_readme(wheel: Path) -> Iterable[str]:
    """See that README, as the wheel carries it, has absolute links only, and that they lead to files of ours."""
    text, address = readme(wheel)
    for place in re.findall(r"\]\(([^)\s]+)\)", text):
        if not place.startswith(("https://", "#")):
            yield f"README.md: {place} leads nowhere outside the repository"
        elif place.startswith(address):
            path = re.sub(r"^/(?:blob|raw)/[^/]+/|#.*", "", place.removeprefix(address))
            if not (ROOT / path).exists():
                yield f"README.md: {place} is no file of the repository"


def readme(wheel: Path) -> tuple[str, str]:
    """Return README as the wheel carries it, and the repository's address."""
    with zipfile.ZipFile(wheel) as packed:
        [name] = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        about = email.message_from_bytes(packed.read(name))
    address = next(url.partition(", ")[2] for url in about.get_all("Project-URL", []) if url.startswith("Source,"))
    return str(about.get_payload()), address


def test_sdist(python: str) -> None:
    """Run all tests in the unpacked sdist."""
    print("Running all tests in the sdist ...")
    [sdist] = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(WORK, filter="data")
    folder = WORK / sdist.name.removesuffix(".tar.gz")
    fresh = environment("tests", python, "--constraint", str(ROOT / "constraints.txt"), f"{folder}[all,dev]")
    said = run(
        fresh, "-m", "pytest", "-q", "--numprocesses=auto", "--dist=loadgroup", "-p", "no:cacheprovider", at=folder
    )
    print(f"  {said.splitlines()[-1]}")


def smoke(wheel: Path, name: str, python: str) -> Installed:
    """Install the wheel in a fresh environment, ask it a question, and measure it before that."""
    print(f"Installing {name} ...")
    fresh = environment(name, python, str(wheel) if name == "bare" else f"{wheel}[{name}]")
    size = measured(name, fresh)
    said = run(fresh, "-I", ROOT / "scripts" / "smoke.py", name, at=WORK)
    print(f"  the smoke test is green: {said.strip()}")
    shutil.rmtree(WORK / name)
    return size


def measured(name: str, fresh: Path) -> Installed:
    """Return how many packages an environment has, and how many bytes, compiled files included."""
    [packages] = fresh.parent.parent.glob("lib/python*/site-packages")
    own = [path for path in packages.iterdir() if not _NOT_COUNTED.fullmatch(path.name)]
    files = [file for path in own for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
    return Installed(name, sum(path.suffix == ".dist-info" for path in own), sum(file.stat().st_size for file in files))


def python_version(python: str) -> str:
    """Return the version of an interpreter, and its platform."""
    return run(python, "-c", "import platform as p; print(p.python_version(), 'on', p.system(), p.machine())").strip()


def sizes_as_markdown(sizes: Sequence[Installed], version: str) -> str:
    """Return the table of sizes."""
    lines = ["| install | packages | on disk |", "|---|---:|---:|", *(f"| {' | '.join(one.cells)} |" for one in sizes)]
    return "\n".join([*lines, "", f"Measured with Python {version} by `python scripts/release.py`.", ""])


def write_table(page: Path, table: str) -> None:
    """Put the table of sizes into a page, between its comments."""
    text = page.read_text(encoding="utf-8")
    if not _TABLE.search(text):
        sys.exit(f"{page}: has no comments <!-- sizes --> and <!-- /sizes --> to write the table between")
    page.write_text(_TABLE.sub(lambda match: f"{match[1]}\n{table}\n{match[2]}", text), encoding="utf-8")
    print(f"Written to {page.relative_to(ROOT)}.")


def open_points(wheel: Path) -> Iterable[str]:
    """Tell what a person must still do."""
    if _PLACEHOLDER in readme(wheel)[1]:
        yield "set the repository's address, Source in pyproject.toml; OWNER stands for it, in docs too."
    changes = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if changes and "unreleased" in changes[1]:
        yield f"date the changelog, which says {changes[1]}."
    if run("git", "status", "--porcelain").strip():
        yield "commit: there are changes that no commit has."


def licences(wheel: Path, python: str) -> None:
    """List the packages that fourfold with all extras brings, each with its licence."""
    tools = tool("pip-licenses")
    if tools is None:
        sys.exit("The licences cannot be listed without pip-licenses.")
    fresh = environment("all", python, f"{wheel}[all]")
    print(run(tools, "-m", "piplicenses", f"--python={fresh}", "--format=markdown", "--from=mixed", "--order=license"))


if __name__ == "__main__":
    main()
