"""An ascent as a run drives it, in any game."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gammond.tools.train.ascent.matches import RatedVector
from gammond.tools.train.ascent.steps import (
    AscentState,
    Gradient,
    GradientAscent,
    state_from_arrays,
    state_to_arrays,
)
from gammond.tools.train.runs.run import Arrays, Learner, Record, RunProgress


class AscentLearner(Learner):
    """An ascent as a run drives it; its first step measures the first point, step 0 of the log.

    Args:
        ascent: Makes the steps.
        opponent: What the reference is called in the log.
    """

    unit = "step"

    def __init__(self, ascent: GradientAscent, opponent: str) -> None:
        self._ascent = ascent
        self._opponent = opponent
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
            "opponent": self._opponent,
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
        return state_to_arrays(self._ascent.space, self.state)

    def load_state_dict(self, arrays: Arrays) -> None:
        """Resume from a checkpoint, as `Learner.load_state_dict`."""
        self._state = state_from_arrays(arrays, self._ascent.space)

    def best_state_dict(self) -> Arrays:
        """Return the best point so far, and its strength."""
        best = self.state.best_ever
        return {
            "player": np.array(self._ascent.space.title),
            "vector": best.vector,
            "ppg": np.array(best.points_per_game),
            "ppg_error": np.array(best.standard_error),
        }

    def finish(self, folder: Path) -> str:
        """Measure the best point with fresh dice, and report it."""
        return self._ascent.matches.report(self.state.best_ever)


def _format_restart(before: AscentState, after: AscentState) -> str:
    if after.random_points > before.random_points:
        return "; stuck: on to a random point"
    if after.delta != before.delta:
        return f"; stuck: back to the best with delta {after.delta:g} and rate {after.rate:g}"
    return ""
