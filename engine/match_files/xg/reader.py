"""Read eXtreme Gammon's files: ``.xg``, matches with analysis and comments, and ``.xgp``, one position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.evaluation.results import Evaluation, RankedPlay
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
from gammond.engine.match_files.xg import records
from gammond.engine.match_files.xg.container import XgContainer, unpack_container
from gammond.engine.match_files.xg.records import RECORD_BYTES, Record
from gammond.engine.match_files.xg.rtf_text import COMMENT_END, read_comment
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import VARIANTS
from gammond.engine.wording import escape_unprintable

_MAX_LISTED_PLAYS = 4096 * 32
"""Of all rolls: as many as a file can have beside the records of the cube, each with a full list."""

_MAX_CUBE_LOG = MAX_CUBE.bit_length() - 1
_DOUBLE, _TAKE, _BEAVER, _RACCOON = 1, 1, 2, 1
_MAX_POSITION_RECORDS = 8
"""Records that a file with one position has at most: headers, cube, play, footers."""


def parse_xg(data: bytes) -> tuple[RecordedMatch, ...]:
    """Parse a file of eXtreme Gammon.

    A file that was cut short or altered gives what came before. A position that no play leads to is an issue,
    and the game goes on from there. Places of issues are bytes of the unpacked part ``temp.xg``.

    Raises:
        FormatError: There is no match.
    """
    container = unpack_container(data)
    decoded = _decode_records(container.records)
    _, header = next(decoded, (0, None))
    if not isinstance(header, Record) or header["kind"] != records.MATCH_HEADER:
        faults = "; ".join(container.faults) or "expected the header of a match first, got none"
        raise FormatError(
            "this file of eXtreme Gammon has no match that can be read: its compressed part is damaged, or "
            f"of an unknown kind ({faults})",
            field="xg",
        )
    reader = _MatchReader(header, container)
    if not reader.builder.leaves_out_games:
        for at, record in decoded:
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


def _decode_records(data: bytes) -> Iterator[tuple[int, Record | FormatError | None]]:
    """Yield each record, what is wrong with it, or None for one that is there twice, and where it begins."""
    before = b""
    for number, raw in enumerate(records.split_records(data)):
        try:
            yield number * RECORD_BYTES, None if raw == before else records.decode_record(raw)
        except FormatError as error:
            yield number * RECORD_BYTES, error
        before = raw


class _MatchReader:
    """Hands the records of a match to a builder, one after the other."""

    def __init__(self, header: Record, container: XgContainer) -> None:
        begun = records.decode_match(header)
        self._length = begun.length
        self.builder = MatchBuilder(begun, is_binary=True)
        for fault in container.faults:
            self.builder.add_issue(IssueKind.UNREADABLE, fault)
        self.builder.note_rules((), records.decode_variant(header))
        self._checkers = self.builder.variant.checkers
        self._comments = container.comments.split(COMMENT_END)
        self._header: Record | None = None
        self._number = 0
        self._is_between_games = True
        self._has_automatic_doubles = False
        self._is_unreadable = False
        self._cube: Record | None = None
        self._open_double: tuple[int, Record] | None = None
        self._listed_plays_left = _MAX_LISTED_PLAYS
        self._add_comments(header)

    def end_cut(self, at: int) -> None:
        """Say that what follows is lost, unless the match is over."""
        builder = self.builder
        builder.at = at
        if builder.situation is not None and builder.situation.result is None:
            message = "expected the rest of the match, got the end of what can be unpacked"
            builder.fail(IssueKind.UNREADABLE, message)
            return
        score = builder.expect_score()
        if score is None or not self._length or max(score) < self._length:
            self.builder.add_issue(IssueKind.MISSING, "what followed in the file is left out")

    def build(self) -> RecordedMatch:
        self._settle_double(None)
        return self.builder.build()

    def read(self, at: int, record: Record | FormatError | None) -> None:
        """Read a record; None is the one before again."""
        if record is None:
            self.builder.at = at
            if not self._is_unreadable:
                self.builder.add_issue(IssueKind.OUT_OF_TURN, "the record is there twice: read once")
            return
        self._settle_double(record)
        self.builder.at = at
        if not isinstance(record, FormatError):
            self._read_record(record)
        elif self._is_between_games:
            self.builder.add_issue(IssueKind.UNREADABLE, record.message)
        elif not self._is_unreadable:
            self.builder.fail(IssueKind.UNREADABLE, record.message)
        self._is_unreadable = isinstance(record, FormatError)

    def _read_record(self, record: Record) -> None:
        match record["kind"]:
            case records.GAME_HEADER:
                number = int(record["number"])
                if not self._is_between_games and number != self._number + 1:
                    message = f"expected the rest of game {self._number}, got the header of game {number}"
                    self.builder.fail(IssueKind.UNREADABLE, message)
                else:
                    self.builder.end_game()
                    self._header, self._cube = record, None
            case records.CUBE:
                self._read_cube(record)
            case records.PLAY:
                self._read_play(record)
            case records.GAME_FOOTER:
                self._read_end(record)
            case records.MATCH_HEADER:
                message = "expected one match, got the header of another one"
                self.builder.add_issue(IssueKind.UNREADABLE, message)

    def _read_cube(self, record: Record) -> None:
        self._begin_game(record)
        self._follow_table(record)
        self._cube = record
        if record["double"] != _DOUBLE:
            return
        self._cube = None
        if record["take"] <= 0:
            self._open_double = self.builder.at, record
        else:
            self._double(record, record["take"])

    def _settle_double(self, following: Record | FormatError | None) -> None:
        """Take a double that was not taken by what follows: an action shows that it was, or was none."""
        if self._open_double is None:
            return
        (self.builder.at, record), self._open_double = self._open_double, None
        take = record["take"]
        is_rolled = is_same_cube = False
        if isinstance(following, Record) and following["kind"] == records.PLAY:
            is_rolled = following["player"] == record["player"]
            is_same_cube = records.decode_cube(following) == records.decode_cube(record)
        if is_rolled and take == 0:
            message = "expected the end of the game after a pass, got a roll: it was a take"
            self.builder.add_issue(IssueKind.ILLEGAL_CUBE_ACTION, message)
            self._double(record, _TAKE)
        elif is_rolled and is_same_cube and take < 0:
            message = "expected a response to the double, got a roll at the cube before it: there was none"
            self.builder.add_issue(IssueKind.ILLEGAL_CUBE_ACTION, message)
            self._cube = record
        else:
            self._double(record, take)

    def _double(self, record: Record, take: int) -> None:
        builder, seat = self.builder, records.decode_seat(record)
        decision = records.decode_decision(record)
        builder.double(seat, notes=ActionNotes(comment=self._read_comment(record), cube=decision))
        if take == _BEAVER:
            builder.double(1 - seat, notes=ActionNotes(cube=decision))
            if record["raccoon"] == _RACCOON:
                builder.double(seat)
            else:
                builder.respond(seat, is_take=True)
        elif take >= 0:
            builder.respond(1 - seat, is_take=bool(take == _TAKE), notes=ActionNotes(cube=decision))

    def _read_play(self, record: Record) -> None:
        self._begin_game(record)
        self._follow_table(record)
        cube, self._cube = self._cube, None
        is_decision = cube is not None and cube["player"] == record["player"] and cube["double"] == 0
        played, listed = records.decode_play(record, self._checkers)
        seat, roll = records.decode_seat(record), records.decode_dice(record)
        notes = ActionNotes(
            comment="\n".join(filter(None, map(self._read_comment, (cube, record)))),
            candidates=self._list_candidates(roll, listed),
            cube=records.decode_decision(cube) if cube is not None and is_decision else None,
            luck=records.decode_luck(record),
        )
        self.builder.play(seat, roll, played if record["played"] else None, notes)

    def _read_end(self, record: Record) -> None:
        self.builder.add_comment(self._read_comment(self._cube))  # somebody resigned, or played no further
        winner = records.SEATS.get(int(record["winner"]))
        if winner is not None:
            if records.is_resigned(record):
                self.builder.note_resignation()
            self.builder.state_result(winner, int(record["points"]))
        self._is_between_games = True

    def _begin_game(self, record: Record) -> None:
        """Begin the game whose header came last, or is missing, with the record of its first seat to act."""
        header, self._header = self._header, None
        if header is not None:
            number, score = int(header["number"]), records.decode_score(header)
        elif not self._is_between_games:
            return
        elif self._continues(record):
            self._is_between_games = False
            message = "expected the next game, got more of the one before"
            self.builder.add_issue(IssueKind.UNREADABLE, message)
            return
        else:
            number, score = self._number + 1, self.builder.expect_score() or (0, 0)
            self.builder.add_issue(IssueKind.UNREADABLE, f"expected the header of game {number}, got none")
        self._number, self._is_between_games, seat = number, False, records.decode_seat(record)
        placed = record if header is None else header
        position, board = None, records.decode_board(placed, seat, self._checkers)
        if board[:, 1:].any():  # transcribed matches may have no checkers here
            with self.builder.reporting(IssueKind.IMPOSSIBLE_POSITION, f"game {number}: "):
                position = Position(board, self._checkers)
        doubles = 0 if header is None else max(int(header["automatic_doubles"]), 0)
        self._has_automatic_doubles = doubles > 0
        self.builder.begin_game(
            number,
            score,
            crawford=None if header is None else bool(header["crawford"]) and self._length > 0,
            cube=1 << min(doubles, _MAX_CUBE_LOG),
            position=position,
            on_roll=seat,
        )
        if header is not None:
            self._add_comments(header)

    def _continues(self, record: Record) -> bool:
        """Return whether a record goes on with the game whose end came before it."""
        situation, seat = self.builder.situation, records.decode_seat(record)
        if situation is None or situation.result is not None or situation.match.to_act != seat:
            return False
        return np.array_equal(records.decode_board(record, seat, self._checkers), situation.position.board)

    def _add_comments(self, header: Record) -> None:
        for name in ("comment_before", "comment_after"):
            self.builder.add_comment(read_comment(self._comments, int(header[name])))

    def _read_comment(self, record: Record | None) -> str:
        return "" if record is None else read_comment(self._comments, int(record["comment"]))

    def _follow_table(self, record: Record) -> None:
        """Compare checkers and cube with those of the game so far; others were set by hand."""
        builder, situation, seat = self.builder, self.builder.situation, records.decode_seat(record)
        board = records.decode_board(record, seat, self._checkers)
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
        cube, owner = records.decode_cube(record)
        if self._has_automatic_doubles:
            cube = match.cube
        is_same_cube = (cube, owner) == (match.cube, match.cube_owner)
        if is_same_cube and np.array_equal(board, situation.position.board) and not is_lost:
            return
        with builder.reporting(IssueKind.IMPOSSIBLE_POSITION):
            position = Position(board, self._checkers)
            changed = replace(match, cube=cube, cube_owner=owner)
            if not is_lost:
                message = "expected the checkers and the cube after the last action, got others"
                builder.add_issue(IssueKind.IMPOSSIBLE_POSITION, f"{message}: read as set by hand")
            builder.set_table(position, changed)

    def _list_candidates(self, roll: Roll, listed: list[tuple[Board, Evaluation]]) -> tuple[RankedPlay, ...]:
        if len(listed) > self._listed_plays_left:
            if self._listed_plays_left >= 0:
                message = f"expected {_MAX_LISTED_PLAYS:,} evaluated plays at most: the rest is left out"
                self.builder.add_issue(IssueKind.UNSUPPORTED, message)
            self._listed_plays_left = -1
            return ()
        self._listed_plays_left -= len(listed)
        return self.builder.list_candidates(roll, listed)


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
    raw = list(records.split_records(container.records))
    if len(raw) > _MAX_POSITION_RECORDS:
        raise FormatError(
            f"expected a file with one position, got a match in {len(raw)} records: {MATCH_ADVICE}",
            field="xgp",
        )
    first = {int(record["kind"]): record for record in reversed([*map(records.decode_record, raw)])}
    header, game = first.get(records.MATCH_HEADER), first.get(records.GAME_HEADER)
    cube, play = first.get(records.CUBE), first.get(records.PLAY)
    turn = cube if play is None else play
    if header is None or game is None or turn is None:
        raise FormatError("expected headers and a position in the records, got none", field="xgp")
    stated, variant = records.decode_match(header), records.decode_variant(header)
    rules, issue = find_variant(variant)
    if issue or rules is None:
        raise UnsupportedError(f"expected a position of {', '.join(VARIANTS)}, got {variant}", field="xgp")
    cube_value, cube_owner = records.decode_cube(turn)
    seat, checkers = records.decode_seat(turn), rules.variant.checkers
    match = MatchState(
        length=stated.length,
        score=records.decode_score(game),
        crawford=bool(game["crawford"]),
        cube=cube_value,
        cube_owner=cube_owner,
        on_roll=seat,
        jacoby=stated.rules.jacoby and not stated.length,
        beavers=stated.rules.beavers,
    )
    position = Position(records.decode_board(turn, seat, checkers), checkers)
    candidates: tuple[RankedPlay, ...] = ()
    if play is not None:
        match = match.with_roll(roll := records.decode_dice(play))
        plays = generate_plays(position, roll)
        found = ((plays.find(board), worth) for board, worth in records.decode_play(play, checkers)[1])
        candidates = tuple(RankedPlay(legal, worth) for legal, worth in found if legal is not None)
    comments = container.comments.split(COMMENT_END)
    notes = ActionNotes(
        comment="\n".join(
            read_comment(comments, int(each["comment"])) for each in (cube, play) if each is not None
        ).strip(),
        candidates=candidates,
        cube=None if cube is None else records.decode_decision(cube),
    )
    first_name, second_name = (escape_unprintable(name) for name in stated.names)
    return RecordedPosition(
        position,
        match,
        (first_name, second_name),
        notes,
        "xgp",
        replace(stated.rules, rules=rules),
        stated.headers,
    )
