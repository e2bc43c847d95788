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
_NUMBER = r"(?<![\w.,±])[-+\u2212]?(?P<number>\d[\d,]*(?:\.\d+)?|\.\d+)"
_THINGS = "(?P<unit>positions|decisions|lines|queries|pairs|games|trials)"
_TIME = "(?P<unit>ms|seconds|minutes|hours|s)"
_BYTES = "(?P<unit>[kMG]B)"
_FORMS = (
    rf"{_NUMBER}(?: ± [\d.]+)? (?:points (?:per|a) game|ppg)\b",
    rf"{_NUMBER} ± [\d.]+",
    rf"{_NUMBER}(?P<million> million)? (?:2-ply )?{_THINGS}(?: (?:a|per) second|/s)\b",
    rf"\b(?:takes?|took|comes? after|some|about) (?:about |some )?{_NUMBER} {_TIME}\b",
    rf"{_NUMBER} {_TIME} of (?:processor|CPU) time\b",
    rf"\bp(?:50|99) {_NUMBER}(?: to [\d.]+)? (?P<unit>ms)\b",
    rf"{_NUMBER}(?: to [\d.]+)? (?P<unit>% (?:slower|faster|longer|less|more)|times as)\b",
    rf"\b(?:some|about|takes?|took|needs?|in) {_NUMBER} {_BYTES}\b",
    rf"{_NUMBER} {_BYTES} (?:\||after\b)",
)
_MEASURES = "bench|measure|tournament|train|heritage|rollout|bearoff make|hypergammon build"
_PROGRAMS = rf"gammond (?:{_MEASURES})|python -m tests|python -X importtime|pytest|perf"
_COMMAND = rf"(?:^ {{4}}|`)((?:[A-Z_]+=\S+ |time )?(?:{_PROGRAMS})\b[^`\n#]*)"
_SOURCE = "## Run it"
"""The chapter whose commands are those of the whole page."""

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


def find_commands(page: str) -> list[str]:
    """The commands on a page that measure something."""
    return [command.strip() for command in re.findall(_COMMAND, page, re.MULTILINE)]


def find_unmeasured(page: str) -> Iterator[tuple[str, float, int, str]]:
    """Figures as `find_stated` finds them, of the chapters that have no command which measures them."""
    chapters = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    if not any(chapter.startswith(_SOURCE) and find_commands(chapter) for chapter in chapters):
        for chapter in chapters:
            if not find_commands(chapter):
                yield from find_stated(chapter)


def find_stated(page: str) -> Iterator[tuple[str, float, int, str]]:
    """Strengths, speeds and sizes on a page, examples aside: the words, number, digits and unit."""
    prose = _NOT_PROSE.sub("", page)
    for form in _FORMS:
        for found in re.finditer(form, prose):
            parts = {"unit": "", "million": None} | found.groupdict()
            number = parts["number"].replace(",", "")
            digits = len(number.partition(".")[2]) - 6 * bool(parts["million"])
            yield found[0], float(number) * (10**6 if parts["million"] else 1), digits, parts["unit"]


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
