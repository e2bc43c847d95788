"""The `expert248` inputs: those of `tesauro196`, then features that players count.

Layout: ``x[0:196]`` as `kernels.tesauro196`; then ``x[196 + side * 26 + feature]`` with side 0 the player on
roll and side 1 the opponent, each in its own numbering, features in the order of `FEATURE_NAMES`. The
formulas and their sources are in ``docs/reference/encoders.md``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import inlined, kernel
from gammond.engine.kernels.board_counts import (
    BLOTS,
    OCCUPIED,
    OPEN,
    POINTS,
    POINTS_OF_SIDE,
    SINGLE,
    bit_count,
    get_point,
    weigh_counts,
    write_point_sets,
)
from gammond.engine.kernels.nets import tesauro196 as kernel_tesauro
from gammond.engine.kernels.values import ROLL_WEIGHTS, ROLLS


class _Features(NamedTuple):
    """The place of each feature among those of a side, in the order of the inputs."""

    pips: int
    pip_lead: int
    hit_chance: int
    double_hit_chance: int
    hit_pips: int
    entry_loss: int
    escape_rear: int
    advance_rear: int
    escape_bar: int
    escape_least: int
    mobility: int
    prime: int
    six_point_block: int
    home_points: int
    home_blots: int
    anchors: int
    rear_anchor: int
    rear: int
    overlap: int
    contact_pips: int
    free_pips: int
    spare_pips: int
    buried: int
    spread: int
    blots: int
    backgame: int


FEATURE_NAMES = _Features._fields
"""Features of each side, in the order of the inputs."""

SIDE_FEATURES = len(FEATURE_NAMES)
_AT = _Features(*range(SIDE_FEATURES))
INPUTS = kernel_tesauro.INPUTS + 2 * SIDE_FEATURES

_PER_START_PIP = 1 / 167
_PER_POINT = 1 / 25
_PER_ROLL = 1 / 36
_HUNDREDTH = 1 / 100
_THIRD, _FIFTH, _SIXTH, _SEVENTH = 1 / 3, 1 / 5, 1 / 6, 1 / 7
_VARIANCE_FACTORS: NDArray[np.float64] = 1 / np.maximum(np.arange(16), 1) ** 2.0
"""``float64[16]``: 1 / n^2 for n checkers."""

_SIX_POINTS = 63
_MOST_MADE_POINTS = 7
_FAR_POINTS = (1 << 19) - 1
"""All points outside the home board, and the bar."""

_REAR, _PIPS, _SQUARES, _SPARE_PIPS = range(4)
"""Columns of `_Survey.sums`: the point of a side's rear checker, and sums over its checkers."""

_windows = (np.arange(1 << 11)[:, None] >> np.arange(6)) & _SIX_POINTS
_MAX_OF_SIX: NDArray[np.uint8] = np.bitwise_count(_windows).max(axis=1)
"""``uint8[2048]``: the most bits that are set within six neighbours of 11 bits."""

_points = np.arange(POINTS_OF_SIDE)
_CONTACT_PIPS: NDArray[np.int16] = np.maximum(_points - _points[:, None], 0).astype(np.int16)
_FREE_PIPS: NDArray[np.int16] = (_points * (_points <= _points[:, None])).astype(np.int16)
"""Both ``int16[26, 26]``: by the last point that has passed the other side's rear, what a checker on each
point adds to contact_pips and free_pips."""

_PAIRS = [(high, low) for high in range(2, 7) for low in range(1, high)]
_NON_DOUBLES = len(_PAIRS)
_HIGH: NDArray[np.int64] = np.array([high for high, _ in _PAIRS])
_LOW: NDArray[np.int64] = np.array([low for _, low in _PAIRS])
"""The dice of the rolls that are no doubles."""

_POINTS_AHEAD = 12
_WAYS = 1 << _POINTS_AHEAD
"""The way ahead of a checker is a number of 12 bits: bit k is set where the other side has made the point
k + 1 pips ahead. Points further ahead, and those after the last one, count as open."""

_ESCAPE_PIPS = 6
_MEAN_PIPS = 49 / 6


def _is_open(distance: int) -> NDArray[np.bool_]:
    """Return for each way whether the point at a distance in pips is open."""
    if distance > _POINTS_AHEAD:
        return np.ones(_WAYS, np.bool_)
    return (np.arange(_WAYS) >> (distance - 1)) & 1 == 0


def _compute_pips_moved(high: int, low: int) -> NDArray[np.int64]:
    """Return for each way the most pips that one checker can move with a whole roll."""
    if high == low:
        moved = np.zeros(_WAYS, np.int64)
        goes_on = np.ones(_WAYS, np.bool_)
        for step in range(1, 5):
            goes_on &= _is_open(step * high)
            moved += high * goes_on
        return moved
    single = np.where(_is_open(high), high, np.where(_is_open(low), low, 0))
    both = _is_open(high + low) & (single > 0)
    return np.where(both, high + low, single)


def _compute_tables() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    escaping = np.zeros(_WAYS, np.int64)
    total = np.zeros(_WAYS, np.int64)
    for (high, low), times in zip(ROLLS.tolist(), ROLL_WEIGHTS.astype(int).tolist(), strict=True):
        moved = _compute_pips_moved(high, low)
        escaping += times * (moved > _ESCAPE_PIPS)
        total += times * moved
    return (escaping / 36).astype(np.float32), (total / 36 / _MEAN_PIPS).astype(np.float32)


ESCAPES, ADVANCES = _compute_tables()
"""Both ``float32[4096]`` by way: the chance to move more than 6 pips with one roll; the mean pips moved, as a
part of 49/6, which is what a roll is worth."""


class _Survey(NamedTuple):
    """A position, and what its features share.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        sets: ``int64[2, 5]``, the `write_point_sets` of each side.
        sums: ``int64[2, 4]``, of each side.
        inputs: out, ``float32[n, m]``.
    """

    boards: NDArray[np.int8]
    sets: NDArray[np.int64]
    sums: NDArray[np.int64]
    inputs: NDArray[np.float32]


@kernel
def encode(boards: NDArray[np.int8], inputs: NDArray[np.float32]) -> None:
    """Write the inputs of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        inputs: out, ``float32[n, 248]``.
    """
    kernel_tesauro.encode(boards, inputs)
    write_features(boards, kernel_tesauro.INPUTS, inputs)


@kernel
def write_features(boards: NDArray[np.int8], column: int, inputs: NDArray[np.float32]) -> None:
    """Write the features of both sides.

    Args:
        boards: ``int8[n, 2, 26]``.
        column: The column of the first feature.
        inputs: out, ``float32[n, m]``.
    """
    survey = _Survey(boards, np.empty((2, 5), np.int64), np.empty((2, 4), np.int64), inputs)
    for i in range(boards.shape[0]):
        for side in range(2):
            write_point_sets(boards, i, side, survey.sets[side])
            _write_sums(survey, i, side)
        for side in range(2):
            first = column + side * SIDE_FEATURES
            _write_race(survey, i, side, first)
            _write_shots(survey, i, side, first)
            _write_mobility(survey, i, side, first)
            _write_points(survey, i, side, first)
            _write_checkers(survey, i, side, first)


@inlined
def find_way(blocked: int, point: int) -> int:
    """Return the way ahead of a checker on a point, or on the bar, past the points of the other side."""
    return (blocked >> (26 - point)) & (_WAYS - 1)


@inlined
def _write_sums(survey: _Survey, at: int, side: int) -> None:
    """Write the sums of a side."""
    pips = squares = spare_pips = 0
    for point in range(26):
        count = int(survey.boards[at, side, point])
        pips += count * point
        squares += count * point * point
        spare_pips += max(count - 2, 0) * point
    occupied = survey.sets[side, OCCUPIED]
    survey.sums[side, _REAR] = get_point(occupied) if occupied else 0
    survey.sums[side, _PIPS] = pips
    survey.sums[side, _SQUARES] = squares
    survey.sums[side, _SPARE_PIPS] = spare_pips


@inlined
def _write_race(survey: _Survey, at: int, side: int, first: int) -> None:
    """Write pips, pip_lead, rear and overlap."""
    inputs, sums = survey.inputs, survey.sums
    pips, other_pips = sums[side, _PIPS], sums[1 - side, _PIPS]
    rear, other_rear = sums[side, _REAR], sums[1 - side, _REAR]
    inputs[at, first + _AT.pips] = pips * _PER_START_PIP
    inputs[at, first + _AT.pip_lead] = (other_pips - pips) * _PER_START_PIP
    inputs[at, first + _AT.rear] = rear * _PER_POINT
    inputs[at, first + _AT.overlap] = max(rear + other_rear - 25, 0) * _PER_POINT


@inlined
def _write_shots(survey: _Survey, at: int, side: int, first: int) -> None:
    """Write hit_chance, double_hit_chance, hit_pips and entry_loss."""
    inputs, sets = survey.inputs, survey.sets
    occupied, open_points, blots = sets[side, OCCUPIED], sets[side, OPEN], sets[side, BLOTS]
    bar = int(survey.boards[at, side, 25])
    shots = 0
    if (occupied & -occupied) < blots:  # a checker behind the foremost blot
        if bar:
            shots = count_shots_from_bar(bar, occupied & POINTS, open_points, blots)
        else:
            shots = count_shots(occupied, open_points, blots)
    closed = bit_count(~(open_points >> 1) & _SIX_POINTS)
    inputs[at, first + _AT.hit_chance] = (shots & 255) * _PER_ROLL
    inputs[at, first + _AT.double_hit_chance] = ((shots >> 8) & 255) * _PER_ROLL
    inputs[at, first + _AT.hit_pips] = (shots >> 16) * (_PER_ROLL / 12.0)
    inputs[at, first + _AT.entry_loss] = min(bar, 2) * closed * closed * _PER_ROLL


@inlined
def _write_mobility(survey: _Survey, at: int, side: int, first: int) -> None:
    """Write escape_rear, advance_rear, escape_bar, escape_least and mobility."""
    inputs = survey.inputs
    blocked = POINTS & ~survey.sets[side, OPEN]
    way = find_way(blocked, survey.sums[side, _REAR])
    least = ESCAPES[find_way(blocked, 15)]
    for point in range(16, 25):
        least = min(least, ESCAPES[find_way(blocked, point)])
    mobility = 0.0
    outside = survey.sets[side, OCCUPIED] & _FAR_POINTS
    while outside:
        point = get_point(outside)
        outside &= outside - 1
        count = int(survey.boards[at, side, point])
        mobility += count * (point - 6) * ADVANCES[find_way(blocked, point)]
    inputs[at, first + _AT.escape_rear] = ESCAPES[way]
    inputs[at, first + _AT.advance_rear] = ADVANCES[way]
    inputs[at, first + _AT.escape_bar] = ESCAPES[find_way(blocked, 25)]
    inputs[at, first + _AT.escape_least] = least
    inputs[at, first + _AT.mobility] = mobility * _HUNDREDTH


@inlined
def _write_points(survey: _Survey, at: int, side: int, first: int) -> None:
    """Write prime, six_point_block, home_points, home_blots, anchors, rear_anchor and backgame."""
    inputs, single = survey.inputs, survey.sets[side, SINGLE]
    made = survey.sets[side, OCCUPIED] & ~single & POINTS
    in_a_row = made
    prime = 0
    for _ in range(_MOST_MADE_POINTS):
        prime += int(in_a_row != 0)
        in_a_row &= in_a_row >> 1
    block = max(int(_MAX_OF_SIX[(made >> 13) & 2047]), int(_MAX_OF_SIX[(made >> 8) & 1023]))
    anchors = bit_count((made >> 1) & _SIX_POINTS)
    behind = 0
    if anchors >= 2:
        for point in range(19, 25):
            count = int(survey.boards[at, side, point])
            behind += count * int(count > 1)
    inputs[at, first + _AT.prime] = prime * _SIXTH
    inputs[at, first + _AT.six_point_block] = block * _SIXTH
    inputs[at, first + _AT.home_points] = bit_count((made >> 19) & _SIX_POINTS) * _SIXTH
    inputs[at, first + _AT.home_blots] = bit_count((single >> 19) & _SIX_POINTS) * _THIRD
    inputs[at, first + _AT.anchors] = anchors * _THIRD
    inputs[at, first + _AT.rear_anchor] = (get_point(made) - 18) * _SIXTH if anchors else 0.0
    inputs[at, first + _AT.backgame] = behind * _SEVENTH


@inlined
def _write_checkers(survey: _Survey, at: int, side: int, first: int) -> None:
    """Write contact_pips, free_pips, spare_pips, buried, spread and blots."""
    boards, inputs, sums = survey.boards, survey.inputs, survey.sums
    left = 15 - int(boards[at, side, 0])
    pips = sums[side, _PIPS]
    spread = (sums[side, _SQUARES] * left - pips * pips) * _VARIANCE_FACTORS[left]
    passed = 25 - sums[1 - side, _REAR]
    contact_pips = weigh_counts(boards, at, side, _CONTACT_PIPS, passed)
    inputs[at, first + _AT.contact_pips] = contact_pips * _PER_START_PIP
    inputs[at, first + _AT.free_pips] = weigh_counts(boards, at, side, _FREE_PIPS, passed) * _HUNDREDTH
    inputs[at, first + _AT.spare_pips] = sums[side, _SPARE_PIPS] * _HUNDREDTH
    inputs[at, first + _AT.buried] = (int(boards[at, side, 1]) + int(boards[at, side, 2])) * _SIXTH
    inputs[at, first + _AT.spread] = spread * _HUNDREDTH
    inputs[at, first + _AT.blots] = bit_count(survey.sets[side, SINGLE] & POINTS) * _FIFTH


@inlined
def count_shots(occupied: int, open_points: int, blots: int) -> int:
    """Count the rolls by which a side without checkers on the bar can hit.

    A checker may stop on every point that the other side has not made; a hit may use several dice for one
    checker or one die for each of several. Whether the rest of the roll can be played is ignored.

    All sums are in one number, without branches: so the loops compile to vector instructions.

    Args:
        occupied: The points of its checkers.
        open_points: The points that the other side has not made.
        blots: The other side's blots.

    Returns:
        Three numbers: in the lowest 8 bits the rolls of 36 that hit, in the next 8 those that can hit more
        than one blot, and above them the sum of the highest point that each can hit.
    """
    total = 0
    for roll in range(_NON_DOUBLES):
        high, low = _HIGH[roll], _LOW[roll]
        by_high, by_low = (occupied << high) & open_points, (occupied << low) & open_points
        total += 2 * _weigh_hits((by_high | by_low | (by_high << low) | (by_low << high)) & blots)
    for die in range(1, 7):
        once = (occupied << die) & open_points
        twice = (once << die) & open_points
        thrice = (twice << die) & open_points
        total += _weigh_hits((once | twice | thrice | (thrice << die)) & blots)
    return total


@inlined
def _weigh_hits(hits: int) -> int:
    """Return what one roll adds to `count_shots`."""
    chooses = int(hits & (hits - 1) != 0)
    return int(hits != 0) * (1 | chooses << 8 | get_point(hits) << 16)


@inlined
def _mask_if(condition: bool) -> int:
    """Return a mask of all bits if the condition holds, of none otherwise."""
    return -int(condition)


@kernel
def count_shots_from_bar(bar: int, occupied: int, open_points: int, blots: int) -> int:
    """Count as `count_shots` for a side with checkers on the bar: all of them must enter first.

    Args:
        bar: The number of checkers on the bar.
        occupied: The points of its other checkers.
        open_points: The points that the other side has not made.
        blots: The other side's blots.
    """
    total = 0
    has_second = _mask_if(bar == 1)
    for roll in range(_NON_DOUBLES):
        high, low = _HIGH[roll], _LOW[roll]
        in_high = (1 << high) & open_points
        in_low = (1 << low) & open_points
        by_low = _mask_if(in_high != 0) & ((occupied | in_high) << low)
        by_high = _mask_if(in_low != 0) & ((occupied | in_low) << high)
        total += 2 * _weigh_hits((in_high | in_low | (has_second & (by_low | by_high))) & blots)
    for die in range(1, 7):
        entered = (1 << die) & open_points
        once = _mask_if((entered != 0) & (bar <= 3)) & ((occupied | entered) << die) & open_points
        twice = _mask_if(bar <= 2) & (once << die) & open_points
        thrice = has_second & (twice << die)
        total += _weigh_hits((entered | once | twice | thrice) & blots)
    return total
