"""Questions of kernels to Python, and locks between threads."""

import ctypes
import gc
import signal
import threading
import weakref

import numpy as np
import pytest

from gammond.engine.kernels import interrupts, kernel
from gammond.engine.kernels.interrupts import Question, ask_question, try_lock, unlock


@kernel
def ask(cells, numbers):
    """Return after how many questions to stop: all of them at most."""
    asked = 0
    while asked < numbers.shape[0] and not ask_question(cells, numbers[asked]):
        asked += 1
    return asked


@kernel
def add_under_lock(lock, total, times):
    for _ in range(times):
        while not try_lock(lock):
            pass
        total[0] += 1
        unlock(lock)


@pytest.mark.nojit
def test_a_kernel_asks_a_function_of_python_whether_to_stop():
    heard = []

    def answer(number):
        heard.append(number)
        return number < 0

    question = Question(answer)
    assert ask(question.cells, np.array([3, 0, -4, 5])) == 2
    assert heard == [3, 0, -4]
    question.check()


@pytest.mark.nojit
def test_what_the_function_raises_stops_the_kernel_and_is_raised_once_by_the_check():
    def answer(number):
        if number < 0:
            raise ValueError(number)

    question = Question(answer)
    assert ask(question.cells, np.array([1, -2, 3])) == 1
    with pytest.raises(ValueError, match="-2"):
        question.check()
    question.check()
    assert ask(question.cells, np.array([1, 3])) == 2


class AlarmError(Exception):
    """What a handler of signals raises."""


def ring(number, frame):
    raise AlarmError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("error", [AlarmError, KeyboardInterrupt])
def test_a_signal_stops_a_kernel_that_asks_and_nothing_is_written(error, capfd):
    """However it falls: at whatever instruction of the function, or while compiled code runs."""
    handler = ring if error is AlarmError else signal.default_int_handler
    before = signal.signal(signal.SIGALRM, handler)
    question, numbers = Question(lambda number: len(range(number))), np.zeros(200_000, np.int64)
    ask(question.cells, numbers[:1])

    def ask_until_a_signal_comes():
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        while True:
            ask(question.cells, numbers)
            question.check()

    try:
        for _ in range(200):
            with pytest.raises(error):
                ask_until_a_signal_comes()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert capfd.readouterr().err == ""


@pytest.mark.nojit
def test_a_question_without_an_answer_is_an_interrupt(monkeypatch):
    """A second one, while the first is noted, ends what answers."""
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: None)
    question = Question(lambda number: False)
    question._callback = interrupts._CALLBACK(lambda number: None)
    question.cells[0] = ctypes.c_void_p.from_buffer(question._callback).value
    assert ask(question.cells, np.array([1, 2])) == 0
    with pytest.raises(KeyboardInterrupt):
        question.check()


def test_a_question_goes_with_what_asks_it():
    class Asker:
        def __init__(self):
            self.question = Question(self.ask)

        def ask(self, number):
            return False

    asker = weakref.ref(Asker())
    gc.collect()
    assert asker() is None


def test_threads_under_a_lock_do_not_lose_additions():
    lock, total, times = np.zeros(1, np.int64), np.zeros(1, np.int64), 200_000
    add_under_lock(lock, total, 1)
    threads = [threading.Thread(target=add_under_lock, args=(lock, total, times)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total[0] == 1 + 2 * times
