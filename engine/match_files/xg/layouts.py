"""The layouts of the records of a match in eXtreme Gammon's files.

Every record has `RECORD_BYTES` bytes, its kind after two pointers of four bytes. Numbers stand on multiples
of their size, as Pascal places them, which is what numpy's ``align`` does.

*Source:* "XGFile Format Specification", extremegammon.com/xgformat.aspx; the fields of the two records of the
engine checked against files.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
"""The layout of each kind of record."""
