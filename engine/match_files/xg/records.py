"""The records of a match in eXtreme Gammon's files, and their fields in the words of the model.

Every record has `RECORD_BYTES` bytes, its kind after two pointers of four bytes. Numbers stand on multiples
of their size, as Pascal places them, which is what numpy's ``align`` does.

Nothing of a record is believed: texts are cut and cleaned, numbers that are not finite or out of all range
are taken for missing. Whether the positions and actions are possible is for the rules to say.

*Source:* "XGFile Format Specification", extremegammon.com/xgformat.aspx; the fields of the two records of the
engine checked against files.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gammond.engine.errors import FormatError
from gammond.engine.evaluation.results import CubeDecision, Evaluation
from gammond.engine.match_files.model import MatchRules, RecordedMatch
from gammond.engine.rules.match import MAX_CUBE
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import CHECKERS, OFF, Board

RECORD_BYTES = 2560

MATCH_HEADER, GAME_HEADER, CUBE, PLAY, GAME_FOOTER, MATCH_FOOTER = range(6)
"""The kinds of records."""

PLACES = 26
"""Places of a position: the opponent's bar, points 1 to 24, the own bar; the opponent's checkers negative."""

MAX_CANDIDATES = 32

VALUES = 7
"""Numbers of an evaluation: lose backgammon, gammon, game; win game, gammon, backgammon; equity."""

_INT, _UNSIGNED, _SHORT, _BYTE, _FLAG = "<i4", "<u4", "<i2", "i1", "u1"
_SINGLE, _DOUBLE = "<f4", "<f8"
_WIDE_TEXT = ("<u2", 129)
_POSITION = (_BYTE, PLACES)


def _short_text(length: int) -> tuple[str, int]:
    return "u1", length + 1


def _make_layout(fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    head = [("previous", _UNSIGNED), ("next", _UNSIGNED), ("kind", "u1")]
    return np.dtype([*head, *fields], align=True)


_CUBE_EVALUATION = np.dtype(
    [
        ("position", *_POSITION), ("level", _INT), ("away", _INT, 2), ("cube", _INT), ("cube_owner", _INT),
        ("jacoby", _SHORT), ("crawford", _SHORT), ("table", _SHORT), ("flag_double", _SHORT),
        ("is_beaver", _SHORT), ("no_double_values", _SINGLE, VALUES),
        ("no_double", _SINGLE), ("double_take", _SINGLE), ("double_pass", _SINGLE),
        ("requested_level", _SHORT), ("choice", _SHORT), ("double_values", _SINGLE, VALUES),
    ],
    align=True,
)  # fmt: skip

_EVALUATION_LEVEL = np.dtype([("level", _SHORT), ("is_double", "u1"), ("fill", "u1")])

_CANDIDATES = np.dtype(
    [
        ("position", *_POSITION), ("dice", _INT, 2), ("level", _INT), ("away", _INT, 2), ("cube", _INT),
        ("cube_owner", _INT), ("crawford", _INT), ("jacoby", _INT), ("count", _INT),
        ("results", _BYTE, (MAX_CANDIDATES, PLACES)), ("moves", _BYTE, (MAX_CANDIDATES, 8)),
        ("levels", _EVALUATION_LEVEL, MAX_CANDIDATES), ("values", _SINGLE, (MAX_CANDIDATES, VALUES)),
        ("flags", "u1", 4),
    ],
    align=True,
)  # fmt: skip

LAYOUTS = {
    MATCH_HEADER: _make_layout([
        ("short_name_1", *_short_text(40)), ("short_name_2", *_short_text(40)), ("length", _INT),
        ("variation", _INT), ("crawford", _FLAG), ("jacoby", _FLAG), ("beavers", _FLAG),
        ("automatic_doubles", _FLAG), ("rating_1", _DOUBLE), ("rating_2", _DOUBLE), ("experience_1", _INT),
        ("experience_2", _INT), ("date", _DOUBLE), ("short_event", *_short_text(128)), ("game_id", _INT),
        ("computer_level_1", _INT), ("computer_level_2", _INT), ("rated", _FLAG), ("profiles", _FLAG, 2),
        ("short_location", *_short_text(128)), ("game_mode", _INT), ("imported", _FLAG),
        ("short_round", *_short_text(128)), ("invert", _INT), ("version", _INT), ("magic", _INT),
        ("money_games", _INT), ("money_scores", _INT, 2), ("entered", _FLAG), ("counted", _FLAG),
        ("unrated", _FLAG), ("comment_before", _INT), ("comment_after", _INT), ("is_money_match", _FLAG),
        ("win_money", _SINGLE), ("lose_money", _SINGLE), ("currency", _INT), ("fee", _SINGLE),
        ("table_stake", _SINGLE), ("site", _INT), ("cube_limit", _INT), ("automatic_double_limit", _INT),
        ("transcribed", _FLAG), ("event", *_WIDE_TEXT), ("name_1", *_WIDE_TEXT), ("name_2", *_WIDE_TEXT),
        ("location", *_WIDE_TEXT), ("round", *_WIDE_TEXT), ("clock", _INT, 8), ("delays", _INT, 4),
        ("transcriber", *_WIDE_TEXT),
    ]),
    GAME_HEADER: _make_layout([
        ("score", _INT, 2), ("crawford", _FLAG), ("position", *_POSITION), ("number", _INT),
        ("in_progress", _FLAG), ("comment_before", _INT), ("comment_after", _INT),
        ("automatic_doubles", _INT),
    ]),
    CUBE: _make_layout([
        ("player", _INT), ("double", _INT), ("take", _INT), ("beaver", _INT), ("raccoon", _INT),
        ("cube", _INT), ("position", *_POSITION), ("evaluation", _CUBE_EVALUATION), ("error", _DOUBLE),
        ("dice", *_short_text(2)), ("error_take", _DOUBLE), ("rollout", _INT), ("computer_choice", _INT),
        ("analysed_level", _INT), ("error_beaver", _DOUBLE), ("error_raccoon", _DOUBLE),
        ("requested_level", _INT), ("invalid", _INT), ("tutor_cube", _BYTE), ("tutor_take", _BYTE),
        ("error_tutor_cube", _DOUBLE), ("error_tutor_take", _DOUBLE), ("flagged", _FLAG), ("comment", _INT),
        ("edited", _FLAG), ("delays", _FLAG, 2), ("automatic_doubles", _INT), ("times", _INT, 2),
    ]),
    PLAY: _make_layout([
        ("position", *_POSITION), ("result", *_POSITION), ("player", _INT), ("moves", _INT, 8),
        ("dice", _INT, 2), ("cube", _INT), ("unused_error", _DOUBLE), ("count", _INT),
        ("candidates", _CANDIDATES), ("played", _FLAG), ("error", _DOUBLE), ("luck", _DOUBLE),
        ("computer_choice", _INT), ("equity_before", _DOUBLE), ("rollouts", _INT, MAX_CANDIDATES),
        ("analysed_level", _INT), ("luck_level", _INT), ("invalid", _INT), ("tutor_result", *_POSITION),
        ("tutor", _BYTE), ("error_tutor", _DOUBLE), ("flagged", _FLAG), ("comment", _INT), ("edited", _FLAG),
        ("delays", _UNSIGNED, 2), ("automatic_doubles", _INT), ("fill", _INT, 4),
    ]),
    GAME_FOOTER: _make_layout([
        ("score", _INT, 2), ("crawford", _FLAG), ("winner", _INT), ("points", _INT), ("termination", _INT),
        ("error_resign", _DOUBLE), ("error_accept", _DOUBLE), ("values", _DOUBLE, VALUES), ("level", _INT),
    ]),
    MATCH_FOOTER: _make_layout([
        ("score", _INT, 2), ("winner", _INT), ("rating_1", _DOUBLE), ("rating_2", _DOUBLE),
        ("experience_1", _INT), ("experience_2", _INT), ("date", _DOUBLE),
    ]),
}  # fmt: skip
"""The fields of each kind of record.

Of a ``double``, 1 is one, 0 none, negative where no decision was to be made; of a ``take``, 1 is one, 0 a
pass, 2 a beaver, negative where there was no double; a ``raccoon`` is 1. A ``player``, and a ``winner``, is 1
or -1. A ``termination`` is 0 for a pass, 1 to 3 for a game, gammon or backgammon; 100 more if resigned, 1000
if settled. Comments are numbers of lines, -1 for none.
"""

Record = np.void
"""The fields of a record, by the names of its layout."""

SEATS = {1: 0, -1: 1}
"""The seat of a player: player 1 is seat 0."""

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


def split_records(data: bytes) -> Iterator[bytes]:
    """Return the records of a match one by one, without a last one that was cut short."""
    for start in range(0, len(data) - RECORD_BYTES + 1, RECORD_BYTES):
        yield data[start : start + RECORD_BYTES]


def decode_record(data: bytes) -> Record:
    """Decode a record.

    Args:
        data: `RECORD_BYTES` bytes.

    Raises:
        FormatError: Its kind is unknown, it names no player, or it is the altered header of a match.
    """
    kind = data[8]
    layout = LAYOUTS.get(kind)
    if layout is None:
        raise FormatError(f"expected a record of kind 0 to {MATCH_FOOTER}, got {kind}", field="xg")
    record: Record = np.frombuffer(data, layout, count=1)[0]
    if kind == MATCH_HEADER and (magic := int(record["magic"])) != _MAGIC:
        raise FormatError(
            f"expected {_MAGIC:#x} in the header of the match, got {magic:#x}: it was altered", field="xg"
        )
    if kind in (CUBE, PLAY) and (player := int(record["player"])) not in SEATS:
        raise FormatError(f"expected player 1 or -1, got {player}", field="xg")
    return record


def decode_match(header: Record) -> RecordedMatch:
    """Return the match of a header, without games, and without its variant among the rules."""
    is_wide = int(header["version"]) >= _FIRST_WIDE_VERSION
    name_1, name_2, event, place, stage = (
        _decode_text(header[name if is_wide else f"short_{name}"], is_wide)
        for name in ("name_1", "name_2", "event", "location", "round")
    )
    days = float(header["date"])
    date = _FIRST_DAY + datetime.timedelta(days=days) if 0 < days < _MAX_DAYS else None
    headers = {
        "Event": event,
        "Round": stage,
        "Site": place,
        "EventDate": f"{date:%Y.%m.%d}" if date else "",
        "EventTime": f"{date:%H:%M}" if date and (date.hour or date.minute) else "",
        "Transcriber": _decode_text(header["transcriber"], True) if is_wide else "",
    }
    length, limit = int(header["length"]), int(header["cube_limit"])
    length = 0 if length == _UNLIMITED_LENGTH else length
    rules = MatchRules(
        crawford=bool(header["crawford"]),
        jacoby=bool(header["jacoby"]),
        beavers=bool(header["beavers"]) or length > 0,  # in a match they have their default
        automatic_doubles=bool(header["automatic_doubles"]),
        cube_limit=1 << limit if 0 < limit < MAX_CUBE.bit_length() else MAX_CUBE,
    )
    headers = {name: text for name, text in headers.items() if text}
    ratings = _decode_rating(header["rating_1"]), _decode_rating(header["rating_2"])
    return RecordedMatch((name_1, name_2), length, rules, (), headers, ratings, format="xg")


def decode_variant(header: Record) -> str:
    """Return the name of the variant of a match."""
    variation = int(header["variation"])
    return _VARIATIONS.get(variation, f"variation {variation}")


def decode_score(header: Record) -> tuple[int, int]:
    """Return the points of players 1 and 2 before a game."""
    return int(header["score"][0]), int(header["score"][1])


def decode_seat(record: Record) -> int:
    """Return the seat that rolled, or who may double."""
    return SEATS[int(record["player"])]


def decode_dice(play: Record) -> tuple[int, int]:
    """Return both dice, as the file has them."""
    return int(play["dice"][0]), int(play["dice"][1])


def decode_cube(record: Record) -> tuple[int, int | None]:
    """Return the value of the cube and the seat that owns it, right or wrong."""
    log = int(record["cube"])  # negative if player 2 owns it
    return 1 << min(abs(log), _MAX_CUBE_LOG), None if log == 0 else int(log < 0)


def is_resigned(footer: Record) -> bool:
    """Return whether the loser of a game resigned."""
    return int(footer["termination"]) // 100 % 10 == 1


def decode_boards(places: Any, checkers: int, *, swap: bool = False) -> Board:  # noqa: ANN401  (of numpy)
    """Return boards; impossible counts stay impossible.

    Args:
        places: ``int8[n, 26]``.
        checkers: How many checkers each side has in the game.
        swap: Whether boards are those of the other side, which is second in the places.

    Returns:
        ``int8[n, 2, 26]``.
    """
    counts = places.astype(np.int16)
    if swap:
        counts = -counts[:, ::-1]
    boards = np.stack([np.maximum(counts, 0), np.maximum(-counts[:, ::-1], 0)], axis=1)
    boards[:, :, OFF] = 0
    boards[:, :, OFF] = CHECKERS - boards.sum(axis=2)
    decoded: Board = np.clip(boards, -1, 127).astype(np.int8)
    decoded[:, :, OFF] += checkers - CHECKERS
    return decoded


def decode_board(record: Record, seat: int, checkers: int) -> Board:
    """Return the position of a record, ``int8[2, 26]``, as a seat sees it."""
    board: Board = decode_boards(record["position"][None], checkers, swap=seat == 1)[0]
    return board


def decode_play(play: Record, checkers: int) -> tuple[Board, list[tuple[Board, Evaluation]]]:
    """Return the position after a play, and after each that was evaluated, the best by the program first.

    Returns:
        ``int8[2, 26]``, as the next mover sees it; the same of the others, with their evaluations.
    """
    listed = play["candidates"]
    count = min(max(int(play["count"]), 0), MAX_CANDIDATES)
    places = np.concatenate([play["result"][None], listed["results"][:count]])
    played, *results = decode_boards(places, checkers, swap=True)
    values, levels = listed["values"][:count].tolist(), listed["levels"]["level"][:count].tolist()
    evaluations = map(_decode_evaluation, values, levels)
    pairs = zip(results, evaluations, strict=True)
    return played, [(result, evaluation) for result, evaluation in pairs if evaluation is not None]


def decode_luck(play: Record) -> float | None:
    """Return the luck of a roll by eXtreme Gammon; None if it does not say."""
    luck = float(play["luck"])
    return luck if play["luck_level"] >= 0 and abs(luck) < _NOT_ANALYSED else None


def decode_decision(cube: Record) -> CubeDecision | None:
    """Return the cube decision before a roll; None if it was not analysed."""
    fields = cube["evaluation"]
    if not fields["position"].any():
        return None
    level = int(fields["level"])
    rolling = _decode_evaluation(fields["no_double_values"].tolist(), level)
    held, taken, passed = (float(fields[name]) for name in ("no_double", "double_take", "double_pass"))
    if rolling is None or not all(abs(value) < _MAX_EQUITY for value in (held, taken, passed)):
        return None
    doubled = _decode_evaluation(fields["double_values"].tolist(), level) or Evaluation(taken)
    return CubeDecision.of_choices(
        rolling._replace(equity=held), doubled._replace(equity=taken), Evaluation(passed)
    )


def _decode_evaluation(numbers: list[float], level: int) -> Evaluation | None:
    """Decode an evaluation; its equity is cubeful for plays, cubeless for cube decisions."""
    lose_backgammon, lose_gammon, _, win, win_gammon, win_backgammon, equity = numbers
    chances = Outcome(win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)
    if not (abs(equity) < _MAX_EQUITY and math.isfinite(sum(chances))):
        return None
    if min(chances) < -_PROBABILITY_SLACK or max(chances) > 1 + _PROBABILITY_SLACK:
        return None
    return Evaluation(equity, chances, _LEVELS.get(level, f"level {level}"))


def _decode_text(field: Any, is_wide: bool) -> str:  # noqa: ANN401  (an array of numpy)
    raw: bytes = field.tobytes()
    if is_wide:
        return raw.decode("utf-16-le", "replace").partition("\0")[0].strip()
    return raw[1 : 1 + raw[0]].decode("cp1252", "replace").strip()


def _decode_rating(field: Any) -> float | None:  # noqa: ANN401  (a number of numpy)
    rating = float(field)
    return rating if 0 < rating < _MAX_RATING else None
