"""The loop of all commands that fill a folder with shards: only those that are missing are made."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gammond.tools.common.files import append_record
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.executor import Executor

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

    def write(self, content: Any) -> None:  # noqa: ANN401  (each task knows the type of its own)
        """Write its file, given what making it returned."""
        ...


_Task = TypeVar("_Task", bound=ShardTask)

MakeShard = Callable[[_Task], tuple[ShardRecord, Any]]
"""Makes the shard of a task, in whatever process or machine: returns its record, and what to write."""


def make_shard(make: MakeShard[_Task], task: _Task) -> ShardRecord:
    """Make one shard here, and write it; return its record."""
    record, content = make(task)
    task.write(content)
    return record


def make_missing_shards(
    make: MakeShard[_Task],
    tasks: Sequence[_Task],
    executor: Executor,
    label: str,
    *,
    log: Path | None = None,
    describe: Callable[[Sequence[ShardRecord], float], str] = lambda records, elapsed_s: "",
) -> list[ShardRecord]:
    """Make the shards that do not exist yet, with a progress bar.

    Args:
        make: Makes the shard of a task; a function of a module.
        tasks: All shards of the folder.
        executor: Does the work.
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
        for task, (record, content) in zip(missing, executor.map(make, missing), strict=True):
            task.write(content)
            records.append(record)
            done += len(task)
            now_s = time.monotonic()
            notes = describe(records, now_s - started_s), executor.note
            bar.update(done, ", ".join(note for note in notes if note))
            if log is not None:
                append_record(log, {**record, "seconds": now_s - last_s})
            last_s = now_s
    return records
