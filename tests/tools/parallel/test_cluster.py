"""Work on a cluster: the same results in the same order, whoever dies."""

import math
import os
import re
import time
from pathlib import Path

import pytest

from gammond.engine.errors import CancelledWork, LimitError, StateError, ValueRangeError
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools.parallel import cluster
from gammond.tools.parallel.cluster import (
    ClusterExecutor,
    read_local_count,
    shorten_task,
    start_local_workers,
    use_dask_settings,
)
from gammond.tools.parallel.cluster_key import make_key_file
from gammond.tools.parallel.cluster_link import ClusterLink
from gammond.tools.parallel.identity import ProgramIdentity, check_nets
from tests.protocol.talking import talk

distributed = pytest.importorskip("distributed")
pytest.importorskip("cryptography")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def executor():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "_MOST_DEATHS", 3)  # each takes a second
        patch.setitem(cluster.DASK_CONFIG, "distributed.scheduler.allowed-failures", 2)
        with ClusterExecutor("local:2") as executor:
            yield executor


def square(number: int) -> int:
    time.sleep(0.01 * (number % 3))
    return number * number


def wait_a_while(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def process_id(number: int) -> int:
    return os.getpid()


def read_environment(name: str) -> str | None:
    return os.environ.get(name)


def refuse(number: int) -> int:
    raise StateError(f"not {number}", field="number")


def die_once(mark: str) -> str:
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os._exit(1)


def die(number: int) -> int:
    if number == 1:
        os._exit(1)
    return number


def test_results_come_in_the_order_of_the_tasks_from_several_processes(executor):
    assert list(executor.map(square, range(40))) == [number * number for number in range(40)]
    found = set(executor.map(process_id, range(20)))
    assert len(found) == 2
    assert os.getpid() not in found
    assert executor.count == 2
    assert executor.note == "2 workers"


def test_tasks_are_taken_as_they_are_needed(executor):
    taken = []

    def tasks():
        for number in range(1000):
            taken.append(number)
            yield number

    results = executor.map(square, tasks())
    assert next(results) == 0
    assert len(taken) < 20
    results.close()


def test_a_job_seldom_asks_how_many_workers_there_are(executor, monkeypatch):
    asked = []
    monkeypatch.setattr(cluster, "_COUNT_EVERY_S", 1e6)
    monkeypatch.setattr(ClusterExecutor, "count_workers", lambda self: asked.append(1) or 2)
    monkeypatch.setattr(executor, "_counted_s", -math.inf)
    assert len(list(executor.map(square, range(40)))) == 40
    assert executor.count == 2
    assert len(asked) == 1


def test_workers_keep_memory_for_the_next_task(executor):
    (threshold,) = executor.map(read_environment, ["MALLOC_TRIM_THRESHOLD_"])
    assert threshold == os.environ.get("MALLOC_TRIM_THRESHOLD_")


def test_what_work_raises_reaches_the_caller_with_its_field(executor):
    with pytest.raises(StateError, match="not 3") as raised:
        list(executor.map(refuse, [3]))
    assert raised.value.field == "number"
    with pytest.raises(StateError, match="not 4"):
        executor.submit(refuse, 4).result()


def test_a_task_whose_worker_dies_is_done_by_another(executor, tmp_path):
    marks = [str(tmp_path / str(number)) for number in range(2)]
    assert list(executor.map(die_once, marks)) == ["done"] * 2


def test_a_task_that_kills_every_worker_is_reported_with_its_input(executor, monkeypatch):
    with pytest.raises(LimitError, match=r"3 workers died of the same task.* it is 1$"):
        list(executor.map(die, [1]))
    assert list(executor.map(die, [0, 2])) == [0, 2]


def test_a_task_that_nobody_wants_any_more_is_dropped(executor):
    busy = [executor.submit(wait_a_while, 1.0) for _ in range(4)]
    unwanted = executor.submit(square, 3)
    assert unwanted.cancel()
    assert executor.submit(square, 4).result() == 16
    assert [each.result() for each in busy] == [1.0] * 4
    assert unwanted.cancelled()


def test_those_who_wait_are_asked_whether_they_still_want_it(executor):
    def give_up():
        raise CancelledWork("enough")

    began_s = time.monotonic()
    with pytest.raises(CancelledWork):
        list(executor.map(wait_a_while, [30.0], give_up))
    assert time.monotonic() - began_s < 29.0


def test_a_task_is_reported_on_one_line_that_is_not_too_long():
    assert shorten_task("a\nb") == "a b"
    assert len(shorten_task("word " * 1000)) <= 500


def ask_server(link):
    connection = connect(Session(Service(make_shipped_catalogue()), 1))
    connection.handler.session.service.cluster = link
    text = "newgame\ndice 3 1\nrollout trials=72 truncate=3 candidates=2 stop_jsd=0"
    lines = [line for line in talk(text, connection) if not line.startswith("info ")]
    return [re.sub(r"elapsed_ms=\d+", "", line) for line in lines]


def test_a_server_hands_out_rollouts_and_answers_the_same():
    said = []
    with (
        use_dask_settings(make_key_file()),
        start_local_workers(2, distributed.Security()) as started,
    ):
        link = ClusterLink(started.scheduler_address, said.append)
        with link.keep_open():
            while not link.count_workers():
                time.sleep(0.01)
            answer = ask_server(link)
    assert answer == ask_server(None)
    assert "long work is done here" not in said[-1]


def test_a_worker_with_another_program_refuses_to_work(monkeypatch):
    other = ProgramIdentity("0.0.0", "f" * 64, (), "znver1-00000000", "00000000", ("Python 3.11",))
    monkeypatch.setattr(cluster, "read_identity", lambda: other)
    with ClusterExecutor("local:1") as executor, pytest.raises(StateError, match=r"expected gammond 0\.0\.0"):
        list(executor.map(square, [1]))


def test_a_worker_with_other_nets_refuses_to_work():
    with (
        ClusterExecutor("local:1", {"default": {"strong-race": "0" * 64}}) as executor,
        pytest.raises(StateError, match=r"other nets for default: .*expected strong-race 000000000000"),
    ):
        list(executor.map(square, [1]))
    check_nets({})


@pytest.mark.parametrize(
    "address", ["local:0", "local:x", "local:", "host", "host:", ":5", "host:70000", "", "tcp://host:1"]
)
def test_an_address_that_is_none_is_an_error(address):
    with pytest.raises(ValueRangeError, match="expected HOST:PORT"):
        read_local_count(address)


def test_where_no_scheduler_answers_the_message_says_how_to_begin_one(monkeypatch):
    make_key_file()
    monkeypatch.setattr(cluster, "_CONNECT_S", 1)
    with pytest.raises(StateError, match="gammond cluster start"), ClusterExecutor("127.0.0.1:9"):
        pass


def test_who_has_another_key_or_none_reaches_no_worker(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "_CONNECT_S", 2)
    with (
        use_dask_settings(make_key_file()),
        start_local_workers(1, distributed.Security()) as started,
    ):
        address = started.scheduler_address
        monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
        with pytest.raises(StateError, match=r"the key of the cluster is not at .*cluster\.pem"):
            ClusterExecutor(address).__enter__()
        make_key_file()
        with pytest.raises(StateError, match="no cluster of the same key answers"):
            ClusterExecutor(address).__enter__()
