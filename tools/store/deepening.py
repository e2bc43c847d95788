"""What is asked often searched deeper, for a time: here, or several searches at a time by an executor."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from gammond.engine.analysis.deepening import MAX_SEARCH_S, Deepening, search_in_time
from gammond.engine.errors import CancelledWork, FormatError, StateError, ValueRangeError
from gammond.engine.store.database import DEFAULT_TIERS, DepthTiers, DueQuestion
from gammond.engine.store.entries import KeptEntry, StoreQuestion
from gammond.engine.store.options import read_store_options
from gammond.engine.store.store import AnalysisStore
from gammond.engine.wording import format_count
from gammond.nets.catalogue import identify_engine, load_engine
from gammond.tools.common.command_options import option, threads_option
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt
from gammond.tools.common.opponents import collect_net_hashes
from gammond.tools.common.progress import Progress
from gammond.tools.common.strength import DEFAULT_NET, net_option
from gammond.tools.parallel.executor import CHECK_S, Executor
from gammond.tools.parallel.options import Cluster, make_executor
from gammond.tools.store.files import StoreFile, format_depths, open_store

_SEARCHES_AHEAD = 2
"""Searches for each worker besides the one at hand."""

MAX_DURATION_S = 365 * 24 * 3600

_UNITS_S = {"s": 1, "m": 60, "h": 3600}
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([smh])")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


class DeepenOptions(StoreFile, frozen=True, kw_only=True):
    """What is searched deeper, and for how long."""

    for_: Annotated[str, option("end after 90s, 10m or 2h", "TIME", one_of="end")] | None = None
    until: Annotated[str, option("end at this time of the day", "HH:MM", one_of="end")] | None = None
    tiers: Annotated[str, option("from so many visits on, so many plies", "VISITS:PLIES/...")] = str(
        DEFAULT_TIERS
    )
    max_search: Annotated[
        float,
        option("leave a question whose search takes longer", "SECONDS", gt=0, le=MAX_DURATION_S),
    ] = MAX_SEARCH_S
    threads: Annotated[int, threads_option("threads for one search", shown=None)] = 1
    cluster: Cluster = ""
    net: Annotated[str, net_option("whose entries")] = DEFAULT_NET


def deepen_entries(options: DeepenOptions) -> int:
    """Search deeper what is asked often until nothing is due, the time is over, or Ctrl-C.

    Returns:
        0.

    Raises:
        GammondError: An option is wrong, or the store cannot be read or written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was found is in the file.
    """
    file = options.find()
    tiers, length_s = DepthTiers.parse(options.tiers), _read_length(options)
    identity = identify_engine(options.net)
    stopped, searched = threading.Event(), Counter[int]()
    with call_on_interrupt(stopped.set, has_nothing=lambda: not searched), ExitStack() as opened:
        workers = None
        if options.cluster:
            nets = {options.net: collect_net_hashes(options.net)}
            workers = opened.enter_context(make_executor(1, options.cluster, nets))
        search = load_engine(options.net, options.threads).search_entry
        ends_s = time.monotonic() + length_s
        store = opened.enter_context(AnalysisStore(file, read_store_options().max_bytes))
        loop = Deepening(store, search, identity, tiers, options.max_search)
        total = sum(_count_due(file, identity.digest, tiers).values())
        if not opened.enter_context(loop.alone()):
            raise StateError(
                f"another process deepens {file}, a server or a 'gammond store deepen': let it, or try again "
                "when it has ended",
                field="file",
            )
        bar = opened.enter_context(Progress(total, "deepen", lines_of="gammond store deepen"))

        def is_stopped() -> bool:
            return stopped.is_set() or time.monotonic() >= ends_s

        if workers is None:
            steps = _deepen_here(loop, is_stopped)
        else:
            steps = deepen_by_executor(loop, workers, options.net, options.max_search, is_stopped)
        for step in steps:
            searched[step.plies] += 1
            depth = f"{step.plies}-ply"
            bar.update(searched.total(), f"{depth}, {workers.note}" if workers else depth)
    _report(searched, _count_due(file, identity.digest, tiers), loop.left, options.max_search)
    if stopped.is_set():
        raise KeyboardInterrupt(GOES_ON)
    return 0


def _deepen_here(loop: Deepening, is_stopped: Callable[[], bool]) -> Iterator[DueQuestion]:
    """Search in this process, and yield what was searched."""
    with suppress(CancelledWork):
        while step := loop.step(is_stopped):
            yield step


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


def _read_length(options: DeepenOptions) -> float:
    """Return how many seconds there are.

    Raises:
        FormatError: The time is not written as expected.
        ValueRangeError: It is out of range.
    """
    if options.until is not None:
        found = _CLOCK.fullmatch(options.until.strip())
        if found is None:
            raise FormatError(
                f"--until: expected a time of the day as HH:MM, such as 06:30, got {options.until[:40]!r}",
                field="until",
            )
        now = datetime.now()
        end = now.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
        return (end - now + timedelta(days=end <= now)).total_seconds()
    if options.for_ is None:
        return MAX_DURATION_S
    found = _DURATION.fullmatch(options.for_.strip().lower())
    if found is None:
        raise FormatError(
            f"--for: expected a time in seconds, minutes or hours, such as 90s, 10m or 2h, got "
            f"{options.for_[:40]!r}",
            field="for",
        )
    length_s = float(found[1]) * _UNITS_S[found[2]]
    if not 0 < length_s <= MAX_DURATION_S:
        raise ValueRangeError(
            f"--for: expected a time above 0, a year at most, got {options.for_}", field="for"
        )
    return length_s


def _count_due(file: Path, digest: str, tiers: DepthTiers) -> dict[int, int]:
    with open_store(file) as database:
        return database.count_due(digest, tiers, int(time.time()))


def _report(searched: Counter[int], due: dict[int, int], left: int, max_search_s: float) -> None:
    lines = [f"searched   {format_depths(searched)}", f"still due  {format_depths(due)}"]
    if left:
        what = f"takes more than {max_search_s:g} s, or is impossible"
        lines.append(f"left       {format_count(left, 'question')} whose search {what}")
    sys.stdout.write("\n".join(lines) + "\n")
