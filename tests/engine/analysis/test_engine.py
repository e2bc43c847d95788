"""Evaluations of positions, plays and cubes: what they are made of, and that they agree with each other."""

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.engine import CACHE_COLUMNS, Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches, search_score_matrix
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, compute_score_matrix, make_cube_game
from gammond.engine.errors import CancelledWork, PositionError, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.rules import cube_actions
from gammond.engine.rules.match import MAX_CUBE, MatchState, make_canonical
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import ALL_FEATURES, BACKGAMMON, Feature, Rules
from gammond.engine.search import UNPRUNED, NPlyEvaluator, Pruning, SearchWatch, ValueCache
from gammond.engine.search.ranked_plays import RankedPlays
from tests.engine.opinions import fixed_engine
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

START = Position.start()
MIDGAME = boards.position(x={24: 1, 18: 2, 13: 3, 8: 3, 6: 4, 5: 2}, o={1: 2, 7: 2, 12: 4, 17: 2, 19: 5})
ENDING = boards.position(x={6: 1, 3: 2}, o={20: 2, 22: 1})
LONG_RACE = boards.position({6: 8, 7: 7}, {18: 7, 19: 8})
WON = boards.position(x={}, o={20: 15})
STATES = [
    MatchState(),
    MatchState(jacoby=True, on_roll=1),
    MatchState(cube=2, cube_owner=0),
    MatchState(cube=2, cube_owner=1),
    MatchState(length=7, score=(2, 4)),
    MatchState(length=5, score=(4, 2), crawford=True),
    MatchState(length=5, score=(4, 2), on_roll=1),
    MatchState(length=3, score=(1, 1), cube=2, cube_owner=1),
    MatchState(length=1),
]
ANY = pytest.mark.parametrize("match", STATES, ids=range(len(STATES)))
PRUNED = Pruning(keep=3, margin=0.1)
CUBELESS = EvalSettings(is_cubeful=False)


def smooth(threads=1, cache=None, pruning=PRUNED):
    pruner = EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    return Engine(SmoothEvaluator(), pruner, cache=cache, threads=threads, pruning=pruning)


def exact():
    return Engine(SmoothEvaluator(), pruning=UNPRUNED)


def what_was_found(evaluation):
    return with_effort(evaluation, nodes=0, elapsed_s=0.0)


def with_effort(found, **changes):
    effort = replace(found.effort, **changes)
    return replace(found, effort=effort) if isinstance(found, RankedPlays) else found._replace(effort=effort)


@pytest.mark.parametrize("position", [MIDGAME, LONG_RACE], ids=["contact", "race"])
@ANY
def test_without_look_ahead_the_cube_is_decided_by_the_outcome_and_the_efficiency_of_the_position(
    match, position
):
    evaluation = exact().evaluate(position, match)
    outcome = Outcome(*map(float, SmoothEvaluator().evaluate(position.board[None])[0]))
    efficiencies = DEFAULT_EFFICIENCIES.for_boards(position.board[None], np.array([outcome], np.float32))[0]
    expected = make_cube_game(match, max_cube_turns=1).decide_outcome(outcome, efficiencies)
    assert evaluation.decision == expected
    assert evaluation.outcome == outcome
    assert evaluation.cubeless_equity == pytest.approx(outcome.equity, abs=1e-6)
    assert (evaluation.cubeful, evaluation.mwc) == (expected.best.equity, expected.best.mwc)
    assert (evaluation.effort.plies, evaluation.effort.is_finished, evaluation.effort.nodes) == (0, True, 1)


@ANY
def test_without_the_cube_there_is_no_decision_and_equity_is_what_it_is_with_it(match):
    evaluation = exact().evaluate(MIDGAME, match, CUBELESS)
    assert evaluation.decision is None
    assert evaluation.cubeful is None
    with_cube = exact().evaluate(MIDGAME, match)
    assert evaluation.cubeless_equity == pytest.approx(with_cube.cubeless_equity, abs=1e-6)
    assert (evaluation.mwc is None) == match.is_money
    if not match.is_money:
        assert 0.0 < evaluation.mwc < 1.0


@ANY
@pytest.mark.parametrize("plies", [0, 1])
def test_a_play_is_worth_what_the_position_after_it_is_not_to_the_other_side(match, plies):
    found = exact().rank_plays(ENDING, (2, 1), match, EvalSettings(plies, "huge"))
    assert found.effort.plies == plies
    for each in found[:4]:
        own = each.evaluation
        after = exact().evaluate(each.play.result, match.next_turn(), EvalSettings(own.plies))
        assert own.cubeful == pytest.approx(-after.cubeful, abs=2e-5)
        assert own.cubeless_equity == pytest.approx(-after.cubeless_equity, abs=1e-6)
        assert own.equity == own.cubeful
        if not match.is_money:
            assert own.mwc == pytest.approx(1.0 - after.mwc, abs=1e-6)


@ANY
@pytest.mark.parametrize(
    "depth", [EvalSettings(), EvalSettings(1, "tiny"), CUBELESS, EvalSettings(1, "tiny", False)]
)
def test_all_plays_are_ranked_by_their_scores_those_of_the_greatest_depth_first(match, depth):
    found = smooth().rank_plays(MIDGAME, (6, 4), match, depth)
    assert {each.play for each in found} == set(legal_plays(MIDGAME, (6, 4)))
    order = [(each.evaluation.plies, each.evaluation.equity) for each in found]
    assert order == sorted(order, reverse=True)
    assert [each.survived for each in found] == [each.evaluation.plies == depth.plies for each in found]
    assert found.best == found[0]
    assert all((each.evaluation.mwc is None) == match.is_money for each in found)
    assert all((each.evaluation.cubeful is None) != depth.is_cubeful for each in found)


def test_without_the_cube_plays_are_scored_by_equity_for_money_and_at_the_present_cube_in_a_match():
    for each in exact().rank_plays(MIDGAME, (6, 4), MatchState(), CUBELESS):
        assert each.evaluation.equity == pytest.approx(each.evaluation.cubeless_equity, abs=1e-6)
    for each in exact().rank_plays(MIDGAME, (6, 4), MatchState(length=1), CUBELESS):
        assert each.evaluation.mwc == pytest.approx(each.evaluation.outcome.win, abs=1e-6)
        assert each.evaluation.equity == pytest.approx(2.0 * each.evaluation.mwc - 1.0, abs=1e-6)


@pytest.mark.parametrize("ask", ["evaluate", "rank_plays"])
def test_the_cube_of_a_match_above_one_has_an_owner(ask):
    question = (START,) if ask == "evaluate" else (START, (3, 1))
    with pytest.raises(PositionError, match="owner"):
        getattr(exact(), ask)(*question, MatchState(length=7, cube=2))
    getattr(exact(), ask)(*question, MatchState(length=7, cube=2), CUBELESS)


@ANY
def test_a_finished_game_is_worth_what_was_won_and_has_no_cube(match):
    for plies in (0, 2):
        evaluation = exact().evaluate(WON, match, EvalSettings(plies))
        assert evaluation.decision is None
        assert evaluation.outcome == Outcome(1.0, 1.0, 0.0, 0.0, 0.0)
        assert evaluation.cubeless_equity == 2.0
        assert evaluation.effort.plies == plies
    if match.is_money:
        assert evaluation.cubeful == (1.0 if match.jacoby and match.cube_owner is None else 2.0)


@ANY
def test_answers_are_bitwise_the_same_on_any_threads_and_with_any_cache(match):
    depth = EvalSettings(2, "narrow")
    position = what_was_found(smooth().evaluate(MIDGAME, match, depth))
    plays = what_was_found(smooth().rank_plays(MIDGAME, (4, 2), match, depth))
    cached = smooth(cache=ValueCache(1 << 8, CACHE_COLUMNS))
    for engine in (smooth(threads=3), smooth().with_threads(2), cached, cached, cached.with_threads(2)):
        assert what_was_found(engine.evaluate(MIDGAME, match, depth)) == position
        assert what_was_found(engine.rank_plays(MIDGAME, (4, 2), match, depth)) == plays


def test_the_cache_is_as_wide_as_the_widest_question():
    widest = max(
        len(make_cube_game(MatchState(length=25), max_cube_turns=plies + 1).states) for plies in range(5)
    )
    assert widest + 5 == CACHE_COLUMNS


@ANY
def test_positions_evaluated_together_are_evaluated_as_each_alone(match):
    positions = [MIDGAME, ENDING, WON, MIDGAME, LONG_RACE]
    together = smooth().evaluate_positions(positions, match, EvalSettings(1))
    alone = [smooth().evaluate(position, match, EvalSettings(1)) for position in positions]
    assert list(map(what_was_found, together)) == list(map(what_was_found, alone))
    assert smooth().evaluate_positions([], match) == []


def stopping_after(asked):
    """A stop flag that goes up when it has been asked so many times."""
    left = [asked]

    def cancelled():
        left[0] -= 1
        return left[0] < 0

    return cancelled


@pytest.mark.parametrize("depth", [EvalSettings(3, "tiny"), EvalSettings(3, "tiny", False)])
@pytest.mark.parametrize("reached", [0, 1, 2])
def test_what_is_stopped_answers_with_the_last_finished_depth(depth, reached):
    def send_command(engine, name, depth, watch):
        question = (MIDGAME,) if name == "evaluate" else (MIDGAME, (4, 2))
        return getattr(engine, name)(*question, MatchState(length=5), depth, watch)

    for name in ("evaluate", "rank_plays"):
        checks = []
        less = replace(depth, plies=reached)
        whole = send_command(smooth(), name, less, SearchWatch(lambda checks=checks: bool(checks.append(1))))
        stopped = send_command(smooth(), name, depth, SearchWatch(stopping_after(len(checks) + 1)))
        assert not stopped.effort.is_finished
        assert stopped.effort.plies == reached
        assert what_was_found(with_effort(stopped, is_finished=True)) == what_was_found(whole)


@pytest.mark.parametrize("ask", ["evaluate", "rank_plays"])
def test_progress_is_reported_at_each_depth_of_plays_with_the_best(ask):
    reports, question = [], (MIDGAME, (4, 2)) if ask == "rank_plays" else (MIDGAME,)
    watch = SearchWatch(progress=reports.append)
    found = getattr(smooth(), ask)(*question, MatchState(), EvalSettings(2), watch)
    finished = [report for report in reports if report.effort.is_finished]
    assert [report.effort.plies for report in finished] == [0, 1, 2]
    assert finished[-1].effort.nodes == found.effort.nodes > 100
    if ask == "evaluate":
        assert not any(report.best for report in reports)
        return
    best = [report.best for report in finished]
    assert [play.evaluation.plies for play in best] == [0, 1, 2]
    assert (best[-1].play, best[-1].evaluation.equity) == (found.best.play, found.best.evaluation.equity)


def test_a_search_can_stop_when_one_candidate_is_left():
    forced = boards.position(x={1: 2}, o={20: 2})
    for early, plies in ((True, 0), (False, 2)):
        found = exact().rank_plays(forced, (2, 1), MatchState(), EvalSettings(2), stop_when_decided=early)
        assert (found.effort.plies, found.effort.is_finished) == (plies, True)


def test_look_ahead_changes_the_decision_where_the_game_ends_soon():
    """Two checkers on the ace point: the side on roll cannot lose, which its evaluator does not see."""
    sure = boards.position(x={1: 2}, o={24: 1})
    engine = fixed_engine(0.5, 0, 0, 0, 0)
    assert not engine.evaluate(sure, MatchState()).decision.should_double
    evaluation = engine.evaluate(sure, MatchState(), EvalSettings(1))
    assert evaluation.decision.should_double
    assert evaluation.decision.response is CubeResponse.PASS
    assert (evaluation.outcome.win, evaluation.cubeful, evaluation.effort.plies) == (1.0, 1.0, 1)


@pytest.mark.parametrize("plies", [0, 1])
def test_a_beaver_is_evaluated_at_the_cube_that_a_take_leaves(plies):
    beavered = cube_actions.beaver(cube_actions.double(MatchState()))
    for position in (START, MIDGAME, ENDING):
        beaver = smooth().evaluate_beaver(position, beavered, EvalSettings(plies, is_cubeful=False))
        held = (
            smooth().evaluate(position, cube_actions.take(beavered), EvalSettings(plies)).decision.no_double
        )
        assert beaver.equity == 2 * held.equity
        settled = smooth().evaluate_beaver(position, beavered.without_offers(), EvalSettings(plies))
        assert settled.equity == beaver.equity


def test_at_the_highest_cube_a_beaver_leaves_nobody_a_use_for_it():
    beavered = MatchState(cube=MAX_CUBE // 2, cube_owner=1, doubled=True, beavered=True)
    beaver = fixed_engine(0.26, 0, 0, 0, 0).evaluate_beaver(START, beavered)
    assert beaver.equity == pytest.approx(2 * (2 * 0.26 - 1))
    assert beaver.equity > -1.0


def test_the_score_matrix_without_look_ahead_is_that_of_the_outcome():
    outcome = (0.7, 0.2, 0.01, 0.1, 0.005)
    rows = np.array([outcome], np.float32)
    efficiencies = DEFAULT_EFFICIENCIES.for_boards(START.board[None], rows)

    def decide(match):
        game = make_cube_game(make_canonical(match))
        return game.decide(game.evaluate(rows, efficiencies)[0])

    expected = compute_score_matrix(decide, 4)
    assert search_score_matrix(fixed_engine(*outcome), START, 4) == (expected, False)


def test_the_score_matrix_looks_ahead_at_each_score():
    matrix = search_score_matrix(smooth(), MIDGAME, 3, settings=EvalSettings(1))[0]
    money = smooth().evaluate(MIDGAME, MatchState(beavers=False), EvalSettings(1)).decision
    assert matrix.money == money
    at_score = smooth().evaluate(MIDGAME, MatchState(length=3, score=(1, 0)), EvalSettings(1)).decision
    assert matrix.rows[1][2].no_double.mwc == pytest.approx(at_score.no_double.mwc, abs=1e-6)
    assert matrix.rows[1][2].text == at_score.text
    assert matrix != search_score_matrix(smooth(), MIDGAME, 3)[0]


def test_a_score_matrix_can_be_stopped_and_refuses_impossible_requests():
    with pytest.raises(CancelledWork):
        search_score_matrix(smooth(), MIDGAME, 3, settings=EvalSettings(1), watch=SearchWatch(lambda: True))
    for field, options in (("away", {"away": 1}), ("cube", {"away": 3, "cube": 3})):
        with pytest.raises(ValueRangeError) as caught:
            search_score_matrix(smooth(), MIDGAME, **options)
        assert caught.value.field == field


def test_looking_ahead_gives_an_evaluator_of_that_depth():
    engine = smooth()
    assert engine.make_n_ply_evaluator(0) is engine.evaluator
    deeper = engine.make_n_ply_evaluator(1)
    pruner = EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    expected = NPlyEvaluator(SmoothEvaluator(), pruner, 1, PRUNED)
    sample = MIDGAME.board[None]
    assert deeper.plies == 1
    assert np.array_equal(deeper.evaluate(sample), expected.evaluate(sample))
    with pytest.raises(ValueRangeError, match="plies"):
        engine.make_n_ply_evaluator(5)


def test_the_evaluators_of_a_rollout_look_ahead_as_asked_and_luck_is_measured_without():
    evaluators = make_rollout_evaluators(smooth(), plies=1, leaf_plies=2)
    assert (evaluators.leaf.plies, evaluators.cube_evaluator.plies, evaluators.luck_evaluator.plies) == (
        2,
        1,
        0,
    )
    plain = make_rollout_evaluators(smooth())
    assert (plain.leaf.plies, plain.cube_evaluator.plies) == (0, 0)
    assert plain.policy.name == "smooth 1"
    assert evaluators.policy.name != plain.policy.name


def test_positions_of_several_matches_are_evaluated_without_the_cube_where_the_rules_have_none():
    without_cube = Rules(replace(BACKGAMMON, features=ALL_FEATURES - {Feature.CUBE}))
    engine = Engine(RacingEvaluator(), rules=without_cube)
    positions = boards.random_boards(4, seed=2)
    matches, indices = (MatchState(), MatchState(length=3)), np.array([0, 1, 0, 1])
    found = evaluate_matches(engine, positions, matches, indices)
    assert found.cubeful is None


@pytest.mark.parametrize("states", [1, 3])
@pytest.mark.parametrize("plies", [0, 1])
def test_positions_of_several_matches_get_the_cube_decisions_that_each_gets_alone(plies, states):
    engine = Engine(RacingEvaluator())
    positions = boards.random_boards(6, seed=2)
    matches = (MatchState(length=3), MatchState(), MatchState(cube=2, cube_owner=1))[:states]
    indices, settings = np.arange(6) % states, EvalSettings(plies)
    found = evaluate_matches(engine, positions, matches, indices, settings, decides=True)
    for board, which, decision, cubeful in zip(
        positions, indices.tolist(), found.decisions, found.cubeful, strict=True
    ):
        alone = engine.evaluate(Position(board), matches[which], settings)
        assert decision == alone.decision
        assert cubeful == pytest.approx(alone.cubeful, abs=1e-6)
    assert evaluate_matches(engine, positions, matches, indices, settings).decisions is None
