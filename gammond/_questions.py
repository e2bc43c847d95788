"""The questions of both clients, and the results that their answers hold.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from gammond.errors import CancelledWork, ServerError, UnsupportedError
from gammond.match import Dice, MatchState, check_dice
from gammond.position import Board, Play, Position, find_variant_name, read_boards
from gammond.results import (
    CubeDecision,
    Evaluation,
    Evaluations,
    Opinion,
    Outcome,
    PlayEvaluation,
    PlayRollout,
    RankedPlays,
    Rollout,
    RolloutEstimate,
    RolloutKind,
)

if TYPE_CHECKING:
    from engine.rules.match import MatchState as _EngineState

T = TypeVar("T")

_CUBE_PASS = "drop"
"""The word of the wire, on which a pass is a play that moves no checker."""

_OPINION_KEYS = {"rank", "play", "score", "player", "gnubgid", "win", "win_g", "win_bg", "lose_g", "lose_bg"}
"""Keys of an opinion that are no features."""


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
    fields = _make_fields(position, match, want=["eval"], plies=plies, cubeful=cubeful)
    return Question(fields, lambda answer: _make_evaluation(_get_finished(answer)["eval"]))


def ask_evaluations(
    positions: Sequence[Position] | Board, match: MatchState | None, plies: int, cubeful: bool
) -> Question[Evaluations]:
    """Return the question for the values of many positions; for none it asks about another one."""
    boards = read_boards(positions)
    asked = boards if len(boards) else Position.start().board[None]
    texts, variant = _write_positions(asked, match), find_variant_name(int(asked[0, 0].sum()))
    fields = {"positions": texts, "variant": variant, "want": ["eval"], "plies": plies, "cubeful": cubeful}
    return Question(fields, lambda answer: _parse_evaluations(answer, len(boards)))


def ask_plays(
    position: Position,
    dice: Dice,
    match: MatchState | None,
    plies: int,
    cubeful: bool,
    move_filter: str,
    candidates: int,
) -> Question[RankedPlays]:
    """Return the question for the ranked plays of a roll."""
    roll = list(check_dice(dice))
    options = {"plies": plies, "filter": move_filter, "cubeful": cubeful, "candidates": candidates}
    return Question(
        _make_fields(position, match, want=["moves"], dice=roll, **options),
        lambda answer: _parse_plays(answer, position, dice, match or MatchState()),
    )


def ask_cube(position: Position, match: MatchState | None, plies: int) -> Question[CubeDecision]:
    """Return the question for the cube decision."""
    return Question(_make_fields(position, match, want=["eval", "cube"], plies=plies), _parse_cube)


def ask_opinion(position: Position, player: str, dice: Dice | None) -> Question[tuple[Opinion, ...]]:
    """Return the question for what a player thinks of a position, or of the plays of a roll."""
    roll = {} if dice is None else {"dice": list(check_dice(dice))}
    return Question(
        _make_fields(position, None, want=["opinion"], player=player, **roll),
        lambda answer: _parse_opinions(answer, position, dice),
    )


class RolloutQuestion:
    """A JSON query for a rollout.

    Options that are None are not sent: the server's defaults are those of `gammond.Engine.rollout`.

    Attributes:
        fields: All but its id.

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
        stop_error: float | None = None,
        stop_jsd: float | None = None,
        min_trials: int | None = None,
    ) -> None:
        kind = kind or ("position" if dice is None else "plays")
        dice = None if dice is None else check_dice(dice)
        self._position, self._dice, self._cubeful = position, dice, cubeful
        self._match = match or MatchState()
        options = {
            "what": "moves" if kind == "plays" else kind,
            "trials": trials,
            "seed": seed,
            "truncate": truncation,
            "plies": plies,
            "cubeful": cubeful,
            "vr": variance_reduction,
            "candidates": candidates if kind == "plays" else None,
            "stop_error": stop_error,
            "stop_jsd": stop_jsd,
            "min_trials": min_trials,
        }
        self.fields = _make_fields(
            position,
            match,
            want=["rollout"],
            dice=list(dice) if dice is not None and kind == "plays" else None,
            rollout={name: value for name, value in options.items() if value is not None},
            progress_every=1,
        )

    def parse(self, answer: Mapping[str, Any]) -> Rollout:
        """Return the rollout of an answer.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was stopped before anything was complete.
        """
        try:
            (result,) = get_results(answer)
        except ServerError as error:
            field = error.field and error.field.removeprefix("rollout.")
            raise ServerError(error.code, error.message, field) from None
        found = result["rollout"]
        estimates = {row["of"]: self._make_estimate(row) for row in found.get("estimates", ())}
        return Rollout(
            estimates.get("position", estimates.get("no_double")),
            tuple(map(self._make_play, found.get("candidates", ()))),
            _make_cube_decision(found, None) if found["of"] == "cube" else None,
            estimates.get("take"),
            found["trials"],
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
            even, stake = _get_equity_scale(self._match._to_engine())
            equity, error = (row["mwc"] - even) / stake, row.get("mwc_se", math.nan) / stake
        else:
            equity, error = row["equity"], row.get("se", math.nan)
        return RolloutEstimate(row["trials"], _make_outcome(row), equity, error)


def parse_lines(lines: list[str]) -> list[str]:
    """Return the lines of an answer to a command.

    Raises:
        ServerError: The final line is an error, in words or as an object.
    """
    final = lines[-1]
    if final.startswith("{"):
        answer = json.loads(final)
        if "error" in answer:
            raise _make_error(answer["error"])
    elif final.startswith("error "):
        head, _, message = final.removeprefix("error ").partition(": ")
        code, _, field = head.partition(" ")
        raise ServerError(code, message, field or None)
    return lines


def _make_fields(position: Position, match: MatchState | None, **fields: object) -> dict[str, object]:
    """Return the fields of a query about a position.

    Raises:
        UnsupportedError: As `_find_match`.
    """
    state, suffix = _find_match(match)
    is_xgid = suffix is None
    text = position.to_xgid(MatchState._from_engine(state)) if is_xgid else f"{position.id}{suffix}"
    return {"position": text, "variant": find_variant_name(position._position.checkers), **fields}


def _write_positions(boards: Board, match: MatchState | None) -> list[str]:
    """Return texts that say all of positions and their match state.

    Raises:
        UnsupportedError: As `_find_match`.
    """
    from engine.formats.position_id import encode_position_ids
    from engine.formats.xgid import encode_xgids

    state, suffix = _find_match(match)
    if suffix is None:
        return encode_xgids(boards, state)
    return [f"{text}{suffix}" for text in encode_position_ids(boards)]


@lru_cache(maxsize=1024)
def _find_match(match: MatchState | None) -> tuple[_EngineState, str | None]:
    """Return the match state of a question, and what stands behind a position ID to say it.

    That is a match ID, nothing for money play, or None where only an XGID says all that answers depend on.

    Raises:
        UnsupportedError: An XGID does not either.
    """
    from engine.formats.match_id import encode_match_id
    from engine.formats.position_text import parse_position
    from engine.formats.xgid import encode_xgid
    from engine.store.entries import make_canonical

    money, start = MatchState()._to_engine(), Position.start()
    state = money if match is None else match._to_engine().before_roll()
    suffix = f":{encode_match_id(state)}"
    for text, found in (
        (start.id, ""),
        (f"{start.id}{suffix}", suffix),
        (encode_xgid(start._position, state), None),
    ):
        if make_canonical(parse_position(text)[1] or money) == make_canonical(state):
            return state, found
    raise UnsupportedError(f"no position format has a place for all of {match}", field="match")


def _get_finished(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the one result of an answer.

    Raises:
        ServerError: The server refused the query.
        CancelledWork: It was stopped before it was as deep as it was to be.
    """
    (result,) = get_results(answer)
    if answer.get("stopped"):
        raise _make_stopped_error()
    return result


def _make_evaluation(row: Mapping[str, Any]) -> Evaluation:
    return Evaluation(
        _make_outcome(row),
        row["equity"],
        row.get("cubeful"),
        row.get("mwc"),
        row["plies"],
        row.get("stored", False),
    )


def _parse_evaluations(answer: Mapping[str, Any], wanted: int) -> Evaluations:
    results = get_results(answer)
    if answer.get("stopped"):
        raise _make_stopped_error()
    rows = [result["eval"] for result in results]

    def column(name: str) -> Any:  # noqa: ANN401
        return np.array([row[name] for row in rows], np.float64)[:wanted] if name in rows[0] else None

    outcomes = np.array([_make_outcome(row)._as_row() for row in rows], np.float32)[:wanted]
    return Evaluations(outcomes, column("equity"), column("cubeful"), column("mwc"), answer["plies"])


def _parse_plays(answer: Mapping[str, Any], position: Position, dice: Dice, match: MatchState) -> RankedPlays:
    (result,) = get_results(answer)
    legal = {play.text: play for play in position.legal_plays(dice)}
    rows = result["moves"]
    state = match._to_engine().before_roll()
    best = _get_score(rows[0], state)
    plays = tuple(
        PlayEvaluation(
            legal.get(row["play"]) or _find_play(position, row["play"], dice),
            _make_outcome(row),
            row["equity"],
            row.get("cubeful"),
            row.get("mwc"),
            max(best - _get_score(row, state), 0.0) if row["survived"] else None,
            row["plies"],
        )
        for row in rows
    )
    return RankedPlays(plays, plays[0].plies, "stopped" not in answer, result.get("moves_stored", False))


def _parse_opinions(answer: Mapping[str, Any], position: Position, dice: Dice | None) -> tuple[Opinion, ...]:
    found = _get_finished(answer)["opinion"]
    return tuple(
        Opinion(
            None if dice is None else _find_play(position, row["play"], dice),
            row["score"],
            _make_outcome(row) if "win" in row else None,
            {name: value for name, value in row.items() if name not in _OPINION_KEYS},
        )
        for row in ([found] if dice is None else found["moves"])
    )


def _parse_cube(answer: Mapping[str, Any]) -> CubeDecision:
    result = _get_finished(answer)
    return _make_cube_decision(result["cube"], _make_evaluation(result["eval"]))


def _make_cube_decision(row: Mapping[str, Any], evaluation: Evaluation | None) -> CubeDecision:
    return CubeDecision(
        action=row["action"].replace(_CUBE_PASS, "pass"),
        should_double=row["double"],
        should_take=row.get("response") != _CUBE_PASS,
        should_beaver=row.get("response") == "beaver",
        no_double=row["no_double"],
        double_take=row.get("take"),
        double_pass=row.get("drop"),
        no_double_mwc=row.get("mwc_no_double"),
        double_take_mwc=row.get("mwc_take"),
        double_pass_mwc=row.get("mwc_drop"),
        evaluation=evaluation,
    )


def get_results(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the results of an answer to a JSON query.

    Raises:
        ServerError: The server refused the query.
        CancelledWork: It was stopped before it had any result.
    """
    if "error" in answer:
        refusal = _make_error(answer["error"])
        raise _make_stopped_error() if refusal.code == CancelledWork.code else refusal
    results: list[dict[str, Any]] = answer["results"]
    if not results and answer.get("stopped"):
        raise _make_stopped_error()
    return results


def _make_error(error: Mapping[str, Any]) -> ServerError:
    return ServerError(error["code"], error["message"], error.get("field"))


def _make_stopped_error() -> CancelledWork:
    return CancelledWork("the question was stopped before it had its answer")


def _make_outcome(row: Mapping[str, Any]) -> Outcome:
    return Outcome(row["win"], row["win_g"], row["win_bg"], row["lose_g"], row["lose_bg"])


def _get_score(row: Mapping[str, Any], match: _EngineState) -> float:
    """Return what plays are ranked by, in points."""
    if "cubeful" in row:
        return float(row["cubeful"])
    if "mwc" in row:
        even, stake = _get_equity_scale(match)
        return (float(row["mwc"]) - even) / stake
    return float(row["equity"])


def _get_equity_scale(match: _EngineState) -> tuple[float, float]:
    """Return the match-winning chance that 0 points are worth at a score, and that of a point more."""
    from engine.cubeful import make_dead_cube_game

    return make_dead_cube_game(match.before_roll()).equity_scale


def _find_play(position: Position, text: str, dice: Dice) -> Play:
    result = position.play(text, dice)
    return next(play for play in position.legal_plays(dice) if play.result == result)
