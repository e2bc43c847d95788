"""Players in games where doubles are two moves."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analyst import Analyst
from engine.doubles import Doubles
from engine.errors import PlayError, UnsupportedError
from engine.games import play_games
from engine.levels import Depth
from engine.match import MatchState
from engine.moves import expand_rolls, expand_two_moves, legal_plays
from engine.notation import format_play, parse_play
from engine.outcome import cubeless_equity
from engine.players import EvaluatorPlayer, PlayPicker, RandomPlayer, ScorerPlayer
from engine.position import Position
from engine.two_moves import TwoMoveChooser, TwoMovePlayer, TwoMoveRanker, playing_doubles
from nets.loading import load_player
from nets.pubeval import PubevalPlayer
from tests import boards


class PipScorer:
    """Likes to have gone far."""

    def scores(self, positions):
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
    assert isinstance(player, PlayPicker)
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
    for doubles in Doubles:
        player, log = playing_doubles(PICKERS[0], doubles), Turns()
        play_games(player, player, 200, seed=4, log=log)
        turns.append(log.count)
    assert 1.1 * turns[0] < turns[1]


def test_a_player_that_looks_ahead_is_refused():
    class Deep:
        name = "deep"

        def choose(self, positions, dice):
            raise AssertionError

    assert playing_doubles(Deep(), Doubles.FOUR).name == "deep"
    with pytest.raises(UnsupportedError, match="deep plays doubles as four moves alone") as caught:
        playing_doubles(Deep(), Doubles.TWO)
    assert caught.value.field == "doubles"


START = Position.start()


def test_a_double_of_two_moves_has_the_plays_of_two_moves():
    plays = legal_plays(START, (6, 6), Doubles.TWO)
    assert [format_play(play) for play in plays] == [
        "24/18(2)", "24/18 13/7", "24/18 8/2", "13/7(2)", "13/7 8/2", "8/2(2)",
    ]  # fmt: skip
    assert legal_plays(START, (3, 1), Doubles.TWO) == legal_plays(START, (3, 1))


def test_the_dice_of_a_roll_are_one_for_each_move():
    assert Doubles.FOUR.dice((3, 3)) == (3, 3, 3, 3)
    assert Doubles.TWO.dice((3, 3)) == (3, 3)
    assert Doubles.FOUR.dice((3, 1)) == Doubles.TWO.dice((3, 1)) == (3, 1)


def test_a_play_of_two_moves_is_read_where_doubles_are_two():
    assert format_play(parse_play("13/7(2)", START, (6, 6), Doubles.TWO)) == "13/7(2)"
    assert format_play(parse_play("8/4", START, (2, 2), Doubles.TWO)) == "8/4"
    with pytest.raises(PlayError, match="4 checker moves are more than the roll 6-6 gives"):
        parse_play("24/18(2) 13/7(2)", START, (6, 6), Doubles.TWO)
    with pytest.raises(PlayError, match="2 moves of 6 must be played, this is 1"):
        parse_play("13/7", START, (6, 6), Doubles.TWO)
    with pytest.raises(PlayError, match="4 moves of 6 must be played, this is 2"):
        parse_play("13/7(2)", START, (6, 6))


def test_plays_of_two_moves_are_ranked_as_their_results_are_judged():
    judge = boards.RacingJudge()
    ranked = TwoMoveRanker(Analyst(judge)).rank_plays(START, (4, 4), MatchState())
    assert {play.play.result for play in ranked.plays} == {
        play.result for play in legal_plays(START, (4, 4), Doubles.TWO)
    }
    assert ranked.nodes == len(ranked.plays)
    assert [play.score for play in ranked.plays] == sorted((p.score for p in ranked.plays), reverse=True)
    for play in ranked.plays:
        (equity,) = -cubeless_equity(judge.evaluate(play.play.result.board[None]))
        assert (play.equity, play.score) == pytest.approx((equity, equity), abs=1e-5)
        assert (play.plies, play.survived, play.cubeful, play.mwc) == (0, True, None, None)


def test_other_rolls_are_ranked_as_ever():
    analyst = Analyst(boards.RacingJudge())
    for match in (MatchState(), MatchState(5, (3, 1))):
        usual = analyst.rank_plays(START, (3, 1), match, Depth(is_cubeful=False))
        assert TwoMoveRanker(analyst).rank_plays(START, (3, 1), match).plays == usual.plays


@pytest.mark.parametrize("depth", [Depth(1, is_cubeful=False), Depth(0)])
def test_ranking_knows_neither_look_ahead_nor_the_cube(depth):
    with pytest.raises(UnsupportedError) as caught:
        TwoMoveRanker(Analyst(boards.RacingJudge())).rank_plays(START, (3, 1), MatchState(), depth)
    assert caught.value.field == "doubles"


def test_a_chooser_plays_the_best_of_two_moves_and_errs_as_it_is_told():
    analyst, match = Analyst(boards.RacingJudge()), MatchState()
    ranked = TwoMoveRanker(analyst).rank_plays(START, (6, 6), match)
    assert TwoMoveChooser(analyst).play(START, (6, 6), match).play == ranked.best
    erring = {TwoMoveChooser(analyst, None, 0.5, seed).play(START, (6, 6), match).play for seed in range(20)}
    assert len(erring) > 1
    assert erring <= set(ranked.plays)


def test_a_chooser_plays_what_its_player_picks():
    player = RandomPlayer(3)
    chooser = TwoMoveChooser(Analyst(boards.RacingJudge()), player)
    assert chooser.name == "random:seed=3"
    for die in range(1, 7):
        board = TwoMovePlayer(player).choose(START.board[None].copy(), np.array([[die, die]], np.int8))[0]
        assert np.array_equal(chooser.play(START, (die, die), MatchState()).play.play.result.board, board)


def test_a_chooser_refuses_all_else():
    chooser = TwoMoveChooser(Analyst(boards.RacingJudge()))
    for ask in (chooser.doubles, chooser.response, chooser.takes_beaver):
        with pytest.raises(UnsupportedError, match="plays are all it can choose"):
            ask(START, MatchState())
    with pytest.raises(UnsupportedError):
        chooser.at_depth(Depth(1))
