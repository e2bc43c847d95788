"""Players, engines and deciders in games where doubles are two moves."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.errors import UnsupportedError
from engine.play.decider import Decider
from engine.play.lockstep import play_games
from engine.play.player import EvaluatorPlayer, Player, RandomPlayer, ScorerPlayer
from engine.play.variant_player import VariantPlayer, adapt_to_rules
from engine.rules.match import MatchState
from engine.rules.moves import expand_rolls, legal_plays
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES, VARIANTS, Doubles, Rules
from nets.catalogue import load_player
from nets.players.pubeval import PubevalPlayer
from tests import boards

START = Position.start()
TWO_MOVES = Rules(doubles=Doubles.TWO)


def two_move_engine():
    return Engine(boards.RacingEvaluator(), rules=TWO_MOVES)


class PipScorer:
    """Likes to have gone far."""

    def score_boards(self, positions):
        return -(positions[:, 1] @ np.arange(26)).astype(np.float32)


PICKERS = [
    EvaluatorPlayer(boards.RacingEvaluator()),
    ScorerPlayer("pips", PipScorer()),
    RandomPlayer(3),
    PubevalPlayer(),
    load_player("heuristic"),
    load_player("heuristic:probability=true"),
]


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_what_a_player_picks_among_the_usual_plays_is_what_it_chooses(player):
    assert player.can_pick
    sample, dice = (
        boards.played_boards(boards.RacingEvaluator(), 200, seed=1),
        boards.random_rolls(200, seed=2),
    )
    children, _, offsets = expand_rolls(sample, dice)
    assert np.array_equal(children[player.pick(sample, dice, children, offsets)], player.choose(sample, dice))


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_a_double_takes_a_player_two_moves_far(player):
    sample = boards.played_boards(boards.RacingEvaluator(), 100, seed=3)
    dice = np.full((100, 2), 2, np.int8)
    two = VariantPlayer(player, TWO_MOVES)
    assert two.name == player.name
    children, _, offsets = expand_rolls(sample, dice, TWO_MOVES)
    for i, chosen in enumerate(two.choose(sample, dice)):
        assert (children[offsets[i] : offsets[i + 1]] == chosen).all(axis=(1, 2)).any()


def test_games_without_long_doubles_take_longer():
    class Turns:
        count = 0

        def add(self, games, seat, dice, after):
            self.count += len(games)

    turns = []
    for doubles in Doubles:
        player, log = adapt_to_rules(PICKERS[0], Rules(doubles=doubles)), Turns()
        play_games(player, player, 200, seed=4, log=log)
        turns.append(log.count)
    assert 1.1 * turns[0] < turns[1]


def test_a_player_that_looks_ahead_is_refused():
    class Deep(Player):
        name = "deep"

        def choose(self, positions, dice):
            raise AssertionError

    assert adapt_to_rules(Deep(), STANDARD_RULES).name == "deep"
    with pytest.raises(UnsupportedError, match="deep, which looks ahead or errs, is not supported") as caught:
        adapt_to_rules(Deep(), TWO_MOVES)
    assert caught.value.field == "doubles"


def test_plays_of_two_moves_are_ranked_by_the_evaluations_of_their_results():
    evaluator = boards.RacingEvaluator()
    ranked = two_move_engine().rank_plays(START, (4, 4), MatchState())
    assert {play.play.result for play in ranked.plays} == {
        play.result for play in legal_plays(START, (4, 4), TWO_MOVES)
    }
    assert ranked.effort.nodes == len(ranked.plays)
    assert [play.score for play in ranked.plays] == sorted((p.score for p in ranked.plays), reverse=True)
    for play in ranked.plays:
        (equity,) = -cubeless_equity(evaluator.evaluate(play.play.result.board[None]))
        assert (play.equity, play.score) == pytest.approx((equity, equity), abs=1e-5)
        assert (play.plies, play.survived, play.cubeful, play.mwc) == (0, True, None, None)


def test_other_rolls_are_ranked_as_ever():
    engine = Engine(boards.RacingEvaluator())
    for match in (MatchState(), MatchState(5, (3, 1))):
        usual = engine.rank_plays(START, (3, 1), match, EvalSettings(is_cubeful=False))
        assert engine.with_rules(TWO_MOVES).rank_plays(START, (3, 1), match).plays == usual.plays


@pytest.mark.parametrize("depth", [EvalSettings(1, is_cubeful=False), EvalSettings(0)])
def test_ranking_knows_neither_look_ahead_nor_the_cube(depth):
    with pytest.raises(UnsupportedError) as caught:
        two_move_engine().rank_plays(START, (3, 1), MatchState(), depth)
    assert caught.value.field == "doubles"


def test_a_decider_plays_the_best_of_two_moves_and_errs_by_its_noise():
    engine, match = two_move_engine(), MatchState()
    ranked = engine.rank_plays(START, (6, 6), match)
    assert Decider(engine).choose_play(START, (6, 6), match).evaluation == ranked.best
    erring = {
        Decider(engine, None, 0.5, seed).choose_play(START, (6, 6), match).evaluation for seed in range(20)
    }
    assert len(erring) > 1
    assert erring <= set(ranked.plays)


def test_a_decider_plays_what_its_player_picks():
    player = RandomPlayer(3)
    decider = Decider(two_move_engine(), player=player)
    assert decider.name == "random:seed=3"
    for die in range(1, 7):
        board = VariantPlayer(player, TWO_MOVES).choose(
            START.board[None].copy(), np.array([[die, die]], np.int8)
        )[0]
        assert np.array_equal(
            decider.choose_play(START, (die, die), MatchState()).evaluation.play.result.board, board
        )


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
    player = adapt_to_rules(load_player(name), rules)
    assert player.checkers == 1
    assert adapt_to_rules(player, rules) is player
    assert player.evaluator is not None
    assert player.evaluator.name == "hypergammon-1"
    results = play_games(load_player(name), RandomPlayer(1), 100, seed=1, rules=rules)
    assert results.points_per_game > 0


def test_a_player_that_values_no_positions_plays_no_solved_variant():
    rules = Rules(VARIANTS["hypergammon1"])
    with pytest.raises(UnsupportedError, match="pubeval knows positions with 15 checkers a side"):
        adapt_to_rules(PubevalPlayer(), rules)
    assert adapt_to_rules(RandomPlayer(1), rules).checkers is None
