"""Threads that take turns."""

import threading

import pytest

from engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from engine.rollout import RolloutEvaluators, RolloutSettings, roll_out
from engine.runtime.thread_turns import hold_turn, release_turn
from engine.search import NPlyEvaluator
from tests import boards


def test_a_turn_that_is_passed_on_comes_back_before_the_work_goes_on():
    came, log = threading.Event(), []

    def other():
        with hold_turn():
            log.append("other")
            came.set()

    with hold_turn():
        thread = threading.Thread(target=other)
        thread.start()
        assert not came.wait(0.05)
        with release_turn():
            assert came.wait(5)
        log.append("own")
    thread.join(5)
    assert log == ["other", "own"]


def test_a_thread_without_a_turn_has_none_to_pass_on():
    with release_turn():
        pass
    with hold_turn():
        pass


def test_an_interrupt_while_a_turn_is_waited_for_gives_no_turn_of_another_away():
    """A signal ends the waiting, and another thread has the turn by then."""

    class InterruptedTurn:
        held = 0

        def acquire(self):
            if self.was_released:
                raise KeyboardInterrupt
            self.held += 1

        def release(self):
            assert self.held
            self.held -= 1
            self.was_released = True

        was_released = False

    turn = InterruptedTurn()
    with pytest.raises(KeyboardInterrupt), hold_turn(turn), release_turn():
        pass
    assert turn.held == 0
    with release_turn():
        pass


def test_a_search_with_threads_inside_a_rollout_with_threads_ends():
    evaluator = boards.RacingEvaluator()
    pruner = EvaluatorPruner(evaluator)
    deep = ShortlistPruner(pruner, NPlyEvaluator(evaluator, pruner, 1, threads=2))
    start = boards.position({6: 3, 5: 2, 3: 2}, {21: 3, 20: 2, 19: 2})
    settings = RolloutSettings(trials=72, truncation=3, variance_reduction=False, threads=2)
    found = roll_out([start], RolloutEvaluators(deep, evaluator), settings)
    assert found.state.count_trials() == 72
