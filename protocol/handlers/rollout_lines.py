"""What the answer to a rollout says: estimates with their errors, and how far it is."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.cubeful import CubeGame
from engine.notation import format_play
from engine.rollout import (
    Difference,
    Estimate,
    RolledOutCube,
    RolledOutPlay,
    RolloutState,
    Scoring,
    StopReason,
)
from engine.rollout.questions import POSITION, RolloutAnswer
from protocol.handlers.cubes import decision_values
from protocol.replies import DECIMALS, outcome_values
from protocol.requests import Control, Reply, Value

PROGRESS_EVERY_S = 0.5

_REASONS = {
    StopReason.TRIALS: "trials",
    StopReason.ERROR: "error",
    StopReason.JSD: "jsd",
    StopReason.CANCELLED: "stopped",
}


def reason_name(reason: StopReason) -> str:
    """Return the word for why a rollout ended."""
    return _REASONS[reason]


@dataclass(frozen=True)
class View:
    """What estimates are told in.

    Attributes:
        game: The cube, as the side sees it whose numbers these are; None for money play without one.
        is_cubeful: Whether the cube was turned in the games.
    """

    game: CubeGame | None
    is_cubeful: bool

    def values(self, estimate: Estimate) -> dict[str, Value]:
        """Return an estimate as keys, each number with its standard error; those of one trial have none."""
        outcome = outcome_values(estimate.outcome, estimate.cubeless)
        errors = {f"{name}_se": error for name, error in estimate.errors._asdict().items()}
        values: dict[str, Value] = {**outcome, **errors, "se": estimate.cubeless_error}
        if self.is_cubeful:
            values |= {"cubeful": estimate.equity, "cubeful_se": estimate.equity_error}
        if self.game is not None and not self.game.is_money:
            values |= self._match_values(self.game, estimate)
        return _finite(values)

    def _match_values(self, game: CubeGame, estimate: Estimate) -> dict[str, Value]:
        half = 0.5 * (game.result_worth(1) - game.result_worth(-1))
        chance = game.result_worth(-1) + half * (1.0 + estimate.equity)
        return {"mwc": chance, "mwc_se": half * estimate.equity_error}


def view_of(answer: RolloutAnswer) -> View:
    """Return what the estimates of an answer are told in."""
    return View(answer.game, answer.question.is_cubeful)


def answer_lines(answer: RolloutAnswer) -> list[Reply]:
    """Return the lines before the last one: of the plays, the position or the cube decision."""
    view, rows = view_of(answer), answer.rows
    if isinstance(rows, RolledOutCube):
        taken = [] if rows.take is None else [estimate_line("take", rows.take, view)]
        return [estimate_line("no_double", rows.no_double, view), *taken]
    if isinstance(rows, Estimate):
        return [estimate_line(POSITION, rows, view)]
    return [candidate_line(rank, row, view) for rank, row in enumerate(rows, 1)]


def final_line(answer: RolloutAnswer, elapsed_ms: int) -> Reply:
    """Return the last line: what the rollout comes to, and how it ended."""
    state = answer.rollout.state
    values: dict[str, Value] = {"of": answer.question.kind}
    if isinstance(answer.rows, RolledOutCube):
        values |= decision_values(answer.rows.decision)
        if answer.rows.gain is not None:
            values |= difference_values("gain", answer.rows.gain)
    values |= {
        "trials": answer.trials,
        "reason": reason_name(answer.rollout.reason),
        "seed": state.seed,
        "plies": answer.plies,
        "elapsed_ms": elapsed_ms,
        "net": answer.net,
    }
    return Reply("rollout", values=values)


def candidate_line(rank: int, rolled: RolledOutPlay, view: View) -> Reply:
    """Return the line of a play that was rolled out."""
    values: dict[str, Value] = {
        "rank": rank,
        "play": format_play(rolled.play),
        **view.values(rolled.estimate),
    }
    if rolled.behind is not None:
        behind = Difference(rolled.behind.trials, -rolled.behind.equity, rolled.behind.error)
        values |= difference_values("behind", behind)
    values |= {"trials": rolled.estimate.trials, "given_up": rolled.given_up}
    return Reply("candidate", values=values, is_final=False)


def estimate_line(name: str, estimate: Estimate, view: View) -> Reply:
    """Return the line of a position that was rolled out.

    Args:
        name: ``position``, or the cube action that leads to it.
        estimate: What was found.
        view: Whose numbers they are.
    """
    values: dict[str, Value] = {"of": name, **view.values(estimate), "trials": estimate.trials}
    return Reply("estimate", values=values, is_final=False)


def difference_values(name: str, difference: Difference) -> dict[str, Value]:
    """Return a difference as keys, with its standard error and in joint standard deviations."""
    values: dict[str, Value] = {
        name: difference.equity,
        f"{name}_se": difference.error,
        "jsd": difference.jsds,
    }
    return _finite(values)


def _finite(values: dict[str, Value]) -> dict[str, Value]:
    """Leave out what has no value: errors of a single trial, differences without a spread in their units."""
    return {
        name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)
    }


class RolloutTold:
    """Tells a client how far a rollout is, about twice a second.

    Args:
        control: Takes the lines.
        trials: How many each candidate is to have.
        scoring: What the scores are.
        names: The plays that led to the starts, in their order; none where no plays are rolled out.
        clock: Seconds.
    """

    def __init__(
        self,
        control: Control,
        trials: int,
        scoring: Scoring,
        names: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._control = control
        self._trials = trials
        self._scoring = scoring
        self._names = names
        self._clock = clock
        self._began_s = self._told_s = clock()

    @property
    def elapsed_ms(self) -> int:
        """Since the start."""
        return int(1000 * (self._clock() - self._began_s))

    def __call__(self, state: RolloutState) -> None:
        """Tell, unless that was done a moment ago."""
        if self._clock() - self._told_s >= PROGRESS_EVERY_S:
            self._told_s = self._clock()
            self._control.report(Reply("info", self._text(state), is_final=False))

    def _text(self, state: RolloutState) -> str:
        done = max(map(len, state.scores))
        text = f"trials {done} of {self._trials} time_ms {self.elapsed_ms}"
        if not done:
            return text
        # Positions after plays are seen by the other side, so the best play is the one with the least equity.
        turned = bool(self._names)
        known = [one for one in range(len(state.starts)) if state.trials(one) == done]
        equities = {one: state.equity(one, self._scoring, turned=turned) for one in known}
        best = max(known, key=lambda one: equities[one].mean) if turned else 0
        text += f" equity {equities[best].mean:.{DECIMALS}f}"
        if done > 1:
            text += f" se {equities[best].error:.{DECIMALS}f}"
        return f"{text} pv {self._names[best]}" if turned else text
