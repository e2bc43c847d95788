"""Decodes the records of a match in eXtreme Gammon's files.

Nothing of a record is believed: texts are cut and cleaned, numbers that are not finite or out of all range
are taken for missing. Whether the positions and actions are possible is for the rules to say.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from engine.errors import FormatError
from engine.match_files.xg import layouts
from engine.match_files.xg.container import decode_wide_text
from engine.match_files.xg.records import (
    XgCandidate,
    XgCube,
    XgCubeEvaluation,
    XgEvaluation,
    XgGameFooter,
    XgGameHeader,
    XgMatchFooter,
    XgMatchHeader,
    XgPlay,
    XgRecord,
)
from engine.rules.position import CHECKERS, OFF, Board

_MAGIC = 0x494C4D44
_UNLIMITED_LENGTH = 99_999
_FIRST_WIDE_VERSION = 24
_NOT_ANALYSED = 1000.0
_FIRST_DAY = datetime.datetime(1899, 12, 30)
_MAX_DAYS = 80_000.0  # the year 2119
_MAX_RATING = 10_000.0
_MAX_EQUITY = 1000.0
_PROBABILITY_SLACK = 1e-3


def split_records(data: bytes) -> Iterator[bytes]:
    """Return the records of a match one by one, without a last one that was cut short."""
    for start in range(0, len(data) - layouts.RECORD_BYTES + 1, layouts.RECORD_BYTES):
        yield data[start : start + layouts.RECORD_BYTES]


def decode_record(data: bytes) -> XgRecord:
    """Decode a record.

    Args:
        data: `engine.match_files.xg.layouts.RECORD_BYTES` bytes.

    Raises:
        FormatError: Its kind is unknown, or it names no player.
    """
    kind = data[8]
    layout = layouts.LAYOUTS.get(kind)
    if layout is None:
        raise FormatError(f"expected a record of kind 0 to {layouts.MATCH_FOOTER}, got {kind}", field="xg")
    fields = np.frombuffer(data, layout, count=1)[0]
    return _DECODERS[kind](fields)


def _decode_match_header(fields: np.void) -> XgMatchHeader:
    version, magic = int(fields["version"]), int(fields["magic"])
    if magic != _MAGIC:
        raise FormatError(
            f"expected {_MAGIC:#x} in the header of the match, got {magic:#x}: it was altered", field="xg"
        )
    is_wide = version >= _FIRST_WIDE_VERSION
    texts = {
        name: _decode_text(fields[name if is_wide else f"short_{name}"], is_wide)
        for name in ("name_1", "name_2", "event", "location", "round")
    }
    length = int(fields["length"])
    return XgMatchHeader(
        names=(texts["name_1"], texts["name_2"]),
        length=0 if length == _UNLIMITED_LENGTH else length,
        variation=int(fields["variation"]),
        crawford=bool(fields["crawford"]),
        jacoby=bool(fields["jacoby"]),
        beavers=bool(fields["beavers"]),
        automatic_doubles=bool(fields["automatic_doubles"]),
        cube_limit=int(fields["cube_limit"]),
        ratings=_decode_ratings(fields),
        experience=(int(fields["experience_1"]), int(fields["experience_2"])),
        date=_decode_date(float(fields["date"])),
        event=texts["event"],
        location=texts["location"],
        round=texts["round"],
        transcriber=_decode_text(fields["transcriber"], True) if is_wide else "",
        version=version,
        comment_before=int(fields["comment_before"]),
        comment_after=int(fields["comment_after"]),
    )


def _decode_game_header(fields: np.void) -> XgGameHeader:
    return XgGameHeader(
        number=int(fields["number"]),
        score=_decode_score(fields),
        crawford=bool(fields["crawford"]),
        board=_decode_board(fields["position"]),
        automatic_doubles=int(fields["automatic_doubles"]),
        comment_before=int(fields["comment_before"]),
        comment_after=int(fields["comment_after"]),
    )


def _decode_cube(fields: np.void) -> XgCube:
    return XgCube(
        seat=_decode_seat(fields["player"]),
        double=int(fields["double"]),
        take=int(fields["take"]),
        raccoon=int(fields["raccoon"]),
        cube=int(fields["cube"]),
        board=_decode_board(fields["position"]),
        evaluation=_decode_cube_evaluation(fields["evaluation"]),
        error=_decode_error(fields["error"]),
        error_take=_decode_error(fields["error_take"]),
        comment=int(fields["comment"]),
    )


def _decode_play(fields: np.void) -> XgPlay:
    listed = fields["candidates"]
    count = min(max(int(fields["count"]), 0), layouts.MAX_CANDIDATES)
    places = fields["position"][None], fields["result"][None], listed["results"][:count]
    board, result, *results = _decode_boards(np.concatenate(places))
    levels = listed["levels"]["level"][:count].tolist()
    candidates = [
        XgCandidate(after, evaluation)
        for after, numbers, level in zip(results, listed["values"][:count].tolist(), levels, strict=True)
        if (evaluation := _decode_evaluation(numbers, level)) is not None
    ]
    first, second = (int(die) for die in fields["dice"])
    luck = float(fields["luck"])
    return XgPlay(
        seat=_decode_seat(fields["player"]),
        dice=(first, second),
        is_played=bool(fields["played"]),
        cube=int(fields["cube"]),
        board=board,
        result=result,
        candidates=tuple(candidates),
        error=_decode_error(fields["error"]),
        luck=luck if fields["luck_level"] >= 0 and abs(luck) < _NOT_ANALYSED else None,
        comment=int(fields["comment"]),
    )


def _decode_game_footer(fields: np.void) -> XgGameFooter:
    return XgGameFooter(
        score=_decode_score(fields),
        winner=_SEATS.get(int(fields["winner"])),
        points=int(fields["points"]),
        termination=int(fields["termination"]),
    )


def _decode_match_footer(fields: np.void) -> XgMatchFooter:
    return XgMatchFooter(
        score=_decode_score(fields),
        winner=_SEATS.get(int(fields["winner"])),
        ratings=_decode_ratings(fields),
    )


_DECODERS: dict[int, Callable[[np.void], XgRecord]] = {
    layouts.MATCH_HEADER: _decode_match_header,
    layouts.GAME_HEADER: _decode_game_header,
    layouts.CUBE: _decode_cube,
    layouts.PLAY: _decode_play,
    layouts.GAME_FOOTER: _decode_game_footer,
    layouts.MATCH_FOOTER: _decode_match_footer,
}
_SEATS = {1: 0, -1: 1}


def _decode_seat(player: Any) -> int:  # noqa: ANN401  (a number of numpy)
    seat = _SEATS.get(int(player))
    if seat is None:
        raise FormatError(f"expected player 1 or -1, got {int(player)}", field="xg")
    return seat


def _decode_text(field: Any, is_wide: bool) -> str:  # noqa: ANN401  (an array of numpy)
    raw = field.tobytes()
    text = decode_wide_text(raw) if is_wide else raw[1 : 1 + raw[0]].decode("cp1252", "replace")
    return text.strip()


def _decode_score(fields: np.void) -> tuple[int, int]:
    return int(fields["score"][0]), int(fields["score"][1])


def _decode_ratings(fields: np.void) -> tuple[float | None, float | None]:
    first, second = (float(fields[name]) for name in ("rating_1", "rating_2"))
    return _check_rating(first), _check_rating(second)


def _check_rating(rating: float) -> float | None:
    return rating if 0 < rating < _MAX_RATING else None


def _decode_date(days: float) -> datetime.datetime | None:
    return _FIRST_DAY + datetime.timedelta(days=days) if 0 < days < _MAX_DAYS else None


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


def _decode_error(value: Any) -> float | None:  # noqa: ANN401  (a number of numpy)
    error = abs(float(value))
    return error if error < _NOT_ANALYSED else None


def _decode_evaluation(numbers: list[float], level: int) -> XgEvaluation | None:
    lose_backgammon, lose_gammon, _, win, win_gammon, win_backgammon, equity = numbers
    chances = win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
    if not (abs(equity) < _MAX_EQUITY and math.isfinite(sum(chances))):
        return None
    if min(chances) < -_PROBABILITY_SLACK or max(chances) > 1 + _PROBABILITY_SLACK:
        return None
    return XgEvaluation(chances, equity, level)


def _decode_cube_evaluation(fields: Any) -> XgCubeEvaluation | None:  # noqa: ANN401  (a record of numpy)
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
    doubled = _decode_evaluation(fields["double_values"].tolist(), level)
    return XgCubeEvaluation(no_double, double_take, double_pass, rolling, doubled)
