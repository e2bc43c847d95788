"""Read ``.xg`` files of eXtreme Gammon: matches with its analysis and comments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.errors import FormatError, GammondError
from engine.match_files.builder import MatchBuilder
from engine.match_files.model import (
    ONE_POSITION_ADVICE,
    ActionNotes,
    IssueKind,
    MatchRules,
    RecordedCandidate,
    RecordedMatch,
)
from engine.match_files.variants import find_variant
from engine.match_files.xg.comments import XgComments
from engine.match_files.xg.container import unpack_container
from engine.match_files.xg.decoding import decode_record, split_records
from engine.match_files.xg.evaluations import (
    make_cube_decision,
    make_evaluation,
    name_variation,
    split_cube,
    view_from,
)
from engine.match_files.xg.layouts import RECORD_BYTES
from engine.match_files.xg.records import (
    XgCube,
    XgGameFooter,
    XgGameHeader,
    XgMatchHeader,
    XgPlay,
    XgRecord,
)
from engine.rules.match import MAX_CUBE
from engine.rules.position import Board, Position
from engine.rules.rules import STANDARD_RULES, Rules

_FORMAT = "xg"
_MAX_LISTED_PLAYS = 4096 * 32
"""Of all rolls: as many as a file can have beside the records of the cube, each with a full list."""

_MAX_CUBE_LOG = MAX_CUBE.bit_length() - 1
_TAKE, _BEAVER = 1, 2


def parse_xg(data: bytes) -> tuple[RecordedMatch, ...]:
    """Parse a file of eXtreme Gammon.

    A file that was cut short or altered gives what came before. A position that no play leads to is an issue,
    and the game goes on from there. Places of issues are bytes of the unpacked part ``temp.xg``.

    Args:
        data: The file.

    Returns:
        One match.

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
    rules, issue = find_variant(name_variation(header))
    reader = _MatchReader(header, rules or STANDARD_RULES, XgComments(container.comments))
    for fault in container.faults:
        reader.add_issue(0, IssueKind.UNREADABLE, fault)
    if issue:
        reader.add_issue(0, IssueKind.UNSUPPORTED, issue)
    if rules is not None:
        for at, record in records:
            reader.read(at, record)
    match = reader.build()
    if not match.games and all(issue.kind is IssueKind.NO_RESULT for issue in match.issues):
        raise FormatError(
            f"expected games in the file of eXtreme Gammon, got at most one position: {ONE_POSITION_ADVICE}",
            field="xg",
        )
    return (match,)


def _decode_records(data: bytes) -> Iterator[tuple[int, XgRecord | FormatError]]:
    """Yield each record, or what is wrong with it, and the byte where it begins."""
    for number, raw in enumerate(split_records(data)):
        try:
            yield number * RECORD_BYTES, decode_record(raw)
        except FormatError as error:
            yield number * RECORD_BYTES, error


class _MatchReader:
    """Hands the records of a match to a builder, one after the other."""

    def __init__(self, header: XgMatchHeader, rules: Rules, comments: XgComments) -> None:
        self._start = rules.starting_position
        self._checkers = rules.variant.checkers
        self._is_match = header.length > 0
        self._builder = MatchBuilder(
            _FORMAT,
            length=header.length,
            names=header.names,
            rules=MatchRules(
                rules,
                crawford=header.crawford,
                jacoby=header.jacoby,
                beavers=header.beavers or header.length > 0,  # in a match they have their default
                automatic_doubles=header.automatic_doubles,
                cube_limit=1 << header.cube_limit if 0 < header.cube_limit <= _MAX_CUBE_LOG else MAX_CUBE,
            ),
            is_binary=True,
        )
        self._comments = comments
        self._game: XgGameHeader | None = None
        self._has_automatic_doubles = False
        self._is_unreadable = False
        self._cube: XgCube | None = None
        self._listed_plays_left = _MAX_LISTED_PLAYS
        builder = self._builder
        builder.headers = _make_headers(header)
        builder.ratings = header.ratings
        builder.add_comment(comments.get(header.comment_before))
        builder.add_comment(comments.get(header.comment_after))

    def add_issue(self, at: int, kind: IssueKind, message: str) -> None:
        self._builder.add_issue(at, kind, message)

    def build(self) -> RecordedMatch:
        return self._builder.build()

    def read(self, at: int, record: XgRecord | FormatError) -> None:
        match record:
            case XgGameHeader():
                self._builder.end_game()
                self._game, self._cube = record, None
            case XgCube():
                self._read_cube(at, record)
            case XgPlay():
                self._read_play(at, record)
            case XgGameFooter():
                self._read_end(at, record)
            case XgMatchHeader():
                self.add_issue(at, IssueKind.UNREADABLE, "expected one match, got the header of another one")
            case FormatError() if not self._is_unreadable:
                self._builder.fail(at, IssueKind.UNREADABLE, record.message)
        self._is_unreadable = isinstance(record, FormatError)

    def _read_cube(self, at: int, record: XgCube) -> None:
        self._begin_game(at, record.seat)
        self._follow_table(at, record.seat, record.board, record.cube)
        self._cube = record
        if record.double != 1:
            return
        self._cube = None
        builder, seat = self._builder, record.seat
        decision = make_cube_decision(record.evaluation)
        notes = ActionNotes(comment=self._comments.get(record.comment), cube=decision)
        builder.double(at, seat, notes=notes)
        if record.take == _BEAVER:
            builder.double(at, 1 - seat, notes=ActionNotes(cube=decision))
            if record.raccoon == 1:
                builder.double(at, seat)
            else:
                builder.respond(at, seat, is_take=True)
        elif record.take >= 0:
            builder.respond(at, 1 - seat, is_take=record.take == _TAKE, notes=ActionNotes(cube=decision))

    def _read_play(self, at: int, record: XgPlay) -> None:
        self._begin_game(at, record.seat)
        self._follow_table(at, record.seat, record.board, record.cube)
        cube, self._cube = self._cube, None
        is_decision = cube is not None and cube.seat == record.seat and cube.double == 0
        comments = self._comments.get(cube.comment) if cube else "", self._comments.get(record.comment)
        notes = ActionNotes(
            comment="\n".join(text for text in comments if text),
            candidates=self._list_candidates(at, record),
            cube=make_cube_decision(cube.evaluation) if cube is not None and is_decision else None,
            luck=record.luck,
        )
        play = view_from(record.result, 1, self._checkers) if record.is_played else None
        self._builder.play(at, record.seat, record.dice, play, notes)

    def _read_end(self, at: int, record: XgGameFooter) -> None:
        if self._cube is not None:  # somebody resigned, or played no further
            self._builder.add_comment(self._comments.get(self._cube.comment))
        if record.winner is not None:
            self._builder.state_result(at, record.winner, record.points)
        self._builder.end_game()

    def _begin_game(self, at: int, seat: int) -> None:
        """Begin the game whose header came last, now that the first seat to act is known."""
        header, self._game = self._game, None
        if header is None:
            return
        position = self._start
        if header.board[:, 1:].any():  # transcribed matches may have no checkers here
            try:
                position = Position(view_from(header.board, seat, self._checkers), self._checkers)
            except GammondError as error:
                self.add_issue(at, IssueKind.IMPOSSIBLE_POSITION, f"game {header.number}: {error.message}")
        self._has_automatic_doubles = header.automatic_doubles > 0
        self._builder.begin_game(
            at,
            header.number,
            header.score,
            crawford=header.crawford and self._is_match,
            cube=1 << min(max(header.automatic_doubles, 0), _MAX_CUBE_LOG),
            position=position,
            on_roll=seat,
        )
        for number in (header.comment_before, header.comment_after):
            self._builder.add_comment(self._comments.get(number))

    def _follow_table(self, at: int, seat: int, board: Board, cube_log: int) -> None:
        """Compare checkers and cube with those of the game so far; others were set by hand."""
        builder, situation = self._builder, self._builder.situation
        if situation is not None and situation.match.to_act != seat:
            if situation.match.doubled or situation.match.roll is not None or situation.result is not None:
                return
            turn = situation.match.to_act
            builder.fail(
                at, IssueKind.OUT_OF_TURN, f"expected player {turn + 1} to act, got player {seat + 1}"
            )
        is_lost = builder.situation is None
        situation = builder.situation or builder.last_situation
        if situation is None or situation.result is not None:
            return
        match, board = situation.match, view_from(board, seat, self._checkers)
        if is_lost:
            match = replace(match.before_roll(), on_roll=seat)
        cube, owner = split_cube(cube_log)
        if owner is None or self._has_automatic_doubles:
            cube = match.cube
        is_same_cube = (cube, owner) == (match.cube, match.cube_owner)
        if is_same_cube and np.array_equal(board, situation.position.board) and not is_lost:
            return
        try:
            position = Position(board, self._checkers)
            changed = replace(match, cube=cube, cube_owner=owner)
        except GammondError as error:
            self.add_issue(at, IssueKind.IMPOSSIBLE_POSITION, error.message)
            return
        if not is_lost:
            self.add_issue(
                at,
                IssueKind.IMPOSSIBLE_POSITION,
                "expected the checkers and the cube after the last action, got others: read as set by hand",
            )
        builder.set_table(at, position, changed)

    def _list_candidates(self, at: int, record: XgPlay) -> tuple[RecordedCandidate, ...]:
        count = len(record.candidates)
        if count > self._listed_plays_left:
            if self._listed_plays_left >= 0:
                message = f"expected {_MAX_LISTED_PLAYS:,} evaluated plays at most: the rest is left out"
                self.add_issue(at, IssueKind.UNSUPPORTED, message)
            self._listed_plays_left = -1
            return ()
        self._listed_plays_left -= count
        found = (
            self._builder.find_candidate(
                record.dice,
                view_from(candidate.result, 1, self._checkers),
                make_evaluation(candidate.evaluation, candidate.evaluation.equity),
            )
            for candidate in record.candidates
        )
        return tuple(candidate for candidate in found if candidate is not None)


def _make_headers(header: XgMatchHeader) -> dict[str, str]:
    date = header.date
    headers = {
        "Event": header.event,
        "Round": header.round,
        "Site": header.location,
        "EventDate": f"{date:%Y.%m.%d}" if date else "",
        "EventTime": f"{date:%H:%M}" if date and (date.hour or date.minute) else "",
        "Transcriber": header.transcriber,
    }
    return {name: text for name, text in headers.items() if text}
