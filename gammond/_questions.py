"""The questions of both clients, and the results that their answers hold.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from gammond.errors import CancelledWork, ServerError
from gammond.match import Dice, MatchState, check_dice
from gammond.position import Play, Position
from gammond.results import (
    CubeDecision,
    Evaluation,
    Evaluations,
    Outcome,
    PlayEvaluation,
    PlayRollout,
    RankedPlays,
    Rollout,
    RolloutEstimate,
    RolloutKind,
)

T = TypeVar("T")

_CUBE_PASS = "drop"


@dataclass(frozen=True)
class Question(Generic[T]):
    """A JSON query.

    Attributes:
        fields: All but its id.
        parse: Makes the result of the answer.
    """

    fields: Mapping[str, object]
    parse: Callable[[Any], T]


def ask_evaluation(
    position: Position, match: MatchState | None, plies: int, cubeful: bool
) -> Question[Evaluation]:
    """Return the question for the value of a position."""
    return Question(_make_fields([position], match, plies, "eval", cubeful=cubeful), _parse_evaluation)


def ask_evaluations(
    positions: Sequence[Position], match: MatchState | None, plies: int, cubeful: bool
) -> Question[Evaluations]:
    """Return the question for the values of many positions."""
    return Question(_make_fields(positions, match, plies, "eval", cubeful=cubeful), _parse_evaluations)


def ask_plays(
    position: Position, dice: Dice, match: MatchState | None, plies: int, cubeful: bool, move_filter: str
) -> Question[RankedPlays]:
    """Return the question for the ranked plays of a roll."""
    fields = {"dice": list(check_dice(dice)), "filter": move_filter, "cubeful": cubeful}
    return Question(
        _make_fields([position], match, plies, "moves", **fields),
        lambda answer: _parse_plays(answer, position, dice, match or MatchState()),
    )


def ask_cube(position: Position, match: MatchState | None, plies: int) -> Question[CubeDecision]:
    """Return the question for the cube decision."""
    return Question(_make_fields([position], match, plies, "cube"), _parse_cube)


class RolloutQuestion:
    """The commands for a rollout, and the parser of their answers.

    Options that are None are not sent: the server's defaults are those of `gammond.Engine.rollout`.
    ``cubeful`` always is, since its default there is the session's setting.

    Raises:
        ValueRangeError: A die is not 1 to 6.
    """

    def __init__(
        self,
        position: Position,
        dice: Dice | None,
        match: MatchState | None,
        *,
        kind: RolloutKind | None = None,
        trials: int | None = None,
        seed: int | None = None,
        truncation: int | None = None,
        plies: int | None = None,
        cubeful: bool = True,
        variance_reduction: bool | None = None,
        candidates: int | None = None,
    ) -> None:
        kind = kind or ("position" if dice is None else "plays")
        dice = None if dice is None else check_dice(dice)
        self._position, self._dice, self._cubeful = position, dice, cubeful
        self._match = replace(match or MatchState(), dice=dice, doubled=False, beavered=False, resigned=0)
        options = {
            "trials": trials,
            "seed": seed,
            "truncate": truncation,
            "plies": plies,
            "cubeful": cubeful,
            "vr": variance_reduction,
            "candidates": candidates if kind == "plays" else None,
        }
        given = (f"{name}={str(value).lower()}" for name, value in options.items() if value is not None)
        what = "moves" if kind == "plays" else kind
        self.lines = [
            f"position gnubgid {position.id}:{self._match.id}",
            " ".join(["rollout", what, *given]),
        ]

    def parse(self, lines: list[str]) -> Rollout:
        """Return the rollout of an answer.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was stopped before anything was complete.
        """
        try:
            parse_lines(lines)
        except ServerError as error:
            if error.code == CancelledWork.code:
                raise CancelledWork(error.message, field=error.field) from None
            raise
        rows: dict[str, list[dict[str, Any]]] = {"candidate": [], "estimate": [], "rollout": []}
        for line in lines:
            word, _, text = line.partition(" ")
            if word in rows:
                rows[word].append(_read_values(text))
        (final,) = rows["rollout"]
        plays = tuple(map(self._make_play, rows["candidate"]))
        estimates = {row["of"]: self._make_estimate(row) for row in rows["estimate"]}
        return Rollout(
            estimates.get("position", estimates.get("no_double")),
            plays,
            _make_cube_decision(final) if final["of"] == "cube" else None,
            estimates.get("take"),
            final["trials"],
        )

    def _make_play(self, row: Mapping[str, Any]) -> PlayRollout:
        assert self._dice is not None
        play = _find_play(self._position, row["play"], self._dice)
        loss, error = abs(row.get("behind", 0.0)), row.get("behind_se", 0.0)
        return PlayRollout(play, self._make_estimate(row), loss, error)

    def _make_estimate(self, row: Mapping[str, Any]) -> RolloutEstimate:
        if self._cubeful:
            equity, error = row["cubeful"], row.get("cubeful_se", math.nan)
        elif "mwc" in row:  # the wire has no equity at the score: it comes from the table
            even, stake = _get_equity_scale(self._match)
            equity, error = (row["mwc"] - even) / stake, row.get("mwc_se", math.nan) / stake
        else:
            equity, error = row["equity"], row.get("se", math.nan)
        return RolloutEstimate(row["trials"], _make_outcome(row), equity, error)


def parse_lines(lines: list[str]) -> list[str]:
    """Return the lines of an answer to a command.

    Raises:
        ServerError: The final line is an error.
    """
    final = lines[-1]
    if final.startswith("error "):
        head, _, message = final.removeprefix("error ").partition(": ")
        code, _, field = head.partition(" ")
        raise ServerError(code, message, field or None)
    return lines


def _make_fields(
    positions: Sequence[Position], match: MatchState | None, plies: int, want: str, **fields: object
) -> dict[str, object]:
    """Return the fields of a query about positions of one match state."""
    suffix = "" if match is None else f":{match.id}"
    texts = [f"{position.id}{suffix}" for position in positions]
    return {"positions": texts, "plies": plies, "want": [want], **fields}


def _parse_evaluation(answer: Mapping[str, Any]) -> Evaluation:
    (result,) = get_results(answer)
    row = result["eval"]
    return Evaluation(
        _make_outcome(row),
        row["equity"],
        row.get("cubeful"),
        row.get("mwc"),
        row["plies"],
        row.get("stored", False),
    )


def _parse_evaluations(answer: Mapping[str, Any]) -> Evaluations:
    rows = [result["eval"] for result in get_results(answer)]
    outcomes = np.array([_make_outcome(row)._as_row() for row in rows], np.float32).reshape(len(rows), 5)

    def column(name: str) -> Any:  # noqa: ANN401
        return np.array([row[name] for row in rows]) if rows and name in rows[0] else None

    equities = np.array([row["equity"] for row in rows], np.float64)
    return Evaluations(outcomes, equities, column("cubeful"), column("mwc"), answer["plies"])


def _parse_plays(answer: Mapping[str, Any], position: Position, dice: Dice, match: MatchState) -> RankedPlays:
    (result,) = get_results(answer)
    legal = {play.text: play for play in position.legal_plays(dice)}
    rows = result["moves"]
    best = _get_score(rows[0], match)
    plays = tuple(
        PlayEvaluation(
            legal.get(row["play"]) or _find_play(position, row["play"], dice),
            _make_outcome(row),
            row["equity"],
            row.get("cubeful"),
            row.get("mwc"),
            max(best - _get_score(row, match), 0.0),
            row["plies"],
        )
        for row in rows
    )
    return RankedPlays(plays, plays[0].plies, "stopped" not in answer, result.get("moves_stored", False))


def _parse_cube(answer: Mapping[str, Any]) -> CubeDecision:
    (result,) = get_results(answer)
    return _make_cube_decision(result["cube"])


def _make_cube_decision(row: Mapping[str, Any]) -> CubeDecision:
    return CubeDecision(
        action=row["action"],
        should_double=row["double"],
        should_take=row.get("response") != _CUBE_PASS,
        should_beaver=row.get("response") == "beaver",
        no_double=row["no_double"],
        double_take=row.get("take"),
        double_pass=row.get("drop"),
        no_double_mwc=row.get("mwc_no_double"),
        double_take_mwc=row.get("mwc_take"),
        double_pass_mwc=row.get("mwc_drop"),
        evaluation=None,
    )


def _read_values(text: str) -> dict[str, Any]:
    """Return the ``key=value`` pairs of a line: numbers, ``true`` and ``false``, or words."""
    values: dict[str, Any] = {}
    for pair in shlex.split(text):
        name, _, value = pair.partition("=")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    return values


def get_results(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of an answer to a JSON query.

    Raises:
        ServerError: The server refused the query.
    """
    if "error" in answer:
        error = answer["error"]
        raise ServerError(error["code"], error["message"], error.get("field"))
    results: list[dict[str, Any]] = answer["results"]
    return results


def _make_outcome(row: Mapping[str, Any]) -> Outcome:
    return Outcome(row["win"], row["win_g"], row["win_bg"], row["lose_g"], row["lose_bg"])


def _get_score(row: Mapping[str, Any], match: MatchState) -> float:
    """Return what plays are ranked by, in points."""
    if "cubeful" in row:
        return float(row["cubeful"])
    if "mwc" in row:
        even, stake = _get_equity_scale(match)
        return (float(row["mwc"]) - even) / stake
    return float(row["equity"])


def _get_equity_scale(match: MatchState) -> tuple[float, float]:
    """Return the match-winning chance that 0 points are worth at a score, and that of a point more."""
    from engine.cubeful import make_dead_cube_game

    return make_dead_cube_game(match._to_engine().before_roll()).equity_scale


def _find_play(position: Position, text: str, dice: Dice) -> Play:
    result = position.play(text, dice)
    return next(play for play in position.legal_plays(dice) if play.result == result)
