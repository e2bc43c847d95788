"""What both clients share, without I/O: requests become lines, lines become typed answers by tag or id.

*Source:* docs/reference/protocol.md.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from gammond.errors import GammondError, ServerError
from gammond.match import Dice, MatchState
from gammond.position import Play, Position
from gammond.results import CubeDecision, Evaluation, Evaluations, Outcome, PlayEvaluation, RankedPlays

T = TypeVar("T")

INTERMEDIATE_WORDS = frozenset(
    ("id", "proto", "key", "option", "info", "move", "play", "row", "candidate", "estimate", "board", "help")
)
"""First words of lines that come before the final line of an answer."""

STOP = b"stop\n"
"""Ends work under way, which a server otherwise finishes before it ends."""

_CUBE_PASS = "drop"


class Pending(Generic[T]):
    """A request that waits for its final line.

    Args:
        parse: Makes the result of the answer.
        resolve: Takes the result.
        reject: Takes the error.
    """

    def __init__(
        self, parse: Callable[[Any], T], resolve: Callable[[T], None], reject: Callable[[BaseException], None]
    ) -> None:
        self.lines: list[str] = []
        self._parse, self._resolve, self._reject = parse, resolve, reject

    def finish(self, answer: Any) -> None:  # noqa: ANN401  (a JSON object, or lines)
        """Give the caller its result, or the error that the answer holds."""
        try:
            result = self._parse(answer)
        except GammondError as error:
            self._reject(error)
        except (KeyError, TypeError, ValueError) as error:
            self._reject(
                ServerError("bad_answer", f"expected an answer of the protocol, got {answer!r}: {error}")
            )
        else:
            self._resolve(result)

    def fail(self, error: BaseException) -> None:
        """Give the caller an error."""
        self._reject(error)


class Wire:
    """Requests under way on one connection; not safe to use from several threads at a time."""

    def __init__(self) -> None:
        self._next = 0
        self._queries: dict[str, Pending[Any]] = {}
        self._commands: dict[str, Pending[Any]] = {}
        self._rest = b""

    def add_query(self, fields: Mapping[str, object], pending: Pending[Any]) -> bytes:
        """Register a JSON query, and return its line."""
        name = self._make_name()
        self._queries[name] = pending
        query = {"id": name, **{key: value for key, value in fields.items() if value is not None}}
        return json.dumps(query, separators=(",", ":")).encode() + b"\n"

    def add_command(self, line: str, pending: Pending[Any]) -> bytes:
        """Register a command, and return its line with a tag.

        Raises:
            ValueError: The command is empty or holds a line end.
        """
        if not line.strip() or "\n" in line or "\r" in line:
            raise ValueError(f"expected one command on one line, got {line!r}")
        name = self._make_name()
        self._commands[name] = pending
        return f"@{name} {line}\n".encode()

    def receive(self, data: bytes) -> None:
        """Take bytes from the server, and finish the requests whose answers they complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").rstrip("\r")
            if text.startswith("{"):
                with contextlib.suppress(
                    json.JSONDecodeError
                ):  # a line that was cut short at the server's end
                    self._receive_object(json.loads(text))
            elif text.startswith("@"):
                tag, _, rest = text[1:].partition(" ")
                self._receive_line(tag, rest)

    def fail_all(self, error: BaseException) -> None:
        """End all requests under way with an error."""
        waiting = [*self._queries.values(), *self._commands.values()]
        self._queries.clear()
        self._commands.clear()
        for pending in waiting:
            pending.fail(error)

    def _make_name(self) -> str:
        self._next += 1
        return f"c{self._next}"

    def _receive_object(self, answer: dict[str, Any]) -> None:
        if answer.get("final") and (pending := self._queries.pop(str(answer.get("id")), None)):
            pending.finish(answer)

    def _receive_line(self, tag: str, line: str) -> None:
        pending = self._commands.get(tag)
        if pending is None:
            return
        pending.lines.append(line)
        if line.split(" ", 1)[0] not in INTERMEDIATE_WORDS:
            del self._commands[tag]
            pending.finish(pending.lines)


def make_query(
    positions: Sequence[Position], match: MatchState | None, plies: int, want: str, **fields: object
) -> dict[str, object]:
    """Return the fields of a query about positions of one match state."""
    suffix = "" if match is None else f":{match.id}"
    texts = [f"{position.id}{suffix}" for position in positions]
    return {"positions": texts, "plies": plies, "want": [want], **fields}


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


def parse_evaluation(answer: Mapping[str, Any]) -> Evaluation:
    """Return the evaluation of the only position of a query."""
    (result,) = _get_results(answer)
    return _make_evaluation(result["eval"])


def parse_evaluations(answer: Mapping[str, Any]) -> Evaluations:
    """Return the evaluations of all positions of a query."""
    rows = [result["eval"] for result in _get_results(answer)]
    outcomes = np.array([_make_outcome(row)._as_row() for row in rows], np.float32).reshape(len(rows), 5)

    def column(name: str) -> Any:  # noqa: ANN401
        return np.array([row[name] for row in rows]) if rows and name in rows[0] else None

    equities = np.array([row["equity"] for row in rows], np.float64)
    return Evaluations(outcomes, equities, column("cubeful"), column("mwc"), answer["plies"])


def make_plays_parser(position: Position, dice: Dice) -> Callable[[Mapping[str, Any]], RankedPlays]:
    """Return the parser of an answer with the ranked plays of a position."""

    def parse(answer: Mapping[str, Any]) -> RankedPlays:
        (result,) = _get_results(answer)
        legal = {play.text: play for play in position.legal_plays(dice)}
        rows = result["moves"]
        best = _get_score(rows[0])
        plays = tuple(
            PlayEvaluation(
                legal.get(row["play"]) or _read_play(position, row["play"], dice),
                _make_outcome(row),
                row["equity"],
                row.get("cubeful"),
                row.get("mwc"),
                max(best - _get_score(row), 0.0),
                row["plies"],
            )
            for row in rows
        )
        return RankedPlays(plays, plays[0].plies, is_finished="stopped" not in answer)

    return parse


def parse_cube(answer: Mapping[str, Any]) -> CubeDecision:
    """Return the cube decision of the only position of a query."""
    (result,) = _get_results(answer)
    row = result["cube"]
    return CubeDecision(
        action=row["action"],
        should_double=row["double"],
        should_take=row.get("response") != _CUBE_PASS,
        should_beaver=row.get("response") == "beaver",
        no_double=row["no_double"],
        double_take=row.get("take"),
        double_pass=row.get("drop"),
        no_double_mwc=row.get("no_double_mwc"),
        double_take_mwc=row.get("take_mwc"),
        double_pass_mwc=row.get("drop_mwc"),
        evaluation=None,
    )


def _get_results(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "error" in answer:
        error = answer["error"]
        raise ServerError(error["code"], error["message"], error.get("field"))
    results: list[dict[str, Any]] = answer["results"]
    return results


def _make_outcome(row: Mapping[str, Any]) -> Outcome:
    return Outcome(row["win"], row["win_g"], row["win_bg"], row["lose_g"], row["lose_bg"])


def _make_evaluation(row: Mapping[str, Any]) -> Evaluation:
    return Evaluation(_make_outcome(row), row["equity"], row.get("cubeful"), row.get("mwc"), row["plies"])


def _get_score(row: Mapping[str, Any]) -> float:
    """Return what plays are ranked by, in points or match-winning chance."""
    for name in ("mwc", "cubeful", "equity"):
        if row.get(name) is not None:
            return float(row[name])
    return 0.0


def _read_play(position: Position, text: str, dice: Dice) -> Play:
    result = position.play(text, dice)
    return next(play for play in position.legal_plays(dice) if play.result == result)
