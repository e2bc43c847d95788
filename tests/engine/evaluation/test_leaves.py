"""Evaluators and pruners that a compiled loop asks."""

import threading

import numpy as np
import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.leaves import open_question
from gammond.engine.kernels import kernel
from gammond.engine.kernels.interrupts import ask_question, ask_results
from gammond.engine.runtime import threads
from gammond.engine.runtime.threads import hold_turn, release_turn
from tests.support import boards

pytestmark = pytest.mark.nojit
SAMPLE = boards.random_boards(7, seed=3)


@kernel
def evaluate(cells, who, sample, results):
    """Return whether it is to stop."""
    return ask_question(cells, 5) or ask_results(cells, who, sample, results)


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
