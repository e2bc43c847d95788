"""Players, engines and deciders in games where doubles are two moves."""

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import UnsupportedError
from gammond.engine.play.decider import Decider
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer, Player, RandomPlayer
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import expand_rolls, legal_plays
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Rules
from gammond.nets.catalogue import SHIPPED, load_player
from gammond.nets.players.pubeval import PubevalPlayer
from tests.support import boards
from tests.support.evaluators import RacingEvaluator
from tests.support.players import check_choices

START = Position.start()
TWO_MOVES = Rules(doubles=Doubles.TWO)


def two_move_engine():
    return Engine(RacingEvaluator(), rules=TWO_MOVES)


KINDS = [load_player(name) for name in (*SHIPPED.list_kind_names(), "heuristic:probability=true")]
PICKERS = [EvaluatorPlayer(RacingEvaluator()), *(player for player in KINDS if player.can_pick)]


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_what_a_player_picks_among_the_usual_plays_is_what_it_chooses(player):
    sample, dice = boards.played_boards(RacingEvaluator(), 200, seed=1), boards.random_rolls(200, seed=2)
    children, _, offsets = expand_rolls(sample, dice)
    assert np.array_equal(children[player.pick(sample, dice, children, offsets)], player.choose(sample, dice))


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_a_double_takes_a_player_two_moves_far(player):
    sample = boards.played_boards(RacingEvaluator(), 100, seed=3)
    dice = np.full((100, 2), 2, np.int8)
    two = player.with_rules(TWO_MOVES)
    assert two.name == player.name
    check_choices(two, sample, dice)


def test_games_without_long_doubles_take_longer():
    class Turns:
        count = 0

        def add(self, games, seat, dice, after):
            self.count += len(games)

    turns = []
    for doubles in Doubles:
        player, log = PICKERS[0].with_rules(Rules(doubles=doubles)), Turns()
        play_games(player, player, 200, seed=4, log=log)
        turns.append(log.count)
    assert 1.1 * turns[0] < turns[1]


def test_a_player_that_looks_ahead_is_refused():
    class Deep(Player):
        name = "deep"

        def choose(self, positions, dice):
            raise AssertionError

    assert Deep().with_rules(STANDARD_RULES).name == "deep"
    with pytest.raises(UnsupportedError, match="deep, which looks ahead or errs, is not supported") as caught:
        Deep().with_rules(TWO_MOVES)
    assert caught.value.field == "doubles"


def test_plays_of_two_moves_are_ranked_by_the_evaluations_of_their_results():
    evaluator = RacingEvaluator()
    ranked = two_move_engine().rank_plays(START, (4, 4), MatchState())
    assert {play.play.result for play in ranked} == {
        play.result for play in legal_plays(START, (4, 4), TWO_MOVES)
    }
    assert ranked.effort.nodes == len(ranked)
    assert [play.evaluation.equity for play in ranked] == sorted(
        (p.evaluation.equity for p in ranked), reverse=True
    )
    for play in ranked:
        (equity,) = -cubeless_equity(evaluator.evaluate(play.play.result.board[None]))
        own = play.evaluation
        assert (own.cubeless_equity, own.equity) == pytest.approx((equity, equity), abs=1e-5)
        assert (own.plies, play.survived, own.cubeful, own.mwc) == (0, True, None, None)


def test_other_rolls_are_ranked_as_ever():
    engine = Engine(RacingEvaluator())
    for match in (MatchState(), MatchState(5, (3, 1))):
        usual = engine.rank_plays(START, (3, 1), match, EvalSettings(is_cubeful=False))
        assert engine.with_rules(TWO_MOVES).rank_plays(START, (3, 1), match) == usual


@pytest.mark.parametrize("depth", [EvalSettings(1, is_cubeful=False), EvalSettings(0)])
def test_ranking_knows_neither_look_ahead_nor_the_cube(depth):
    with pytest.raises(UnsupportedError) as caught:
        two_move_engine().rank_plays(START, (3, 1), MatchState(), depth)
    assert caught.value.field == "doubles"


def test_a_decider_plays_the_best_of_two_moves_and_errs_by_its_noise():
    engine, match = two_move_engine(), MatchState()
    ranked = engine.rank_plays(START, (6, 6), match)
    assert Decider(engine).choose_play(START, (6, 6), match).chosen == ranked.best
    erring = {Decider(engine, None, 0.5, seed).choose_play(START, (6, 6), match).chosen for seed in range(20)}
    assert len(erring) > 1
    assert erring <= set(ranked)


def test_a_decider_plays_what_its_player_picks():
    player = RandomPlayer(3)
    decider = Decider(two_move_engine(), player=player)
    assert decider.name == "random:seed=3"
    for die in range(1, 7):
        board = player.with_rules(TWO_MOVES).choose(
            START.board[None].copy(), np.array([[die, die]], np.int8)
        )[0]
        assert np.array_equal(decider.choose_play(START, (die, die), MatchState()).play.result.board, board)


def test_a_decider_refuses_all_else():
    decider = Decider(two_move_engine())
    for ask in (decider.should_double, decider.choose_response, decider.takes_beaver):
        with pytest.raises(UnsupportedError, match="evaluation is not supported"):
            ask(START, MatchState())
    with pytest.raises(UnsupportedError, match="look-ahead is not supported"):
        decider.with_settings(EvalSettings(1)).choose_play(START, (3, 1), MatchState())


@pytest.mark.parametrize("name", ["fast", "fast:plies=1,filter=tiny"])
def test_in_a_solved_variant_the_solution_takes_the_place_of_nets(name):
    rules = Rules(VARIANTS["hypergammon1"])
    player = load_player(name).with_rules(rules)
    assert player.checkers == 1
    assert player.with_rules(rules) is player
    assert player.evaluator is not None
    assert player.evaluator.name == "hypergammon-1"
    results = play_games(load_player(name), RandomPlayer(1), 100, seed=1, rules=rules)
    assert results.score.value > 0


def test_a_player_that_values_no_positions_plays_no_solved_variant():
    rules = Rules(VARIANTS["hypergammon1"])
    with pytest.raises(UnsupportedError, match="pubeval knows positions with 15 checkers a side"):
        PubevalPlayer().with_rules(rules)
    assert RandomPlayer(1).with_rules(rules).checkers is None
