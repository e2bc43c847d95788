"""Questions of kernels to Python, and locks between threads."""

import threading

import numpy as np
import pytest

from engine.kernels import kernel
from engine.kernels.interrupts import CALLBACK, call_back, find_address, try_lock, unlock


@kernel
def ask(address, numbers):
    total = 0
    for i in range(numbers.shape[0]):
        total += call_back(address, numbers[i])
    return total


@kernel
def take(lock):
    return try_lock(lock)


@kernel
def free(lock):
    unlock(lock)


@kernel
def add_under_lock(lock, total, times):
    for _ in range(times):
        while not try_lock(lock):
            pass
        total[0] += 1
        unlock(lock)


@pytest.mark.nojit
def test_a_kernel_asks_a_function_of_python():
    asked = []

    def answer(number):
        asked.append(number)
        return 10 * number

    question = CALLBACK(answer)
    assert ask(find_address(question), np.array([3, 0, -4])) == -10
    assert asked == [3, 0, -4]


@pytest.mark.nojit
def test_a_lock_is_taken_once():
    lock = np.zeros(1, np.int64)
    assert take(lock)
    assert not take(lock)
    free(lock)
    assert take(lock)


def test_threads_under_a_lock_do_not_lose_additions():
    lock, total, times = np.zeros(1, np.int64), np.zeros(1, np.int64), 200_000
    add_under_lock(lock, total, 1)
    threads = [threading.Thread(target=add_under_lock, args=(lock, total, times)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total[0] == 1 + 2 * times
