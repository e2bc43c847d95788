"""Deciders: plays and cube actions by the match state, and errors that stay small."""

import random

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import PositionError, StateError, ValueRangeError
from gammond.engine.evaluation.results import CubeResponse, DoublingAction
from gammond.engine.play.decider import Decider
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.search import UNPRUNED
from tests.engine.opinions import ListEvaluator, fixed_engine
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator, TornEvaluator
from tests.support.match_states import random_match_state

START = Position.start()
LATER = boards.position(x={20: 2, 13: 2, 8: 2, 6: 5, 4: 4}, o={1: 2, 12: 2, 17: 3, 19: 4, 21: 4})
MIDGAME = boards.position(x={24: 1, 18: 2, 13: 3, 8: 3, 6: 4, 5: 2}, o={1: 2, 7: 2, 12: 4, 17: 2, 19: 5})
CUBELESS = EvalSettings(is_cubeful=False)
ROLLS = [(die, other) for die in range(1, 7) for other in range(1, die + 1)]


def chosen_among(outcomes, match, depth=None, where=START):
    """The outcome of the play that is chosen when the first legal plays have these outcomes."""
    plays = legal_plays(where, (3, 1))
    listed = dict(zip((play.result.board.tobytes() for play in plays), outcomes, strict=False))
    return (
        Decider(Engine(ListEvaluator(listed)), depth)
        .choose_play(where, (3, 1), match)
        .chosen.evaluation.outcome
    )


def test_without_the_cube_money_plays_go_by_equity_and_match_plays_by_the_chance_to_win():
    decider = Decider(Engine(TornEvaluator()), CUBELESS)
    money = decider.choose_play(START, (6, 4), MatchState())
    assert money.chosen == money.ranked[0]
    assert money.chosen.evaluation.outcome.win == pytest.approx(0.58)
    at_last = decider.choose_play(START, (6, 4), MatchState(length=1)).chosen
    assert at_last.evaluation.outcome.win == pytest.approx(0.60)
    assert at_last.play != money.play


@pytest.mark.parametrize("is_cubeful", [True, False])
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
def test_gammons_count_for_what_the_score_makes_of_them(match, wants_gammons, is_cubeful):
    """The bold play wins less and gammons more; its money equity is lower."""
    safe, bold = (0.60, 0.10, 0, 0.10, 0), (0.57, 0.25, 0, 0.20, 0)
    found = chosen_among([safe, bold], match, EvalSettings(is_cubeful=is_cubeful))
    assert found == pytest.approx(bold if wants_gammons else safe, abs=1e-6)


@pytest.mark.parametrize("is_cubeful", [True, False])
def test_among_plays_that_win_the_match_equally_often_the_one_of_higher_equity_is_played(is_cubeful):
    plain, gammons = (0.625, 0.0, 0, 0, 0), (0.625, 0.25, 0, 0, 0)
    for order in ([plain, gammons], [gammons, plain]):
        found = chosen_among(order, MatchState(length=1), EvalSettings(is_cubeful=is_cubeful))
        assert found == Outcome(*gammons)


def test_the_jacoby_rule_makes_gammons_worthless_while_the_cube_is_in_the_middle():
    safe, bold = (0.50, 0.0, 0, 0.10, 0), (0.48, 0.05, 0, 0.10, 0)
    for match, expected in (
        (MatchState(jacoby=False), bold),
        (MatchState(jacoby=True), safe),
        (MatchState(jacoby=True, cube=2, cube_owner=1), bold),
    ):
        assert chosen_among([safe, bold], match, where=LATER) == pytest.approx(expected, abs=1e-6)


def test_a_cube_that_nobody_owns_does_not_keep_a_match_play_from_being_chosen_without_the_cube():
    better, worse = (0.6, 0.1, 0, 0.1, 0), (0.5, 0.1, 0, 0.1, 0)
    match = MatchState(length=7, cube=2)
    assert chosen_among([worse, better], match, CUBELESS) == pytest.approx(better, abs=1e-6)
    with pytest.raises(PositionError, match="owner"):
        chosen_among([worse, better], match)


def test_automatic_doubles_for_money_change_no_play():
    for roll in ROLLS[:6]:
        plays = [
            Decider(Engine(SmoothEvaluator())).choose_play(START, roll, MatchState(cube=n)).chosen
            for n in (1, 4)
        ]
        assert plays[0] == plays[1]


@pytest.mark.parametrize(
    ("win", "match", "doubles", "response"),
    [
        (0.6, MatchState(), False, CubeResponse.TAKE),
        (0.77, MatchState(), True, CubeResponse.TAKE),
        (0.77, MatchState(cube=2, cube_owner=0), True, CubeResponse.TAKE),
        (0.85, MatchState(), True, CubeResponse.PASS),
        (0.3, MatchState(), False, CubeResponse.BEAVER),
        (0.3, MatchState(beavers=False), False, CubeResponse.TAKE),
    ],
)
def test_doubles_and_answers_are_those_of_the_decision(win, match, doubles, response):
    decider = Decider(fixed_engine(win, 0, 0, 0, 0))
    assert decider.should_double(LATER, match) is doubles
    assert decider.choose_response(LATER, match) is response


def test_a_position_too_good_to_double_is_played_on():
    decider = Decider(fixed_engine(0.95, 0.85, 0, 0, 0))
    assert not decider.should_double(START, MatchState())
    assert decider.choose_response(START, MatchState()) is CubeResponse.PASS
    assert decider.should_double(START, MatchState(jacoby=True))


@pytest.mark.parametrize(
    ("match", "doubles"),
    [
        (MatchState(length=5, score=(4, 2), crawford=True, on_roll=1), False),
        (MatchState(length=5, score=(4, 2), on_roll=1), True),
        (MatchState(length=5, score=(4, 2), on_roll=0), False),
        (MatchState(length=1), False),
        (MatchState(length=7), False),
    ],
)
def test_cube_actions_go_by_the_score(match, doubles):
    """A side that trails after the Crawford game doubles as soon as it can, whatever the position."""
    assert Decider(fixed_engine(0.5, 0.1, 0, 0.1, 0)).should_double(START, match) is doubles


def test_cube_actions_look_ahead_as_plays_do():
    """At 0-ply the evaluator sees a race; at 1-ply it sees the game end."""
    last_roll = boards.position(x={1: 2}, o={24: 2})
    blind = Engine(RacingEvaluator())
    assert not Decider(blind).should_double(last_roll, MatchState())
    deep = Decider(blind, EvalSettings(1))
    assert deep.should_double(last_roll, MatchState())
    assert deep.choose_response(last_roll, MatchState()) is CubeResponse.PASS


def test_a_beavered_doubler_plays_on_unless_it_would_lose_more_than_the_stake():
    beavered = MatchState(cube=2, cube_owner=1)

    def takes(*outcome):
        return Decider(fixed_engine(*outcome)).takes_beaver(START, beavered)

    assert takes(0.45, 0, 0, 0.1, 0)
    assert not takes(0.2, 0, 0, 0.3, 0)
    # At 0.40 the game is worth -0.2 with a dead cube, and less against one that the other side holds.
    assert takes(0.40, 0, 0, 0.0, 0)
    assert not takes(0.38, 0, 0, 0.1, 0)


def test_any_outcome_at_any_score_gives_a_legal_action():
    chance = random.Random(5)
    doubles = 0
    for number in range(400):
        win = chance.choice([0.0, 1.0, chance.random()])
        win_g, lose_g = win * chance.random(), (1 - win) * chance.random()
        engine = fixed_engine(win, win_g, win_g * chance.random(), lose_g, lose_g * chance.random())
        match = random_match_state(chance)
        before = MatchState(**{**match.__dict__, "roll": None, "doubled": False, "resigned": 0})
        decision = engine.evaluate(START, before).decision
        for noise in (0.0, 0.1):
            decider = Decider(engine, noise_points=noise, seed=number)
            doubled = decider.should_double(START, before)
            assert not doubled or before.may_double(before.on_roll)
            doubles += doubled
            assert decider.choose_response(START, before) is not CubeResponse.BEAVER or (
                match.is_money and match.beavers
            )
        if win == 0.0 and match.is_money:
            assert decision.doubling is not DoublingAction.DOUBLE
        evaluation = engine.evaluate(START, before)
        assert match.is_money or 0.0 <= evaluation.mwc <= 1.0
    assert doubles > 25


def noisy(noise_points, seed=1):
    return Decider(Engine(SmoothEvaluator(), None, pruning=UNPRUNED), None, noise_points, seed)


def test_without_noise_the_best_play_is_chosen_whatever_the_seed():
    for seed in range(5):
        choice = noisy(0.0, seed).choose_play(MIDGAME, (4, 2), MatchState())
        assert choice.chosen == choice.ranked.best


def test_errors_never_cost_more_than_four_times_the_noise_and_small_ones_are_commonest():
    costs = []
    for seed in range(600):
        choice = noisy(0.03, seed).choose_play(MIDGAME, (4, 2), MatchState())
        costs.append(choice.ranked.best.evaluation.equity - choice.chosen.evaluation.equity)
    costs = np.array(costs)
    assert costs.min() == 0.0
    assert 0.03 < costs.max() < 4 * 0.03
    assert (costs < 0.03).sum() > (costs >= 0.03).sum() > 0


def test_a_decision_depends_on_the_seed_and_not_on_those_before_it():
    decider = noisy(0.1, 3)
    forth = [decider.choose_play(MIDGAME, roll, MatchState()).chosen for roll in ROLLS]
    back = [decider.choose_play(MIDGAME, roll, MatchState()).chosen for roll in reversed(ROLLS)]
    assert forth == back[::-1]
    assert forth != [noisy(0.1, 4).choose_play(MIDGAME, roll, MatchState()).chosen for roll in ROLLS]


def test_the_errors_of_one_roll_say_nothing_of_those_of_another():
    decider = Decider(fixed_engine(0.5, 0, 0, 0, 0), noise_points=0.1)
    choices = [decider.choose_play(MIDGAME, roll, MatchState()) for roll in ROLLS]
    shares = [choice.rank / len(choice.ranked) for choice in choices if len(choice.ranked) > 9]
    assert max(shares) - min(shares) > 0.5


def test_only_plays_of_the_full_depth_are_chosen_by_an_erring_player():
    decider = Decider(Engine(SmoothEvaluator()), EvalSettings(1, "tiny"), noise_points=1.0)
    for roll in ROLLS[:8]:
        choice = decider.choose_play(MIDGAME, roll, MatchState())
        assert choice.chosen.survived
        assert choice.chosen.evaluation.plies == 1


def test_cube_errors_are_made_where_the_decision_is_close_and_not_where_it_is_clear():
    def shares(win, win_g=0.0):
        deciders = [Decider(fixed_engine(win, win_g, 0, 0, 0), None, 0.05, seed) for seed in range(200)]
        doubled = np.mean([decider.should_double(START, MatchState()) for decider in deciders])
        taken = np.mean(
            [decider.choose_response(START, MatchState()) is CubeResponse.TAKE for decider in deciders]
        )
        return doubled, taken

    close, clear_take, clear_pass = shares(0.78), shares(0.70), shares(0.98)
    assert 0.2 < close[1] < 0.8
    assert clear_take[1] == 1.0
    assert clear_pass[1] == 0.0
    assert shares(0.4)[0] == 0.0
    assert 0.0 < shares(0.68)[0] < 1.0
    assert shares(0.95, 0.85) == (0.0, 0.0)  # too good to double: the other side passes


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("noise", {"noise_points": -0.1}),
        ("noise", {"noise_points": 1.1}),
        ("noise", {"noise_points": float("nan")}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**63}),
    ],
)
def test_impossible_players_are_refused_by_field(field, options):
    with pytest.raises(ValueRangeError) as caught:
        Decider(fixed_engine(0.5, 0, 0, 0, 0), **options)
    assert caught.value.field == field


def test_a_game_that_is_over_has_no_plays():
    with pytest.raises(StateError):
        Decider(fixed_engine(0.5, 0, 0, 0, 0)).choose_play(
            boards.position(x={}, o={20: 1}), (3, 1), MatchState()
        )
