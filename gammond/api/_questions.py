"""The questions of both clients, and the results that their answers hold.

*Source:* docs/reference/json-queries.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

import numpy as np

from gammond.api._options import DecisionRollouts, RolloutSettings
from gammond.api.errors import CancelledWork, ServerError, UnsupportedError, make_server_error
from gammond.api.match import Dice, MatchState, check_dice, read_asked_state
from gammond.api.position import Board, Play, Position, find_variant_name, read_boards
from gammond.api.results import (
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
)

if TYPE_CHECKING:
    from gammond.engine.rules.match import MatchState as _EngineState

T = TypeVar("T")

_CUBE_PASS = "drop"
"""The word of the wire, on which a pass is a play that moves no checker."""

_OPINION_KEYS = {"rank", "play", "score", "player", "gnubgid", "win", "win_g", "win_bg", "lose_g", "lose_bg"}
"""Keys of an opinion that are no features."""


_WIRE_NAMES = {"truncation": "truncate", "variance_reduction": "vr"}
"""The names of the protocol for options of rollouts that have others here."""

_OWN_NAMES = {wire: name for name, wire in _WIRE_NAMES.items()}

_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True)
class Question(Generic[T]):
    """What is asked of a server.

    Attributes:
        line: A command without its tag, or the object of a JSON query without its id.
        parse: Makes the result of the answer: of the lines of a command, or the final object of a query.
        is_query: Whether it is a query.
    """

    line: str
    parse: Callable[[Any], T]
    is_query: bool = True

    @classmethod
    def of_fields(cls, fields: Mapping[str, object], parse: Callable[[Any], T]) -> Question[T]:
        """Return a query with the fields that are not None."""
        return cls(_encode({name: value for name, value in fields.items() if value is not None}), parse)


def ask_command(line: str) -> Question[list[str]]:
    """Return the question that is a command.

    Raises:
        ValueError: It is empty or holds a line end.
    """
    if not line.strip() or "\n" in line or "\r" in line:
        raise ValueError(f"expected one command on one line, got {line!r}")
    return Question(line, parse_lines, is_query=False)


def ask_evaluation(
    position: Position, match: MatchState | None, plies: int, cubeful: bool
) -> Question[Evaluation]:
    """Return the question for the value of a position."""
    fields = _make_fields(position, match, want=["eval"], plies=plies, cubeful=cubeful)
    return Question.of_fields(fields, lambda answer: _make_evaluation(_get_finished(answer)["eval"]))


def ask_evaluations(
    positions: Sequence[Position] | Board, match: MatchState | None, plies: int, cubeful: bool
) -> Question[Evaluations]:
    """Return the question for the values of many positions; for none it asks about another one."""
    boards = read_boards(positions)
    asked = boards if len(boards) else Position.start().board[None]
    texts, variant = _write_positions(asked, match), find_variant_name(int(asked[0, 0].sum()))
    fields = {"positions": texts, "variant": variant, "want": ["eval"], "plies": plies, "cubeful": cubeful}
    return Question.of_fields(fields, lambda answer: _parse_evaluations(answer, len(boards)))


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
    return Question.of_fields(
        _make_fields(position, match, want=["moves"], dice=roll, **options),
        lambda answer: _parse_plays(answer, position, dice, match or MatchState()),
    )


def ask_cube(position: Position, match: MatchState | None, plies: int) -> Question[CubeDecision]:
    """Return the question for the cube decision."""
    fields = _make_fields(position, match, want=["eval", "cube"], plies=plies)
    return Question.of_fields(fields, _parse_cube)


def ask_opinion(position: Position, player: str, dice: Dice | None) -> Question[tuple[Opinion, ...]]:
    """Return the question for what a player thinks of a position, or of the plays of a roll."""
    roll = {} if dice is None else {"dice": list(check_dice(dice))}
    return Question.of_fields(
        _make_fields(position, None, want=["opinion"], player=player, **roll),
        lambda answer: _parse_opinions(answer, position, dice),
    )


def ask_rollout(
    position: Position,
    dice: Dice | None,
    match: MatchState | None,
    **options: Unpack[RolloutSettings],
) -> Question[Rollout]:
    """Return the question for a rollout.

    Options that are None are not sent: the server's defaults are those of `gammond.Engine.rollout`.

    Raises:
        ValueRangeError: A die is not 1 to 6.
        TypeError: There is no such option.
    """
    kind = options.pop("kind", None) or ("position" if dice is None else "plays")
    if kind != "plays":
        options.pop("candidates", None)
    roll = None if dice is None else check_dice(dice)
    asked = {"cubeful": True, **rename_rollout_options(options), "what": "moves" if kind == "plays" else kind}
    fields = _make_fields(
        position,
        match,
        want=["rollout"],
        dice=roll if kind == "plays" else None,
        rollout={name: value for name, value in asked.items() if value is not None},
        progress_every=1,
    )
    return Question.of_fields(
        fields, lambda answer: _parse_rollout(answer, position, roll, match or MatchState())
    )


def rename_rollout_options(options: DecisionRollouts) -> dict[str, object]:
    """Return options of rollouts by the names of the protocol.

    Raises:
        TypeError: There is no such option.
    """
    if unknown := options.keys() - RolloutSettings.__annotations__.keys():
        raise TypeError(f"there is no option {min(unknown)!r} of rollouts")
    return {_WIRE_NAMES.get(name, name): value for name, value in options.items()}


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
        raise make_server_error(code, message, field or None)
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
    from gammond.engine.formats.position_id import encode_position_ids
    from gammond.engine.formats.xgid import encode_xgids

    state, suffix = _find_match(match)
    if suffix is None:
        return encode_xgids(boards, state)
    return [f"{text}{suffix}" for text in encode_position_ids(boards)]


@lru_cache(maxsize=1024)
def _find_match(match: MatchState | None) -> tuple[_EngineState, str | None]:
    """Return the match state of a question, and what stands behind a position ID to say it.

    That is a match ID, nothing for money play, or None where only an XGID says all that answers depend on.

    Raises:
        PositionError: Value and owner of the cube cannot come up together.
        UnsupportedError: An XGID does not either.
    """
    from gammond.engine.formats.match_id import encode_match_id
    from gammond.engine.formats.position_text import parse_position
    from gammond.engine.formats.xgid import encode_xgid
    from gammond.engine.rules.match import make_canonical

    money, start = MatchState()._to_engine(), Position.start()
    state = read_asked_state(match).before_roll()
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
        is_there = any(name in row or (name == "cubeful" and "unscaled" in row) for row in rows)
        return np.array([row.get(name, np.nan) for row in rows])[:wanted] if is_there else None

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
            _find_loss(best, _get_score(row, state), state) if row["survived"] else None,
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


def _parse_rollout(
    answer: Mapping[str, Any], position: Position, dice: Dice | None, match: MatchState
) -> Rollout:
    """Return the rollout of an answer.

    Raises:
        ServerError: The server refused it.
        CancelledWork: It was stopped before anything was complete.
    """
    (result,) = get_results(answer, "rollout.")
    found, state = result["rollout"], match._to_engine()
    estimates = {row["of"]: _make_estimate(row, state) for row in found.get("estimates", ())}
    return Rollout(
        estimates.get("position", estimates.get("no_double")),
        tuple(_make_play_rollout(row, position, dice, state) for row in found.get("candidates", ())),
        _make_cube_decision(found, None) if found["of"] == "cube" else None,
        estimates.get("take"),
        found["trials"],
        found["reason"],
    )


def _make_play_rollout(
    row: Mapping[str, Any], position: Position, dice: Dice | None, match: _EngineState
) -> PlayRollout:
    assert dice is not None
    unknown = math.nan if "jsd" in row and "behind" not in row else 0.0
    loss, error = abs(row.get("behind", unknown)), row.get("behind_se", unknown)
    return PlayRollout(_find_play(position, row["play"], dice), _make_estimate(row, match), loss, error)


def _make_estimate(row: Mapping[str, Any], match: _EngineState) -> RolloutEstimate:
    from gammond.engine.evaluation.results import is_on_scale

    if "cubeful" in row:
        equity, error = row["cubeful"], row.get("cubeful_se", math.nan)
    elif "mwc" in row:  # the wire has no equity at the score, or on no scale: it comes from the table
        even, stake = _get_equity_scale(match)
        equity, error = (row["mwc"] - even) / stake, row.get("mwc_se", math.nan) / stake
        if "unscaled" in row or not is_on_scale(equity, stake):
            equity = error = math.nan
    else:
        equity, error = row["equity"], row.get("se", math.nan)
    return RolloutEstimate(row["trials"], _make_outcome(row), equity, error, row.get("mwc"))


def _parse_cube(answer: Mapping[str, Any]) -> CubeDecision:
    result = _get_finished(answer)
    return _make_cube_decision(result["cube"], _make_evaluation(result["eval"]))


def _make_cube_decision(row: Mapping[str, Any], evaluation: Evaluation | None) -> CubeDecision:
    return CubeDecision(
        action=row["action"].replace(_CUBE_PASS, "pass"),
        should_double=row["double"],
        should_take=row.get("response") != _CUBE_PASS,
        should_beaver=row.get("response") == "beaver",
        no_double=row.get("no_double"),
        double_take=row.get("take"),
        double_pass=row.get("drop"),
        no_double_mwc=row.get("mwc_no_double"),
        double_take_mwc=row.get("mwc_take"),
        double_pass_mwc=row.get("mwc_drop"),
        evaluation=evaluation,
    )


def get_results(answer: Mapping[str, Any], within: str = "") -> list[dict[str, Any]]:
    """Return the results of an answer to a JSON query.

    Args:
        answer: The answer.
        within: What stands before the names of fields that are arguments here.

    Raises:
        ServerError: The server refused the query.
        CancelledWork: It was stopped before it had any result.
    """
    if "error" in answer:
        refusal = _make_error(answer["error"], within)
        raise _make_stopped_error() if isinstance(refusal, CancelledWork) else refusal
    results: list[dict[str, Any]] = answer["results"]
    if not results and answer.get("stopped"):
        raise _make_stopped_error()
    return results


def _make_error(error: Mapping[str, Any], within: str = "") -> ServerError:
    head, dot, name = (error.get("field") or "").rpartition(".")
    field = f"{head}{dot}{_OWN_NAMES.get(name, name)}".removeprefix(within)
    return make_server_error(error["code"], error["message"], field or None)


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


def _find_loss(best: float, score: float, match: _EngineState) -> float | None:
    """Return what a play loses, in points; None where that is on no scale."""
    from gammond.engine.evaluation.results import is_on_scale

    loss, worth = max(best - score, 0.0), None if match.is_money else _get_equity_scale(match)[1]
    return loss if is_on_scale(loss, worth) else None


def _get_equity_scale(match: _EngineState) -> tuple[float, float]:
    """Return the match-winning chance that 0 points are worth at a score, and that of a point more."""
    from gammond.engine.cubeful import make_dead_cube_game

    return make_dead_cube_game(match.before_roll()).equity_scale


def _find_play(position: Position, text: str, dice: Dice) -> Play:
    result = position.play(text, dice)
    return next(play for play in position.legal_plays(dice) if play.result == result)
