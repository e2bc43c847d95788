"""Read positions as eXtreme Gammon and BGBlitz print them, with their evaluations, in any language.

Words differ by language, so only what does not is read: the XGID, numbers, the form of a line, and plays.
What somebody wrote about the position stands behind two blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gammond.engine.errors import FormatError, GammondError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.formats.position_text import LABELLED_IDS
from gammond.engine.formats.xgid import BOTTOM, decode_xgid
from gammond.engine.match_files.model import ActionNotes, RecordedPosition
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.wording import escape_unprintable

MAX_REPORT_POSITIONS = 1000
"""Positions of a text that are read."""

MAX_LINE_LENGTH = 400

_MAX_CANDIDATES = 100
_NUMBER = r"[+\-\u2212]?\d{1,4}[.,]\d{1,6}"
_XGID = re.compile(r"\s*(XGID=[^\s:]{26}(?::[^\s:]{0,8}){7,9})\s*")
_NAMES = re.compile(r"\s*X:(?P<x>\S.*?)\s{2,}O:(?P<o>\S.*?)\s*")
_SIDE_NAME = re.compile(r".*\s(?P<side>[XO]): (?P<name>\S.*?)\s+\d{1,3}\s*")
_LEVEL = re.compile(r"XG Roller\+{0,2}|\d-ply(?: red)?|[Rr]ollout", re.ASCII)

_XG_CANDIDATE = re.compile(
    rf"\s*\d{{1,3}}\.\s+(?P<text>\S.*?)\s+\w{{1,12}}[:\uff1a]\s*(?P<equity>{_NUMBER})"
    rf"(?:\s*\(\s*{_NUMBER}\s*\))?\s*"
)
_XG_CHANCES = re.compile(
    r".*[:\uff1a]\s*(?P<win>\d{1,3}[.,]\d+)\s?%\s*\(\w:\s?(?P<gammon>\d{1,3}[.,]\d+)\s?%"
    r"\s+\w:\s?(?P<backgammon>\d{1,3}[.,]\d+)\s?%\)\s*"
)
_XG_CUBE_ROW = re.compile(
    rf"\s+[^:\uff1a]+[:\uff1a]\s*(?P<equity>{_NUMBER})(?:\s*\u00b1\s*{_NUMBER})?(?:\s*\(\s*{_NUMBER}\s*\))?\s*"
)

_BGBLITZ_CANDIDATE = re.compile(
    rf"\s*\d{{1,3}}\.\s+(?:{_NUMBER}\s+\w{{1,8}}\s+/\s+)?(?P<equity>{_NUMBER})"
    rf"(?:\s+\(\s*{_NUMBER}\s*\))?\s+(?P<text>\S.*?)\s*"
)
_BGBLITZ_CHANCES = re.compile(rf"\s*((?:{_NUMBER}\s+){{3}})-\s+((?:{_NUMBER}\s+){{2}}{_NUMBER})\s*")
_BGBLITZ_SIDE = re.compile(rf"\s*(?P<name>\S.*?)\s+(?P<win>{_NUMBER})\s+({_NUMBER})\s+({_NUMBER})\s*")
_BGBLITZ_CUBE_ROW = re.compile(
    rf"\s*(?P<label>[^:]+?)\s*:\s+(?P<first>{_NUMBER})\s+\(\s*{_NUMBER}\s*\)"
    rf"(?:\s+(?P<second>{_NUMBER})\s+\(\s*{_NUMBER}\s*\))?\s*"
)
_VERSION = re.compile(r"\s*eXtreme Gammon .*\d.*")
"""The last line of what eXtreme Gammon writes about a position."""

_BOARD_EDGE = re.compile(r"^ ?\+(?:13-14-15-16-17-18|12-11-10-+9-)", re.MULTILINE)
_FORMAT = "position text"
_PASSED_EQUITY = 1.0


def is_position_report(text: str) -> bool:
    """Return whether a text has an XGID in a line of its own, and beside it names, an analysis or a board.

    A list of XGIDs has none of these.
    """
    lines = list(_iterate_lines(text))
    if not any(_XGID.fullmatch(line) for line in lines):
        return False
    signs = (_NAMES, _XG_CANDIDATE, _XG_CHANCES, _BGBLITZ_CHANCES, _BGBLITZ_CUBE_ROW, _VERSION)
    return _BOARD_EDGE.search(text) is not None or any(
        sign.fullmatch(line) for line in lines for sign in signs
    )


def has_drawn_boards(text: str) -> bool:
    """Return whether a text has drawn boards with their IDs, as GNU Backgammon copies and exports them."""
    return _BOARD_EDGE.search(text) is not None and LABELLED_IDS.search(text) is not None


def parse_position_reports(text: str) -> tuple[RecordedPosition, ...]:
    """Parse the positions of a text, each with the evaluations beside it.

    Args:
        text: What eXtreme Gammon or BGBlitz wrote, for one position or several.

    Returns:
        At least one position, with what somebody wrote about it; a candidate that is no legal play is left
        out.

    Raises:
        FormatError: There is no XGID in a line of its own.
        GammondError: As `gammond.engine.formats.xgid.decode_xgid`.
    """
    reports: list[_Report] = []
    names: dict[int, str] = {}
    between: list[str] = []
    for line in _iterate_lines(text):
        if xgid := _XGID.fullmatch(line):
            if len(reports) == MAX_REPORT_POSITIONS:
                break
            reports.append(_Report(xgid[1], *decode_xgid(xgid[1]), names, between))
            names, between = {}, []
        elif side := _SIDE_NAME.fullmatch(line):
            names[BOTTOM if side["side"] == "X" else 1 - BOTTOM] = side["name"]
        elif reports and reports[-1].is_closed:
            between.append(line)
        elif reports:
            reports[-1].read(line)
    if not reports:
        raise FormatError("expected a line with an XGID, got none", field="position")
    reports[-1].around += between
    return tuple(report.build() for report in reports)


def _iterate_lines(text: str) -> Iterator[str]:
    return (line for line in text.removeprefix("\ufeff").splitlines() if len(line) <= MAX_LINE_LENGTH)


@dataclass
class _Row:
    """A play as it is listed; chances as win, gammon, backgammon of the player, then of the opponent."""

    text: str
    equity: float
    depth: str
    chances: list[float]


@dataclass
class _Report:
    """What is found about one position, line by line.

    Attributes:
        xgid: Its XGID.
        position: The checkers, as the seat on roll sees them.
        match: The match state.
        names: Of the seats.
        around: What somebody wrote about it before its XGID, or behind its last line.
        is_closed: Whether its last line has come: what follows is about the next position, if there is one.
    """

    xgid: str
    position: Position
    match: MatchState
    names: dict[int, str]
    around: list[str]
    is_closed: bool = False
    _comment: list[str] = field(default_factory=list)
    _blank_lines: int = 0
    _rows: list[_Row] = field(default_factory=list)
    _depth: str = ""
    _chances: list[float] = field(default_factory=list)
    _sides: dict[str, list[float]] = field(default_factory=dict)
    _equities: list[float] = field(default_factory=list)
    _labelled: list[tuple[str, float]] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Read a line: of the analysis, or of the comment that stands behind two blank lines."""
        if not line.strip():
            self._blank_lines += 1
        elif _VERSION.fullmatch(line):
            self.is_closed = True
            return
        elif not self._read_analysis(line) and (self._comment or self._blank_lines > 1):
            self._comment += [*([""] if self._comment and self._blank_lines else []), line]
        if line.strip():
            self._blank_lines = 0

    def _read_analysis(self, line: str) -> bool:
        """Read a line of a known form; return whether it has one."""
        chances = self._rows[-1].chances if self._rows else self._chances
        if found := _XG_CANDIDATE.fullmatch(line):
            depth, text = _split_candidate(found["text"])
            self._add_row(_Row(text, _to_number(found["equity"]), depth, []))
        elif found := _XG_CHANCES.fullmatch(line):
            if len(chances) < 6:
                chances += [_to_chance(found[name]) for name in ("win", "gammon", "backgammon")]
        elif self._chances and (found := _XG_CUBE_ROW.fullmatch(line)):
            self._equities.append(_to_number(found["equity"]))
        elif (found := _BGBLITZ_CANDIDATE.fullmatch(line)) and "/" in found["text"]:
            self._add_row(_Row(found["text"], _to_number(found["equity"]), "", []))
        elif found := _BGBLITZ_CHANCES.fullmatch(line):
            if self._rows and not chances:
                chances += [_to_number(number) for part in found.groups() for number in part.split()]
        elif found := _BGBLITZ_CUBE_ROW.fullmatch(line):
            self._labelled.append((found["label"], _to_number(found["second"] or found["first"])))
        elif found := _BGBLITZ_SIDE.fullmatch(line):
            self._sides[found["name"]] = [_to_chance(found[i]) for i in (2, 3, 4)]
        elif found := _NAMES.fullmatch(line):
            self.names = {BOTTOM: found["x"], 1 - BOTTOM: found["o"]}
        elif not self._depth and not self._rows and (found := _LEVEL.search(line)):
            self._depth = found[0]
        else:
            return False
        return True

    def build(self) -> RecordedPosition:
        """Return the position with what was found."""
        names = escape_unprintable(self.names.get(0, "")), escape_unprintable(self.names.get(1, ""))
        comment = "\n".join(map(escape_unprintable, (*self._comment, *self.around))).strip()
        notes = ActionNotes(
            comment=comment, candidates=self._list_candidates(), cube=self._make_cube_decision()
        )
        return RecordedPosition(self.position, self.match, names, notes, _FORMAT, written_xgid=self.xgid)

    def _add_row(self, row: _Row) -> None:
        if len(self._rows) < _MAX_CANDIDATES:
            self._rows.append(row)

    def _list_candidates(self) -> tuple[RankedPlay, ...]:
        roll, candidates = self.match.roll, []
        if roll is None:
            return ()
        for row in self._rows:
            try:
                play = parse_play(row.text, self.position, roll)
            except GammondError:
                continue
            evaluation = Evaluation(row.equity, _to_outcome(row.chances), row.depth)
            candidates.append(RankedPlay(play, evaluation))
        return tuple(candidates)

    def _make_cube_decision(self) -> CubeDecision | None:
        equities = self._sort_labelled()
        if len(self._equities) >= 3:
            equities = self._equities[0], self._equities[1], self._equities[2]
        if equities is None:
            return None
        held, taken, passed = map(Evaluation, equities)
        if outcome := _to_outcome(self._chances or self._list_side_chances()):
            held = held._replace(outcome=outcome, words=self._depth)
        return CubeDecision.of_choices(held, taken, passed)

    def _sort_labelled(self) -> tuple[float, float, float] | None:
        """Tell BGBlitz's rows apart: in any language a double has a slash, and a pass is worth 1."""
        single = [equity for label, equity in self._labelled if "/" not in label]
        doubles = [equity for label, equity in self._labelled if "/" in label]
        if len(single) != 1 or len(doubles) != 2:
            return None
        double_pass, double_take = sorted(doubles, key=lambda equity: abs(equity - _PASSED_EQUITY))
        return single[0], double_take, double_pass

    def _list_side_chances(self) -> list[float]:
        """Return the chances of BGBlitz's two rows, those of the player on roll first."""
        if len(self._sides) != 2:
            return []
        own_name = self.names.get(self.match.on_roll)
        rows = sorted(self._sides.items(), key=lambda row: row[0] != own_name)
        return [chance for _, chances in rows for chance in chances]


def _split_candidate(text: str) -> tuple[str, str]:
    """Split depth and play, whose moves alone have a slash; words for the bar and for off become ours."""
    words = text.split()
    first = next((i for i, word in enumerate(words) if "/" in word), len(words))
    play = re.sub(r"(?<![^\W\d_])[^\W\d_]+(?=/)", "bar", " ".join(words[first:]))
    return " ".join(words[:first]), re.sub(r"(?<=/)[^\W\d_]+", "off", play)


def _to_number(text: str) -> float:
    return float(text.strip().replace(",", ".").replace("\u2212", "-"))


def _to_chance(percent: str) -> float:
    return round(_to_number(percent) / 100, 6)


def _to_outcome(chances: list[float]) -> Outcome | None:
    """Return an outcome of win, gammon and backgammon of the player and of the opponent."""
    if len(chances) != 6:
        return None
    win, gammon, backgammon, _, lose_gammon, lose_backgammon = chances
    return Outcome(win, gammon, backgammon, lose_gammon, lose_backgammon)
