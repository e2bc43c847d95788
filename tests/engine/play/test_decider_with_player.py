"""A player of plays at a table with a cube."""

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import PlayError
from gammond.engine.play.decider import Decider, SearchPlayer
from gammond.engine.play.player import Player, RandomPlayer, ScorerPlayer
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from tests.support.boards import played_boards, position, random_rolls
from tests.support.evaluators import RacingEvaluator

ENGINE = Engine(RacingEvaluator())
BOARDS = played_boards(RacingEvaluator(), 2000, seed=5)[:20]
DICE = random_rolls(20, seed=6)
MATCH = MatchState(length=5, score=(3, 1))


class Bold:
    """Prefers to stay far back."""

    def score_boards(self, boards):
        return (boards[:, 1] @ np.arange(26)).astype(np.float32)


def asked():
    return [(Position(board), (int(high), int(low))) for board, (high, low) in zip(BOARDS, DICE, strict=True)]


@pytest.mark.parametrize("player", [RandomPlayer(3), ScorerPlayer("bold", Bold())], ids=lambda p: p.name)
def test_plays_are_those_of_the_player(player):
    decider = Decider(ENGINE, player=player)
    assert decider.name == player.name
    chosen = [decider.choose_play(start, roll, MATCH).play.result.board for start, roll in asked()]
    assert np.array_equal(chosen, player.choose(BOARDS, DICE))


def test_what_the_choice_is_worth_is_the_engines_word():
    for start, roll in asked()[:5]:
        choice = Decider(ENGINE, EvalSettings(2), player=RandomPlayer(3)).choose_play(start, roll, MATCH)
        ranked = ENGINE.rank_plays(start, roll, MATCH, EvalSettings(0))
        assert [play.play for play in choice.ranked] == [play.play for play in ranked]
        (same,) = [play for play in ranked if play.play == choice.play]
        assert choice.chosen.evaluation.equity == same.evaluation.equity
        assert choice.chosen.evaluation.plies == 0


def test_a_player_that_looks_ahead_evaluates_itself_and_is_watched():
    deep = Decider(ENGINE, EvalSettings(1, "tiny", is_cubeful=False))
    reported = []
    watch = SearchWatch(None, lambda progress: reported.append(progress.effort.plies))
    start, roll = asked()[0]
    choice = Decider(ENGINE, player=SearchPlayer("deep", deep)).choose_play(start, roll, MATCH, watch)
    assert choice.play == deep.choose_play(start, roll, MatchState()).play
    assert choice.ranked.effort.plies in reported


def test_the_cube_is_the_engines():
    ahead, match = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4}), MatchState(length=5)
    decider, own = Decider(ENGINE, EvalSettings(1), player=RandomPlayer()), Decider(ENGINE, EvalSettings(1))
    assert decider.should_double(ahead, match)
    assert not decider.should_double(ahead.swap_sides(), match)
    for each in (ahead, ahead.swap_sides(), Position.start()):
        assert decider.should_double(each, match) == own.should_double(each, match)
        assert decider.choose_response(each, match) == own.choose_response(each, match)


def test_a_player_that_breaks_the_rules_is_found_out():
    class Cheat(Player):
        name = "cheat"

        def choose(self, boards, dice):
            return boards

    with pytest.raises(PlayError, match="cheat chose what is no legal play of 3-1"):
        Decider(ENGINE, player=Cheat()).choose_play(Position.start(), (3, 1), MatchState())
