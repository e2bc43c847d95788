"""Games with fewer checkers than 15 a side: positions, plays, ends and results."""

import pickle

import numpy as np
import pytest

from gammond.engine.errors import PositionError, StateError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Phase, Position, count_checkers
from gammond.engine.rules.rules import VARIANTS
from tests.support import boards, naive
from tests.support.boards import position

pytestmark = pytest.mark.nojit

HYPERGAMMON = VARIANTS["hypergammon"]


@pytest.mark.parametrize("checkers", [1, 2, 3, 7])
def test_plays_of_few_checkers_agree_with_the_slow_twin(checkers):
    sample = boards.random_boards(120, seed=checkers, checkers=checkers)
    assert naive.disagreements(sample, boards.random_rolls(len(sample), seed=1)) == []


def test_a_position_of_three_checkers_counts_those_borne_off():
    racing = position(x={6: 1, 2: 1}, o={24: 1, 19: 1}, checkers=3)
    assert (racing.checkers, racing.pips, racing.phase) == (3, (8, 7), Phase.RACE)
    assert racing.board[:, 0].tolist() == [1, 1]
    assert racing.swap_sides().checkers == 3
    assert pickle.loads(pickle.dumps(racing)) == racing
    assert racing != position(x={6: 1, 2: 1}, o={24: 1, 19: 1})
    won = position(x={}, o={19: 3}, checkers=3)
    assert won.is_over
    assert won.phase is Phase.OVER
    with pytest.raises(StateError, match="the game is over"):
        legal_plays(won, (3, 1))
    assert not HYPERGAMMON.starting_position.is_over


def test_a_position_without_a_count_of_checkers_takes_that_of_its_game():
    read = position(x={24: 1, 23: 1, 22: 1}, o={1: 1, 2: 1, 3: 1})
    assert read.checkers == 15
    assert read.with_checkers(3) == HYPERGAMMON.starting_position
    assert read.with_checkers(3).with_checkers(15) == read
    with pytest.raises(
        PositionError, match="the player on roll has 3 checkers on the board, at most 2 exist"
    ):
        read.with_checkers(2)
    with pytest.raises(
        PositionError, match="the player on roll has 15 checkers, expected 3 with those borne off"
    ):
        Position(Position.start().board, 3)
    with pytest.raises(
        PositionError, match="the player on roll has 3 checkers, expected 15 with those borne"
    ):
        Position(HYPERGAMMON.starting_position.board)


def test_boards_tell_the_number_of_checkers():
    assert count_checkers(HYPERGAMMON.starting_position.board[None]) == 3
    assert count_checkers(np.empty((0, 2, 26), np.int8)) == 15
