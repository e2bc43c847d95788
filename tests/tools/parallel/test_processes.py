"""Work in several processes: results in order, whoever does it."""

import os
import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from gammond.engine.errors import LimitError, StateError, ValueRangeError
from gammond.tools.parallel.executor import do_nothing, map_ahead
from gammond.tools.parallel.processes import ProcessPool, is_stopping


def square(number: int) -> int:
    return number * number


def process_id(number: int) -> int:
    return os.getpid()


def refused(number: int) -> int:
    raise StateError(f"not {number}")


def test_one_process_is_the_caller():
    with ProcessPool(1) as processes:
        assert list(processes.map(square, range(5))) == [0, 1, 4, 9, 16]
        assert set(processes.map(process_id, range(3))) == {os.getpid()}
        with pytest.raises(StateError, match="not 0"):
            list(processes.map(refused, range(2)))


def test_tasks_whose_results_nobody_waits_for_are_dropped():
    futures = []

    def submit(number):
        futures.append(future := Future())
        if number == 0:
            future.set_result(number)
        return future

    results = map_ahead(submit, range(10), lambda: 3, do_nothing)
    assert next(results) == 0
    results.close()
    assert [future.cancelled() for future in futures] == [False, True, True]


def killed(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_several_processes_give_results_in_order_and_one_that_is_killed_is_an_error():
    with ProcessPool(2) as processes:
        assert list(processes.map(square, range(6))) == [0, 1, 4, 9, 16, 25]
        with pytest.raises(LimitError, match="was killed"):
            list(processes.map(killed, range(3)))


def current_folder(number: int) -> str:
    return os.getcwd()


def test_processes_begin_where_the_folder_of_the_caller_is_closed_to_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(tmp_path))  # as in another user's home
    with ProcessPool(2) as processes:
        assert set(processes.map(current_folder, range(2))) == {os.sep}


def test_processes_begin_where_the_folder_of_the_caller_is_gone(tmp_path, monkeypatch):
    (folder := tmp_path / "gone").mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with ProcessPool(2) as processes:
        assert set(processes.map(current_folder, range(2))) == {os.sep}


def leave_threads_at_work(number: int) -> int:
    pool = ThreadPoolExecutor(2)
    pool.submit(time.sleep, 600)  # as one that compiles a kernel

    def go_on():
        while True:
            pool.submit(time.sleep, 0.01).result()

    threading.Thread(target=go_on, daemon=True).start()
    return number


def test_a_process_ends_in_silence_and_at_once_whatever_its_threads_are_at(capfd):
    began_s = time.monotonic()
    with ProcessPool(2) as processes:
        assert list(processes.map(leave_threads_at_work, range(2))) == [0, 1]
    assert time.monotonic() - began_s < 300
    assert capfd.readouterr().err == ""


def wait_for_the_end(number: int) -> int:
    if number:
        while not is_stopping():
            time.sleep(0.01)
    return number


def test_leaving_stops_work_that_asks_and_drops_what_has_not_begun():
    began_s = time.monotonic()
    with ProcessPool(2) as processes:
        results = processes.map(wait_for_the_end, range(100))
        assert next(results) == 0
        results.close()
    assert time.monotonic() - began_s < 300
    assert not is_stopping()


@pytest.mark.parametrize("count", [0, -1, 1000])
def test_an_impossible_number_is_refused(count):
    with pytest.raises(ValueRangeError, match="worker processes"):
        ProcessPool(count)
