"""Searched plays: depths are never mixed, the survivors come first, and a stopped search still answers."""

import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import invert_outcomes
from gammond.engine.search import (
    FILTERS,
    UNPRUNED,
    IterativeSearch,
    NPlyEvaluator,
    Pruning,
    SearchWatch,
    TreeSearch,
    find_move_filter,
)
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.engine.search.tree import Objective
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards
from tests.support.naive_ranking import rank_plays

PRUNED = Pruning(keep=3, margin=0.1)
MIDGAME = boards.position(x={24: 1, 18: 2, 13: 3, 8: 3, 6: 4, 5: 2}, o={1: 2, 7: 2, 12: 4, 17: 2, 19: 5})


def pruned_search(threads=1, evaluator=None):
    pruner = EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
    tree = TreeSearch(pruner, PRUNED, threads=threads)
    return IterativeSearch(Objective(evaluator or SmoothEvaluator()), tree)


def ranked_by(search, position, roll, plies, filter_name=DEFAULT_FILTER):
    return list(search.rank(position, roll, plies, find_move_filter(filter_name)))


def test_at_zero_plies_plays_are_ranked_as_without_search():
    found = ranked_by(pruned_search(), MIDGAME, (3, 1), 0)
    ranked = rank_plays(SmoothEvaluator(), MIDGAME, (3, 1))
    assert [each.play for each in found] == [each.play for each in ranked]
    assert [each.evaluation.outcome for each in found] == [each.evaluation.outcome for each in ranked]
    assert all(each.survived and each.evaluation.plies == 0 for each in found)


@pytest.mark.parametrize("filter_name", ["tiny", "narrow", "normal"])
@pytest.mark.parametrize("plies", [1, 2])
def test_survivors_come_first_then_the_others_by_depth_and_equity(filter_name, plies):
    found = ranked_by(pruned_search(), MIDGAME, (6, 4), plies, filter_name)
    assert {each.play for each in found} == set(legal_plays(MIDGAME, (6, 4)))
    order = [(each.evaluation.plies, each.evaluation.equity) for each in found]
    assert order == sorted(order, reverse=True)
    assert [each.survived for each in found] == [each.evaluation.plies == plies for each in found]
    assert not all(each.survived for each in found)


def test_every_candidate_has_the_value_of_its_own_depth():
    found = ranked_by(pruned_search(), MIDGAME, (6, 4), 2, "narrow")
    assert {each.evaluation.plies for each in found} == {0, 1, 2}
    for each in found:
        evaluator = SmoothEvaluator()
        pruner = EvaluatorPruner(SmoothEvaluator(knows_the_end=True))
        after = NPlyEvaluator(evaluator, pruner, each.evaluation.plies, PRUNED).evaluate(
            each.play.result.board[None]
        )
        assert each.evaluation.outcome == tuple(invert_outcomes(after)[0].tolist())
        assert each.evaluation.equity == pytest.approx(each.evaluation.outcome.equity, abs=1e-6)


def test_survivors_are_those_that_the_filter_lets_through():
    found = ranked_by(pruned_search(), MIDGAME, (6, 4), 1, "narrow")
    before = ranked_by(pruned_search(), MIDGAME, (6, 4), 0)
    number = FILTERS["narrow"].count_survivors([each.evaluation.equity for each in before], 0)
    assert {each.play for each in found if each.survived} == {each.play for each in before[:number]}


def test_plies_of_the_evaluator_are_added():
    evaluator = NPlyEvaluator(SmoothEvaluator(), None, 1, UNPRUNED)
    position = boards.position(x={3: 2}, o={20: 2})
    search = IterativeSearch(Objective(evaluator), TreeSearch(None, UNPRUNED))
    found = ranked_by(search, position, (2, 1), 1, "huge")
    assert found[0].evaluation.plies == 2


def stopping_after(asked):
    """A stop flag that goes up when it has been asked so many times."""
    left = [asked]

    def cancelled():
        left[0] -= 1
        return left[0] < 0

    return cancelled


def test_a_search_that_is_stopped_gives_the_ranking_of_the_last_finished_depth():
    whole = pruned_search().rank(MIDGAME, (4, 2), 1, FILTERS["normal"])
    checks = []
    pruned_search().rank(MIDGAME, (4, 2), 1, FILTERS["normal"], SearchWatch(lambda: bool(checks.append(1))))
    watch = SearchWatch(stopping_after(len(checks) + 3))
    found = pruned_search().rank(MIDGAME, (4, 2), 3, FILTERS["normal"], watch)
    assert not found.effort.is_finished
    assert found.effort.plies == 1
    assert found == whole


def test_a_search_that_is_stopped_at_once_still_has_an_answer():
    found = pruned_search().rank(MIDGAME, (4, 2), 4, FILTERS["normal"], SearchWatch(lambda: True))
    assert (found.effort.is_finished, found.effort.plies) == (False, 0)
    assert found.best.play == rank_plays(SmoothEvaluator(), MIDGAME, (4, 2))[0].play


def test_progress_is_reported_at_each_depth_and_while_one_is_searched(monkeypatch):
    monkeypatch.setattr("gammond.engine.search.watch.PROGRESS_EVERY_S", 0.0)
    reports = []
    watch = SearchWatch(progress=reports.append)
    found = pruned_search(threads=2).rank(MIDGAME, (4, 2), 2, FILTERS["tiny"], watch)
    efforts = [report.effort for report in reports]
    assert [effort.nodes for effort in efforts] == sorted(effort.nodes for effort in efforts)
    assert {effort.plies for effort in efforts if not effort.is_finished} >= {1, 2}
    finished = [effort for effort in efforts if effort.is_finished]
    assert [effort.plies for effort in finished] == [0, 1, 2]
    assert finished[-1].nodes == found.effort.nodes
    assert 0.0 <= finished[0].elapsed_s <= finished[-1].elapsed_s <= found.effort.elapsed_s


def test_the_nodes_are_all_that_the_evaluator_was_asked():
    evaluator = SmoothEvaluator()
    found = pruned_search(evaluator=evaluator).rank(MIDGAME, (4, 2), 2, FILTERS["tiny"])
    assert found.effort.nodes == sum(evaluator.batches)


def test_a_decided_choice_can_end_the_search_early():
    bearing_off = boards.position(x={1: 2}, o={20: 2})
    for early, plies in ((True, 0), (False, 2)):
        found = pruned_search().rank(bearing_off, (2, 1), 2, FILTERS["normal"], stop_when_decided=early)
        assert (found.effort.plies, found.effort.is_finished) == (plies, True)


def test_a_pass_is_a_candidate_at_full_depth():
    shut_out = boards.position(x={25: 1, 6: 14}, o={19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 1: 3})
    found = ranked_by(pruned_search(), shut_out, (6, 5), 1)
    assert len(found) == 1
    assert found[0].play.is_no_move
    assert (found[0].evaluation.plies, found[0].survived) == (1, True)


def test_a_game_that_is_won_by_a_play_is_worth_what_was_won():
    winning = boards.position(x={1: 1}, o={6: 15})
    best = ranked_by(pruned_search(), winning, (2, 1), 2)[0]
    assert best.evaluation.equity == 3.0
    assert best.evaluation.plies == 2


def test_bad_requests_are_refused_by_field():
    for field, plies, filter_name in (("plies", 5, "tiny"), ("plies", -1, "tiny"), ("filter", 1, "wide")):
        with pytest.raises(ValueRangeError) as caught:
            ranked_by(pruned_search(), MIDGAME, (3, 1), plies, filter_name)
        assert caught.value.field == field
    with pytest.raises(ValueRangeError, match="threads"):
        pruned_search(threads=0)
