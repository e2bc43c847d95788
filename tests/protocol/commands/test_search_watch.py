"""The watch of a search: progress and cancellation."""

from __future__ import annotations

import pytest

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.protocol.commands.evaluation import make_search_watch
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import WorkControl


def told_by(act, **options):
    """The lines that a watch reports while something is done with it."""
    lines = []
    act(make_search_watch(WorkControl(lambda reply: lines.append(format_reply(reply))), **options))
    return [line.partition(" time_ms")[0] for line in lines]


def two_depths(watch):
    for plies in (0, 1):
        watch.begin_depth(plies)
        watch.count(10)
        watch.end_depth()


def test_finished_depths_are_reported_from_the_first_that_is_wanted():
    assert told_by(two_depths) == ["info depth 2 nodes 20"]
    assert told_by(two_depths, from_plies=0) == ["info depth 1 nodes 10", "info depth 2 nodes 20"]
    assert told_by(two_depths, from_plies=9) == []


def test_the_best_play_stands_behind_its_depth():
    play = legal_plays(Position.start(), (3, 1))[0]
    best = RankedPlay(play, Evaluation(0.25, Outcome(0.5, 0, 0, 0, 0), plies=1))
    lines = []
    watch = make_search_watch(WorkControl(lambda reply: lines.append(format_reply(reply))))
    watch.begin_depth(1)
    watch.end_depth([best])
    assert " multipv 1 score 0.250000 pv " in lines[0]


def test_effort_is_reported_within_a_depth_but_not_at_0_ply(monkeypatch):
    monkeypatch.setattr("gammond.engine.search.watch.PROGRESS_EVERY_S", 0.0)

    def count_within(plies):
        def act(watch):
            watch.begin_depth(plies)
            watch.count(7)

        return act

    assert told_by(count_within(0), from_plies=0) == []
    assert told_by(count_within(2), from_plies=9) == ["info nodes 7"]


def test_it_stops_with_its_work_and_at_its_deadline():
    control, now_s = WorkControl(), [0.0]
    watch = make_search_watch(control, 2.0, lambda: now_s[0])
    watch.check()
    now_s[0] = 2.0
    with pytest.raises(CancelledWork):
        watch.check()
    endless = make_search_watch(control)
    endless.check()
    control.stop()
    with pytest.raises(CancelledWork):
        endless.check()
