"""A player of plays at a table with a cube."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analyst import Analyst
from engine.choice import Chooser
from engine.errors import PlayError
from engine.levels import Depth
from engine.match import MatchState
from engine.player_chooser import PlayerChooser
from engine.players import RandomPlayer, ScorerPlayer
from engine.position import Position
from engine.search import SearchWatch
from engine.search_player import SearchPlayer
from tests.boards import RacingJudge, played_boards, position, random_rolls

ANALYST = Analyst(RacingJudge())
BOARDS = played_boards(RacingJudge(), 2000, seed=5)[:20]
DICE = random_rolls(20, seed=6)
MATCH = MatchState(length=5, score=(3, 1))


class Bold:
    """Likes to stand far back."""

    def scores(self, boards):
        return (boards[:, 1] @ np.arange(26)).astype(np.float32)


def asked():
    return [(Position(board), (int(high), int(low))) for board, (high, low) in zip(BOARDS, DICE, strict=True)]


@pytest.mark.parametrize("player", [RandomPlayer(3), ScorerPlayer("bold", Bold())], ids=lambda p: p.name)
def test_plays_are_those_of_the_player(player):
    chooser = PlayerChooser(player, ANALYST)
    assert chooser.name == player.name
    chosen = [chooser.play(start, roll, MATCH).play.play.result.board for start, roll in asked()]
    assert np.array_equal(chosen, player.choose(BOARDS, DICE))


def test_what_the_choice_is_worth_is_the_analysts_word():
    for start, roll in asked()[:5]:
        choice = PlayerChooser(RandomPlayer(3), ANALYST, Depth(2)).play(start, roll, MATCH)
        ranked = ANALYST.rank_plays(start, roll, MATCH, Depth(0))
        assert [play.play for play in choice.ranked.plays] == [play.play for play in ranked.plays]
        (same,) = [play for play in ranked.plays if play.play == choice.play.play]
        assert choice.play.score == same.score
        assert choice.play.plies == 0


def test_a_player_that_looks_ahead_judges_itself_and_is_watched():
    deep = Chooser(ANALYST, Depth(1, "tiny", is_cubeful=False))
    told = []
    watch = SearchWatch(None, lambda progress: told.append(progress.plies))
    start, roll = asked()[0]
    choice = PlayerChooser(SearchPlayer("deep", deep), ANALYST).play(start, roll, MATCH, watch)
    assert choice.play.play == deep.play(start, roll, MatchState()).play.play
    assert choice.ranked.plies in told


def test_the_cube_is_the_analysts():
    ahead, match = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4}), MatchState(length=5)
    chooser, own = PlayerChooser(RandomPlayer(), ANALYST, Depth(1)), Chooser(ANALYST, Depth(1))
    assert chooser.doubles(ahead, match)
    assert not chooser.doubles(ahead.turned(), match)
    for each in (ahead, ahead.turned(), Position.start()):
        assert chooser.doubles(each, match) == own.doubles(each, match)
        assert chooser.response(each, match) == own.response(each, match)


def test_a_player_that_breaks_the_rules_is_found_out():
    class Cheat:
        name = "cheat"

        def choose(self, boards, dice):
            return boards

    with pytest.raises(PlayError, match="cheat chose what is no legal play of 3-1"):
        PlayerChooser(Cheat(), ANALYST).play(Position.start(), (3, 1), MatchState())
