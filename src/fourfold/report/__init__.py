"""Papers done again as text and pages; moves to its own room."""

from .markup import to_html
from .reproduction import to_markdown
from .shapes import Section, sections, title, to_text

__all__ = ["Section", "sections", "title", "to_html", "to_markdown", "to_text"]
