"""A document laid out for a terminal, a page, a notebook, a text, a paper, a spreadsheet or a program.

In: documents of `answers`, and charts of `plots`.
Out: text and bytes. Only `gates` knows what an answer is about.
"""

from typing import TYPE_CHECKING

from ..names import when_used

if TYPE_CHECKING:
    from .console import terminal, terminal_text
    from .findings import write_findings
    from .gates import junit, sarif, write_junit, write_sarif
    from .html import Fragment, escaped, fragment, html_file, notebook_html, write_html
    from .markup import grid_markdown, latex, markdown
    from .records import to_csv, to_json, to_xlsx
    from .reviews import write_review
    from .sheets import write_verdicts
else:
    __getattr__, __dir__ = when_used(__name__)

__all__ = [
    "Fragment", "escaped", "fragment", "grid_markdown", "html_file", "junit", "latex", "markdown", "notebook_html",
    "sarif", "terminal", "terminal_text", "to_csv", "to_json", "to_xlsx", "write_findings", "write_html", "write_junit",
    "write_review", "write_sarif", "write_verdicts",
]  # fmt: skip
