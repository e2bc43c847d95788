"""``gammond heritage ascend``: gradient ascent on the weights of a player, by matches against itself.

A step tries each weight: the player with that weight changed by --delta plays --games paired games against
the present player. The gain per unit of change is the gradient, and the next point lies --rate along it. Each
point plays the same reference with the same dice, and the run keeps the best. A run that finds no better
point for --patience steps returns to its best one with another delta and rate. The reward of a game combines
its points, its length and the evaluations of its positions.

The folder gets run.toml, checkpoint.npz, best.npz and a line of log.jsonl for each step. --resume continues a
run that was killed; it loses the step under way. At the end the first and the best point play the reference,
and each other, with fresh dice.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from engine.play.lockstep import PairedGameResults, play_games
from engine.play.player import Player
from tools.common.opponents import load_opponent
from tools.heritage.barca.ascent import (
    AscentState,
    Gradient,
    GradientAscent,
    RatedVector,
    state_from_arrays,
    state_to_arrays,
)
from tools.heritage.barca.families import Vector, get_family
from tools.heritage.barca.settings import START_REFERENCE, AscendSettings
from tools.train.runs.options import add_workers_option
from tools.train.runs.run import Arrays, Learner, Record, RunProgress
from tools.train.runs.trainer import Resources, Trainer

SUMMARY = "learn the weights of a player without nets by gradient ascent on match scores"

_FRESH_SEED = 2
"""Seed of dice other than those that chose the best point."""


class AscendLearner(Learner):
    """An ascent as a run drives it; its first step measures the first point, step 0 of the log.

    Args:
        ascent: Makes the steps.
    """

    unit = "step"

    def __init__(self, ascent: GradientAscent) -> None:
        self._ascent = ascent
        self._state: AscentState | None = None
        self._reached: RatedVector | None = None
        self._gradient: Gradient | None = None
        self._restart_text = ""

    @property
    def state(self) -> AscentState:
        """The state after the last step."""
        assert self._state is not None
        return self._state

    @property
    def steps_done(self) -> int:
        """Steps done; -1 before the first point is measured."""
        return -1 if self._state is None else self._state.step

    @property
    def total_steps(self) -> int:
        """Steps in all."""
        return self._ascent.settings.steps

    def run_step(self, progress: RunProgress) -> None:
        """Make one step, or measure the first point."""
        before = self._state
        if before is None:
            self._state = self._ascent.rate_start()
            self._reached = self._state.now
        else:
            self._state, self._gradient = self._ascent.take_step(before)
            is_best = self._state.best is not before.best
            self._reached = self._state.best if is_best else self._state.now
            self._restart_text = _format_restart(before, self._state)
        progress.update(self.state.step, f"best {self.state.best_ever.points_per_game:+.3f}")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the step."""
        state, settings, reached = self.state, self._ascent.settings, self._reached
        assert reached is not None
        record: Record = {
            "games": state.games,
            "opponent": settings.reference,
            "ppg": reached.points_per_game,
            "ppg_error": reached.standard_error,
            "ppg_games": settings.reference_games,
            "vector": reached.vector.tolist(),
            "best_ppg": state.best_ever.points_per_game,
            "delta": state.delta,
            "rate": state.rate,
            "returns": state.returns,
            "random_points": state.random_points,
        }
        if self._gradient is not None:
            record |= {
                "gradient": self._gradient.slopes.tolist(),
                "gradient_errors": self._gradient.errors.tolist(),
                "signal": self._gradient.signal_to_noise,
            }
        return record

    def format_record(self, record: Record) -> str:
        """Format a line of the log; the first point is not printed."""
        if "signal" not in record:
            return ""
        return (
            f"step {record['step']}: {record['ppg']:+.3f} ± {record['ppg_error']:.3f}, "
            f"best {record['best_ppg']:+.3f}, signal {record['signal']:.2f}{self._restart_text}"
        )

    def score(self, record: Record) -> float:
        """Return the strength of the best point so far."""
        return float(record["best_ppg"])

    def state_dict(self) -> Arrays:
        """Return the state of the ascent."""
        return state_to_arrays(self._ascent.settings.player, self.state)

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        self._state = state_from_arrays(arrays, self._ascent.settings.player)

    def best_state_dict(self) -> Arrays:
        """Return the best point so far, and its strength."""
        best = self.state.best_ever
        return {
            "player": np.array(self._ascent.settings.player),
            "vector": best.vector,
            "ppg": np.array(best.points_per_game),
            "ppg_error": np.array(best.standard_error),
        }

    def finish(self, folder: Path) -> str:
        """Measure the best point with fresh dice, and report it."""
        return report_result(self._ascent.settings, self.state.best_ever)


def _make_learner(folder: Path, settings: AscendSettings, resources: Resources) -> AscendLearner:
    return AscendLearner(GradientAscent(settings, resources.processes))


TRAINER = Trainer(
    "heritage ascend",
    AscendSettings,
    _make_learner,
    resource_options=(partial(add_workers_option, default=1),),
)

add_arguments = TRAINER.add_arguments
main = TRAINER.main


def _format_restart(before: AscentState, after: AscentState) -> str:
    if after.random_points > before.random_points:
        return "; stuck: on to a random point"
    if after.delta != before.delta:
        return f"; stuck: back to the best with delta {after.delta:g} and rate {after.rate:g}"
    return ""


def report_result(settings: AscendSettings, best: RatedVector) -> str:
    """Measure the best point with fresh dice, and report it in a few lines.

    Args:
        settings: Of the run.
        best: Its best point.
    """
    kind = get_family(settings.player)
    start = np.array(settings.start) if settings.start else kind.start
    first, last = kind.make_player(start), kind.make_player(best.vector)
    lines = [f"{settings.player}, {settings.steps} steps; with fresh dice, points per game:"]
    if settings.reference != START_REFERENCE:
        reference = load_opponent(settings.reference)
        for name, player in (("first", first), ("best", last)):
            result = _play_fresh_games(player, reference, settings.reference_games)
            lines.append(f"{name} against {settings.reference}: {_format_points(result)}")
    lines.append(
        f"best against first: {_format_points(_play_fresh_games(last, first, settings.reference_games))}"
    )
    if called := kind.format_player(best.vector):
        lines.append(f"the best as a player: {called}")
    lines += [_format_weights(kind.names, start, best.vector)]
    return "\n".join(lines) + "\n"


def _play_fresh_games(player: Player, other: Player, games: int) -> PairedGameResults:
    return play_games(player, other, games, _FRESH_SEED)


def _format_points(result: PairedGameResults) -> str:
    won = result.count_wins(0)[0] / result.games
    points = f"{result.points_per_game:+.3f} ± {result.standard_error:.3f}"
    return f"{points} in {result.games:,} games, {won:.1%} won"


def _format_weights(names: tuple[str, ...], before: Vector, after: Vector) -> str:
    width = max(map(len, names))
    rows = zip(names, before, after, strict=True)
    return "\n".join(f"  {name:<{width}} {old:9.3f} -> {new:9.3f}" for name, old, new in rows)
