"""Folders of shards: their files, and the loop that makes those that are missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

from gammond.engine.errors import DataFileError
from gammond.tools.common.journal import Journal, read_records
from gammond.tools.common.progress import Progress, format_short_number
from gammond.tools.parallel.executor import Executor

ShardRecord = dict[str, Any]
"""What making a shard gave, as the log has it."""


class Items(Protocol):
    """What a shard is made of, such as positions."""

    def __len__(self) -> int:
        """Return how many they are."""
        ...

    def __getitem__(self, rows: slice, /) -> Self:
        """Some of them."""
        ...


_Plan = TypeVar("_Plan")
_Items = TypeVar("_Items", bound=Items)


@dataclass(frozen=True, eq=False)
class ShardTask(Generic[_Plan, _Items]):
    """A shard to make.

    Attributes:
        plan: How it is made; the same for all shards of a folder.
        file: Where it goes.
        place: What decides its dice: its number, or the place of its first item among all.
        items: What it is made of.
        write: Writes its file, given what making it returned; picklable.
    """

    plan: _Plan
    file: Path
    place: int
    items: _Items
    write: Callable[[Path, Any], None]


MakeShard = Callable[[ShardTask[_Plan, _Items]], tuple[ShardRecord, Any]]
"""Makes the shard of a task, in whatever process or machine: returns its record, and what to write."""


@dataclass(frozen=True)
class ShardFiles:
    """The files of a kind of shards, numbered in the order of their making: ``labels-000000.npz`` and so on.

    Attributes:
        name: What their names begin with.
        content: What they hold, for messages.
        ending: Of their names.
    """

    name: str
    content: str
    ending: str = ".npz"

    def find(self, folder: Path, number: int) -> Path:
        """Name the file of a shard."""
        return folder / f"{self.name}-{number:06}{self.ending}"

    def list_in(self, folder: Path) -> list[Path]:
        """List those in a folder, the oldest first.

        Raises:
            DataFileError: There is none.
        """
        files = sorted(folder.glob(f"{self.name}-{'[0-9]' * 6}{self.ending}"))
        if not files:
            first = self.find(folder, 0).name
            raise DataFileError(f"{folder} holds no {self.content} ({first} and so on)")
        return files

    def divide(
        self, plan: _Plan, folder: Path, items: _Items, size: int, write: Callable[[Path, Any], None]
    ) -> list[ShardTask[_Plan, _Items]]:
        """Share items among shards of a size; the other arguments are as the attributes of `ShardTask`."""
        return [
            ShardTask(plan, self.find(folder, number), first, items[first : first + size], write)
            for number, first in enumerate(range(0, len(items), size))
        ]


def make_missing_shards(
    make: MakeShard[_Plan, _Items],
    tasks: Sequence[ShardTask[_Plan, _Items]],
    executor: Executor,
    label: str,
    *,
    log: Path | None = None,
    describe: Callable[[Sequence[ShardRecord], float], str] = lambda records, elapsed_s: "",
) -> list[ShardRecord]:
    """Make the shards that do not exist yet, with a progress bar.

    The log tells of a shard before its file is there, and of none twice, wherever a kill comes.

    Args:
        make: Makes the shard of a task; a function of a module.
        tasks: All shards of the folder.
        executor: Does the work.
        label: Of the progress bar, which counts items.
        log: Receives the record of each shard, with the seconds since the one before; None for no log.
        describe: Returns a few words for the bar, given the records so far and the seconds since the start.

    Returns:
        The records of the shards made.

    Raises:
        DataFileError: A file cannot be written.
    """
    missing = [task for task in tasks if not task.file.exists()]
    total = sum(len(task.items) for task in tasks)
    done = total - sum(len(task.items) for task in missing)
    records: list[ShardRecord] = []
    is_logged = log is not None and len(read_records(log)) > len(tasks) - len(missing)
    started_s = last_s = time.monotonic()
    with Journal(log) as journal, Progress(total, label, start=done) as bar:
        for task, (record, content) in zip(missing, executor.map(make, missing), strict=True):
            now_s = time.monotonic()
            if not is_logged:
                journal.append({**record, "seconds": now_s - last_s})
            task.write(task.file, content)
            is_logged, last_s = False, now_s
            records.append(record)
            done += len(task.items)
            notes = describe(records, now_s - started_s), executor.note
            bar.update(done, ", ".join(note for note in notes if note))
    return records


def describe_rollouts(records: Sequence[ShardRecord], elapsed_s: float, sides: int = 1) -> str:
    """Describe shards of rollouts for the progress bar: games a second, and the error of the last one.

    Args:
        records: Of the shards, with ``trials`` and ``error``.
        elapsed_s: Seconds since the first was begun.
        sides: Games of a trial.
    """
    trials = sides * sum(record["trials"] for record in records)
    return f"{format_short_number(trials / max(elapsed_s, 1e-6))} games/s, error {records[-1]['error']:.4f}"
