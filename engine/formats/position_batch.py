"""Parse many positions at once, each in any format of `gammond.engine.formats.position_text`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import GammondError, forget_frames
from gammond.engine.formats.fibs_board import decode_fibs_boards, is_fibs_board
from gammond.engine.formats.position_id import decode_position_ids
from gammond.engine.formats.position_text import describe_assumption, parse_position
from gammond.engine.formats.xgid import decode_xgid, decode_xgids, encode_xgid
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.engine.rules.rules import BACKGAMMON, Variant

_MONEY = MatchState()
_START_XGID_POSITION = encode_xgid(BACKGAMMON.starting_position, _MONEY).partition(":")[0]


@dataclass(frozen=True, eq=False)
class ParsedPositions:
    """The positions of n texts.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        is_good: Which texts are positions, ``bool[n]``.
        errors: The error of each other one by its place.
        matches: The different match states, before the roll and without offers; first that of a position ID
            alone: money play, the cube in the middle.
        match_indices: ``int64[n]``: which of them each text has.
        rolls: The dice of the texts that have some, by place.
        assumed: What was assumed of the texts that programs write in more than one way, by place.
    """

    boards: Board
    is_good: NDArray[np.bool_]
    errors: dict[int, GammondError]
    matches: tuple[MatchState, ...]
    match_indices: NDArray[np.int64]
    rolls: dict[int, Roll]
    assumed: dict[int, str]


def parse_positions(
    texts: Sequence[str],
    check: Callable[[MatchState], None] = lambda match: None,
    variant: Variant = BACKGAMMON,
) -> ParsedPositions:
    """Parse texts: position IDs all at once, then XGIDs, then FIBS boards, everything else one by one.

    Args:
        texts: n texts.
        check: Raises a GammondError for a match state that is refused.
        variant: The game that they are of.
    """
    boards, is_good = decode_position_ids(texts)
    _count_borne_off(boards, is_good, variant)
    others = np.flatnonzero(~is_good)
    if others.size:
        found, are_good = decode_xgids([texts[i] for i in others.tolist()])
        _count_borne_off(found, are_good, variant)
        boards[others], is_good[others] = found, are_good
    fibs_matches = _decode_fibs_boards(texts, others[~is_good[others]].tolist(), boards, variant)
    indices = {_MONEY: 0}
    match_indices = np.zeros(len(texts), np.int64)
    rolls: dict[int, Roll] = {}
    errors: dict[int, GammondError] = {}
    assumed: dict[int, str] = {}
    match: MatchState | None
    for i in others.tolist():
        try:
            if is_good[i]:
                match, remark = _decode_xgid_match(texts[i].partition(":")[2])
            else:
                match = fibs_matches.get(i)
                if match is None:
                    position, match = parse_position(texts[i], variant)
                    boards[i] = position.board
                remark = describe_assumption(texts[i]) if match is not None else ""
            if match is not None:
                if match.roll is not None:
                    rolls[i] = match.roll
                match = _before_roll(match)
                if match not in indices:
                    check(match)
                    indices[match] = len(indices)
                match_indices[i] = indices[match]
            if remark:
                assumed[i] = remark
            is_good[i] = True
        except GammondError as error:
            forget_frames(error)
            errors[i] = error
            is_good[i] = False
    return ParsedPositions(boards, is_good, errors, tuple(indices), match_indices, rolls, assumed)


def _count_borne_off(boards: Board, is_good: NDArray[np.bool_], variant: Variant) -> None:
    """Make boards with 15 checkers a side those of a variant; the others become bad, which says why."""
    if variant.checkers != CHECKERS:
        boards[:, :, OFF] -= CHECKERS - variant.checkers
        is_good &= (boards[:, :, OFF] >= 0).all(axis=1)


def _decode_fibs_boards(
    texts: Sequence[str], places: list[int], boards: Board, variant: Variant
) -> dict[int, MatchState]:
    """Write the boards of the FIBS boards among some texts, and return the match states by place."""
    chosen = [i for i in places if is_fibs_board(texts[i])]
    if not chosen:
        return {}
    found, matches = decode_fibs_boards([texts[i] for i in chosen])
    are_good = np.array([match is not None for match in matches])
    _count_borne_off(found, are_good, variant)
    boards[chosen] = found
    rows = zip(chosen, matches, are_good.tolist(), strict=True)
    return {i: match for i, match, is_good in rows if is_good and match is not None}


_before_roll = lru_cache(maxsize=4096)(MatchState.before_roll)


@lru_cache(maxsize=4096)
def _decode_xgid_match(tail: str) -> tuple[MatchState, str]:
    """Parse all fields of a valid XGID except the first; return what was assumed too."""
    text = f"{_START_XGID_POSITION}:{tail}"
    return decode_xgid(text)[1], describe_assumption(text)
