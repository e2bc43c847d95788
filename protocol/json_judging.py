"""The work behind a JSON query: its positions judged in their order, as far as its budget goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import msgspec

from engine.analyst import Analyst
from engine.dice import Roll
from engine.errors import LimitError
from engine.judged import JudgedPlay, JudgedPosition
from engine.levels import Depth
from engine.match import MatchState
from engine.notation import format_play
from engine.position import Position
from engine.search import SearchProgress, SearchWatch
from protocol.arguments import blaming
from protocol.handlers.cubes import decision_values
from protocol.handlers.judging import judged_values
from protocol.replies import rounded
from protocol.requests import Control, JsonReply, Value

CHUNKS = (256, 48, 8, 1, 1)
"""Positions judged together, by plies: between two of these, results are kept whatever happens later."""


@dataclass
class Budget:
    """What a query may take, from the moment at which it came.

    Attributes:
        control: Stops it.
        clock: Seconds.
        deadline_s: When its time is over, by that clock; None for never.
        plays: How many plays it may still judge.
    """

    control: Control
    clock: Callable[[], float]
    deadline_s: float | None
    plays: int

    def is_spent(self) -> bool:
        """Say whether the query is stopped or out of time."""
        is_late = self.deadline_s is not None and self.clock() > self.deadline_s
        return self.control.is_stopped or is_late

    def take_plays(self, count: int) -> None:
        """Count judged plays.

        Raises:
            LimitError: They are too many.
        """
        self.plays -= count
        if self.plays < 0:
            raise LimitError(
                "the plays of all positions are too many for one query: send several", field="positions"
            )


@dataclass(frozen=True)
class Wanted:
    """What a query wants to know of each position.

    Attributes:
        what: Some of ``eval``, ``moves`` and ``cube``.
        depth: How deep.
        max_moves: How many plays to show; None for all.
        progress_every: After how many more positions to report; None for no reports.
    """

    what: Sequence[str]
    depth: Depth
    max_moves: int | None
    progress_every: int | None


@dataclass
class Item:
    """One position of a query, and what was found out about it.

    Attributes:
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll.
        roll: The dice for ``moves``.
        name: What errors call it.
        result: What the answer says of it.
    """

    position: Position
    match: MatchState
    roll: Roll | None
    name: str
    result: dict[str, object]


@dataclass
class QueryJudging:
    """Judges the positions of a query in their order, as far as its budget goes.

    Attributes:
        analyst: Judges.
        wanted: What to find out.
        budget: What it may take.
        head: What each object of its answer begins with.
        done: Positions that are done.
        is_cut: Whether one of them is not judged as deep as was asked for.
    """

    analyst: Analyst
    wanted: Wanted
    budget: Budget
    head: dict[str, object]
    done: int = 0
    is_cut: bool = False
    _total: int = field(default=0, init=False)

    def run(self, items: list[Item]) -> None:
        """Fill in results until all are there or the budget is spent."""
        self._total = len(items)
        size = CHUNKS[self.wanted.depth.plies]
        for start in range(0, len(items), size):
            if self.budget.is_spent():
                return
            chunk = items[start : start + size]
            if {"eval", "cube"} & set(self.wanted.what):
                self._judge(chunk)
            if "moves" not in self.wanted.what:
                self._count(len(chunk))
                continue
            for item in chunk:
                if self.budget.is_spent():
                    return
                self._rank(item)
                self._count(1)

    def _count(self, more: int) -> None:
        """Count positions that are done, and report them when it is time to."""
        before, self.done = self.done, self.done + more
        every = self.wanted.progress_every
        if every and self.done // every > before // every and self.done < self._total:
            self._report({})

    def _report(self, effort: dict[str, object]) -> None:
        progress = {**self.head, "final": False, "done": self.done, "total": self._total, **effort}
        self.budget.control.report(JsonReply(progress, is_final=False))

    def _watch(self) -> SearchWatch:
        """Watch one search: stopped with the query, and told of while it lasts if the query wants that."""

        def tell(progress: SearchProgress) -> None:
            if not progress.finished:
                self._report({"nodes": progress.nodes, "time_ms": int(progress.elapsed_s * 1000)})

        return SearchWatch(self.budget.is_spent, tell if self.wanted.progress_every else None)

    def _judge(self, items: list[Item]) -> None:
        for match, group in _by_match(items):
            positions = [item.position for item in group]
            with blaming(group[0].name):
                judged = self.analyst.judge_all(positions, match, self.wanted.depth, self._watch())
            for item, found in zip(group, judged, strict=True):
                self._enter(item, found)

    def _enter(self, item: Item, judged: JudgedPosition) -> None:
        self.is_cut |= not judged.is_finished
        if "eval" in self.wanted.what:
            item.result["eval"] = _rounded({**judged_values(judged), "plies": judged.plies})
        if "cube" in self.wanted.what and judged.decision is not None:
            item.result["cube"] = _rounded({**decision_values(judged.decision), "plies": judged.plies})

    def _rank(self, item: Item) -> None:
        """Add the ranked plays, as text already: as objects they would take ten times the memory."""
        assert item.roll is not None
        depth, watch = self.wanted.depth, self._watch()
        with blaming(item.name):
            ranked = self.analyst.rank_plays(item.position, item.roll, item.match, depth, watch)
        self.budget.take_plays(len(ranked.plays))
        self.is_cut |= not ranked.is_finished
        moves = [_play_document(play) for play in ranked.plays[: self.wanted.max_moves]]
        item.result["moves"] = msgspec.Raw(msgspec.json.encode(moves))


def _by_match(items: list[Item]) -> Iterator[tuple[MatchState, list[Item]]]:
    """Split into runs of one match state."""
    for match, group in groupby(items, key=lambda item: item.match):
        yield match, list(group)


def _play_document(play: JudgedPlay) -> dict[str, Value]:
    numbers = _rounded(judged_values(play))
    return {"play": format_play(play.play), **numbers, "plies": play.plies, "survived": play.survived}


def _rounded(values: dict[str, Value]) -> dict[str, Value]:
    """Round as on the wire."""
    return {name: rounded(value) if isinstance(value, float) else value for name, value in values.items()}
