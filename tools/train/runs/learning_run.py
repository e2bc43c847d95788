"""A run of a player that learns from games: measured at checkpoints, its best nets kept, resumable.

At each checkpoint the player meets fixed opponents, and the best nets so far are kept in ``best.npz``. A run
that falls behind those by more than a threshold may go back to them and learn at a lower rate.

Source: the algorithm of the blog Computational Backgammon, second training approach (July 2011).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.play.lockstep import PairedGameResults
from engine.play.player import Player
from nets.provenance import StrengthRecord
from tools.figures import draw_runs
from tools.files import append_new_record, read_records
from tools.progress import Progress
from tools.train.runs.curves import find_best_strength, format_run_strength
from tools.train.runs.run_folder import LOG_FILE
from tools.train.runs.strength_games import (
    format_strengths,
    load_opponents,
    mean_strength,
    play_opponents,
    strengths_from_results,
    strengths_to_arrays,
    strengths_to_record,
)
from tools.train.td.self_play import RoundReport

CHECKPOINT_FILE = "checkpoint.npz"
BEST_FILE = "best.npz"


class LearningRunSettings(Protocol):
    """The settings of a run that do not depend on who learns, and how."""

    @property
    def games(self) -> int:
        """Games to learn from in all."""
        ...

    @property
    def checkpoint_every(self) -> int:
        """Games between checkpoints."""
        ...

    @property
    def opponents(self) -> tuple[str, ...]:
        """Who strength is measured against."""
        ...

    @property
    def benchmark_games(self) -> int:
        """Paired games against each of them at a checkpoint; 0 for none."""
        ...

    @property
    def backtrack(self) -> float:
        """Points per game behind the best nets that send a run back to them; 0 for never."""
        ...


class GameLearner(Protocol):
    """Whoever learns from games."""

    @property
    def games_done(self) -> int:
        """Games so far."""
        ...

    @property
    def player(self) -> Player:
        """What plays with what was learned so far."""
        ...

    @property
    def rate(self) -> float:
        """The learning rate of the next round."""
        ...

    @property
    def can_cut_rate(self) -> bool:
        """Whether the rate can be cut."""
        ...

    @property
    def cuts(self) -> int:
        """How often it was."""
        ...

    def play_rounds(self) -> Iterator[RoundReport]:
        """Learn, round by round, to the end; between rounds the learner may be sent back."""
        ...

    def compute_metrics(self) -> dict[str, object]:
        """What else the log should tell at a checkpoint."""
        ...

    def save(self, file: Path, extra: dict[str, NDArray[Any]]) -> None:
        """Write all that it takes to go on, and other arrays, whole or not at all."""
        ...

    def backtrack_to(self, file: Path) -> int:
        """Go on with the nets of a file at a lower rate; returns the games that had led to them."""
        ...


class LearningRun:
    """A run in progress.

    Args:
        folder: Of the run.
        settings: Its settings.
        learner: Who learns; it may have begun.
        plot: Where strength and error are drawn after each checkpoint; None for nowhere.
    """

    def __init__(
        self, folder: Path, settings: LearningRunSettings, learner: GameLearner, plot: Path | None
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._learner = learner
        self._plot = plot
        self._opponents = load_opponents(settings.opponents, settings.benchmark_games)
        self._read_log()

    def run(self) -> None:
        """Play the games that are left."""
        plan, saved_at, done = self._settings, self._learner.games_done, None
        kept_s = time.monotonic()
        with Progress(plan.games, "games", start=saved_at) as bar:
            for report in self._learner.play_rounds():
                done = report.add_earlier(done)
                bar.update(report.games_done, f"error {done.error_points:.3f}{self._strength_text}")
                if report.games_done - saved_at < plan.checkpoint_every and report.games_done < plan.games:
                    continue
                bar.write_line(self._save_checkpoint(done, kept_s))
                saved_at, done, kept_s = report.games_done, None, time.monotonic()

    def _save_checkpoint(self, report: RoundReport, since_s: float) -> str:
        """Measure and save what was learned: the best nets, the line of the log, then the checkpoint.

        Returns:
            What to tell.
        """
        games_per_s = report.games_played / (time.monotonic() - since_s)
        results = play_opponents(self._learner.player, self._opponents, self._settings.benchmark_games)
        strengths = strengths_from_results(results)
        record = {
            **_make_record(report, games_per_s),
            **strengths_to_record(strengths),
            **_make_win_record(results),
        }
        record |= self._learner.compute_metrics()
        text = _format_checkpoint(report, games_per_s, strengths)
        if strengths and mean_strength(strengths) >= self._best_strength:
            self._learner.save(self._folder / BEST_FILE, strengths_to_arrays(strengths))
        elif strengths and self._has_fallen_behind(mean_strength(strengths)):
            record |= self._backtrack()
            rate = self._learner.rate
            text += f"; fallen behind: back to the nets of {record['back_to']} games, rate {rate:.4f}"
        record["seconds"] = time.monotonic() - since_s
        append_new_record(self._folder / LOG_FILE, record, "games")
        self._learner.save(self._folder / CHECKPOINT_FILE, {})
        self._read_log()
        if self._plot:
            draw_runs([self._folder], self._plot)
        return text

    def _has_fallen_behind(self, strength: float) -> bool:
        """Whether to go back; a rate that cannot be cut any more leaves nothing to gain by it."""
        behind = self._best_strength - strength > self._settings.backtrack > 0.0
        return behind and self._learner.can_cut_rate

    def _backtrack(self) -> dict[str, object]:
        """Go back to the best nets, and describe it for the log."""
        return {"back_to": self._learner.backtrack_to(self._folder / BEST_FILE), "cuts": self._learner.cuts}

    def _read_log(self) -> None:
        records = read_records(self._folder / LOG_FILE)
        self._best_strength = find_best_strength(records)
        self._strength_text = format_run_strength(records)


def _make_record(report: RoundReport, games_per_s: float) -> dict[str, object]:
    """Describe for the log what was learned since the last record."""
    return {
        "games": report.games_done,
        "rate": report.rate,
        "error_points": report.error_points,
        "gammons": report.gammons / max(report.games_played, 1),
        "plies": report.plies / max(report.games_played, 1),
        "games_per_s": games_per_s,
    }


def _make_win_record(results: dict[str, PairedGameResults]) -> dict[str, object]:
    """The share of games won against the first opponent."""
    return {"won": float(np.mean(next(iter(results.values())).points > 0))} if results else {}


def _format_checkpoint(report: RoundReport, games_per_s: float, strengths: list[StrengthRecord]) -> str:
    text = (
        f"{report.games_done} games, rate {report.rate:.4f}, error {report.error_points:.4f}, "
        f"{games_per_s:.0f} games/s"
    )
    return f"{text}, {format_strengths(strengths)}" if strengths else text
