"""The records of a match in eXtreme Gammon's files as typed values, evaluations in the words of the model.

Nothing of a record is believed: texts are cut and cleaned, numbers that are not finite or out of all range
are taken for missing. Whether the positions and actions are possible is for the rules to say.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gammond.engine.errors import FormatError
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_files.model import MatchRules
from gammond.engine.match_files.xg import layouts
from gammond.engine.rules.match import MAX_CUBE
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import CHECKERS, OFF, Board, swap_sides

_MAGIC = 0x494C4D44
_UNLIMITED_LENGTH = 99_999
_FIRST_WIDE_VERSION = 24
_NOT_ANALYSED = 1000.0
_FIRST_DAY = datetime.datetime(1899, 12, 30)
_MAX_DAYS = 80_000.0  # the year 2119
_MAX_RATING = 10_000.0
_MAX_EQUITY = 1000.0
_PROBABILITY_SLACK = 1e-3
_MAX_CUBE_LOG = 30
_VARIATIONS = {0: "backgammon", 1: "nackgammon", 2: "hypergammon", 3: "longgammon"}
_LEVELS = {
    0: "1-ply", 1: "2-ply", 2: "3-ply", 3: "4-ply", 4: "5-ply", 5: "6-ply", 6: "7-ply", 12: "3-ply red",
    100: "rollout", 998: "opening book", 999: "opening book", 1000: "XG Roller", 1001: "XG Roller+",
    1002: "XG Roller++",
}  # fmt: skip


@dataclass(frozen=True)
class XgMatchHeader:
    """The first record.

    Attributes:
        names: Of players 1 and 2.
        length: Points of the match; 0 for money.
        variant: The name of the variant.
        rules: The rules beside the variant.
        ratings: Of both players; None where there is none.
        headers: What else it says about the match, by the words of ``.mat`` files.
        comments: The numbers of the comments at the beginning and at the end, -1 for none.
    """

    names: tuple[str, str]
    length: int
    variant: str
    rules: MatchRules
    ratings: tuple[float | None, float | None]
    headers: dict[str, str]
    comments: tuple[int, int]


@dataclass(frozen=True)
class XgGameHeader:
    """The record before each game.

    Attributes:
        number: The number of the game.
        score: Points of players 1 and 2.
        crawford: Whether it is the Crawford game.
        board: ``int8[2, 26]``, the position in which it begins, player 1 first.
        automatic_doubles: How often the cube was turned before the first roll.
        comments: The numbers of the comments at the beginning and at the end, -1 for none.
    """

    number: int
    score: tuple[int, int]
    crawford: bool
    board: Board
    automatic_doubles: int
    comments: tuple[int, int]


@dataclass(frozen=True)
class XgCube:
    """The record before each roll.

    Attributes:
        seat: 0 for player 1, 1 for player 2: who may double.
        double: 1 a double, 0 none, negative where no decision was to be made.
        take: 1 a take, 0 a pass, 2 a beaver, negative if there was no double.
        raccoon: 1 if the beaver was answered by a raccoon.
        cube: The value of the cube and the seat that owns it, right or wrong.
        board: ``int8[2, 26]``, player 1 first.
        evaluation: None if it was not analysed.
        comment: The number of its comment, -1 for none.
    """

    seat: int
    double: int
    take: int
    raccoon: int
    cube: tuple[int, int | None]
    board: Board
    evaluation: CubeDecision | None
    comment: int


@dataclass(frozen=True)
class XgPlay:
    """The record of a roll and its play.

    Attributes:
        seat: 0 for player 1, 1 for player 2: who rolled.
        dice: Both dice, as the file has them.
        board: ``int8[2, 26]``, the position before it, player 1 first.
        result: ``int8[2, 26]``, the position after it, the side that played first.
        candidates: The plays that were evaluated, the best by eXtreme Gammon first: ``int8[2, 26]``, the
            position after each as that of the play, and its evaluation.
        luck: The luck of the roll by eXtreme Gammon; None if it does not say.
        is_played: Whether the roll was played.
        cube: The value of the cube and the seat that owns it, right or wrong.
        comment: The number of its comment, -1 for none.
    """

    seat: int
    dice: tuple[int, int]
    is_played: bool
    cube: tuple[int, int | None]
    board: Board
    result: Board
    candidates: tuple[tuple[Board, Evaluation], ...]
    luck: float | None
    comment: int


@dataclass(frozen=True)
class XgGameFooter:
    """The record after each game.

    Attributes:
        winner: 0 for player 1, 1 for player 2; None if neither is named.
        points: What it was worth.
        termination: 0 a pass, 1 to 3 a game, gammon, backgammon; 100 more if resigned, 1000 if settled.
    """

    winner: int | None
    points: int
    termination: int

    @property
    def is_resigned(self) -> bool:
        """Whether the loser resigned."""
        return self.termination // 100 % 10 == 1


@dataclass(frozen=True)
class XgMatchFooter:
    """The last record, which says nothing that is not said before."""


XgRecord = XgMatchHeader | XgGameHeader | XgCube | XgPlay | XgGameFooter | XgMatchFooter


def split_records(data: bytes) -> Iterator[bytes]:
    """Return the records of a match one by one, without a last one that was cut short."""
    for start in range(0, len(data) - layouts.RECORD_BYTES + 1, layouts.RECORD_BYTES):
        yield data[start : start + layouts.RECORD_BYTES]


def decode_record(data: bytes) -> XgRecord:
    """Decode a record.

    Args:
        data: `gammond.engine.match_files.xg.layouts.RECORD_BYTES` bytes.

    Raises:
        FormatError: Its kind is unknown, or it names no player.
    """
    kind = data[8]
    layout = layouts.LAYOUTS.get(kind)
    if layout is None:
        raise FormatError(f"expected a record of kind 0 to {layouts.MATCH_FOOTER}, got {kind}", field="xg")
    fields = np.frombuffer(data, layout, count=1)[0]
    return _DECODERS[kind](fields)


def view_from(board: Board, seat: int, checkers: int = CHECKERS) -> Board:
    """Return a board of a record, with player 1 first, as a seat sees it.

    Args:
        board: ``int8[2, 26]``, as with 15 checkers a side.
        seat: Player 1 is seat 0.
        checkers: How many checkers each side has in the game.
    """
    seen = swap_sides(board) if seat else board.copy()
    seen[:, OFF] += checkers - CHECKERS
    return seen


def _decode_match_header(fields: np.void) -> XgMatchHeader:
    version, magic = int(fields["version"]), int(fields["magic"])
    if magic != _MAGIC:
        raise FormatError(
            f"expected {_MAGIC:#x} in the header of the match, got {magic:#x}: it was altered", field="xg"
        )
    is_wide = version >= _FIRST_WIDE_VERSION
    name_1, name_2, event, place, stage = (
        _decode_text(fields[name if is_wide else f"short_{name}"], is_wide)
        for name in ("name_1", "name_2", "event", "location", "round")
    )
    days = float(fields["date"])
    date = _FIRST_DAY + datetime.timedelta(days=days) if 0 < days < _MAX_DAYS else None
    headers = {
        "Event": event,
        "Round": stage,
        "Site": place,
        "EventDate": f"{date:%Y.%m.%d}" if date else "",
        "EventTime": f"{date:%H:%M}" if date and (date.hour or date.minute) else "",
        "Transcriber": _decode_text(fields["transcriber"], True) if is_wide else "",
    }
    length, variation, limit = (int(fields[name]) for name in ("length", "variation", "cube_limit"))
    length = 0 if length == _UNLIMITED_LENGTH else length
    ratings = float(fields["rating_1"]), float(fields["rating_2"])
    return XgMatchHeader(
        names=(name_1, name_2),
        length=length,
        variant=_VARIATIONS.get(variation, f"variation {variation}"),
        rules=MatchRules(
            crawford=bool(fields["crawford"]),
            jacoby=bool(fields["jacoby"]),
            beavers=bool(fields["beavers"]) or length > 0,  # in a match they have their default
            automatic_doubles=bool(fields["automatic_doubles"]),
            cube_limit=1 << limit if 0 < limit < MAX_CUBE.bit_length() else MAX_CUBE,
        ),
        ratings=(_check_rating(ratings[0]), _check_rating(ratings[1])),
        headers={name: text for name, text in headers.items() if text},
        comments=_decode_comments(fields),
    )


def _decode_game_header(fields: np.void) -> XgGameHeader:
    return XgGameHeader(
        number=int(fields["number"]),
        score=(int(fields["score"][0]), int(fields["score"][1])),
        crawford=bool(fields["crawford"]),
        board=_decode_board(fields["position"]),
        automatic_doubles=int(fields["automatic_doubles"]),
        comments=_decode_comments(fields),
    )


def _decode_cube(fields: np.void) -> XgCube:
    return XgCube(
        seat=_decode_seat(fields["player"]),
        double=int(fields["double"]),
        take=int(fields["take"]),
        raccoon=int(fields["raccoon"]),
        cube=_decode_cube_state(int(fields["cube"])),
        board=_decode_board(fields["position"]),
        evaluation=_decode_cube_evaluation(fields["evaluation"]),
        comment=int(fields["comment"]),
    )


def _decode_play(fields: np.void) -> XgPlay:
    listed = fields["candidates"]
    count = min(max(int(fields["count"]), 0), layouts.MAX_CANDIDATES)
    places = fields["position"][None], fields["result"][None], listed["results"][:count]
    board, result, *results = _decode_boards(np.concatenate(places))
    levels = listed["levels"]["level"][:count].tolist()
    candidates = [
        (after, evaluation)
        for after, numbers, level in zip(results, listed["values"][:count].tolist(), levels, strict=True)
        if (evaluation := _decode_evaluation(numbers, level)) is not None
    ]
    first, second = (int(die) for die in fields["dice"])
    luck = float(fields["luck"])
    return XgPlay(
        seat=_decode_seat(fields["player"]),
        dice=(first, second),
        is_played=bool(fields["played"]),
        cube=_decode_cube_state(int(fields["cube"])),
        board=board,
        result=result,
        candidates=tuple(candidates),
        luck=luck if fields["luck_level"] >= 0 and abs(luck) < _NOT_ANALYSED else None,
        comment=int(fields["comment"]),
    )


def _decode_game_footer(fields: np.void) -> XgGameFooter:
    return XgGameFooter(
        winner=_SEATS.get(int(fields["winner"])),
        points=int(fields["points"]),
        termination=int(fields["termination"]),
    )


_DECODERS: dict[int, Callable[[np.void], XgRecord]] = {
    layouts.MATCH_HEADER: _decode_match_header,
    layouts.GAME_HEADER: _decode_game_header,
    layouts.CUBE: _decode_cube,
    layouts.PLAY: _decode_play,
    layouts.GAME_FOOTER: _decode_game_footer,
    layouts.MATCH_FOOTER: lambda fields: XgMatchFooter(),
}
_SEATS = {1: 0, -1: 1}


def _decode_seat(player: Any) -> int:  # noqa: ANN401  (a number of numpy)
    seat = _SEATS.get(int(player))
    if seat is None:
        raise FormatError(f"expected player 1 or -1, got {int(player)}", field="xg")
    return seat


def _decode_text(field: Any, is_wide: bool) -> str:  # noqa: ANN401  (an array of numpy)
    raw: bytes = field.tobytes()
    if is_wide:
        return raw.decode("utf-16-le", "replace").partition("\0")[0].strip()
    return raw[1 : 1 + raw[0]].decode("cp1252", "replace").strip()


def _decode_comments(fields: np.void) -> tuple[int, int]:
    return int(fields["comment_before"]), int(fields["comment_after"])


def _check_rating(rating: float) -> float | None:
    return rating if 0 < rating < _MAX_RATING else None


def _decode_board(places: Any) -> Board:  # noqa: ANN401  (an array of numpy)
    """Return ``int8[2, 26]`` of a position, its owner first."""
    board: Board = _decode_boards(places[None])[0]
    return board


def _decode_boards(places: Any) -> Board:  # noqa: ANN401  (an array of numpy)
    """Return ``int8[n, 2, 26]`` of ``int8[n, 26]``, owners first; impossible counts stay impossible."""
    counts = places.astype(np.int16)
    boards = np.stack([np.maximum(counts, 0), np.maximum(-counts[:, ::-1], 0)], axis=1)
    boards[:, :, OFF] = 0
    boards[:, :, OFF] = CHECKERS - boards.sum(axis=2)
    decoded: Board = np.clip(boards, -1, 127).astype(np.int8)
    return decoded


def _decode_cube_state(number: int) -> tuple[int, int | None]:
    """Return the value of the cube and the seat that owns it, of its logarithm: negative if player 2 does."""
    return 1 << min(abs(number), _MAX_CUBE_LOG), None if number == 0 else int(number < 0)


def _decode_evaluation(numbers: list[float], level: int) -> Evaluation | None:
    """Decode an evaluation; its equity is cubeful for plays, cubeless for cube decisions."""
    lose_backgammon, lose_gammon, _, win, win_gammon, win_backgammon, equity = numbers
    chances = Outcome(win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)
    if not (abs(equity) < _MAX_EQUITY and math.isfinite(sum(chances))):
        return None
    if min(chances) < -_PROBABILITY_SLACK or max(chances) > 1 + _PROBABILITY_SLACK:
        return None
    return Evaluation(equity, chances, _LEVELS.get(level, f"level {level}"))


def _decode_cube_evaluation(fields: Any) -> CubeDecision | None:  # noqa: ANN401  (a record of numpy)
    if not fields["position"].any():
        return None
    level = int(fields["level"])
    rolling = _decode_evaluation(fields["no_double_values"].tolist(), level)
    no_double, double_take, double_pass = (
        float(fields[name]) for name in ("no_double", "double_take", "double_pass")
    )
    if rolling is None or not all(
        abs(value) < _MAX_EQUITY for value in (no_double, double_take, double_pass)
    ):
        return None
    doubled = _decode_evaluation(fields["double_values"].tolist(), level) or Evaluation(double_take)
    return CubeDecision.of_choices(
        rolling._replace(equity=no_double), doubled._replace(equity=double_take), Evaluation(double_pass)
    )
