"""Read eXtreme Gammon's files: ``.xg``, matches with analysis and comments, and ``.xgp``, one position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from gammond.engine.errors import FormatError, GammondError, UnsupportedError
from gammond.engine.evaluation.results import RankedPlay
from gammond.engine.match_files.builder import MatchBuilder
from gammond.engine.match_files.conventions import find_variant
from gammond.engine.match_files.model import (
    MATCH_ADVICE,
    ONE_POSITION_ADVICE,
    ActionNotes,
    IssueKind,
    RecordedMatch,
    RecordedPosition,
)
from gammond.engine.match_files.xg.container import XgContainer, unpack_container
from gammond.engine.match_files.xg.decoding import (
    XgCube,
    XgGameFooter,
    XgGameHeader,
    XgMatchHeader,
    XgPlay,
    XgRecord,
    decode_record,
    split_records,
    view_from,
)
from gammond.engine.match_files.xg.layouts import RECORD_BYTES
from gammond.engine.match_files.xg.rtf_text import COMMENT_END, read_comment
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import VARIANTS
from gammond.engine.wording import escape_unprintable

_MAX_LISTED_PLAYS = 4096 * 32
"""Of all rolls: as many as a file can have beside the records of the cube, each with a full list."""

_MAX_CUBE_LOG = MAX_CUBE.bit_length() - 1
_TAKE, _BEAVER = 1, 2
_MAX_POSITION_RECORDS = 8
"""Records that a file with one position has at most: headers, cube, play, footers."""

_Record = TypeVar("_Record")


def parse_xg(data: bytes) -> tuple[RecordedMatch, ...]:
    """Parse a file of eXtreme Gammon.

    A file that was cut short or altered gives what came before. A position that no play leads to is an issue,
    and the game goes on from there. Places of issues are bytes of the unpacked part ``temp.xg``.

    Raises:
        FormatError: There is no match.
    """
    container = unpack_container(data)
    records = _decode_records(container.records)
    begun = next(records, None)
    if begun is None or not isinstance(begun[1], XgMatchHeader):
        faults = "; ".join(container.faults) or "expected the header of a match first, got none"
        raise FormatError(
            "this file of eXtreme Gammon has no match that can be read: its compressed part is damaged, or "
            f"of an unknown kind ({faults})",
            field="xg",
        )
    header = begun[1]
    reader = _MatchReader(header, container)
    if not reader.builder.leaves_out_games:
        for at, record in records:
            reader.read(at, record)
        if container.is_cut:
            reader.end_cut(len(container.records))
    match = reader.build()
    if not match.games and all(issue.kind is IssueKind.NO_RESULT for issue in match.issues):
        raise FormatError(
            f"expected games in the file of eXtreme Gammon, got at most one position: {ONE_POSITION_ADVICE}",
            field="xg",
        )
    return (match,)


def _decode_records(data: bytes) -> Iterator[tuple[int, XgRecord | FormatError | None]]:
    """Yield each record, what is wrong with it, or None for one that is there twice, and where it begins."""
    before = b""
    for number, raw in enumerate(split_records(data)):
        try:
            yield number * RECORD_BYTES, None if raw == before else decode_record(raw)
        except FormatError as error:
            yield number * RECORD_BYTES, error
        before = raw


class _MatchReader:
    """Hands the records of a match to a builder, one after the other."""

    def __init__(self, header: XgMatchHeader, container: XgContainer) -> None:
        self._is_match = header.length > 0
        self._length = header.length
        self.builder = MatchBuilder(
            "xg", length=header.length, names=header.names, rules=header.rules, is_binary=True
        )
        for fault in container.faults:
            self.builder.add_issue(IssueKind.UNREADABLE, fault)
        self.builder.note_rules((), header.variant)
        self._start = self.builder.variant.starting_position
        self._checkers = self.builder.variant.checkers
        self._comments = container.comments.split(COMMENT_END)
        self._game: XgGameHeader | None = None
        self._number = 0
        self._is_between_games = True
        self._has_automatic_doubles = False
        self._is_unreadable = False
        self._cube: XgCube | None = None
        self._open_double: tuple[int, XgCube] | None = None
        self._listed_plays_left = _MAX_LISTED_PLAYS
        self.builder.headers = header.headers
        self.builder.ratings = header.ratings
        self._add_comments(*header.comments)

    def end_cut(self, at: int) -> None:
        """Say that what follows is lost, unless the match is over."""
        builder = self.builder
        builder.at = at
        if builder.situation is not None and builder.situation.result is None:
            message = "expected the rest of the match, got the end of what can be unpacked"
            builder.fail(IssueKind.UNREADABLE, message)
            return
        score = builder.expect_score()
        if score is None or not self._is_match or max(score) < self._length:
            self.builder.add_issue(IssueKind.MISSING, "what followed in the file is left out")

    def build(self) -> RecordedMatch:
        self._settle_double(None)
        return self.builder.build()

    def read(self, at: int, record: XgRecord | FormatError | None) -> None:
        """Read a record; None is the one before again."""
        if record is None:
            self.builder.at = at
            if not self._is_unreadable:
                self.builder.add_issue(IssueKind.OUT_OF_TURN, "the record is there twice: read once")
            return
        self._settle_double(record)
        self.builder.at = at
        match record:
            case XgGameHeader() if not self._is_between_games and record.number != self._number + 1:
                message = f"expected the rest of game {self._number}, got the header of game {record.number}"
                self.builder.fail(IssueKind.UNREADABLE, message)
            case XgGameHeader():
                self.builder.end_game()
                self._game, self._cube = record, None
            case XgCube():
                self._read_cube(record)
            case XgPlay():
                self._read_play(record)
            case XgGameFooter():
                self._read_end(record)
            case XgMatchHeader():
                self.builder.add_issue(
                    IssueKind.UNREADABLE, "expected one match, got the header of another one"
                )
            case FormatError() if self._is_between_games:
                self.builder.add_issue(IssueKind.UNREADABLE, record.message)
            case FormatError() if not self._is_unreadable:
                self.builder.fail(IssueKind.UNREADABLE, record.message)
        self._is_unreadable = isinstance(record, FormatError)

    def _read_cube(self, record: XgCube) -> None:
        self._begin_game(record)
        self._follow_table(record)
        self._cube = record
        if record.double != 1:
            return
        self._cube = None
        if record.take <= 0:
            self._open_double = self.builder.at, record
        else:
            self._double(record)

    def _settle_double(self, following: XgRecord | FormatError | None) -> None:
        """Take a double that was not taken by what follows: an action shows that it was, or was none."""
        if self._open_double is None:
            return
        (self.builder.at, record), self._open_double = self._open_double, None
        is_rolled = isinstance(following, XgPlay) and following.seat == record.seat
        is_same_cube = isinstance(following, XgPlay) and following.cube == record.cube
        if is_rolled and record.take == 0:
            message = "expected the end of the game after a pass, got a roll: it was a take"
            self.builder.add_issue(IssueKind.ILLEGAL_CUBE_ACTION, message)
            self._double(replace(record, take=_TAKE))
        elif is_rolled and is_same_cube and record.take < 0:
            message = "expected a response to the double, got a roll at the cube before it: there was none"
            self.builder.add_issue(IssueKind.ILLEGAL_CUBE_ACTION, message)
            self._cube = record
        else:
            self._double(record)

    def _double(self, record: XgCube) -> None:
        builder, seat = self.builder, record.seat
        decision = record.evaluation
        notes = ActionNotes(comment=read_comment(self._comments, record.comment), cube=decision)
        builder.double(seat, notes=notes)
        if record.take == _BEAVER:
            builder.double(1 - seat, notes=ActionNotes(cube=decision))
            if record.raccoon == 1:
                builder.double(seat)
            else:
                builder.respond(seat, is_take=True)
        elif record.take >= 0:
            builder.respond(1 - seat, is_take=record.take == _TAKE, notes=ActionNotes(cube=decision))

    def _read_play(self, record: XgPlay) -> None:
        self._begin_game(record)
        self._follow_table(record)
        cube, self._cube = self._cube, None
        is_decision = cube is not None and cube.seat == record.seat and cube.double == 0
        comments = (read_comment(self._comments, each.comment) for each in (cube, record) if each)
        notes = ActionNotes(
            comment="\n".join(text for text in comments if text),
            candidates=self._list_candidates(record),
            cube=cube.evaluation if cube is not None and is_decision else None,
            luck=record.luck,
        )
        play = view_from(record.result, 1, self._checkers) if record.is_played else None
        self.builder.play(record.seat, record.dice, play, notes)

    def _read_end(self, record: XgGameFooter) -> None:
        if self._cube is not None:  # somebody resigned, or played no further
            self._add_comments(self._cube.comment)
        if record.winner is not None:
            if record.is_resigned:
                self.builder.note_resignation()
            self.builder.state_result(record.winner, record.points)
        self._is_between_games = True

    def _continues(self, record: XgCube | XgPlay) -> bool:
        """Return whether a record goes on with the game whose end came before it."""
        situation = self.builder.situation
        if situation is None or situation.result is not None or situation.match.to_act != record.seat:
            return False
        return np.array_equal(view_from(record.board, record.seat, self._checkers), situation.position.board)

    def _begin_game(self, record: XgCube | XgPlay) -> None:
        """Begin the game whose header came last, or is missing, with the record of its first seat to act."""
        header, self._game = self._game, None
        is_missing = header is None
        if header is None:
            if not self._is_between_games:
                return
            if self._continues(record):
                self._is_between_games = False
                self.builder.add_issue(
                    IssueKind.UNREADABLE, "expected the next game, got more of the one before"
                )
                return
            number, score = self._number + 1, self.builder.expect_score() or (0, 0)
            self.builder.add_issue(IssueKind.UNREADABLE, f"expected the header of game {number}, got none")
            header = XgGameHeader(number, score, False, record.board, 0, (-1, -1))
        self._number, self._is_between_games, seat = header.number, False, record.seat
        position = self._start
        if header.board[:, 1:].any():  # transcribed matches may have no checkers here
            try:
                position = Position(view_from(header.board, seat, self._checkers), self._checkers)
            except GammondError as error:
                self.builder.add_issue(
                    IssueKind.IMPOSSIBLE_POSITION, f"game {header.number}: {error.message}"
                )
        self._has_automatic_doubles = header.automatic_doubles > 0
        self.builder.begin_game(
            header.number,
            header.score,
            crawford=None if is_missing else header.crawford and self._is_match,
            cube=1 << min(max(header.automatic_doubles, 0), _MAX_CUBE_LOG),
            position=position,
            on_roll=seat,
        )
        self._add_comments(*header.comments)

    def _add_comments(self, *numbers: int) -> None:
        for number in numbers:
            self.builder.add_comment(read_comment(self._comments, number))

    def _follow_table(self, record: XgCube | XgPlay) -> None:
        """Compare checkers and cube with those of the game so far; others were set by hand."""
        builder, situation, seat = self.builder, self.builder.situation, record.seat
        board = view_from(record.board, seat, self._checkers)
        if situation is not None and situation.match.roll is not None and situation.match.on_roll != seat:
            builder.complete_roll(situation.match.on_roll, board)  # which its own record lacks
            situation = builder.situation
        if situation is not None and situation.match.to_act != seat:
            if situation.match.doubled or situation.match.roll is not None or situation.result is not None:
                return
            turn = situation.match.to_act
            builder.fail(IssueKind.OUT_OF_TURN, f"expected player {turn + 1} to act, got player {seat + 1}")
        is_lost = builder.situation is None
        situation = builder.last_situation
        if situation is None or situation.result is not None:
            return
        match = situation.match
        if is_lost:
            match = replace(match.before_roll(), on_roll=seat)
        cube, owner = record.cube
        if self._has_automatic_doubles:
            cube = match.cube
        is_same_cube = (cube, owner) == (match.cube, match.cube_owner)
        if is_same_cube and np.array_equal(board, situation.position.board) and not is_lost:
            return
        try:
            position = Position(board, self._checkers)
            changed = replace(match, cube=cube, cube_owner=owner)
        except GammondError as error:
            self.builder.add_issue(IssueKind.IMPOSSIBLE_POSITION, error.message)
            return
        if not is_lost:
            self.builder.add_issue(
                IssueKind.IMPOSSIBLE_POSITION,
                "expected the checkers and the cube after the last action, got others: read as set by hand",
            )
        builder.set_table(position, changed)

    def _list_candidates(self, record: XgPlay) -> tuple[RankedPlay, ...]:
        count = len(record.candidates)
        if count > self._listed_plays_left:
            if self._listed_plays_left >= 0:
                message = f"expected {_MAX_LISTED_PLAYS:,} evaluated plays at most: the rest is left out"
                self.builder.add_issue(IssueKind.UNSUPPORTED, message)
            self._listed_plays_left = -1
            return ()
        self._listed_plays_left -= count
        found = (
            self.builder.find_candidate(record.dice, view_from(result, 1, self._checkers), evaluation)
            for result, evaluation in record.candidates
        )
        return tuple(candidate for candidate in found if candidate is not None)


def parse_xgp(data: bytes) -> RecordedPosition:
    """Parse a file with one position, which is in the same records as a match.

    Raises:
        FormatError: It is no file of eXtreme Gammon, is damaged, or holds a match.
        UnsupportedError: It is of an unknown variant.
        GammondError: The position or the score is impossible.
    """
    container = unpack_container(data)
    if container.faults:
        raise FormatError("; ".join(container.faults), field="xgp")
    raw = list(split_records(container.records))
    if len(raw) > _MAX_POSITION_RECORDS:
        raise FormatError(
            f"expected a file with one position, got a match in {len(raw)} records: {MATCH_ADVICE}",
            field="xgp",
        )
    records = [decode_record(record) for record in raw]
    header = _find_first(XgMatchHeader, records)
    game = _find_first(XgGameHeader, records)
    cube = _find_first(XgCube, records)
    play = _find_first(XgPlay, records)
    turn = play or cube
    if header is None or game is None or turn is None:
        raise FormatError("expected headers and a position in the records, got none", field="xgp")
    cube_value, cube_owner = turn.cube
    rules, issue = find_variant(header.variant)
    if issue or rules is None:
        raise UnsupportedError(
            f"expected a position of {', '.join(VARIANTS)}, got {header.variant}", field="xgp"
        )
    match_rules = replace(header.rules, rules=rules)
    match = MatchState(
        length=header.length,
        score=game.score,
        crawford=game.crawford,
        cube=cube_value,
        cube_owner=cube_owner,
        on_roll=turn.seat,
        jacoby=match_rules.jacoby and not header.length,
        beavers=match_rules.beavers,
    )
    checkers = rules.variant.checkers
    position = Position(view_from(turn.board, turn.seat, checkers), checkers)
    if play is not None:
        match = match.with_roll(play.dice)
    comments = container.comments.split(COMMENT_END)
    notes = ActionNotes(
        comment="\n".join(read_comment(comments, each.comment) for each in (cube, play) if each).strip(),
        candidates=_list_candidates(position, play) if play is not None else (),
        cube=cube.evaluation if cube is not None else None,
    )
    first, second = (escape_unprintable(name) for name in header.names)
    return RecordedPosition(position, match, (first, second), notes, "xgp", match_rules, header.headers)


def _find_first(kind: type[_Record], records: Iterable[XgRecord]) -> _Record | None:
    return next((record for record in records if isinstance(record, kind)), None)


def _list_candidates(position: Position, record: XgPlay) -> tuple[RankedPlay, ...]:
    plays = generate_plays(position, record.dice)
    found = [
        (plays.find(view_from(result, 1, position.checkers)), evaluation)
        for result, evaluation in record.candidates
    ]
    return tuple(RankedPlay(play, evaluation) for play, evaluation in found if play is not None)
