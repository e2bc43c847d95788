"""``merit``, ``star`` and the difficulties by name, and with a session's decider."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.decider import Decider
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.nets.catalogue import (
    DEFAULT_EVALUATOR,
    SHIPPED,
    collect_net_hashes,
    load_engine,
    load_evaluator,
    load_player,
    load_pruner,
)
from gammond.nets.heritage.astros.leaf_evaluators import (
    collect_leaf_net_hashes,
    list_leaf_evaluators,
    load_leaf_evaluator,
)
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

SAMPLE = boards.played_boards(RacingEvaluator(), 400, seed=3)[:40]
DICE = boards.random_rolls(40, seed=4)
LATE = boards.position(x={6: 1, 4: 2}, o={21: 1, 3: 1})


def chosen(name):
    return load_player(name).choose(SAMPLE, DICE)


@pytest.mark.parametrize("evaluator", [DEFAULT_EVALUATOR, "bev", "phase-net"])
def test_merit_among_one_and_star_without_look_ahead_play_as_their_evaluator_does(evaluator):
    assert np.array_equal(chosen(f"merit:of={evaluator},among=1"), chosen(evaluator))
    assert np.array_equal(chosen(f"star:of={evaluator},plies=0"), chosen(evaluator))


@pytest.mark.slow
def test_the_difficulties_are_choices_by_merit_at_three_depths_among_fewer_and_fewer():
    assert np.array_equal(chosen("easy:of=bev,seed=2"), chosen("merit:of=bev,seed=2"))
    for name, plies, few in (("medium", 1, 3), ("hard", 2, 2)):
        alike = f"merit:of=bev,plies={plies},among={few}"
        ours, same = (load_player(each) for each in (f"{name}:of=bev", alike))
        assert np.array_equal(ours.choose_one(LATE, (2, 1)), same.choose_one(LATE, (2, 1)))
    specs = [SHIPPED.parse_player(name) for name in ("easy", "medium", "hard")]
    assert [spec.is_deep for spec in specs] == [False, True, True]


def test_a_scorer_plays_without_nets_and_look_ahead_adds_those_of_the_pruning_net():
    assert collect_net_hashes("merit") == collect_net_hashes(DEFAULT_EVALUATOR)
    assert collect_net_hashes("merit:of=phase-net") == collect_net_hashes("phase-net") != {}
    deep = collect_net_hashes("star:of=bev")
    assert deep == collect_leaf_net_hashes("bev", 1) == collect_net_hashes(load_pruner().name)
    assert set(collect_net_hashes("star")) == set(deep) | set(collect_net_hashes(DEFAULT_EVALUATOR))


def test_every_evaluator_of_the_list_loads():
    for name in list_leaf_evaluators():
        assert load_leaf_evaluator(name).name == (
            load_evaluator().name if name == DEFAULT_EVALUATOR else name
        )


@pytest.mark.parametrize("evaluator", ["bev", "bev-learned", "phase-net", "phase-net-self"])
def test_a_position_is_worth_to_one_side_what_it_costs_the_other_the_turn_aside(evaluator):
    leaves = load_leaf_evaluator(evaluator)
    sample = boards.played_boards(RacingEvaluator(), 2000, seed=5)[:500]
    own, others = (leaves.evaluate(np.ascontiguousarray(each)) for each in (sample, sample[:, ::-1]))
    assert np.corrcoef(own, -others)[0, 1] > 0.8
    assert abs(leaves.evaluate(Position.start().board[None])[0]) < 0.1 * own.std()


@pytest.mark.parametrize("name", ["heuristic", "gengammon"])
def test_players_that_only_rank_the_plays_of_a_roll_are_no_evaluators(name):
    with pytest.raises(ValueRangeError, match=r"one of default.* for of, got"):
        load_player(f"star:of={name}")


def test_they_sit_at_a_table_and_can_be_stopped():
    engine = load_engine()
    player = load_player("star:of=bev,plies=2,deepening=true")
    stopped = SearchWatch(lambda: True)
    choice = Decider(engine, player=player).choose_play(Position.start(), (3, 1), MatchState(), stopped)
    expected = load_player("bev").choose(Position.start().board[None].copy(), np.array([(3, 1)], np.int8))[0]
    assert np.array_equal(choice.play.result.board, expected)
