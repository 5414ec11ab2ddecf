"""Write the generated pages of the reference; the tests check that they are up to date."""

from pathlib import Path

from fourfold.report import reference_pages


def main() -> None:
    """Write every generated page below docs/reference."""
    folder = Path(__file__).parent.parent / "docs" / "reference"
    for name, text in reference_pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
