"""Compiled phase features and their scorers, against slow twins in plain words."""

import numpy as np
import pytest

from gammond.nets.heritage.phase_features import kernels as kernel_features
from gammond.nets.heritage.phase_features.features import FEATURE_MAXIMA, compute_phase_features
from tests.support import boards


def slow_side(row) -> list[int]:
    """The eight features of a side, in the order of the document."""
    points = [point for point in range(1, 25) for _ in range(row[point])]
    blots = [point for point in range(1, 25) if row[point] == 1]
    return [
        sum(1 for point in range(1, 25) if row[point] >= 2),
        int(row[0]),
        int(row[25]),
        sum(25 - point for point in blots),
        sum(points),
        sum(point - 6 for point in points if point > 6),
        len(blots),
        len(points),
    ]


def slow_counts(board) -> tuple[list[int], int]:
    """All features and the phase of a position; row 1 has played."""
    own, other = slow_side(board[1]), slow_side(board[0])
    out_of_home = own[7] - sum(int(board[1, point]) for point in range(1, 7))
    phase = 2 if out_of_home < 3 else 0 if out_of_home > 8 else 1
    return own + other[::-1], phase


def counted(board) -> tuple[list[float], int]:
    counts = np.empty(16)
    phase = kernel_features.count_features(board, counts)
    return counts.tolist(), phase


@pytest.mark.nojit
def test_counts_and_phase_agree_with_the_slow_twin():
    met = set()
    for board in boards.random_boards(300, seed=5):
        counts, phase = counted(board)
        assert (counts, phase) == slow_counts(board)
        met.add(phase)
    assert met == {0, 1, 2}


@pytest.mark.nojit
@pytest.mark.parametrize(("away", "phase"), [(0, 2), (2, 2), (3, 1), (8, 1), (9, 0), (15, 0)])
def test_the_phase_turns_at_three_and_at_nine_checkers_out_of_home(away, phase):
    row = {24: away, 5: 15 - away}
    board = boards.position(x={2: 15}, o={25 - point: count for point, count in row.items()}).board.copy()
    assert counted(board)[1] == phase


@pytest.mark.nojit
@pytest.mark.parametrize("is_normalised", [True, False])
def test_features_of_many_are_those_of_each_divided_by_the_maxima(is_normalised):
    sample = boards.random_boards(40, seed=6)
    values, phases = compute_phase_features(sample, is_normalised=is_normalised)
    divisors = FEATURE_MAXIMA if is_normalised else np.ones(16)
    for board, row, phase in zip(sample, values, phases, strict=True):
        counts, expected = slow_counts(board)
        np.testing.assert_array_equal(row, (counts / divisors).astype(np.float32))
        assert phase == expected


@pytest.mark.nojit
@pytest.mark.parametrize("phase", [kernel_features.OWN_PHASE, 0, 1, 2])
def test_linear_scores_are_sums_of_weighted_features(phase):
    sample = boards.random_boards(60, seed=7)
    weights = np.random.default_rng(8).standard_normal((17, 3))
    scores = np.empty(60, np.float32)
    kernel_features.score_linear(sample, FEATURE_MAXIMA, weights, phase, scores)
    for board, score in zip(sample, scores, strict=True):
        counts, own_phase = slow_counts(board)
        column = weights[:, own_phase if phase < 0 else phase]
        assert score == pytest.approx(np.array(counts) / FEATURE_MAXIMA @ column[:16] + column[16], abs=1e-5)
