"""Evaluators and pruners that a compiled loop asks."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.leaves import find_leaves, open_question
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.kernels import kernel
from gammond.engine.kernels.interrupts import ask_plays, ask_question, ask_results
from gammond.engine.kernels.nets.routing import evaluate_all
from gammond.engine.rules.outcome import evaluate_finished
from gammond.engine.runtime import threads
from gammond.engine.runtime.threads import hold_turn, release_turn
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards

pytestmark = pytest.mark.nojit
SAMPLE = boards.random_boards(7, seed=3)


@kernel
def evaluate(cells, who, sample, results):
    """Return whether it is to stop."""
    return ask_question(cells, 5) or ask_results(cells, who, sample, results)


@kernel
def prune(cells, sample, dice, children, moves, equities, offsets):
    """Return whether it is to stop."""
    return ask_plays(cells, 0, sample, dice, children, moves, equities, offsets)


def test_the_evaluator_of_a_number_is_asked_and_may_keep_the_positions():
    kept, said = [], []

    def double(given):
        kept.append(given)
        return 2.0 * given[:, 0, :3]

    question = open_question(said.append, [None, double])
    results = np.empty((7, 3), np.float32)
    assert not evaluate(question.cells, 1, SAMPLE.copy(), results)
    question.check()
    np.testing.assert_array_equal(results, 2.0 * SAMPLE[:, 0, :3])
    np.testing.assert_array_equal(kept[0], SAMPLE)
    assert said == [5, 0]  # whether to stop is asked before an evaluation too


def test_plays_are_those_of_the_pruner():
    pruner, dice = EvaluatorPruner(SmoothEvaluator()), np.array([[6, 1]] * 7, np.int8)
    expected = pruner.prune_plays(SAMPLE, dice, 3, 0.2)
    question = open_question(lambda _: False, (), [lambda *given: pruner.prune_plays(*given, 3, 0.2)])
    room = np.empty((21, 2, 26), np.int8), np.empty((21, 8), np.int8), np.empty(21, np.float32)
    offsets = np.zeros(8, np.int64)
    assert not prune(question.cells, SAMPLE, dice, *room, offsets)
    question.check()
    np.testing.assert_array_equal(offsets, expected.offsets)
    for found, wanted in zip(room, (expected.children, expected.moves, expected.equities), strict=True):
        np.testing.assert_array_equal(found[: len(wanted)], wanted)


@pytest.mark.parametrize("error", [CancelledWork("stopped"), KeyboardInterrupt()])
def test_what_is_raised_ends_the_loop_and_is_raised_after_it(error):
    def fail(_):
        raise error

    question = open_question(lambda _: False, [fail])
    assert evaluate(question.cells, 0, SAMPLE, np.empty((7, 5), np.float32))
    with pytest.raises(type(error)):
        question.check()


def test_results_of_another_shape_are_refused():
    question = open_question(lambda _: False, [lambda given: np.zeros((len(given), 4))])
    assert evaluate(question.cells, 0, SAMPLE, np.empty((7, 5), np.float32))
    with pytest.raises(ValueError, match="broadcast"):
        question.check()


def test_who_is_asked_holds_the_turn_that_the_loop_has_released():
    turn, held = threading.Lock(), []

    def look(given):
        held.append(turn.locked())
        return np.zeros((len(given), 5))

    question = open_question(lambda _: False, [look])
    with hold_turn(turn):
        with release_turn():
            assert not turn.locked()
            evaluate(question.cells, 0, SAMPLE, np.empty((7, 5), np.float32))
            assert not turn.locked()
        assert turn.locked()
    question.check()
    assert held == [True]
    assert threads._thread_state.turn is None


def test_an_evaluator_with_nothing_but_evaluate_is_asked_for_all_positions_and_finished_ones_are_exact():
    evaluator = SmoothEvaluator()
    finished = boards.position(x={}, o={19: 3}).board[None]
    sample, outcomes = np.concatenate([SAMPLE, finished]), np.empty((8, 5), np.float32)
    nets, asked = find_leaves(evaluator)
    assert asked == (evaluator,)
    question = open_question(lambda _: False, [each.evaluate for each in asked])
    assert not evaluate_all(nets, question.cells, sample, outcomes)
    question.check()
    np.testing.assert_array_equal(outcomes[:7], SmoothEvaluator().evaluate(SAMPLE))
    np.testing.assert_array_equal(outcomes[7:], evaluate_finished(finished))
