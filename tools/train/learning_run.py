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

from engine.games import GameResults
from engine.players import Player
from nets.manifest import Strength
from tools.progress import Progress
from tools.train.curves import best_strength, standing
from tools.train.files import append_once, read_records
from tools.train.measuring import (
    load_opponents,
    mean_strength,
    results_against,
    strength_arrays,
    strength_record,
    strength_text,
    strengths_of,
)
from tools.train.plots import draw_runs
from tools.train.self_play import RoundReport
from tools.train.stage import LOG

CHECKPOINT = "checkpoint.npz"
BEST = "best.npz"


class Plan(Protocol):
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


class Learner(Protocol):
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
    def can_slow(self) -> bool:
        """Whether the rate can be cut."""
        ...

    @property
    def cuts(self) -> int:
        """How often it was."""
        ...

    def rounds(self) -> Iterator[RoundReport]:
        """Learn, round by round, to the end; between rounds the learner may be sent back."""
        ...

    def observations(self) -> dict[str, object]:
        """What else the log should tell at a checkpoint."""
        ...

    def save(self, file: Path, extra: dict[str, NDArray[Any]]) -> None:
        """Write all that it takes to go on, and other arrays, whole or not at all."""
        ...

    def go_back(self, file: Path) -> int:
        """Go on with the nets of a file at a lower rate; returns the games that had led to them."""
        ...


class LearningRun:
    """A run in progress.

    Args:
        folder: Of the run.
        plan: Its settings.
        learner: Who learns; it may have begun.
        plot: Where strength and error are drawn after each checkpoint; None for nowhere.
    """

    def __init__(self, folder: Path, plan: Plan, learner: Learner, plot: Path | None) -> None:
        self._folder = folder
        self._plan = plan
        self._learner = learner
        self._plot = plot
        self._opponents = load_opponents(plan.opponents, plan.benchmark_games)
        self._read_log()

    def run(self) -> None:
        """Play the games that are left."""
        plan, saved_at, done = self._plan, self._learner.games_done, None
        kept_s = time.monotonic()
        with Progress(plan.games, "games", start=saved_at) as bar:
            for report in self._learner.rounds():
                done = report.after(done)
                bar.update(report.games, f"error {done.error_points:.3f}{self._standing}")
                if report.games - saved_at < plan.checkpoint_every and report.games < plan.games:
                    continue
                bar.say(self._keep(done, kept_s))
                saved_at, done, kept_s = report.games, None, time.monotonic()

    def _keep(self, report: RoundReport, since_s: float) -> str:
        """Measure and save what was learned: the best nets, the line of the log, then the checkpoint.

        Returns:
            What to tell.
        """
        games_per_s = report.played / (time.monotonic() - since_s)
        results = results_against(self._learner.player, self._opponents, self._plan.benchmark_games)
        strengths = strengths_of(results)
        record = {**_record(report, games_per_s), **strength_record(strengths), **_shares(results)}
        record |= self._learner.observations()
        text = _line(report, games_per_s, strengths)
        if strengths and mean_strength(strengths) >= self._best_strength:
            self._learner.save(self._folder / BEST, strength_arrays(strengths))
        elif strengths and self._has_fallen_behind(mean_strength(strengths)):
            record |= self._go_back()
            rate = self._learner.rate
            text += f"; fallen behind: back to the nets of {record['back_to']} games, rate {rate:.4f}"
        record["seconds"] = time.monotonic() - since_s
        append_once(self._folder / LOG, record, "games")
        self._learner.save(self._folder / CHECKPOINT, {})
        self._read_log()
        if self._plot:
            draw_runs([self._folder], self._plot)
        return text

    def _has_fallen_behind(self, strength: float) -> bool:
        """Whether to go back; a rate that cannot be cut any more leaves nothing to gain by it."""
        behind = self._best_strength - strength > self._plan.backtrack > 0.0
        return behind and self._learner.can_slow

    def _go_back(self) -> dict[str, object]:
        """Go back to the best nets, and describe it for the log."""
        return {"back_to": self._learner.go_back(self._folder / BEST), "cuts": self._learner.cuts}

    def _read_log(self) -> None:
        records = read_records(self._folder / LOG)
        self._best_strength = best_strength(records)
        self._standing = standing(records)


def _record(report: RoundReport, games_per_s: float) -> dict[str, object]:
    """Describe for the log what was learned since the last record."""
    return {
        "games": report.games,
        "rate": report.rate,
        "error_points": report.error_points,
        "gammons": report.gammons / max(report.played, 1),
        "plies": report.plies / max(report.played, 1),
        "games_per_s": games_per_s,
    }


def _shares(results: dict[str, GameResults]) -> dict[str, object]:
    """The share of games won against the first opponent."""
    return {"won": float(np.mean(next(iter(results.values())).points > 0))} if results else {}


def _line(report: RoundReport, games_per_s: float, strengths: list[Strength]) -> str:
    text = (
        f"{report.games} games, rate {report.rate:.4f}, error {report.error_points:.4f}, "
        f"{games_per_s:.0f} games/s"
    )
    return f"{text}, {strength_text(strengths)}" if strengths else text
