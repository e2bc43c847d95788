"""What players lose on rolled-out cube decisions, and how far their values are from the rollouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import make_cube_game
from gammond.engine.statistics import ValueWithError, mean_with_error, sqrt_with_error
from gammond.tools.train.cube_decisions.deciders import CubeOpinions
from gammond.tools.train.cube_decisions.decision_file import RatedDecision, stack_rollouts
from gammond.tools.train.validation.net_errors import rms

ALL = "all"
"""The name of all decisions together."""

_FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CubeErrorStats:
    """What a player loses on cube decisions, and how far its values are from the rollouts.

    Attributes:
        double_loss: Points at the present cube lost by doubling or not, a decision; not of dead cubes.
        take_loss: Points lost by taking or passing, a decision.
        no_double_rmse: Root mean square error of the equity of no double, in points, less the rollouts' own.
        take_rmse: The same of double/take.
        extra_loss: Both losses together less those of the first player, on the same decisions.
    """

    double_loss: ValueWithError
    take_loss: ValueWithError
    no_double_rmse: ValueWithError
    take_rmse: ValueWithError
    extra_loss: ValueWithError


@dataclass(frozen=True)
class DecisionGroup:
    """A group of decisions, and what players lose on them.

    Attributes:
        name: A class of positions, a kind of match states, or `ALL`.
        decisions: How many.
        value_error: Root mean square of the standard errors of the rollouts' equities, in points.
        players: By name, in their order.
    """

    name: str
    decisions: int
    value_error: float
    players: dict[str, CubeErrorStats]


def compute_losses(
    decisions: Sequence[RatedDecision], values: _FloatArray, opinions: CubeOpinions
) -> _FloatArray:
    """Compute what a player loses on each decision, by given values.

    The noise of rollouts makes the losses of all players too large, by the same amount on average: their
    differences are right.

    Args:
        decisions: The decisions.
        values: ``float64[n, 2]``, equities of no double and double/take, of rollouts or of a teacher.
        opinions: Of the player.

    Returns:
        ``float64[n, 2]``, points at the present cube: by doubling or not, against the proper response (nan
        where no double can gain); and by taking or passing.
    """
    held, taken = values.T
    doubled = np.minimum(taken, 1.0)
    losses = np.empty((len(decisions), 2))
    losses[:, 0] = np.maximum(held, doubled) - np.where(opinions.doubles, doubled, held)
    losses[:, 1] = np.where(opinions.takes, taken, 1.0) - doubled
    alive = [make_cube_game(decision.match).may_double for decision in decisions]
    losses[~np.array(alive, np.bool_), 0] = np.nan
    return losses


def compare_players(
    decisions: Sequence[RatedDecision], opinions: dict[str, CubeOpinions]
) -> list[DecisionGroup]:
    """Compare players by class of position, by kind of match state, and on all decisions.

    Args:
        decisions: Rolled out, one or more.
        opinions: By player; the others are compared with the first.
    """
    values, errors, _ = stack_rollouts(decisions)
    losses = {name: compute_losses(decisions, values, each) for name, each in opinions.items()}
    squares = {name: np.square(each.values - values) - np.square(errors) for name, each in opinions.items()}
    first = next(iter(losses.values()))
    return [
        DecisionGroup(
            name,
            int(rows.sum()),
            rms(errors[rows]),
            {
                player: CubeErrorStats(
                    mean_with_error(_known(lost[rows, 0])),
                    mean_with_error(lost[rows, 1]),
                    sqrt_with_error(mean_with_error(squares[player][rows, 0])),
                    sqrt_with_error(mean_with_error(squares[player][rows, 1])),
                    mean_with_error(np.nansum(lost[rows], axis=1) - np.nansum(first[rows], axis=1)),
                )
                for player, lost in losses.items()
            },
        )
        for name, rows in _list_groups(decisions)
    ]


def _known(values: _FloatArray) -> _FloatArray:
    return values[~np.isnan(values)]


def _list_groups(decisions: Sequence[RatedDecision]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Classes of positions, kinds of match states, and all."""
    for labels in ([each.name for each in decisions], [each.kind for each in decisions]):
        column = np.array(labels)
        for name in dict.fromkeys(sorted(labels)):
            yield name, column == name
    yield ALL, np.ones(len(decisions), np.bool_)
