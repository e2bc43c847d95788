"""Players in games where doubles are two moves."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.errors import PlayError, UnsupportedError
from engine.play.lockstep import play_games
from engine.play.player import EvaluatorPlayer, Player, RandomPlayer, ScorerPlayer
from engine.play.two_moves import TwoMoveDecider, TwoMovePlayer, TwoMoveRanker, adapt_to_doubles
from engine.rules.doubles_rule import DoublesRule
from engine.rules.match import MatchState
from engine.rules.moves import expand_rolls, expand_two_moves, legal_plays
from engine.rules.notation import format_play, parse_play
from engine.rules.outcome import cubeless_equity
from engine.rules.position import Position
from nets.catalogue import load_player
from nets.pubeval import PubevalPlayer
from tests import boards


class PipScorer:
    """Likes to have gone far."""

    def score_boards(self, positions):
        return -(positions[:, 1] @ np.arange(26)).astype(np.float32)


PICKERS = [
    EvaluatorPlayer(boards.RacingJudge()),
    ScorerPlayer("pips", PipScorer()),
    RandomPlayer(3),
    PubevalPlayer(),
    load_player("heuristic"),
]


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_what_a_player_picks_among_the_usual_plays_is_what_it_chooses(player):
    assert player.can_pick
    sample, dice = boards.played_boards(boards.RacingJudge(), 200, seed=1), boards.random_rolls(200, seed=2)
    children, _, offsets = expand_rolls(sample, dice)
    assert np.array_equal(children[player.pick(sample, dice, children, offsets)], player.choose(sample, dice))


@pytest.mark.parametrize("player", PICKERS, ids=lambda player: player.name)
def test_a_double_takes_a_player_two_moves_far(player):
    sample = boards.played_boards(boards.RacingJudge(), 100, seed=3)
    dice = np.full((100, 2), 2, np.int8)
    two = TwoMovePlayer(player)
    assert two.name == player.name
    children, _, offsets = expand_two_moves(sample, dice)
    for i, chosen in enumerate(two.choose(sample, dice)):
        assert (children[offsets[i] : offsets[i + 1]] == chosen).all(axis=(1, 2)).any()


def test_games_without_long_doubles_take_longer():
    class Turns:
        count = 0

        def add(self, games, seat, dice, after):
            self.count += len(games)

    turns = []
    for doubles in DoublesRule:
        player, log = adapt_to_doubles(PICKERS[0], doubles), Turns()
        play_games(player, player, 200, seed=4, log=log)
        turns.append(log.count)
    assert 1.1 * turns[0] < turns[1]


def test_a_player_that_looks_ahead_is_refused():
    class Deep(Player):
        name = "deep"

        def choose(self, positions, dice):
            raise AssertionError

    assert adapt_to_doubles(Deep(), DoublesRule.FOUR).name == "deep"
    with pytest.raises(UnsupportedError, match="deep plays doubles as four moves alone") as caught:
        adapt_to_doubles(Deep(), DoublesRule.TWO)
    assert caught.value.field == "doubles"


START = Position.start()


def test_a_double_of_two_moves_has_the_plays_of_two_moves():
    plays = legal_plays(START, (6, 6), DoublesRule.TWO)
    assert [format_play(play) for play in plays] == [
        "24/18(2)", "24/18 13/7", "24/18 8/2", "13/7(2)", "13/7 8/2", "8/2(2)",
    ]  # fmt: skip
    assert legal_plays(START, (3, 1), DoublesRule.TWO) == legal_plays(START, (3, 1))


def test_the_dice_of_a_roll_are_one_for_each_move():
    assert DoublesRule.FOUR.list_dice((3, 3)) == (3, 3, 3, 3)
    assert DoublesRule.TWO.list_dice((3, 3)) == (3, 3)
    assert DoublesRule.FOUR.list_dice((3, 1)) == DoublesRule.TWO.list_dice((3, 1)) == (3, 1)


def test_a_play_of_two_moves_is_read_where_doubles_are_two():
    assert format_play(parse_play("13/7(2)", START, (6, 6), DoublesRule.TWO)) == "13/7(2)"
    assert format_play(parse_play("8/4", START, (2, 2), DoublesRule.TWO)) == "8/4"
    with pytest.raises(PlayError, match="4 checker moves are more than the roll 6-6 gives"):
        parse_play("24/18(2) 13/7(2)", START, (6, 6), DoublesRule.TWO)
    with pytest.raises(PlayError, match="2 moves of 6 must be played, this is 1"):
        parse_play("13/7", START, (6, 6), DoublesRule.TWO)
    with pytest.raises(PlayError, match="4 moves of 6 must be played, this is 2"):
        parse_play("13/7(2)", START, (6, 6))


def test_plays_of_two_moves_are_ranked_as_their_results_are_judged():
    judge = boards.RacingJudge()
    ranked = TwoMoveRanker(Engine(judge)).rank_plays(START, (4, 4), MatchState())
    assert {play.play.result for play in ranked.plays} == {
        play.result for play in legal_plays(START, (4, 4), DoublesRule.TWO)
    }
    assert ranked.nodes == len(ranked.plays)
    assert [play.score for play in ranked.plays] == sorted((p.score for p in ranked.plays), reverse=True)
    for play in ranked.plays:
        (equity,) = -cubeless_equity(judge.evaluate(play.play.result.board[None]))
        assert (play.equity, play.score) == pytest.approx((equity, equity), abs=1e-5)
        assert (play.plies, play.survived, play.cubeful, play.mwc) == (0, True, None, None)


def test_other_rolls_are_ranked_as_ever():
    analyst = Engine(boards.RacingJudge())
    for match in (MatchState(), MatchState(5, (3, 1))):
        usual = analyst.rank_plays(START, (3, 1), match, EvalSettings(is_cubeful=False))
        assert TwoMoveRanker(analyst).rank_plays(START, (3, 1), match).plays == usual.plays


@pytest.mark.parametrize("depth", [EvalSettings(1, is_cubeful=False), EvalSettings(0)])
def test_ranking_knows_neither_look_ahead_nor_the_cube(depth):
    with pytest.raises(UnsupportedError) as caught:
        TwoMoveRanker(Engine(boards.RacingJudge())).rank_plays(START, (3, 1), MatchState(), depth)
    assert caught.value.field == "doubles"


def test_a_chooser_plays_the_best_of_two_moves_and_errs_as_it_is_told():
    analyst, match = Engine(boards.RacingJudge()), MatchState()
    ranked = TwoMoveRanker(analyst).rank_plays(START, (6, 6), match)
    assert TwoMoveDecider(analyst).choose_play(START, (6, 6), match).evaluation == ranked.best
    erring = {
        TwoMoveDecider(analyst, None, 0.5, seed).choose_play(START, (6, 6), match).evaluation
        for seed in range(20)
    }
    assert len(erring) > 1
    assert erring <= set(ranked.plays)


def test_a_chooser_plays_what_its_player_picks():
    player = RandomPlayer(3)
    chooser = TwoMoveDecider(Engine(boards.RacingJudge()), player)
    assert chooser.name == "random:seed=3"
    for die in range(1, 7):
        board = TwoMovePlayer(player).choose(START.board[None].copy(), np.array([[die, die]], np.int8))[0]
        assert np.array_equal(
            chooser.choose_play(START, (die, die), MatchState()).evaluation.play.result.board, board
        )


def test_a_chooser_refuses_all_else():
    chooser = TwoMoveDecider(Engine(boards.RacingJudge()))
    for ask in (chooser.should_double, chooser.choose_response, chooser.takes_beaver):
        with pytest.raises(UnsupportedError, match="plays are all it can choose"):
            ask(START, MatchState())
    with pytest.raises(UnsupportedError):
        chooser.with_settings(EvalSettings(1))
