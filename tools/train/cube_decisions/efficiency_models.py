"""Models of cube efficiency, fitted to rolled-out cube decisions and measured on others.

In Janowski's model the value of a position in a state of the cube is dead + efficiency · (live - dead). A
model makes the efficiency a weighted sum of what is known of position and match state, so that weights are a
linear least-squares fit. Fitted to rollouts, outcomes are theirs, so that the errors of the net do not count;
fitted to the values of a teacher, they are the net's, so that its errors are learned too. In the measurement
outcomes are the net's, at 0-ply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES, CubeEfficiencies, EfficiencyFormula, make_cube_game
from gammond.engine.cubeful.efficiency import SLOPES
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcome, Outcomes
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.statistics import ValueWithError
from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.router import classify_contact
from gammond.tools.train.cube_decisions.deciders import CubeOpinions
from gammond.tools.train.cube_decisions.decision_file import RatedDecision, stack_rollouts
from gammond.tools.train.cube_decisions.efficiency_numbers import (
    EFFICIENCY_NAMES,
    average_efficiencies,
    compute_weights,
    formula_from_vector,
    formula_to_vector,
)
from gammond.tools.train.cube_decisions.losses import CubeErrorStats, compare_players

_FloatArray = NDArray[np.float64]

IN_USE = "in use"

TARGETS = {
    "values": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "choices": np.array([[-1.0, 1.0], [0.0, 1.0]]),
}
"""What weights are fitted to, as sums of no double and double/take: the two values, or the differences that
decide, take minus no double and take minus pass."""

_HALF = formula_from_vector([0.5] * len(EFFICIENCY_NAMES))
_SLOPE = 0.1
"""A slope that takes the efficiency of no position from 1/2 to 0 or 1, where it would be cut."""

_LEAST_LEVER = 1e-9
"""The mean squared effect of an efficiency on values, in squared points, that a fit takes for none."""

_RIDGE = 1.0
"""Pull of the numbers towards those of `_START`, as so many average decisions that call for these."""

_START = EfficiencyFormula(race=(0.63, 0.81), bearoff=(0.04, 0.27, 0.47, 0.64, 0.69))
"""What models change: published numbers for contact, and for races fitted to rollouts."""


@dataclass(frozen=True, eq=False)
class ModelInputs:
    """What models know of decisions.

    Attributes:
        decisions: The decisions.
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``, the net's.
        values: ``float64[n, 2]``, the equities of no double and double/take to fit to.
        fit_outcomes: ``float32[n, 5]``, the outcomes behind these.
        class_names: The classes of positions.
    """

    decisions: Sequence[RatedDecision]
    boards: Board
    outcomes: Outcomes
    values: _FloatArray
    fit_outcomes: Outcomes
    class_names: tuple[str, ...]

    @classmethod
    def from_rollouts(
        cls, decisions: Sequence[RatedDecision], evaluator: Evaluator, class_names: tuple[str, ...]
    ) -> ModelInputs:
        """Make inputs to fit to rollouts, and to measure on."""
        boards = np.stack([decision.position.board for decision in decisions])
        values, _, outcomes = stack_rollouts(decisions)
        return cls(
            decisions, boards, evaluator.evaluate(boards), values, outcomes.astype(np.float32), class_names
        )

    @classmethod
    def from_teacher(
        cls,
        decisions: Sequence[RatedDecision],
        evaluator: Evaluator,
        teacher: CubeOpinions,
        class_names: tuple[str, ...],
    ) -> ModelInputs:
        """Make inputs to fit to the values of a teacher."""
        boards = np.stack([decision.position.board for decision in decisions])
        outcomes = evaluator.evaluate(boards)
        return cls(decisions, boards, outcomes, teacher.values, outcomes, class_names)


def weigh_phases(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers by phase and pips: the same for both states of the cube."""
    return _for_both_states(compute_weights(inputs.boards))


def weigh_contact_classes(inputs: ModelInputs) -> _FloatArray:
    """Weigh a number for each contact class in place of one for contact."""
    weights = compute_weights(inputs.boards)
    is_contact = weights[:, 0] > 0.0
    classes = np.eye(len(CONTACT_CLASSES))[classify_contact(inputs.boards)] * is_contact[:, None]
    return _for_both_states(np.concatenate([classes, weights[:, 1:]], axis=1))


def weigh_position_classes(inputs: ModelInputs) -> _FloatArray:
    """Weigh a number for each class of positions of the set."""
    places = [inputs.class_names.index(decision.name) for decision in inputs.decisions]
    return _for_both_states(np.eye(len(inputs.class_names))[places])


def weigh_money_and_matches(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers by phase, others in money play than in matches."""
    weights = compute_weights(inputs.boards)
    is_money = np.array([decision.match.is_money for decision in inputs.decisions])[:, None]
    return _for_both_states(np.concatenate([weights * is_money, weights * ~is_money], axis=1))


def weigh_formula(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers of one `gammond.engine.cubeful.EfficiencyFormula` for all states of the cube."""
    return _for_both_states(_weigh_formula_numbers(inputs))


def weigh_formulas(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers of three `gammond.engine.cubeful.EfficiencyFormula`, one a state of the cube."""
    weights = _weigh_formula_numbers(inputs)
    none = np.zeros_like(weights)
    is_own = np.array([decision.match.cube_owner is not None for decision in inputs.decisions])[:, None]
    before = np.concatenate([weights * ~is_own, weights * is_own, none], axis=1)
    return np.stack([before, np.concatenate([none, none, weights], axis=1)], axis=1)


def weigh_states(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers by phase, others for the cube after a take than before a double."""
    weights = compute_weights(inputs.boards)
    none = np.zeros_like(weights)
    before, after = np.concatenate([weights, none], axis=1), np.concatenate([none, weights], axis=1)
    return np.stack([before, after], axis=1)


def weigh_features(inputs: ModelInputs) -> _FloatArray:
    """Weigh phases, contact classes, winning chances, gammon rates, pips and match state, by state."""
    boards, outcomes = inputs.boards, inputs.outcomes.astype(np.float64)
    pips = boards.astype(np.float64) @ np.arange(26) / 100.0
    win = outcomes[:, WIN]
    is_race = classify_phases(boards) == Phase.RACE
    classes = np.eye(len(CONTACT_CLASSES))[classify_contact(boards)] * ~is_race[:, None]
    matches = [decision.match for decision in inputs.decisions]
    features = np.column_stack(
        [
            classes,
            win - 0.7,
            np.square(win - 0.7),
            outcomes[:, WIN_G] / np.maximum(win, 0.05),
            outcomes[:, LOSE_G] / np.maximum(1.0 - win, 0.05),
            outcomes[:, WIN_BG] + outcomes[:, LOSE_BG],
            pips * is_race[:, None],
            pips * ~is_race[:, None],
            [match.is_money for match in matches],
            [match.jacoby for match in matches],
            [match.cube > 1 for match in matches],
        ]
    )
    weights = np.concatenate([compute_weights(boards), features], axis=1)
    after = np.concatenate([weights, weights], axis=1)
    return np.stack([np.concatenate([weights, np.zeros_like(weights)], axis=1), after], axis=1)


MODELS: dict[str, Callable[[ModelInputs], _FloatArray]] = {
    "by phase": weigh_phases,
    "by contact class": weigh_contact_classes,
    "by class of the set": weigh_position_classes,
    "money, match": weigh_money_and_matches,
    "before, after a take": weigh_states,
    "by formula": weigh_formula,
    "by formula and state": weigh_formulas,
    "by features": weigh_features,
}
"""Models by name: functions that return what multiplies each number, ``float64[n, 2, k]``, for no double and
for double/take."""


def measure_models(
    inputs: ModelInputs, taught: ModelInputs | None = None
) -> dict[str, tuple[int, CubeErrorStats]]:
    """Measure models on decisions that they were not fitted to.

    Args:
        inputs: Rolled-out decisions to measure on.
        taught: Other decisions to fit to; if None, the models are fitted to each half of the rolled-out ones
            and measured on the other.

    Returns:
        By model and target: how many numbers it has, and its errors, the first those of the efficiencies in
        use.
    """
    found, sizes = {IN_USE: decide_by_formulas(inputs, DEFAULT_EFFICIENCIES)}, {IN_USE: 0}
    start = _list_start_efficiencies(inputs)
    for name, weigh in MODELS.items():
        weights = weigh(inputs)
        for target in TARGETS:
            if taught is None:
                efficiencies = fit_efficiencies_held_out(inputs, weights, target)
            else:
                efficiencies = np.clip(start + weights @ fit_changes(taught, weigh(taught), target), 0.0, 1.0)
            key = f"{name}, to {target}"
            found[key] = decide_by_efficiencies(inputs, efficiencies)
            sizes[key] = weights.shape[2]
    errors = compare_players(inputs.decisions, found)[-1].players
    return {name: (sizes[name], errors[name]) for name in found}


@dataclass(frozen=True)
class FittedEfficiency:
    """An efficiency of a phase or a number of pips, the same in all states of the cube.

    Attributes:
        in_use: The mean of the efficiencies in use; nan where no position has a weight.
        fitted: What was fitted, by target, and its error from the spread of the positions, which includes
            the noise of rollouts and the errors of the model; nan where no position tells.
    """

    in_use: float
    fitted: dict[str, ValueWithError]


def fit_phases(inputs: ModelInputs) -> dict[str, FittedEfficiency]:
    """Fit the efficiencies of `weigh_phases` to all decisions; the result is by `EFFICIENCY_NAMES`."""
    weights, start = weigh_phases(inputs), formula_to_vector(_START)
    in_use = average_efficiencies(DEFAULT_EFFICIENCIES, inputs.boards, inputs.outcomes)
    fitted: list[dict[str, ValueWithError]] = [{} for _ in EFFICIENCY_NAMES]
    for target in TARGETS:
        levers, wanted = _make_equations(inputs, weights, target)
        changes, inverse = _solve(levers, wanted)
        pulls = np.einsum("ntk,nt->nk", levers, wanted - levers @ changes) @ inverse
        counts = (levers != 0.0).any(axis=1).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.sqrt((pulls**2).sum(axis=0) * counts / (counts - 1.0))
        numbers = np.where(counts > 0, start + changes, np.nan)
        errors = np.where(counts > 1, errors, np.nan)
        for each, number, error in zip(fitted, numbers.tolist(), errors.tolist(), strict=True):
            each[target] = ValueWithError(number, error)
    rows = zip(EFFICIENCY_NAMES, in_use.tolist(), fitted, strict=True)
    return {name: FittedEfficiency(mean, by_target) for name, mean, by_target in rows}


def fit_formulas(inputs: ModelInputs) -> CubeEfficiencies:
    """Fit the efficiencies of `weigh_formulas` to values."""
    changes = fit_changes(inputs, weigh_formulas(inputs), "values").reshape(3, -1)
    formulas = []
    for numbers in changes + np.append(formula_to_vector(_START), _START.slopes):
        by_phase, slopes = np.split(np.round(numbers, 3), [len(EFFICIENCY_NAMES)])
        formulas.append(
            msgspec.structs.replace(
                formula_from_vector(by_phase), **dict(zip(SLOPES, slopes.tolist(), strict=True))
            )
        )
    return CubeEfficiencies(*formulas)


def decide_by_formulas(inputs: ModelInputs, efficiencies: CubeEfficiencies) -> CubeOpinions:
    """Make the decisions by the net's outcomes, as the engine does at 0-ply."""
    found = efficiencies.for_boards(inputs.boards, inputs.outcomes)
    return CubeOpinions.from_decisions(
        [
            make_cube_game(decision.match).decide_outcome(Outcome(*outcome), three)
            for decision, outcome, three in zip(inputs.decisions, inputs.outcomes, found, strict=True)
        ]
    )


def decide_by_efficiencies(inputs: ModelInputs, efficiencies: _FloatArray) -> CubeOpinions:
    """Make the decisions by the net's outcomes and given efficiencies.

    Args:
        inputs: The decisions.
        efficiencies: ``float64[n, 2]``, in the present state of the cube and after a take.
    """
    made = []
    for decision, outcome, pair in zip(inputs.decisions, inputs.outcomes, efficiencies, strict=True):
        game = make_cube_game(decision.match)
        held, taken = game.evaluate(np.repeat(outcome[None], 2, axis=0), pair.astype(np.float32))
        held[game.state_after_take] = taken[game.state_after_take]
        made.append(game.decide(held))
    return CubeOpinions.from_decisions(made)


def fit_efficiencies_held_out(inputs: ModelInputs, weights: _FloatArray, target: str) -> _FloatArray:
    """Compute the efficiencies of each half of the decisions by the fit to the other: ``float64[n, 2]``.

    Args:
        inputs: The decisions.
        weights: Of a model.
        target: A key of `TARGETS`.
    """
    is_odd = np.arange(len(inputs.decisions)) % 2 == 1
    efficiencies = _list_start_efficiencies(inputs)
    for half in (is_odd, ~is_odd):
        efficiencies[half] += weights[half] @ fit_changes(inputs, weights, target, ~half)
    return np.clip(efficiencies, 0.0, 1.0)


def fit_changes(
    inputs: ModelInputs, weights: _FloatArray, target: str, rows: NDArray[np.bool_] | None = None
) -> _FloatArray:
    """Fit the numbers of a model, less those of `_START`: ``float64[k]``.

    Args:
        inputs: The decisions.
        weights: Of the model.
        target: A key of `TARGETS`.
        rows: ``bool[n]``, which decisions count; all of them if None.
    """
    levers, wanted = _make_equations(inputs, weights, target)
    rows = np.ones(len(weights), np.bool_) if rows is None else rows
    return _solve(levers[rows], wanted[rows])[0]


def _make_equations(
    inputs: ModelInputs, weights: _FloatArray, target: str
) -> tuple[_FloatArray, _FloatArray]:
    """Return what each number adds to the sums of a target, ``float64[n, t, k]``, and what it should add."""
    dead, live = (_compute_values(inputs, inputs.fit_outcomes, each) for each in (0.0, 1.0))
    sums, start = TARGETS[target], _list_start_efficiencies(inputs)
    levers = np.einsum("ts,nsk->ntk", sums, (live - dead)[:, :, None] * weights)
    return levers, (inputs.values - dead - start * (live - dead)) @ sums.T


def _solve(levers: _FloatArray, wanted: _FloatArray) -> tuple[_FloatArray, _FloatArray]:
    """Return the changes that come nearest, ``float64[k]``, and the inverse of the squared levers."""
    squares = np.einsum("ntk,ntl->kl", levers, levers)
    squares += _RIDGE * max(float(np.mean(np.square(levers))), _LEAST_LEVER) * np.eye(len(squares))
    changes = np.linalg.solve(squares, np.einsum("ntk,nt->k", levers, wanted))
    return changes, np.linalg.inv(squares)


def _weigh_formula_numbers(inputs: ModelInputs) -> _FloatArray:
    """Weigh the numbers of a formula, those by phase and then its slopes: ``float64[n, k]``."""
    slopes = []
    for name in SLOPES:
        slope: dict[str, Any] = {name: _SLOPE}
        efficiencies = CubeEfficiencies.make_equal(msgspec.structs.replace(_HALF, **slope))
        found = efficiencies.for_boards(inputs.boards, inputs.outcomes)[:, 0].astype(np.float64)
        slopes.append((found - 0.5) / _SLOPE)
    return np.column_stack([compute_weights(inputs.boards), *slopes])


def _list_start_efficiencies(inputs: ModelInputs) -> _FloatArray:
    """List the efficiencies that models change, for no double and double/take: ``float64[n, 2]``."""
    start = compute_weights(inputs.boards) @ formula_to_vector(_START)
    return np.repeat(start[:, None], 2, axis=1)


def _for_both_states(weights: _FloatArray) -> _FloatArray:
    return np.repeat(weights[:, None, :], 2, axis=1)


def _compute_values(inputs: ModelInputs, outcomes: Outcomes, efficiency: float) -> _FloatArray:
    """Compute equities of no double and double/take at one efficiency, ``float64[n, 2]``.

    A free double has those of a live cube at any: its value is no linear function of the efficiency, so that
    it tells a fit nothing.
    """
    values = np.empty((len(outcomes), 2))
    for row, decision in enumerate(inputs.decisions):
        game = make_cube_game(decision.match)
        one = np.array([1.0 if game.has_free_double else efficiency], np.float32)
        equities = game.to_equities(game.evaluate(outcomes[row : row + 1], one))[0]
        values[row] = equities[0], game.arrays.stake_factor * equities[game.state_after_take]
    return values
