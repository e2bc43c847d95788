"""Turns in the interpreter."""

from __future__ import annotations

import threading

import pytest

from gammond.engine.runtime.threads import release_turn
from gammond.protocol.core.interpreter import InterpreterTurns
from gammond.protocol.core.jobs import LineJob
from gammond.protocol.core.jobs import PendingRequest as Request
from gammond.protocol.core.requests import BLOCK_LINES, JsonReply, Reply, Work, WorkControl


class CountedTurns(InterpreterTurns):
    """Counts turns, and what is said in them."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def take(self, **options):
        self.count += 1
        return super().take(**options)


def ask_for_turn(turns, name, said, **options):
    """Ask in a thread, and return once it waits."""

    def work():
        said.append(name if turns.take(**options) else f"{name} without")
        if not said[-1].endswith("without"):
            turns.release()

    thread = threading.Thread(target=work, daemon=True)
    waiting = len(turns._waiting)
    thread.start()
    while len(turns._waiting) == waiting and thread.is_alive():
        pass
    return thread


def test_the_serving_thread_is_next_and_workers_follow_in_the_order_of_asking():
    turns, said = InterpreterTurns(), []
    assert turns.take()
    threads = [ask_for_turn(turns, name, said) for name in ("first", "second", "third")]
    threads.append(ask_for_turn(turns, "server", said, is_first=True))
    assert said == []
    turns.release()
    for thread in threads:
        thread.join(60)
    assert said == ["server", "first", "second", "third"]
    assert turns.take(gives_up=lambda: True)


def test_who_gives_up_goes_on_without_a_turn_and_leaves_the_others_theirs():
    turns, said = InterpreterTurns(), []
    with turns.hold():
        ask_for_turn(turns, "stopped", said, gives_up=lambda: True).join(60)
        assert said == ["stopped without"]
        waiting = ask_for_turn(turns, "waiting", said)
        with turns.leave():
            waiting.join(60)
    assert said[1:] == ["waiting"]


@pytest.mark.parametrize(("lines", "turns_taken"), [(1, 0), (BLOCK_LINES, 0), (BLOCK_LINES * 3 + 1, 4)])
def test_long_answers_are_written_in_several_turns(lines, turns_taken):
    replies = [Reply("play", values={"number": number}, is_final=False) for number in range(lines)]
    job = LineJob(work=Work(lambda control: replies), request=Request("@a", is_ordered=False))
    job.control.interpreter = turns = CountedTurns()
    result = job.run(lambda reply: None)
    text = (result if isinstance(result, bytes) else b"".join(result)).decode()
    assert text.splitlines() == [f"@a play number={number}" for number in range(lines)]
    assert turns.count == turns_taken


@pytest.mark.parametrize("writes_json", [False, True])
def test_a_long_object_is_written_in_several_turns_as_at_once(writes_json):
    results = [{"position": f'"results":[] {number}', "moves": "x" * 1000} for number in range(300)]
    document = {"id": '"results":[]', "final": True, "results": results, "stopped": True}
    reply = JsonReply(document)
    request = Request("@a", is_ordered=False, writes_json=writes_json)
    job = LineJob(work=Work(lambda control: [reply], answer_bytes=300_000), request=request)
    job.control.interpreter = turns = CountedTurns()
    whole = request.encode([reply])
    pieces = job.run(lambda reply: None)
    assert b"".join(pieces) == whole
    assert max(map(len, pieces)) < 70_000
    assert turns.count == 5


def test_blocks_are_those_of_the_whole_and_the_serving_thread_needs_no_turns():
    made = WorkControl().run_in_blocks(150, lambda block: range(block.start, block.stop))
    assert made == list(range(150))


def test_a_worker_gives_its_turn_away_while_compiled_code_works_and_has_none_once_stopped():
    turns, said, control = InterpreterTurns(), [], WorkControl()
    control.interpreter = turns
    with control.take_interpreter():
        waiting = ask_for_turn(turns, "other", said)
        assert said == []
        with release_turn():
            waiting.join(60)
        assert said == ["other"]
    with turns.hold():
        control.stop()
        with control.take_interpreter(), release_turn():
            pass
        ask_for_turn(turns, "late", said, gives_up=lambda: True).join(60)
    assert said == ["other", "late without"]
    assert not turns._is_taken
