"""The public API in several processes: what is sent between them, pools of both kinds, and forks."""

from __future__ import annotations

import concurrent.futures
import copy
import gc
import inspect
import multiprocessing
import os
import pickle
import threading
import time
from dataclasses import fields, is_dataclass

import pytest

import gammond
from gammond import Client, Engine, MatchState, Position
from gammond.api.errors import make_server_error

START = Position.start()
MATCH = gammond.read_match(b" 5 point match\n\n Game 1\n ann : 0    bob : 0\n  1) 31: 8/5 6/5    64: 24/14\n")

ERRORS = [
    *(kind("a message", field="name") for kind in (
        gammond.GammondError, gammond.FormatError, gammond.ValueRangeError, gammond.PositionError,
        gammond.PlayError, gammond.StateError, gammond.UnsupportedError, gammond.LimitError,
        gammond.DataFileError, gammond.CancelledWork, gammond.ConnectionLost,
    )),
    *(make_server_error(code, "a message", "name") for code in (
        "bad_command", "bad_value", "bad_state", "unsupported", "limit", "data_file", "stopped", "internal",
    )),
    gammond.StateError("a problem", field="name", missing="dice", advice="roll"),
    gammond.DataFileError("a message", public_message="another"),
]  # fmt: skip

SINGLE = {"Engine", "Client", "AsyncClient", "Player"}
"""What belongs to one process."""


@pytest.fixture(scope="module")
def results():
    """An object of each public class but errors and those of one process."""
    engine = Engine("fast")
    ranked, cube = engine.rank(START, (3, 1)), engine.cube(START)
    rollout = engine.rollout(START, (3, 1), trials=6, truncation=1, candidates=2)
    analysed = engine.analyse(MATCH, 0)
    (game,) = analysed.games
    found = [
        START, MatchState(length=5, dice=(3, 1)), ranked.best.play, ranked, ranked.best, ranked.best.outcome,
        cube, cube.evaluation, engine.evaluate_many([START, START]), rollout, rollout.plays[0],
        rollout.plays[0].estimate, analysed, game, game.actions[0], game.actions[0].analysed_plays[0],
        engine.opinion(START, "phase-heuristic")[0],
    ]  # fmt: skip
    return {type(each).__name__: each for each in found}


def _list_classes():
    named = {name: getattr(gammond, name) for name in gammond.__all__}
    return {
        name: each
        for name, each in named.items()
        if inspect.isclass(each) and each.__module__.startswith("gammond")
    }


def _describe(value):
    """Return all fields of a result, those too that are not compared."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: _describe(getattr(value, each.name))
            for each in fields(value)
            if each.name != "_source"
        }
    return value.tolist() if hasattr(value, "tolist") else value


def test_all_public_errors_are_sent():
    errors = {name for name, kind in _list_classes().items() if issubclass(kind, Exception)}
    sent = {type(error) for error in ERRORS}
    assert errors == {kind.__name__ for kind in sent if kind.__name__ in gammond.__all__}
    assert sent >= {gammond.ServerError, *gammond.ServerError.__subclasses__()}


def test_a_result_is_the_same_in_another_process(results):
    assert results.keys() == _list_classes().keys() - {type(error).__name__ for error in ERRORS} - SINGLE
    for result in results.values():
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert type(again) is type(result)
            assert _describe(again) == _describe(result)
    match = pickle.loads(pickle.dumps(results["Match"]))
    assert (match.to_sgf(), match.to_dict()) == (results["Match"].to_sgf(), results["Match"].to_dict())


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_in_another_process(error):
    again = pickle.loads(pickle.dumps(error))
    for other in (again, copy.copy(error), copy.deepcopy(error), error.with_field("name")):
        assert type(other) is type(error)
        assert (other.args, vars(other).keys()) == (error.args, vars(error).keys())
        assert (str(other), other.code, other.message) == (str(error), error.code, error.message)


def raise_error(place):
    raise ERRORS[place]


def ask_server(plies):
    with Client.spawn() as client:
        assert client.evaluate(START).plies == 0
        return client.evaluate(START, plies=plies)


def ask_engine(dice):
    return Engine("fast").rank(START, dice)


METHODS = [
    name for name in ("spawn", "forkserver", "fork") if name in multiprocessing.get_all_start_methods()
]


def make_pool(kind, method):
    """Make a pool by a start method; return it, and what sends it work: a future or its like."""
    context = multiprocessing.get_context(method)
    if kind == "multiprocessing":
        pool = context.Pool(1)
        return pool, lambda work, value: pool.apply_async(work, (value,)).get(600)
    executor = concurrent.futures.ProcessPoolExecutor(1, context)
    return executor, lambda work, value: executor.submit(work, value).result(600)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "method"),
    [("multiprocessing", METHODS[0]), ("concurrent.futures", METHODS[-1])],
)
def test_pools_of_processes_bring_results_and_errors_back(kind, method):
    pool, run = make_pool(kind, method)
    with pool:
        for place, error in enumerate(ERRORS):
            with pytest.raises(type(error)) as caught:
                run(raise_error, place)
            assert caught.value.code == error.code
        if (kind, method) != ("multiprocessing", METHODS[0]):
            return
        assert run(ask_engine, (3, 1)).best.play.text == "8/5 6/5"
        with pytest.raises(gammond.ServerError) as refused:
            run(ask_server, 9)
        assert (refused.value.code, refused.value.field) == ("bad_value", "plies")


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")


def fork(act):
    """Run something in a forked process, and return what it wrote; an error if it took too long."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(writing, str(act()).encode())
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    deadline_s = time.monotonic() + 60
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > deadline_s:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            pytest.fail("the forked process hangs")
        time.sleep(0.01)
    with open(reading, "rb") as pipe:
        return pipe.read().decode()


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    made = Engine("fast", threads=2, store=tmp_path_factory.mktemp("store") / "kept.sqlite")
    made.rank(START, (3, 1), plies=2)
    return made


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_process_that_is_forked_while_nobody_searches_uses_the_engine(engine):
    assert fork(lambda: engine.rank(START, (4, 2), plies=2).best.play.text) == "8/4 6/4"
    assert fork(lambda: engine.rollout(START, trials=36, truncation=2).trials) == "36"


@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("ask", [
    lambda engine: engine.evaluate(START), lambda engine: engine.evaluate_many([START]),
    lambda engine: engine.rank(START, (3, 1)), lambda engine: engine.cube(START),
    lambda engine: engine.rollout(START), lambda engine: engine.analyse(MATCH, 0),
    lambda engine: Engine("fast"),
])  # fmt: skip
def test_a_process_that_is_forked_while_a_thread_searches_refuses_to_ask(engine, ask):
    cancel, has_begun = threading.Event(), threading.Event()
    work = threading.Thread(
        target=engine.rollout,
        args=(START,),
        kwargs={"trials": 100_000, "progress": lambda done: has_begun.set(), "cancel": cancel},
    )
    work.start()
    try:
        assert has_begun.wait(60)
        assert fork(lambda: ask(engine)).startswith("StateError: this process was forked while a thread")
    finally:
        cancel.set()
        work.join()
    assert engine.evaluate(START).plies == 0


@pytest.mark.slow
@needs_fork
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_client_answers_in_the_process_that_made_it_alone():
    with Client.spawn() as client:
        assert client.evaluate(START).plies == 0
        assert fork(lambda: client.evaluate(START)).startswith(
            "ConnectionLost: this client is that of process"
        )
        assert fork(client.close) == "None"
        assert client.evaluate(START).plies == 0
        assert fork(lambda: drop(client)) == "None"
        assert client.evaluate(START).plies == 0


def drop(client):
    """Forget all that a client holds."""
    vars(client).clear()
    gc.collect()


def test_a_question_may_ask_another_one(engine):
    seen = []
    engine.rollout(
        START, trials=72, truncation=1, progress=lambda done: seen.append(engine.evaluate(START).plies)
    )
    assert set(seen) == {0}
