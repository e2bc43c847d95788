"""Choices by the match state: the play, and the cube of any score, judged by fixed opinions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.choice import best_play, cube_decision, position_value, takes_beaver
from engine.cubeful import Doubling, Response
from engine.errors import PositionError
from engine.match import MatchState
from engine.outcome import Outcome
from engine.position import Position
from engine.ranking import RankedPlay, rank_plays
from tests.boards import RacingJudge, TornJudge, position
from tests.match_states import random_match_state

START = Position.start()
LONG_RACE = position({6: 8, 7: 7}, {18: 7, 19: 8})


class FixedJudge:
    """A judge that thinks the same of every position."""

    name, plies = "fixed", 0

    def __init__(self, *outcome):
        self.outcome = outcome

    def evaluate(self, boards):
        return np.tile(np.array(self.outcome, np.float32), (len(boards), 1))


def ranked(*outcomes):
    (play, *_) = rank_plays(RacingJudge(), START, (3, 1))
    plays = [RankedPlay(play.play, Outcome(*each), Outcome(*each).equity, 0) for each in outcomes]
    return sorted(plays, key=lambda each: -each.equity)


def test_money_plays_go_by_equity_and_match_plays_by_the_chance_to_win():
    plays = rank_plays(TornJudge(), START, (6, 4))
    assert best_play(plays, MatchState()) == plays[0]
    at_last = best_play(plays, MatchState(length=1))
    assert at_last != plays[0]
    assert at_last.outcome.win == pytest.approx(0.60)
    assert plays[0].outcome.win == pytest.approx(0.58)


@pytest.mark.parametrize(
    ("match", "wants_gammons"),
    [
        (MatchState(length=7), False),
        (MatchState(length=7, score=(6, 3)), False),
        (MatchState(length=7, score=(5, 6), crawford=True), True),
        (MatchState(length=7, score=(6, 5), crawford=True, on_roll=1), True),
        (MatchState(length=7, score=(6, 5), crawford=True, on_roll=0), False),
        (MatchState(length=4, score=(0, 0), cube=2, cube_owner=1), True),
        (MatchState(length=4, score=(0, 0), cube=4, cube_owner=1), False),
    ],
)
def test_gammons_count_for_what_the_score_makes_of_them(match, wants_gammons):
    """The bold play wins less and gammons more; its money equity is lower."""
    safe, bold = (0.60, 0.10, 0, 0.10, 0), (0.57, 0.25, 0, 0.20, 0)
    chosen = best_play(ranked(safe, bold), match).outcome
    assert (chosen == Outcome(*bold)) is wants_gammons


def test_among_plays_that_win_the_match_equally_often_the_one_of_higher_equity_is_played():
    plain, gammons = (0.6, 0.0, 0, 0, 0), (0.6, 0.2, 0, 0, 0)
    chosen = best_play(ranked(plain, gammons), MatchState(length=1))
    assert chosen.outcome == Outcome(*gammons)


def test_a_cube_that_nobody_owns_yet_does_not_keep_a_match_play_from_being_chosen():
    plays = ranked((0.6, 0.1, 0, 0.1, 0), (0.5, 0.1, 0, 0.1, 0))
    assert best_play(plays, MatchState(length=7, cube=2)) == plays[0]


def test_the_efficiency_of_the_cube_is_that_of_the_position():
    judge = FixedJudge(0.7, 0, 0, 0, 0)
    values = [
        position_value(judge, where, MatchState(cube=2, cube_owner=0), cubeful=True)
        for where in (START, LONG_RACE)
    ]
    assert values[0] > values[1]


def test_values_are_points_per_cube_for_money_and_chances_in_a_match():
    outcome = Outcome(0.6, 0.2, 0.01, 0.1, 0.02)
    judge = FixedJudge(*outcome)
    for match in (MatchState(), MatchState(cube=4, cube_owner=1), MatchState(cube=2)):
        assert position_value(judge, START, match, cubeful=False) == pytest.approx(outcome.equity)
    assert position_value(judge, START, MatchState(length=1), cubeful=False) == pytest.approx(0.6)
    held = [
        position_value(judge, START, MatchState(cube=2, cube_owner=owner), cubeful=True)
        for owner in (0, None, 1)
    ]
    assert held == sorted(held, reverse=True)


def test_automatic_doubles_for_money_change_nothing_and_a_match_has_none():
    judge = FixedJudge(0.75, 0.2, 0, 0.1, 0)
    assert cube_decision(judge, START, MatchState(cube=4)) == cube_decision(judge, START, MatchState())
    with pytest.raises(PositionError, match="owner"):
        cube_decision(judge, START, MatchState(length=7, cube=2))


def test_a_beavered_doubler_plays_on_unless_it_would_lose_more_than_the_stake():
    beavered = MatchState(cube=2, cube_owner=1)
    assert takes_beaver(FixedJudge(0.45, 0, 0, 0.1, 0), START, beavered)
    assert not takes_beaver(FixedJudge(0.2, 0, 0, 0.3, 0), START, beavered)
    # At 0.40 the game is worth -0.2 with a dead cube, and less against one that the other side holds.
    assert takes_beaver(FixedJudge(0.40, 0, 0, 0.0, 0), START, beavered)
    assert not takes_beaver(FixedJudge(0.38, 0, 0, 0.1, 0), START, beavered)


def test_any_outcome_at_any_score_gives_a_legal_action():
    chance = random.Random(5)
    doubles = 0
    for _ in range(2000):
        win = chance.choice([0.0, 1.0, chance.random()])
        win_g, lose_g = win * chance.random(), (1 - win) * chance.random()
        judge = FixedJudge(win, win_g, win_g * chance.random(), lose_g, lose_g * chance.random())
        match = random_match_state(chance)
        decision = cube_decision(judge, START, match)
        doubles += decision.should_double
        before = MatchState(**{**match.__dict__, "roll": None, "doubled": False})
        assert not decision.should_double or before.may_double(match.on_roll)
        assert decision.response is not Response.BEAVER or (match.is_money and match.beavers)
        if win == 0.0 and match.is_money:
            assert decision.doubling is not Doubling.DOUBLE
        if not match.is_money:
            assert 0.0 <= position_value(judge, START, match, cubeful=True) <= 1.0
    assert doubles > 100
