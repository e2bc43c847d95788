"""The `expert248` inputs: those of `tesauro196`, then features that players count.

Layout: ``x[0:196]`` as `kernels.tesauro196`; then ``x[196 + side * 26 + feature]`` with side 0 the player on
roll and side 1 the opponent, each in its own numbering, features in the order of `FEATURE_NAMES`. The
formulas and their sources are in ``docs/reference/encoders.md``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel, kernel
from engine.kernels.board_vectors import POINTS_OF_SIDE, count_shots, weigh_counts
from nets.kernels import tesauro196 as kernel_tesauro
from nets.kernels.bits import BIT_COUNT, POINTS, bit_count, mirror_points, top_bit
from nets.kernels.mobility import ADVANCES, ESCAPES, block_pattern
from nets.kernels.shots import ROLLS, count_hits, find_hits_from_bar

FEATURE_NAMES = (
    "pips",
    "pip_lead",
    "hit_chance",
    "double_hit_chance",
    "hit_pips",
    "entry_loss",
    "escape_rear",
    "advance_rear",
    "escape_bar",
    "escape_least",
    "mobility",
    "prime",
    "six_point_block",
    "home_points",
    "home_blots",
    "anchors",
    "rear_anchor",
    "rear",
    "overlap",
    "contact_pips",
    "free_pips",
    "spare_pips",
    "buried",
    "spread",
    "blots",
    "backgame",
)
"""Features of each side, in the order of the inputs."""

SIDE_FEATURES = len(FEATURE_NAMES)
INPUTS = kernel_tesauro.INPUTS + 2 * SIDE_FEATURES

_PER_START_PIP = 1 / 167
_PER_POINT = 1 / 25
_PER_ROLL = 1 / 36
_HUNDREDTH = 1 / 100
_THIRD, _FIFTH, _SIXTH, _SEVENTH = 1 / 3, 1 / 5, 1 / 6, 1 / 7
_VARIANCE_FACTORS: NDArray[np.float64] = 1 / np.maximum(np.arange(16), 1) ** 2.0
"""``float64[16]``: 1 / n^2 for n checkers."""

_SIX_POINT_MASK = 63
_MAX_MADE_POINTS = 7

_OCCUPIED, _MADE, _REAR, _PIPS, _SQUARES, _SPARE_PIPS = range(6)
_SURVEY_COLUMNS = 6
"""Columns of a survey, for each side: the points with its checkers and those it has made as bits, its rear
checker's point, and sums over its checkers."""

_windows = (np.arange(1 << 11)[:, None] >> np.arange(6)) & _SIX_POINT_MASK
_MAX_OF_SIX: NDArray[np.int8] = BIT_COUNT[_windows].max(axis=1)
"""``int8[2048]``: the most bits that are set within six neighbours of 11 bits."""

_points = np.arange(POINTS_OF_SIDE)
_CONTACT_PIPS: NDArray[np.int16] = np.maximum(_points - _points[:, None], 0).astype(np.int16)
_FREE_PIPS: NDArray[np.int16] = (_points * (_points <= _points[:, None])).astype(np.int16)
"""Both ``int16[26, 26]``: by the last point that has passed the other side's rear, what a checker on each
point adds to contact_pips and free_pips."""


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
    survey = np.empty((2, _SURVEY_COLUMNS), np.int64)
    hits = np.empty(ROLLS, np.int64)
    for i in range(boards.shape[0]):
        for side in range(2):
            _survey_side(boards, i, side, survey)
        for side in range(2):
            first = column + side * SIDE_FEATURES
            _write_race(survey, side, inputs, i, first)
            _write_shots(boards, survey, side, hits, inputs, i, first)
            _write_mobility(boards, survey, side, inputs, i, first)
            _write_points(boards, survey, side, inputs, i, first)
            _write_checkers(boards, survey, side, inputs, i, first)


@inlined_kernel
def _survey_side(boards: NDArray[np.int8], at: int, side: int, survey: NDArray[np.int64]) -> None:
    """Write a side's row of the survey of one position."""
    men = made = pips = squares = spare_pips = 0
    for point in range(26):
        count = int(boards[at, side, point])
        men |= int(count > 0) << point
        made |= int(count > 1) << point
        pips += count * point
        squares += count * point * point
        spare_pips += max(count - 2, 0) * point
    men &= ~1
    survey[side, _OCCUPIED] = men
    survey[side, _MADE] = made & POINTS
    survey[side, _REAR] = top_bit(men) if men else 0
    survey[side, _PIPS] = pips
    survey[side, _SQUARES] = squares
    survey[side, _SPARE_PIPS] = spare_pips


@inlined_kernel
def _write_race(
    survey: NDArray[np.int64], side: int, inputs: NDArray[np.float32], row: int, first: int
) -> None:
    """Write pips, pip_lead, rear and overlap."""
    pips, other_pips = survey[side, _PIPS], survey[1 - side, _PIPS]
    rear, other_rear = survey[side, _REAR], survey[1 - side, _REAR]
    inputs[row, first] = pips * _PER_START_PIP
    inputs[row, first + 1] = (other_pips - pips) * _PER_START_PIP
    inputs[row, first + 17] = rear * _PER_POINT
    inputs[row, first + 18] = max(rear + other_rear - 25, 0) * _PER_POINT


@inlined_kernel
def _write_shots(
    boards: NDArray[np.int8],
    survey: NDArray[np.int64],
    side: int,
    hits: NDArray[np.int64],
    inputs: NDArray[np.float32],
    row: int,
    first: int,
) -> None:
    """Write hit_chance, double_hit_chance, hit_pips and entry_loss."""
    men, made = survey[side, _OCCUPIED], survey[1 - side, _MADE]
    blots = mirror_points(survey[1 - side, _OCCUPIED] & POINTS & ~made)
    open_points = POINTS & ~mirror_points(made)
    bar = int(boards[row, side, 25])
    hitting = choosing = lost_pips = 0
    if blots and men > 2 * (blots & -blots) - 1:  # a checker behind the nearest blot
        if bar:
            find_hits_from_bar(bar, men & POINTS, open_points, blots, hits)
            hitting, choosing, lost_pips = count_hits(hits)
        else:
            shots = count_shots(men, open_points, blots)
            hitting, choosing, lost_pips = shots & 255, (shots >> 8) & 255, shots >> 16
    closed = int(BIT_COUNT[(made >> 1) & _SIX_POINT_MASK])
    inputs[row, first + 2] = hitting * _PER_ROLL
    inputs[row, first + 3] = choosing * _PER_ROLL
    inputs[row, first + 4] = lost_pips * (_PER_ROLL / 12.0)
    inputs[row, first + 5] = min(bar, 2) * closed * closed * _PER_ROLL


@inlined_kernel
def _write_mobility(
    boards: NDArray[np.int8],
    survey: NDArray[np.int64],
    side: int,
    inputs: NDArray[np.float32],
    row: int,
    first: int,
) -> None:
    """Write escape_rear, advance_rear, escape_bar, escape_least and mobility."""
    made = survey[1 - side, _MADE]
    way = block_pattern(made, survey[side, _REAR])
    least = ESCAPES[block_pattern(made, 15)]
    for point in range(16, 25):
        least = min(least, ESCAPES[block_pattern(made, point)])
    mobility = 0.0
    outside = survey[side, _OCCUPIED] >> 7
    while outside:
        point = 7 + top_bit(outside & -outside)
        outside &= outside - 1
        mobility += int(boards[row, side, point]) * (point - 6) * ADVANCES[block_pattern(made, point)]
    inputs[row, first + 6] = ESCAPES[way]
    inputs[row, first + 7] = ADVANCES[way]
    inputs[row, first + 8] = ESCAPES[block_pattern(made, 25)]
    inputs[row, first + 9] = least
    inputs[row, first + 10] = mobility * _HUNDREDTH


@inlined_kernel
def _write_points(
    boards: NDArray[np.int8],
    survey: NDArray[np.int64],
    side: int,
    inputs: NDArray[np.float32],
    row: int,
    first: int,
) -> None:
    """Write prime, six_point_block, home_points, home_blots, anchors, rear_anchor and backgame."""
    men, made = survey[side, _OCCUPIED], survey[side, _MADE]
    in_a_row = made
    prime = 0
    for _ in range(_MAX_MADE_POINTS):
        prime += int(in_a_row != 0)
        in_a_row &= in_a_row >> 1
    block = max(int(_MAX_OF_SIX[(made >> 2) & 2047]), int(_MAX_OF_SIX[(made >> 8) & 1023]))
    anchors = (made >> 19) & _SIX_POINT_MASK
    number = int(BIT_COUNT[anchors])
    behind = 0
    if number >= 2:
        for point in range(19, 25):
            count = int(boards[row, side, point])
            behind += count * int(count > 1)
    inputs[row, first + 11] = prime * _SIXTH
    inputs[row, first + 12] = block * _SIXTH
    inputs[row, first + 13] = int(BIT_COUNT[(made >> 1) & _SIX_POINT_MASK]) * _SIXTH
    inputs[row, first + 14] = int(BIT_COUNT[((men & ~made) >> 1) & _SIX_POINT_MASK]) * _THIRD
    inputs[row, first + 15] = number * _THIRD
    inputs[row, first + 16] = (1 + top_bit(anchors)) * _SIXTH if number else 0.0
    inputs[row, first + 25] = behind * _SEVENTH


@inlined_kernel
def _write_checkers(
    boards: NDArray[np.int8],
    survey: NDArray[np.int64],
    side: int,
    inputs: NDArray[np.float32],
    row: int,
    first: int,
) -> None:
    """Write contact_pips, free_pips, spare_pips, buried, spread and blots."""
    left = 15 - int(boards[row, side, 0])
    pips = survey[side, _PIPS]
    spread = (survey[side, _SQUARES] * left - pips * pips) * _VARIANCE_FACTORS[left]
    passed = 25 - survey[1 - side, _REAR]
    inputs[row, first + 19] = weigh_counts(boards, row, side, _CONTACT_PIPS, passed) * _PER_START_PIP
    inputs[row, first + 20] = weigh_counts(boards, row, side, _FREE_PIPS, passed) * _HUNDREDTH
    inputs[row, first + 21] = survey[side, _SPARE_PIPS] * _HUNDREDTH
    inputs[row, first + 22] = (int(boards[row, side, 1]) + int(boards[row, side, 2])) * _SIXTH
    inputs[row, first + 23] = spread * _HUNDREDTH
    inputs[row, first + 24] = bit_count(survey[side, _OCCUPIED] & POINTS & ~survey[side, _MADE]) * _FIFTH
