"""Workers give results in order and leave nothing running behind; threads take turns."""

import threading
import time

import pytest

from gammond.engine.errors import CancelledWork, ValueRangeError
from gammond.engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, roll_out
from gammond.engine.runtime.threads import Workers, hold_turn, release_turn, retake_turn
from gammond.engine.search import NPlyEvaluator
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads):
    def work(item):
        time.sleep(0.001 * (7 - item % 7))
        return item * item

    assert Workers(threads).map(work, range(30)) == [item * item for item in range(30)]


def test_work_that_passes_its_turn_on_is_done_side_by_side():
    together = threading.Barrier(3, timeout=60)

    def work(_):
        with release_turn():
            return together.wait()

    assert len(Workers(3).map(work, range(3))) == 3


@pytest.mark.parametrize("threads", [1, 4])
def test_a_failure_is_raised_when_no_other_work_is_running(threads):
    running = []

    def work(item):
        running.append(item)
        time.sleep(0.01)
        running.remove(item)
        if item == 3:
            raise ValueError("three")
        return item

    with pytest.raises(ValueError, match="three"):
        Workers(threads).map(work, range(40))
    assert running == []


def test_nothing_to_do_is_done_at_once():
    assert Workers(2).map(lambda item: item, []) == []


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_other_numbers_of_threads_are_refused(threads):
    with pytest.raises(ValueRangeError) as caught:
        Workers(threads)
    assert caught.value.field == "threads"


def test_a_caller_does_not_wait_for_threads_that_are_busy_with_others_items():
    workers, may_end, began = Workers(2), threading.Event(), threading.Barrier(3)

    def keep_busy(_):
        with release_turn():
            began.wait(60)
            may_end.wait(60)

    busy = threading.Thread(target=lambda: workers.map(keep_busy, range(2)))
    busy.start()
    began.wait(60)
    assert workers.map(lambda item: item, range(4)) == [0, 1, 2, 3]
    assert busy.is_alive()
    may_end.set()
    busy.join(60)


def test_after_a_failure_no_further_item_is_begun():
    done = []

    def work(item):
        if item == 0:
            raise CancelledWork("cancelled")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(CancelledWork):
        Workers(2).map(work, range(1000))
    assert len(done) <= 2


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
            assert came.wait(60)
        log.append("own")
    thread.join(60)
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
            if not self.held:
                raise RuntimeError
            self.held -= 1
            self.was_released = True

        was_released = False

    turn = InterruptedTurn()
    with pytest.raises(KeyboardInterrupt), hold_turn(turn), release_turn():
        pass
    assert turn.held == 0
    with release_turn():
        pass


@pytest.mark.parametrize("interrupted", [1, 2])
def test_an_interrupt_just_after_a_turn_came_leaves_it_to_others(interrupted):
    """A signal that arrives while a turn is taken is raised before anything notes who has it."""

    class Turn:
        lock = threading.RLock()
        count = 0

        def acquire(self):
            self.lock.acquire()
            self.count += 1
            if self.count == interrupted:
                raise KeyboardInterrupt

        def release(self):
            self.lock.release()

    turn = Turn()
    with pytest.raises(KeyboardInterrupt), hold_turn(turn), release_turn():
        pass
    free = []
    other = threading.Thread(target=lambda: free.append(turn.lock.acquire(blocking=False)))
    other.start()
    other.join(60)
    assert free == [True]
    with retake_turn():  # nothing is left to be taken again
        assert turn.count == interrupted


def test_a_search_with_threads_inside_a_rollout_with_threads_ends():
    evaluator = RacingEvaluator()
    pruner = EvaluatorPruner(evaluator)
    deep = ShortlistPruner(pruner, NPlyEvaluator(evaluator, pruner, 1, threads=2))
    start = boards.position({6: 3, 5: 2, 3: 2}, {21: 3, 20: 2, 19: 2})
    settings = RolloutSettings(trials=72, truncation=3, variance_reduction=False, threads=2)
    found = roll_out([start], RolloutEvaluators(deep, evaluator), settings)
    assert found.state.count_trials() == 72
