"""Figures of strength, speed and size, ``docs/figures.toml``: README's table, and what pages say of them.

``python -m tests.figures --rewrite`` writes the table.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"

_FILE = tomllib.loads((DOCS / "figures.toml").read_text("utf-8"))
MACHINES = _FILE["machines"]
FIGURES = _FILE["figure"]

_TABLE = re.compile(r"(?<=<!-- figures -->\n).*?(?=<!-- /figures -->)", re.DOTALL)
_NUMBER = r"(?<![\w.,±])[-+]?(\d[\d,]*(?:\.\d+)?)"
_STRENGTH = rf"{_NUMBER}()(?: ± [\d.]+)? (?:points (?:per|a) game|ppg)\b()"
_RATE = rf"{_NUMBER}( million)? (?:2-ply )?(positions|decisions)(?: (?:a|per) second|/s)\b"
_MEASURED = rf"{_NUMBER}() ± [\d.]+()"
_DURATION = rf"\b(?:takes?|took|comes? after) (?:about |some )?{_NUMBER}() (seconds|minutes|s)\b"
_PROCESSOR_TIME = rf"{_NUMBER}() (seconds|minutes|s) of (?:processor|CPU) time\b"
_SIZE = rf"\b(?:some|about|takes?|needs?) {_NUMBER}() (MB|GB)\b"
_PATTERNS = (_STRENGTH, _RATE, _MEASURED, _DURATION, _PROCESSOR_TIME, _SIZE)
_NOT_PROSE = re.compile(
    r"^```.*?^```|^ {4}.*?$|<!-- figures -->.*?<!-- /figures -->", re.DOTALL | re.MULTILINE
)


def make_table() -> str:
    """The figures that README has, a row each."""
    rows = ["| | gammond | GNU Backgammon | measured by |", "|---|---|---|---|"]
    for figure in FIGURES:
        if figure.get("in_readme"):
            shown = f"{_show(figure, 'value')} {figure['unit']}"
            peer = _show(figure, "gnubg") if "gnubg" in figure else ""
            rows.append(f"| {figure['what']} | {shown} | {peer} | `{figure['command']}` |")
    return "\n".join([*rows, ""])


def _show(figure: dict, key: str) -> str:
    value = figure[key]
    if isinstance(value, int) or "error" not in figure:
        return f"{value:,}"
    decimals = max(len(f"{each}".partition(".")[2]) for each in (value, figure["error"]))
    if key == "gnubg":
        return f"{value:.{decimals}f}"
    sign = "+" if figure["unit"] == "points per game" else ""
    return f"{value:{sign}.{decimals}f} ± {figure['error']:.{decimals}f}"


def find_table(page: str) -> str:
    """The table between the marks of a page."""
    return _TABLE.search(page)[0]


def find_stated(page: str) -> Iterator[tuple[str, float, int, str]]:
    """Strengths, speeds and sizes on a page, examples aside: the words, number, digits and unit."""
    prose = _NOT_PROSE.sub("", page)
    for pattern in _PATTERNS:
        for found in re.finditer(pattern, prose):
            number, million, unit = found.groups()
            digits = len(number.partition(".")[2]) - 6 * bool(million)
            value = float(number.replace(",", "")) * (10**6 if million else 1)
            yield found[0], value, digits, unit


def is_figure(value: float, digits: int, unit: str) -> bool:
    """Whether a figure of the file, of gammond or its peer, is this number when it is rounded as that is."""
    known = [each for each in FIGURES if each["unit"].startswith(unit)]
    return any(
        round(abs(each[key]), digits) == value for each in known for key in ("value", "gnubg") if key in each
    )


def main() -> None:
    """Write the table of README, or say that it differs."""
    page = README.read_text("utf-8")
    written = _TABLE.sub(lambda _: make_table(), page)
    if "--rewrite" in sys.argv:
        README.write_text(written, "utf-8")
    elif written != page:
        sys.exit("README.md differs from docs/figures.toml: python -m tests.figures --rewrite")


if __name__ == "__main__":
    main()
