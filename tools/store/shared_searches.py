"""Searches of what is due in a store, several at a time by an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import lru_cache

from gammond.engine.analysis.deepening import Deepening, search_in_time
from gammond.engine.store.database import DueQuestion
from gammond.engine.store.entries import KeptEntry, StoreQuestion
from gammond.nets.catalogue import load_engine
from gammond.tools.parallel.executor import CHECK_S, Executor

_SEARCHES_AHEAD = 2
"""Searches for each worker besides the one at hand."""


@dataclass(frozen=True)
class _Task:
    net: str
    question: StoreQuestion
    plies: int
    max_search_s: float

    def __str__(self) -> str:
        return f"{self.question.xgid} ({self.question.settings}) at {self.plies}-ply by {self.net}"


def deepen_by_executor(
    loop: Deepening, executor: Executor, net: str, max_search_s: float, is_stopped: Callable[[], bool]
) -> Iterator[DueQuestion]:
    """Search what is due a ply deeper by an executor, and commit each answer as it comes.

    Args:
        loop: Has the questions, and keeps the answers.
        executor: Does the work.
        net: The name of the evaluator.
        max_search_s: The time for one search.
        is_stopped: Asked some times a second; when it returns true, searches that have not ended are dropped.

    Yields:
        What was searched, in the order of the answers.

    Raises:
        DataFileError: The file cannot be written.
        LimitError: Those who search are gone.
    """
    searches: dict[Future[KeptEntry | None], DueQuestion] = {}
    try:
        while not is_stopped():
            while len(searches) <= _SEARCHES_AHEAD * executor.count and (due := loop.take()):
                task = _Task(net, due.question, due.plies, max_search_s)
                searches[executor.submit(_search, task)] = due
            if not searches:
                return
            for ended in wait(searches, CHECK_S, FIRST_COMPLETED).done:
                due, entry = searches.pop(ended), ended.result()
                loop.finish(due, entry)
                if entry is not None:
                    yield due
    finally:
        for search in searches:
            search.cancel()


def _search(task: _Task) -> KeptEntry | None:
    search = _load_engine(task.net).search_entry
    return search_in_time(search, task.question, task.plies, task.max_search_s)


_load_engine = lru_cache(1)(load_engine)
