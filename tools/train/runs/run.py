"""A training run: steps, checkpoints, strength, best nets, log and picture; it resumes after a kill.

A run's folder has ``run.toml`` and ``log.jsonl``, ``checkpoint.npz`` with all that the run resumes from, and
``best.npz`` with the best nets so far. Each checkpoint writes the best nets, then the line of the log, then
the checkpoint; what a kill leaves between two of these, the resumed run repeats.
"""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import Arrays, load_arrays
from gammond.engine.wording import format_count
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import Journal, Record, read_records
from gammond.tools.common.net_records import StrengthRecord
from gammond.tools.common.progress import Progress
from gammond.tools.train.runs.curves import draw_runs, find_best_strength, format_run_strength
from gammond.tools.train.runs.run_folder import KIND_ARRAY, LOG_FILE, name_kept_nets
from gammond.tools.train.runs.strength_games import (
    ENDLESS,
    format_strengths,
    strengths_from_record,
    strengths_to_arrays,
)

CHECKPOINT_FILE = "checkpoint.npz"
BEST_FILE = "best.npz"

DrawFunction = Callable[[Sequence[Path], Path], None]
"""Draws the runs in some folders into a file."""


@dataclass
class RunProgress:
    """The progress of a run, as its learner reports it.

    Attributes:
        bar: The bar of the run; None where the learner draws its own for each step.
        strength_text: The last and the best strength, to be appended to a bar.
    """

    bar: Progress | None = None
    strength_text: str = ""

    def update(self, work_done: int, text: str) -> None:
        """Update the bar of the run.

        Args:
            work_done: Of `Learner.total_work`, all earlier steps included.
            text: A few words, such as the error.
        """
        if self.bar is not None:
            self.bar.update(work_done, (text + self.strength_text).removeprefix(", "))


class Learner(ABC):
    """Learns in steps, which a `Run` drives; the same settings give the same result.

    A learner is made, then either `start` or `load_state_dict` is called, before any step.

    Attributes:
        unit: What `steps_done` counts, in the singular; the key of each line of the log.
        checkpoint_every: Steps between checkpoints.
        backtrack: Points per game behind the best nets that send a run back to them; 0 for never.
    """

    unit: str
    checkpoint_every: int = 1
    backtrack: float = 0.0

    @property
    @abstractmethod
    def steps_done(self) -> int:
        """Steps done, those before a resumption included."""

    @property
    @abstractmethod
    def total_steps(self) -> int:
        """Steps in all."""

    @property
    def total_work(self) -> int | None:
        """The length of the progress bar; None where each step draws its own."""
        return self.total_steps

    @property
    def work_done(self) -> int:
        """How far the progress bar is."""
        return self.steps_done

    @property
    def label(self) -> str:
        """The label of the progress bar."""
        return f"{self.unit}s"

    def start(self, records: Sequence[Record]) -> None:  # noqa: B027
        """Make what a run without a checkpoint begins with.

        Args:
            records: Its log, for learners that resume from that alone.
        """

    @abstractmethod
    def run_step(self, progress: RunProgress) -> None:
        """Do one step; it may count as several of `steps_done`."""

    @abstractmethod
    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe, for the log, what was learned since the last checkpoint.

        Args:
            elapsed_s: Seconds since then.
        """

    @abstractmethod
    def format_record(self, record: Record) -> str:
        """Format a line of the log for a person, without strengths; empty for one that is not printed."""

    def measure_strength(self) -> Record:
        """Play against fixed opponents, where a measurement is due; see `measure_results`."""
        return {}

    def score(self, record: Record) -> float | None:
        """Return what the best nets are chosen by; higher is better, None leaves ``best.npz`` alone."""
        return find_best_strength([record]) if "ppg" in record else None

    @abstractmethod
    def state_dict(self) -> Arrays:
        """Return all that it takes to resume; empty where the log is enough."""

    @abstractmethod
    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from what `state_dict` returned.

        Raises:
            DataFileError: An array is missing, or belongs to a run with other settings.
        """

    def best_state_dict(self) -> Arrays:
        """Return what ``best.npz`` keeps beside the strengths."""
        return self.state_dict()

    def write_files(self, folder: Path) -> None:  # noqa: B027
        """Write the files that a run has besides its checkpoint and best nets."""

    def can_backtrack(self) -> bool:
        """Return whether going back to the best nets would change how the run goes on."""
        return False

    def backtrack_to(self, arrays: Arrays) -> Record:
        """Go back to the nets of ``best.npz`` at a lower rate; return more fields for the log."""
        raise NotImplementedError

    def format_backtrack(self, record: Record) -> str:
        """Format what `backtrack_to` has just done, from the line of the log with its fields."""
        return f"back to the nets of {record['back_to']} {self.unit}"

    def finish(self, folder: Path) -> str:
        """Do what is left after the last step, and return a report for people."""
        return ""


class Run:
    """A run in progress; it resumes from its checkpoint where there is one.

    Args:
        folder: Of the run.
        kind: Of the run; see `gammond.tools.train.runs.run_folder.begin_run`.
        learner: New.
        plot: Where to draw the run at each checkpoint; None for nowhere.
        draw: Draws it; by default its strength and error.
        keeps_nets: Whether the nets of each checkpoint are kept in a file of their own.

    Raises:
        DataFileError: The checkpoint or the log cannot be read, or is of a run with other settings.
    """

    def __init__(
        self,
        folder: Path,
        kind: str,
        learner: Learner,
        plot: Path | None = None,
        draw: DrawFunction | None = None,
        *,
        keeps_nets: bool = False,
    ) -> None:
        self._folder = folder
        self._kind = kind
        self._learner = learner
        self._plot = plot
        self._draw = draw or draw_runs
        self._keeps_nets = keeps_nets
        self._records = read_records(folder / LOG_FILE)
        self._progress = RunProgress(strength_text=format_run_strength(self._records))
        self._restore(folder / CHECKPOINT_FILE)

    def run(self) -> str:
        """Do the steps that are left; return the learner's report."""
        learner, total = self._learner, self._learner.total_work
        bar = None if total is None else Progress(total, learner.label, start=max(learner.work_done, 0))
        with Journal(self._folder / LOG_FILE) as log, bar or nullcontext():
            self._progress.bar = bar
            self._run_steps(log)
        report = learner.finish(self._folder)
        if len(read_records(self._folder / LOG_FILE)) > len(self._records):
            self._draw_picture()
        return report

    def _run_steps(self, log: Journal) -> None:
        learner, saved_at, since_s = self._learner, self._learner.steps_done, time.monotonic()
        while learner.steps_done < learner.total_steps:
            learner.run_step(self._progress)
            is_last = learner.steps_done >= learner.total_steps
            if learner.steps_done - saved_at < learner.checkpoint_every and not is_last:
                continue
            self._write_line(self._save_checkpoint(log, since_s))
            saved_at, since_s = learner.steps_done, time.monotonic()

    def _save_checkpoint(self, log: Journal, since_s: float) -> str:
        """Measure and save what was learned; return the line to print."""
        learner = self._learner
        record: Record = {
            learner.unit: learner.steps_done,
            **learner.compute_metrics(time.monotonic() - since_s),
        }
        measured = learner.measure_strength()
        strengths = strengths_from_record(measured)
        record |= measured
        self._keep_or_restore_best(record, strengths)
        record["seconds"] = time.monotonic() - since_s
        learner.write_files(self._folder)
        if self._keeps_nets:
            self._write_arrays(name_kept_nets(self._folder, learner.steps_done), learner.best_state_dict())
        if log.append_new(record, learner.unit):
            self._records.append(record)
        if state := learner.state_dict():
            self._write_arrays(self._folder / CHECKPOINT_FILE, state)
        self._progress.strength_text = format_run_strength(self._records)
        self._draw_picture()
        return self._format_line(record, strengths)

    def _format_line(self, record: Record, strengths: Sequence[StrengthRecord]) -> str:
        text = self._learner.format_record(record)
        if not text:
            return ""
        if strengths:
            text += f", {format_strengths(strengths)}"
        for opponent, games in record.get(ENDLESS, {}).items():
            text += f", {format_count(games, 'game')} against {opponent} did not end"
        if "back_to" in record:
            text += f"; fallen behind: {self._learner.format_backtrack(record)}"
        return text

    def _keep_or_restore_best(self, record: Record, strengths: Sequence[StrengthRecord]) -> None:
        """Keep the nets if they are the best so far, or go back to those and add that to the record."""
        learner = self._learner
        score = learner.score(record)
        if score is None:
            return
        best = self._find_best_score()
        if score >= best:
            measured = strengths_to_arrays(strengths) if strengths else {}
            self._write_arrays(self._folder / BEST_FILE, {**learner.best_state_dict(), **measured})
        elif best - score > learner.backtrack > 0.0 and learner.can_backtrack():
            record |= load_arrays(self._folder / BEST_FILE, learner.backtrack_to)

    def _find_best_score(self) -> float:
        """Find the best score before this checkpoint, which the log may hold already after a kill."""
        unit, best = self._learner.unit, float("-inf")
        for record in self._records:
            is_earlier = isinstance(record[unit], int) and record[unit] < self._learner.steps_done
            score = self._learner.score(record) if is_earlier else None
            best = best if score is None else max(best, score)
        return best

    def _write_arrays(self, file: Path, arrays: Arrays) -> None:
        write_arrays(file, {**arrays, KIND_ARRAY: np.array(self._kind)})

    def _restore(self, checkpoint: Path) -> None:
        if not checkpoint.exists():
            self._learner.start(self._records)
            return
        load_arrays(checkpoint, self._learner.load_state_dict)

    def _write_line(self, text: str) -> None:
        if not text:
            return
        if self._progress.bar is not None:
            self._progress.bar.write_line(text)
        else:
            sys.stderr.write(text + "\n")

    def _draw_picture(self) -> None:
        if self._plot:
            self._draw([self._folder], self._plot)


def check_same_settings(settings: object, found: Mapping[str, object]) -> None:
    """Check that a checkpoint is of a run with these settings.

    Args:
        settings: Of the run.
        found: What the checkpoint has, by the name of the setting.

    Raises:
        DataFileError: One differs.
    """
    for name, value in found.items():
        if value != getattr(settings, name):
            raise DataFileError(
                f"expected {name} {getattr(settings, name)} as in run.toml, got {value}", field=name
            )
