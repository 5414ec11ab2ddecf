r"""LaTeX: tables and matrices with their spans and captions, bare rows, and other text without its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .blocks import Place
from .parts import MOST_DEPTH, MOST_SPAN, Found, Inner, Line, Part, cell_text, grid, number_like, raised

_TABLES: Final = (
    r"tabular\*?|tabularx|tabulary|tabu|longtabu|longtable|xltabular|supertabular|mpsupertabular|array|NiceTabular|tblr|"
    r"longtblr|talltblr|deluxetable\*?|matrix|pmatrix|bmatrix|vmatrix|Bmatrix|smallmatrix"
)
_BEGIN: Final = re.compile(rf"\\begin\s*\{{({_TABLES})\}}")
_FLOAT: Final = re.compile(r"\\begin\s*\{(table\*?|sidewaystable\*?|wraptable|threeparttable|figure\*?)\}")
_ENVIRONMENT: Final = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_VERBATIM: Final = re.compile(r"\\begin\s*\{(verbatim\*?|lstlisting|Verbatim|minted|alltt)\}")
_LINE_RULE: Final = (
    r"\\(?:hline|hhline|toprule|midrule|bottomrule|hdashline|thickhline|Xhline|cmidrule|cline|cdashline|specialrule|addlinespace|"
    r"noalign|rowcolor|rowcolors|arrayrulecolor|endfirsthead|endhead|endfoot|endlastfoot|noindent|centering|"
    r"morecmidrules|firsthline|lasthline|SetCell|SetRow|tabucline|pagebreak|newpage|label)"
    r"(?![a-zA-Z])\*?(?:\s*(?:\([^()]*\)|\[[^\[\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\}))*"
)
_RULES: Final = re.compile(_LINE_RULE)
_BEFORE_ROW: Final = re.compile(rf"(?:\s|{_LINE_RULE})*")
_ROW_LINE: Final = re.compile(r".*(?<!\\)&.*\\\\.*")
_IN_ROWS: Final = re.compile(
    rf"\s*(?:{_LINE_RULE}\s*)+(?:%.*)?|\s*\\(?:multirow|multicolumn|textbf|rowcolor|midrule)\b.*|\s*%.*|\s*\\\\.*"
)


def region_at(lines: Sequence[Line], start: int) -> Found | None:
    r"""Look for a table, a float with tables, or rows with `&` and `\\`."""
    text = lines[start][1]
    if "\\begin" in text:
        verbatim = _VERBATIM.search(text)
        begins = [match for match in (_FLOAT.search(text), _BEGIN.search(text), verbatim) if match]
        begin = min(begins, key=lambda match: match.start(), default=None)
        end = _end_of(lines, start, begin[1]) if begin else None
        if end is None:
            return None
        if verbatim is begin:
            return Found(end, [Inner(tuple(lines[start + 1 : end - 1]))])
        return Found(end, list(_region(lines[start:end])))
    if "&" in text and ("\\\\" in text or start + 1 < len(lines)):
        return _bare_rows(lines, start)
    return None


def _end_of(lines: Sequence[Line], start: int, name: str) -> int | None:
    depth = 0
    for number in range(start, len(lines)):
        text = lines[number][1]
        if "\\" not in text:
            continue
        for match in _ENVIRONMENT.finditer(text):
            if match[2].strip() == name:
                depth += 1 if match[1] == "begin" else -1
                if depth == 0:
                    return number + 1
    # A table that is cut off is read as far as its rows go.
    return len(lines) if any("&" in text and "\\\\" in text for _, text in lines[start:]) else None


def _bare_rows(lines: Sequence[Line], start: int) -> Found | None:
    end, rows = start, 0
    while end < len(lines):
        text = lines[end][1]
        if _ROW_LINE.fullmatch(text):
            rows += 1
        elif not text.strip() or not (
            re.search(r"(?<!\\)&", text) or _IN_ROWS.fullmatch(text) or text.rstrip().endswith("\\\\")
        ):
            break
        end += 1
    if not rows:
        return Found(max(end, start + 1), None)
    return Found(end, list(_table(lines[start:end], "")))


def read(lines: Sequence[Line]) -> Iterator[Part]:
    """Read a LaTeX document: tables, and the rest as text without commands and comments."""
    lines = [part for line in lines for part in _apart(line)]
    start = 0
    held: list[Line] = []
    while start < len(lines):
        found = region_at(lines, start) if "\\" in lines[start][1] or "&" in lines[start][1] else None
        if found is None or found.parts is None:
            text = _without_comment(lines[start][1])
            held.append((lines[start][0], plain(text) if "\\" in text or "$" in text or "{" in text else text))
            start += 1
            continue
        yield Inner(tuple(held))
        held = []
        yield from found.parts
        start = found.end
    yield Inner(tuple(held))


_TABLE_EDGE: Final = re.compile(rf"(?=\\begin\s*\{{(?:table\*?|{_TABLES})\}})|(?<=\\end\{{table\}})")


def _apart(line: Line) -> Iterator[Line]:
    """Walk the parts of a line in which several tables begin: a document may be written without line breaks."""
    place, text = line
    if text.count("\\begin") < 2 or len(_BEGIN.findall(text)) < 2 or "%" in text.replace("\\%", ""):
        yield line
    else:
        yield from ((place, part) for part in _TABLE_EDGE.split(text) if part.strip())


def _region(lines: Sequence[Line]) -> Iterator[Part]:
    """Read a float or a table by itself: its tables with the caption, and what else is written there."""
    text = "\n".join(_without_comment(line) for _, line in lines)
    captioned = re.search(r"\\caption\*?\s*(?=[\[{])", text)
    caption = plain("".join(_arguments(text, captioned.end(), 1)[0])) if captioned else ""
    rest: list[Line] = []
    number = 0
    while number < len(lines):
        begin = _BEGIN.search(_without_comment(lines[number][1]))
        if begin is None:
            line = _without_comment(lines[number][1])
            if not re.match(r"\s*\\(?:caption|label|centering|begin|end)\b", line):
                shown = plain(re.sub(r"\\(?:resizebox|scalebox|adjustbox)\s*\{[^{}]*\}(?:\{[^{}]*\})?", "", line))
                rest.append((lines[number][0], shown.strip(" {}%")))
            number += 1
            continue
        end = _end_of(lines, number, begin[1]) or len(lines)
        yield from _table(lines[number:end], caption)
        number = end
    yield Inner(tuple(rest))


#: Settings of plots, such as /pgf/number format/precision=2.
_KEY_OF_PLOT: Final = re.compile(r"/(?:pgf|tikz)[\w/ .-]*=?[^,\]}\s]*")


def _without_comment(text: str) -> str:
    if "/pgf" in text or "/tikz" in text:
        text = _KEY_OF_PLOT.sub("", text)
    return re.sub(r"(?<!\\)((?:\\\\)*)%.*", r"\1", text) if "%" in text else text


@dataclass
class _Cell:
    text: str
    columns: int = 1
    rows: int = 1


def _table(lines: Sequence[Line], caption: str) -> Iterator[Part]:
    text = "\n".join(_without_comment(line) for _, line in lines)
    rows: list[tuple[Place, list[_Cell]]] = []
    heads = None
    line = counted = 0
    for position, cells in _split(text, *_body(text)):
        if heads is None and rows and ("\\midrule" in cells[0] or "\\toprule" in cells[0]):
            heads = len(rows)
        row = [_cell(cell) for cell in cells]
        # A table over several pages says its heads again for the pages after the first.
        again = "\\endhead" in text and any(row == other for _, other in rows[:4])
        if any(cell.text for cell in row) and not again:
            before = _BEFORE_ROW.match(text, position)
            at = before.end() if before else position
            line, counted = line + text.count("\n", counted, at), at
            rows.append((lines[line][0], row))
    yield from grid(_spread(rows), caption, heads)


def _body(text: str) -> tuple[int, int]:
    """Return where the rows begin and end: after the arguments of the outermost table, before its end."""
    begin = _BEGIN.search(text)
    if begin is None:
        return 0, len(text)
    position = begin.end()
    if "matrix" not in begin[1]:
        while (match := re.compile(r"\s*").match(text, position)) and text[match.end() : match.end() + 1] in ("{", "["):
            closed = _closing(text, match.end())
            if "&" in text[position:closed] or "\\\\" in text[position:closed]:
                break
            position = closed
    ends = [match.start() for match in re.finditer(rf"\\end\s*\{{{re.escape(begin[1])}\}}", text)]
    return position, ends[-1] if ends else len(text)


def _closing(text: str, position: int) -> int:
    """Return the place after the bracket that closes the one at `position`."""
    opening = text[position]
    closing, depth = {"{": "}", "[": "]"}[opening], 0
    for match in _BRACKET.finditer(text, position):
        depth += (match[0] == opening) - (match[0] == closing)
        if depth == 0:
            return match.end()
    return len(text)


_BRACKET: Final = re.compile(r"\\.|[{}\[\]]", re.DOTALL)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, list[str]]]:
    r"""Split rows at `\\` and cells at `&`, but not inside braces or inner tables."""
    position = cell = row = start
    depth = inner = 0
    cells: list[str] = []
    for match in re.compile(r"\\begin\s*\{|\\end\s*\{|\\tabularnewline(?![a-zA-Z])|\\\\|\\.|[{}&]", re.DOTALL).finditer(
        text, start, end
    ):
        piece, position = match[0], match.start()
        if piece.startswith("\\begin"):
            inner, depth = inner + 1, depth + 1
        elif piece.startswith("\\end"):
            inner, depth = max(inner - 1, 0), depth + 1
        elif piece == "{":
            depth += 1
        elif piece == "}":
            depth = max(depth - 1, 0)
        elif piece == "&" and not depth and not inner:
            cells.append(text[cell:position])
            cell = match.end()
        elif piece in ("\\\\", "\\tabularnewline") and not depth and not inner:
            yield row, [*cells, text[cell:position]]
            cells = []
            cell = match.end()
            if option := re.compile(r"\*?\s*\[[^\[\]&\\]{0,20}\]").match(text, cell, end):
                cell = option.end()
            row = cell
    if text[cell:end].strip() or cells:
        yield row, [*cells, text[cell:end]]


_CAPTION: Final = re.compile(r"\\caption\*?\s*(?:\[[^\[\]]*\])?\{(?:[^{}]|\{[^{}]*\})*\}")
_SPAN: Final = re.compile(r"\s*\\(multicolumn|multirow(?:cell)?|multirowcell|Block|SetCell)\s*(?=[\[{*])")


def _cell(text: str) -> _Cell:
    if "\\" in text:
        text = _CAPTION.sub(" ", _RULES.sub(" ", text))
    columns = rows = 1
    for _ in range(4):
        match = _SPAN.match(text)
        if match is None:
            break
        arguments, after = _arguments(text, match.end(), 3)
        number = _whole(arguments[0]) if arguments else 1
        if match[1] == "multicolumn":
            columns = max(min(number, MOST_SPAN), 1)
        else:
            rows = max(min(number, MOST_SPAN), -MOST_SPAN) or 1
        text = (arguments[-1] if len(arguments) > 1 else "") + text[after:]
    return _Cell(cell_text(plain(text)), columns, rows)


def _whole(text: str) -> int:
    match = re.fullmatch(r"\s*(-?\d{1,4})\s*", text)
    return int(match[1]) if match else 1


def _arguments(text: str, position: int, most: int) -> tuple[list[str], int]:
    """Return the arguments in braces after a command, and where they end; options in brackets are passed over."""
    arguments: list[str] = []
    while position < len(text) and len(arguments) < most:
        while position < len(text) and text[position] in " \t\n":
            position += 1
        if text[position : position + 1] == "[" and "]" in text[position:]:
            position = _closing(text, position)
        elif text[position : position + 1] == "{":
            end = _closing(text, position)
            arguments.append(text[position + 1 : end - 1])
            position = end
        elif text[position : position + 1] == "*" and len(arguments) == 1:
            arguments.append("*")
            position += 1
        else:
            break
    return arguments, position


def _spread(rows: list[tuple[Place, list[_Cell]]]) -> list[tuple[Place, list[str]]]:
    """Let spanned cells stand in each place that they span, as far as what is there is empty."""
    texts = [[cell.text for cell in row for _ in range(cell.columns)] for _, row in rows]
    for number, (_, row) in enumerate(rows):
        column = 0
        for cell in row:
            step = 1 if cell.rows > 0 else -1
            for other in range(number + step, number + cell.rows, step):
                if not 0 <= other < len(texts):
                    break
                for spanned in range(column, min(column + cell.columns, len(texts[other]))):
                    texts[other][spanned] = texts[other][spanned] or cell.text
            column += cell.columns
    return [(place, text) for (place, _), text in zip(rows, texts, strict=True)]


_SYMBOL_PAIRS: Final = (
    "pm ± textpm ± mp ∓ times × cdot · div ÷ ast * star * dagger † dag † ddag ‡ ddagger ‡ uparrow ↑ downarrow ↓ "
    "to → rightarrow → leftarrow ← Uparrow ↑ Downarrow ↓ le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ neq ≠ ne ≠ "
    "lt < gt > approx ≈ sim ~ simeq ≃ infty ∞ alpha α beta β gamma γ delta δ Delta Δ epsilon ε kappa κ lambda λ "
    "mu μ rho ρ sigma σ tau τ phi φ chi χ theta θ checkmark ✓ cmark ✓ xmark ✗ textasteriskcentered * textdagger † "
    "textdaggerdbl ‡ ldots ... dots ... cdots ... vdots ... ddots ... textless < textgreater > textendash – "
    r"bullet • textemdash — textasciitilde ~ textbackslash \ textunderscore _ textpercent % percent % textbar | "
    "mid | vert | S § ss ß"
)
_SPACES: Final = "quad qquad newline linebreak par enspace space thinspace"
_SYMBOLS: Final = {
    **dict(zip(_SYMBOL_PAIRS.split()[::2], _SYMBOL_PAIRS.split()[1::2], strict=True)),
    **dict.fromkeys(_SPACES.split(), " "),
}
_STYLES: Final = (
    "centering small footnotesize scriptsize tiny normalsize large Large bf bfseries it itshape rm rmfamily sf "
    "sffamily tt ttfamily sl slshape sc scshape em displaystyle textstyle scriptstyle left right big Big bigl "
    "bigr boldmath protect noindent raggedright raggedleft arraybackslash hfill hfil vfill strut null relax "
    "limits nolimits footnotemark mathstrut ignorespaces unskip nobreak allowbreak maketitle mathversion "
    "selectfont upshape mdseries item indent clearpage newpage"
)
_NOT_PRINTED: Final = (
    "cite citep citet citealp citeauthor citeyear parencite textcite autocite ref eqref cref Cref autoref label "
    "footnote tablefootnote footnotetext phantom hphantom vphantom hspace vspace color cellcolor rowcolor "
    "columncolor arrayrulecolor fontsize selectlanguage usepackage documentclass bibliography bibliographystyle "
    "includegraphics input include pagestyle tnotex end todo multirowsetup setlength"
)
_ONE_FORM: Final = "textcolor colorbox rotatebox scalebox parbox href raisebox makebox multirow hyperref"
_TWO_FORMS: Final = "resizebox multicolumn fcolorbox adjustbox"
#: Commands without text of their own, by how many arguments go with them.
_SILENT: Final = {**dict.fromkeys(_STYLES.split(), 0), **dict.fromkeys(_NOT_PRINTED.split(), 1)}
#: Commands whose first arguments are not text, by how many.
_FORMS: Final = {**dict.fromkeys(_ONE_FORM.split(), 1), **dict.fromkeys(_TWO_FORMS.split(), 2)}
_ACCENTS: Final = dict(zip("'`\"^cvH", "\u0301\u0300\u0308\u0302\u0327\u030c\u030b", strict=True))
_TOKEN: Final = re.compile(r"\\([a-zA-Z@]+)\*?\s*|\\(.)|([{}$^_~&])|(---?)|([^\\{}$^_~&-]+|-)", re.DOTALL)
_ONE: Final = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)


def plain(text: str) -> str:
    r"""Return what LaTeX prints for a text, as far as plain text can have it.

    Examples
    --------
    >>> plain(r"\textbf{91.2} $\pm$ 0.3\%")
    '91.2 ± 0.3%'
    >>> plain(r"$\mathrm{F}_1$ \makecell{Balanced\\Acc}")
    'F1 Balanced Acc'
    """
    return re.sub(r"[ \t\n]{2,}", " ", _plain(text, 0)).replace("\u2009±\u2009", " ± ") if text else ""


def _plain(text: str, depth: int) -> str:
    if depth > MOST_DEPTH:
        return text
    out: list[str] = []
    position = 0
    # What is no token is passed over.
    while match := _TOKEN.search(text, position):
        position = match.end()
        command, escaped, mark, dash, words = match.groups()
        if words is not None:
            out.append(words)
        elif dash is not None:
            out.append("–" if dash == "--" else "—")
        elif command is not None:
            shown, position = _command(command, text, position, out, depth)
            out.append(shown)
        elif escaped is not None:
            position = _escape(escaped, text, position, out)
        elif mark == "{":
            end = _closing(text, match.start())
            out.append(_plain(text[match.end() : max(end - 1, match.end())], depth + 1))
            position = end
        elif mark in ("^", "_"):
            inside, position = _one(text, position)
            out.append(_script(_plain(inside, depth + 1), mark, out))
        elif mark == "~" or mark == "&":
            out.append(" ")
    return "".join(out)


def _one(text: str, position: int) -> tuple[str, int]:
    """Return what a `^`, a `_` or an accent takes: a group, a command or a character."""
    if text[position : position + 1] == "{":
        end = _closing(text, position)
        return text[position + 1 : end - 1], end
    match = _ONE.match(text, position)
    return (match[0], match.end()) if match else ("", position)


def _accented(name: str, text: str, position: int) -> tuple[str, int]:
    inside, position = _one(text, position)
    return (inside[:1] + _ACCENTS[name] + inside[1:] if inside.isalpha() else inside), position


def _script(text: str, mark: str, out: list[str]) -> str:
    before = "".join(out[-2:]).rstrip()
    text = text.strip()
    if before[-1:].isdigit() and number_like(text) and ("." in text or mark == "_"):
        return f" ({text})"
    if mark == "_" and len(text) > 2 and text.isalpha():
        # F1 with a small "macro" below it is F1 macro.
        return f" {text}"
    return raised(text, before) if mark == "^" else text


def _escape(character: str, text: str, position: int, out: list[str]) -> int:
    if character == "\\":
        option = re.compile(r"\s*\[[^\[\]]{0,20}\]").match(text, position)
        out.append(" ")
        return option.end() if option else position
    if character in _ACCENTS:
        accented, position = _accented(character, text, position)
        out.append(accented)
    elif character == ",":
        between = "".join(out[-1:])[-1:].isdigit() and text[position : position + 1].isdigit()
        out.append("\u2009" if between else " ")
    elif character in "();:> \n\t":
        out.append("" if character in "()" else " ")
    elif character not in "!/[]":
        out.append(character)
    return position


def _command(name: str, text: str, position: int, out: list[str], depth: int) -> tuple[str, int]:
    if name in _SYMBOLS:
        return _SYMBOLS[name] + (" " if text[position - 1 : position].isspace() else ""), position
    if name == "begin":
        (environment, *_), _ = _arguments(text, position, 1) if text[position : position + 1] == "{" else ([""], 0)
        return "", _arguments(text, position, 2 if re.fullmatch(_TABLES, environment) else 1)[1]
    if name in _ACCENTS:
        return _accented(name, text, position)
    if name in _SILENT:
        return "", _arguments(text, position, _SILENT[name])[1] if _SILENT[name] else position
    if name in ("frac", "dfrac", "tfrac", "nicefrac", "sfrac"):
        arguments, position = _arguments(text, position, 2)
        return "/".join(_plain(argument, depth + 1) for argument in arguments), position
    if name in ("textsubscript", "textsuperscript", "tnote"):
        arguments, position = _arguments(text, position, 1)
        inside = _plain("".join(arguments), depth + 1)
        return _script(inside, "_", out) if "sub" in name else raised(inside, "".join(out[-1:])), position
    arguments, after = _arguments(text, position, _FORMS.get(name, 0) + (2 if name in ("SI", "qty") else 1))
    if not arguments:
        # A word of the writers' own, often a method's name.
        return (name + " " if text[position - 1 : position].isspace() else name), position
    shown = arguments[_FORMS.get(name, 0) :] or arguments[-1:]
    return "".join(_plain(argument, depth + 1) for argument in shown), after
