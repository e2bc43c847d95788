"""What gammond answers: outcomes, evaluations, ranked plays, cube decisions, rollouts.

Numbers are for the player on roll, or for the player who makes the play. Equities are in points at the
present cube: 1 is a single game won.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from gammond.api.position import Play
from gammond.engine.statistics import ValueWithError

RolloutKind = Literal["plays", "position", "cube"]
Progress = Callable[[int], None]
"""Called with the number of complete trials."""

MatchProgress = Callable[[int, int], None]
"""Called with the number of decisions or trials that are done, and that of all."""


class PrintedResult:
    """A result that a notebook shows as `print` does."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ANN401  (IPython's)
        printer.text(str(self))


@dataclass(frozen=True)
class Outcome(PrintedResult):
    """Five cumulative probabilities: a gammon counts as a win too, a backgammon as a gammon and a win.

    Attributes:
        win: The probability of winning.
        win_gammon: Of winning a gammon or more.
        win_backgammon: Of winning a backgammon.
        lose_gammon: Of losing a gammon or more.
        lose_backgammon: Of losing a backgammon.
    """

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        """The cubeless money equity in points."""
        gains = self.win_gammon + self.win_backgammon
        return 2.0 * self.win - 1.0 + gains - self.lose_gammon - self.lose_backgammon

    def _as_row(self) -> tuple[float, float, float, float, float]:
        return self.win, self.win_gammon, self.win_backgammon, self.lose_gammon, self.lose_backgammon

    def __str__(self) -> str:
        return (
            f"win {self.win:.1%} (gammon {self.win_gammon:.1%}, backgammon {self.win_backgammon:.1%}), "
            f"lose {1 - self.win:.1%} (gammon {self.lose_gammon:.1%}, backgammon {self.lose_backgammon:.1%})"
        )


_OUTCOME_NAMES = tuple(field.name for field in fields(Outcome))


@dataclass(frozen=True)
class Evaluation(PrintedResult):
    """The value of a position before the roll.

    Attributes:
        outcome: Cubeless.
        equity: Cubeless money equity in points.
        cubeful: Equity with the cube; None if the cube does not count, and at a score where points have no
            scale and only `mwc` says something.
        mwc: Match-winning chance; None in money play.
        plies: Look-ahead behind the numbers.
        is_stored: Whether they were kept, and nothing was searched; evaluations are compared without it.
    """

    outcome: Outcome
    equity: float
    cubeful: float | None
    mwc: float | None
    plies: int
    is_stored: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{_describe_value(self.equity, self.cubeful, self.mwc)} at {self.plies}-ply: {self.outcome}"


@dataclass(frozen=True)
class Evaluations:
    """The values of many positions before the roll, in the order of the positions.

    Attributes:
        outcomes: ``float32[n, 5]``, columns in the order of `Outcome`.
        equities: ``float64[n]``, cubeless money equities in points.
        cubeful: ``float64[n]``, equities with the cube, nan where points have no scale; None if the cube does
            not count.
        mwc: ``float64[n]``, match-winning chances; None in money play.
        plies: Look-ahead behind the numbers.
    """

    outcomes: NDArray[np.float32]
    equities: NDArray[np.float64]
    cubeful: NDArray[np.float64] | None
    mwc: NDArray[np.float64] | None
    plies: int

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return one array for each number, by name, as ``pandas.DataFrame`` takes them."""
        columns = dict(zip(_OUTCOME_NAMES, self.outcomes.T, strict=True)) | {"equity": self.equities}
        others = {"cubeful": self.cubeful, "mwc": self.mwc}
        return columns | {name: values for name, values in others.items() if values is not None}

    def __len__(self) -> int:
        return len(self.outcomes)


@dataclass(frozen=True)
class PlayEvaluation(PrintedResult):
    """A play with its value, for the player who makes it.

    Attributes:
        play: The play.
        outcome: Cubeless, after the play.
        equity: Cubeless money equity in points.
        cubeful: Equity with the cube; None if the cube does not count, and at a score where points have no
            scale and only `mwc` says something.
        mwc: Match-winning chance; None in money play.
        loss: How much worse than the best play, in points; None for a play that was not searched as deep,
            since equities of different depths do not compare, and where points have no scale.
        plies: Look-ahead behind the numbers; less than asked for where the move filter dropped the play.
    """

    play: Play
    outcome: Outcome
    equity: float
    cubeful: float | None
    mwc: float | None
    loss: float | None
    plies: int

    def __str__(self) -> str:
        value = _describe_value(self.equity, self.cubeful, self.mwc)
        loss = f" (-{self.loss:.3f})" if self.loss else ""
        return f"{self.play.text:<24} {value}{loss} at {self.plies}-ply"


@dataclass(frozen=True)
class RankedPlays(PrintedResult, Sequence[PlayEvaluation]):
    """All legal plays of a roll, the best first: a sequence of `PlayEvaluation`.

    Attributes:
        plays: The plays: those that were searched to the depth of the best, with what they lose, then others.
        plies: Look-ahead of the best ones.
        is_finished: Whether the search reached the depth it was asked for.
        is_stored: Whether they were kept, and nothing was searched; rankings are compared without it.
    """

    plays: tuple[PlayEvaluation, ...]
    plies: int
    is_finished: bool = True
    is_stored: bool = field(default=False, compare=False)

    @property
    def best(self) -> PlayEvaluation:
        """The best play."""
        return self.plays[0]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each play, as ``pandas.DataFrame`` takes them: play, numbers, loss, plies."""
        return [
            {
                "play": each.play.text,
                **asdict(each.outcome),
                "equity": each.equity,
                "cubeful": each.cubeful,
                "mwc": each.mwc,
                "loss": each.loss,
                "plies": each.plies,
            }
            for each in self.plays
        ]

    def find(self, text: str) -> PlayEvaluation | None:
        """Find a play by its text as `Play.text` has it; None if it is not among them."""
        return next((each for each in self.plays if each.play.text == text), None)

    @overload
    def __getitem__(self, index: int) -> PlayEvaluation: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PlayEvaluation]: ...
    def __getitem__(self, index: int | slice) -> PlayEvaluation | Sequence[PlayEvaluation]:
        return self.plays[index]

    def __len__(self) -> int:
        return len(self.plays)

    def __iter__(self) -> Iterator[PlayEvaluation]:
        return iter(self.plays)

    def __str__(self) -> str:
        compared = [each for each in self.plays if each.plies == self.plies]
        others = [f"     {each}" for each in self.plays if each.plies != self.plies]
        lines = [f"{rank:>3}. {play}" for rank, play in enumerate(compared, 1)]
        title = [f"not searched at {self.plies}-ply:"] if others else []
        return "\n".join([*lines, *title, *others])


@dataclass(frozen=True)
class Opinion(PrintedResult):
    """What a player thinks of a position, or of a play, for the side that is on roll or plays.

    Attributes:
        play: The play; None where the position itself was asked about.
        score: The number by which it chooses, higher is better: cubeless equity in points where there is an
            outcome, else on a scale of its own.
        outcome: Its estimate; None for a player that estimates none.
        features: What it sees there, by name, such as those of ``phase-heuristic``; empty for most players.
    """

    play: Play | None
    score: float
    outcome: Outcome | None
    features: Mapping[str, float | str]

    def __str__(self) -> str:
        what = "" if self.play is None else f"{self.play.text:<24} "
        return f"{what}{self.score:.6g}" + ("" if self.outcome is None else f": {self.outcome}")


@dataclass(frozen=True)
class CubeDecision(PrintedResult):
    """The cube decision of the player on roll, before the roll. All values are for that player.

    Attributes:
        action: The proper action in words, such as ``Double, take`` or ``No double, take``.
        should_double: Whether to double.
        should_take: Whether the opponent should take, if doubled; true where no double is possible.
        should_beaver: Whether the opponent should beaver, if doubled; money play only.
        no_double: Equity of not doubling; each equity is None at a score where points have no scale.
        double_take: Equity of a double that is taken; None where no double is possible.
        double_pass: Equity of a double that is passed; None where no double is possible.
        no_double_mwc: Match-winning chance of not doubling; None in money play.
        double_take_mwc: Of a double that is taken; None in money play, or where no double is possible.
        double_pass_mwc: Of a double that is passed; None in money play, or where no double is possible.
        evaluation: The value of the position.
    """

    action: str
    should_double: bool
    should_take: bool
    should_beaver: bool
    no_double: float | None
    double_take: float | None
    double_pass: float | None
    no_double_mwc: float | None
    double_take_mwc: float | None
    double_pass_mwc: float | None
    evaluation: Evaluation | None

    def __str__(self) -> str:
        double = "redouble" if "redouble" in self.action.lower() else "double"
        rows = (
            (f"no {double}", self.no_double, self.no_double_mwc),
            (f"{double}/take", self.double_take, self.double_take_mwc),
            (f"{double}/pass", self.double_pass, self.double_pass_mwc),
        )
        known = [
            f"  {name:<{len(rows[1][0])}} {f'MWC {mwc or 0.0:.2%}' if equity is None else f'{equity:+.3f}'}"
            for name, equity, mwc in rows
            if equity is not None or mwc is not None
        ]
        return "\n".join([self.action, *known])


@dataclass(frozen=True)
class RolloutEstimate(PrintedResult):
    """The mean of the trials of a rollout, and how sure it is.

    Attributes:
        trials: How many trials.
        outcome: The mean outcome.
        equity: In points, with the cube if the rollout played with it; nan, as its error, at a score where
            points have no scale and only `mwc` says something.
        standard_error: Of the equity, in points.
        mwc: Match-winning chance; None in money play.
    """

    trials: int
    outcome: Outcome
    equity: float
    standard_error: float
    mwc: float | None = None

    def __str__(self) -> str:
        return f"{self._describe_mean()} ({self.trials} trials): {self.outcome}"

    def _describe_mean(self) -> str:
        if self.mwc is not None and math.isnan(self.equity):
            return f"MWC {self.mwc:.2%}"
        return f"{ValueWithError(self.equity, self.standard_error):+.4f}"


@dataclass(frozen=True)
class PlayRollout(PrintedResult):
    """A play with its rollout, for the player who makes it.

    Attributes:
        play: The play.
        estimate: After the play.
        loss: How far behind the best play, in points; 0 for the best, nan where points have no scale.
        loss_error: Standard error of the loss, with the common dice taken into account; 0 for the best.
    """

    play: Play
    estimate: RolloutEstimate
    loss: float
    loss_error: float

    def __str__(self) -> str:
        return f"{self.play.text:<24} {self.estimate._describe_mean()}"


@dataclass(frozen=True)
class Rollout(PrintedResult):
    """A rollout of a position, of the plays of a roll, or of a cube decision.

    Attributes:
        estimate: Of the position, or without the double of the cube decision; None for plays.
        plays: The plays rolled out, the best first.
        cube: The cube decision by the means; None unless it was asked for.
        double_take: The position after a double that is taken; None unless a cube decision was asked for.
        trials: The most trials that anything got.
        reason: Why it ended: ``trials`` where all were played, ``stopped``, or the rule's word, such as
            ``error`` or ``jsd``.
    """

    estimate: RolloutEstimate | None
    plays: tuple[PlayRollout, ...]
    cube: CubeDecision | None
    double_take: RolloutEstimate | None
    trials: int
    reason: str

    def __str__(self) -> str:
        if self.plays:
            return "\n".join(map(str, self.plays))
        return str(self.cube) if self.cube is not None else str(self.estimate)


def _describe_value(equity: float, cubeful: float | None, mwc: float | None) -> str:
    if mwc is not None:
        return f"MWC {mwc:.2%}"
    return f"{equity:+.3f}" if cubeful is None else f"{cubeful:+.3f} cubeful ({equity:+.3f} cubeless)"
