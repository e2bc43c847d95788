"""The heuristic's compiled score against a slow twin that goes by the article's words."""

import numpy as np
import pytest

from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Doubles, Rules
from gammond.nets.heritage.heuristic_engine import kernels as kernel_heuristic
from gammond.nets.heritage.heuristic_engine.heuristic import (
    HEURISTIC_CONFIGS,
    HeuristicConfig,
    HeuristicPlayer,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

ODD = HeuristicConfig(pips=0.7, cbp=1.3, cb=1.9, bf=0.6, bfp=0.21, bt=4, rb=0.45)


def _number_rows(row) -> dict[int, int]:
    """Checkers on the board by the number of their point in their own direction: 24 point 1, ace point 24."""
    return {25 - point: int(row[point]) for point in range(1, 25)}


def _pips(row) -> int:
    return sum(point * int(row[point]) for point in range(1, 26))


def _slow_checkers(board, side: int, its: HeuristicConfig) -> float:
    """Blocks, blots and the lead once past, for one side."""
    own, other = board[side], board[1 - side]
    rear = max([point for point in range(26) if point and other[point]], default=0)
    mine = _number_rows(own)
    total, row = 0.0, 0
    for number in range(1, 26):
        is_block = number <= min(rear, 24) and mine[number] >= 2
        if is_block:
            row += 1
        elif row:
            total += (its.cbp * row) ** its.cb if its.cbp else 0.0
            row = 0
        if number <= 24 and mine[number] == 1 and number > its.bt:
            total -= number * (its.bfp if number > rear else its.bf)
    own_rear = max([point for point in range(26) if point and own[point]], default=0)
    if own_rear + rear <= 25:
        total += its.rb * (_pips(other) - _pips(own))
    return total


def _slow_printed(board, its: HeuristicConfig) -> float:
    """Blocks and blots as the article's loop counts them."""
    own, other = board[1], board[0]
    rear = max([point for point in range(26) if point and other[point]], default=0)
    score, counter, in_block = 0.0, 0, False
    for number in range(1, 25):
        if number > rear:
            break
        count = int(own[25 - number])
        if count >= 2:
            counter = counter + 1 if in_block else 1
            in_block = True
        else:
            if in_block:
                score += (counter * its.cbp) ** its.cb
            in_block = False
            if count == 1 and number > its.bt:
                score -= number / its.bf
    return score + counter**2 if in_block else score


@pytest.mark.nojit
@pytest.mark.parametrize("its", [ODD, HEURISTIC_CONFIGS["untrained"], HEURISTIC_CONFIGS["author"]])
def test_scores_agree_with_the_slow_twin(its):
    sample = boards.random_boards(150, seed=12)
    for at, board in enumerate(sample):
        expected = its.pips * (_pips(board[0]) - _pips(board[1])) + _slow_checkers(board, 1, its)
        assert kernel_heuristic.score_position(sample, at, its.tables, False) == pytest.approx(expected)


@pytest.mark.nojit
def test_many_positions_are_scored_by_the_formula_for_contact_and_finished_ones_by_nothing():
    sample = boards.random_boards(40, seed=14)
    sample[3, 1], sample[7, 0] = 0, 0
    sample[3, 1, 0] = sample[7, 0, 0] = 15
    scores = np.full(len(sample), np.nan, np.float32)
    kernel_heuristic.write_contact_scores(sample, ODD.tables, scores)
    expected = [kernel_heuristic.score_position(sample, at, ODD.tables, False) for at in range(len(sample))]
    expected[3] = expected[7] = 0.0
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


@pytest.mark.nojit
def test_the_printed_formula_is_the_loop_of_the_article():
    sample = boards.random_boards(150, seed=13)
    for at, board in enumerate(sample):
        expected = ODD.pips * (_pips(board[0]) - _pips(board[1])) + _slow_printed(board, ODD)
        assert kernel_heuristic.score_position(sample, at, ODD.tables_as_printed, False) == pytest.approx(
            expected
        )


@pytest.mark.nojit
def test_in_a_race_checkers_come_home_first_and_then_go_off():
    def score(own):
        after = boards.position(x={1: 2}, o={25 - point: count for point, count in own.items()}).board[None]
        return kernel_heuristic.score_position(after.copy(), 0, ODD.tables, True)

    assert score({6: 10, 7: 1}) > score({1: 9, 8: 1})  # one more off cannot make up for a pip outside
    assert score({6: 10}) > score({1: 11})
    assert score({4: 5}) > score({5: 5})
    assert score({}) > 1e9


@pytest.mark.slow
@pytest.mark.nojit
@pytest.mark.parametrize("doubles", Doubles)
def test_the_average_of_best_replies_weighs_all_rolls(doubles):
    sample = boards.played_boards(RacingEvaluator(), 400, seed=5)[[3, 200, 333]]
    rules = Rules(doubles=doubles)
    for at, board in enumerate(sample):
        total = 0.0
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            after = np.stack([play.result.board for play in legal_plays(Position(board), roll, rules)])
            values = [
                kernel_heuristic.score_position(after, i, ODD.tables, False)
                - _slow_checkers(after[i], 0, ODD)
                for i in range(len(after))
            ]
            total += weight * max(values)
        average = kernel_heuristic.average_best_replies(sample, at, ODD.tables, doubles is Doubles.TWO)
        assert average == pytest.approx(total)


@pytest.mark.nojit
def test_an_opponent_that_no_roll_can_move_is_blocked():
    shut_out = boards.position(x={25: 1, 6: 14}, o={point: 2 for point in range(19, 25)})
    blocked = kernel_heuristic.average_best_replies(shut_out.board[None].copy(), 0, ODD.tables, False)
    assert blocked == -100_000


@pytest.mark.nojit
@pytest.mark.parametrize("prefers_last", [False, True])
def test_the_choice_is_the_first_or_the_last_of_the_best(prefers_last):
    children = boards.random_boards(40, seed=14)
    children[7] = children[3]
    offsets, is_race = np.array([0, 10, 11, 40]), np.array([False, True, True])
    before = [boards.position(x={24: 1}, o={1: 1}), *[boards.position(x={1: 1}, o={24: 1})] * 2]
    player = HeuristicPlayer("own", ODD.tables, prefers_last=prefers_last)
    chosen = player.pick(
        np.stack([each.board for each in before]), np.ones((3, 2), np.int8), children, offsets
    )
    for i, race in enumerate(is_race):
        places = range(offsets[i], offsets[i + 1])
        scores = [kernel_heuristic.score_position(children, at, ODD.tables, race) for at in places]
        best = [at for at, each in zip(places, scores, strict=True) if each == max(scores)]
        assert chosen[i] == best[-1 if prefers_last else 0]


def test_rows_of_blocks_and_blots_count_as_in_the_document():
    factors = HeuristicConfig(cbp=2.0, cb=1.5, bf=0.5, bfp=0.25, bt=6.0).tables
    assert factors.blocks[3] == pytest.approx(6.0**1.5)
    assert np.array_equal(factors.blocks, factors.last_blocks)
    assert factors.blots[:, 6].tolist() == [0.0, 0.0]
    assert factors.blots[:, 7].tolist() == [3.5, 1.75]


def test_as_printed_the_blot_factor_divides_and_zero_forbids_blots():
    printed = HeuristicConfig(cb=0.0, cbp=0.0, bf=2.0, bt=0.0).tables_as_printed
    assert printed.blots[:, 7].tolist() == [3.5, 0.0]
    assert printed.blocks[2] == 1.0
    assert printed.last_blocks[3] == 9.0
    assert printed.lead == 0.0
    assert np.isinf(HEURISTIC_CONFIGS["untrained"].tables_as_printed.blots[0, 1:]).all()
