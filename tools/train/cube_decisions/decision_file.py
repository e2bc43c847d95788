"""Cube decisions and their rollouts, one on each line of a file of text.

A line has the class of the position, the kind of match state, position ID and match ID; behind them, once it
is rolled out, in thousandths: no double and double/take, the standard errors of both and of their difference;
the number of trials; and the cubeless outcome, in thousandths too. Values are for the side on roll, 1 a
single game won at the present cube. Nobody beavers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.formats.match_id import decode_match_id, encode_match_id
from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.tools.common.files import write_atomically
from gammond.tools.train.runs.shard_loop import ShardFiles

ROLLED_DECISIONS = ShardFiles("rollouts", "rolled-out cube decisions", ".txt")
"""The files of shards."""

_HEAD = (
    "# class, kind, position ID, match ID; no double, double/take, their standard errors, that of their "
    "difference, trials, outcome: in thousandths\n"
)
_SCALE = 1000
_FIELDS, _ROLLOUT_FIELDS = 4, 11


@dataclass(frozen=True)
class DecisionRollout:
    """What the rollout of a cube decision found, all for the side on roll.

    Attributes:
        values: Equities of no double and of double/take, in points at the present cube.
        errors: Their standard errors.
        gain_error: The standard error of their difference, from common dice.
        trials: Games of each.
        outcome: The cubeless outcome of the same games.
    """

    values: tuple[float, float]
    errors: tuple[float, float]
    gain_error: float
    trials: int
    outcome: Outcome


@dataclass(frozen=True)
class RatedDecision:
    """A cube decision.

    Attributes:
        name: The class of its position.
        kind: The kind of its match state.
        position: The position, of the side on roll.
        match: The match state.
        rollout: Its rollout, if it was made.
    """

    name: str
    kind: str
    position: Position
    match: MatchState
    rollout: DecisionRollout | None = None


def write_decisions(file: Path, decisions: Sequence[RatedDecision]) -> None:
    """Write a file, whole or not at all.

    Raises:
        DataFileError: It cannot be written.
    """
    write_atomically(file, (_HEAD + "".join(map(_format_decision, decisions))).encode())


def read_decisions(file: Path) -> list[RatedDecision]:
    """Read a file, or the rollouts of a folder of a set, one that is still being made too.

    Raises:
        DataFileError: It cannot be read, or a line is none of a decision; the line is named.
    """
    files = ROLLED_DECISIONS.list_in(file) if file.is_dir() else [file]
    return [decision for each in files for decision in _read_file(each)]


def stack_rollouts(
    decisions: Iterable[RatedDecision],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return values ``[n, 2]``, their standard errors ``[n, 2]`` and outcomes ``[n, 5]`` of rollouts.

    Raises:
        DataFileError: One was not rolled out.
    """
    rollouts = [decision.rollout for decision in decisions]
    known = [rollout for rollout in rollouts if rollout is not None]
    if len(known) < len(rollouts):
        raise DataFileError("expected rolled-out cube decisions, got some without a rollout")
    return (
        np.array([each.values for each in known], np.float64).reshape(-1, 2),
        np.array([each.errors for each in known], np.float64).reshape(-1, 2),
        np.array([each.outcome for each in known], np.float64).reshape(-1, 5),
    )


def _format_decision(decision: RatedDecision) -> str:
    words = [
        decision.name,
        decision.kind,
        encode_position_id(decision.position),
        encode_match_id(decision.match),
    ]
    if (found := decision.rollout) is not None:
        numbers = (*found.values, *found.errors, found.gain_error)
        words += [_to_thousandths(number) for number in numbers]
        words += [str(found.trials), *map(_to_thousandths, found.outcome)]
    return " ".join(words) + "\n"


def _to_thousandths(number: float) -> str:
    return str(round(_SCALE * number))


def _read_file(file: Path) -> list[RatedDecision]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(f"{file} cannot be read: {error}") from None
    decisions = []
    for number, line in enumerate(lines, 1):
        if not line.startswith("#"):
            try:
                decisions.append(_parse_decision(line))
            except (ValueError, GammondError) as error:
                raise DataFileError(f"{file} line {number} is no cube decision: {error}") from error
    return decisions


def _parse_decision(line: str) -> RatedDecision:
    words = line.split()
    if len(words) not in (_FIELDS, _FIELDS + _ROLLOUT_FIELDS):
        raise ValueError(f"expected {_FIELDS} or {_FIELDS + _ROLLOUT_FIELDS} words, got {len(words)}")
    name, kind, position_id, match_id = words[:_FIELDS]
    match = replace(decode_match_id(match_id), beavers=False)
    return RatedDecision(name, kind, decode_position_id(position_id), match, _parse_rollout(words[_FIELDS:]))


def _parse_rollout(words: Sequence[str]) -> DecisionRollout | None:
    if not words:
        return None
    held, taken, held_error, taken_error, gain_error, trials, *outcome = map(int, words)
    return DecisionRollout(
        (held / _SCALE, taken / _SCALE),
        (held_error / _SCALE, taken_error / _SCALE),
        gain_error / _SCALE,
        trials,
        Outcome(*(each / _SCALE for each in outcome)),
    )
