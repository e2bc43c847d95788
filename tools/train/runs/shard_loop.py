"""The loop of all commands that fill a folder with shards: only those that are missing are made."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tools.common.files import append_record
from tools.common.parallel import ProcessPool
from tools.common.progress import Progress

ShardRecord = dict[str, Any]
"""What making a shard gave, as the log has it."""


class ShardTask(Protocol):
    """A shard to make."""

    @property
    def file(self) -> Path:
        """Its file."""
        ...

    def __len__(self) -> int:
        """Return its number of positions."""
        ...


_Task = TypeVar("_Task", bound=ShardTask)


def make_missing_shards(
    make: Callable[[_Task], ShardRecord],
    tasks: Sequence[_Task],
    processes: ProcessPool,
    label: str,
    *,
    log: Path | None = None,
    describe: Callable[[Sequence[ShardRecord], float], str] = lambda records, elapsed_s: "",
) -> list[ShardRecord]:
    """Make the shards that do not exist yet, with a progress bar.

    Args:
        make: Makes the shard of a task; a function of a module.
        tasks: All shards of the folder.
        processes: Share the work.
        label: Of the progress bar, which counts positions.
        log: Receives the record of each shard, with the seconds since the one before; None for no log.
        describe: Returns a few words for the bar, given the records so far and the seconds since the start.

    Returns:
        The records of the shards made.

    Raises:
        DataFileError: A file cannot be written.
    """
    missing = [task for task in tasks if not task.file.exists()]
    total = sum(map(len, tasks))
    done = total - sum(map(len, missing))
    records: list[ShardRecord] = []
    started_s = last_s = time.monotonic()
    with Progress(total, label, start=done) as bar:
        for task, record in zip(missing, processes.map(make, missing), strict=True):
            records.append(record)
            done += len(task)
            now_s = time.monotonic()
            bar.update(done, describe(records, now_s - started_s))
            if log is not None:
                append_record(log, {**record, "seconds": now_s - last_s})
            last_s = now_s
    return records
