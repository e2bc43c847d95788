"""Parse many positions at once, each in any format of `gammond.engine.formats.position_text`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import GammondError, forget_frames
from gammond.engine.formats.position_id import decode_position_ids
from gammond.engine.formats.position_text import FORMATS, describe_assumption, parse_position
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.engine.rules.rules import BACKGAMMON, Variant

_MONEY = MatchState()


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
    """Parse texts: position IDs all at once, then each form that is read so, everything else one by one.

    Args:
        texts: n texts.
        check: Raises a GammondError for a match state that is refused.
        variant: The game that they are of.
    """
    boards, is_good = decode_position_ids(texts)
    _count_borne_off(boards, is_good, variant)
    others: list[int] = np.flatnonzero(~is_good).tolist()
    known = _decode_forms(texts, others, boards, variant)
    indices = {_MONEY: 0}
    match_indices = np.zeros(len(texts), np.int64)
    rolls: dict[int, Roll] = {}
    errors: dict[int, GammondError] = {}
    assumed: dict[int, str] = {}
    for i in others:
        try:
            match, remark = known.get(i, (None, ""))
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


def _decode_forms(
    texts: Sequence[str], places: list[int], boards: Board, variant: Variant
) -> dict[int, tuple[MatchState, str]]:
    """Write the boards of the forms that are read at once, and return by place the rest of what was read.

    Returns:
        The match state, and what was assumed; nothing for texts of other forms, and for bad ones.
    """
    known: dict[int, tuple[MatchState, str]] = {}
    for form in FORMATS.values():
        if form.decode_many is None:
            continue
        if chosen := [i for i in places if i not in known and form.is_written(texts[i])]:
            found, matches = form.decode_many([texts[i] for i in chosen])
            are_good = np.array([match is not None for match in matches])
            _count_borne_off(found, are_good, variant)
            boards[np.array(chosen)[are_good]] = found[are_good]
            for i, match, is_good in zip(chosen, matches, are_good.tolist(), strict=True):
                if is_good and match is not None:
                    known[i] = match, form.describe_reading(texts[i])
    return known


_before_roll = lru_cache(maxsize=4096)(MatchState.before_roll)
