"""The parts of a query beside evaluations: ``tree``, and what commands answer, ``legal`` to ``rollout``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.analysis.levels import DEFAULT_CANDIDATES
from engine.analysis.rollout_requests import CUBE, KINDS, POSITION
from engine.errors import FormatError, GammondError, LimitError
from engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from engine.rollout import RolloutSettings
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.partial_plays import describe_partial_plays, list_partial_plays
from engine.rules.position import Position
from protocol.commands import rollouts
from protocol.commands.command import CommandCall
from protocol.commands.table import COMMANDS
from protocol.core.replies import round_values
from protocol.core.requests import AnyReply, Reply, Work, WorkControl
from protocol.dialects.json_documents import quote_json
from protocol.dialects.json_fields import Query
from protocol.state.game_state import GameState
from protocol.state.session import Session

PART_NAMES = ("legal", "tree", "resign", "matrix", "opinion", "rollout")
"""The parts, in the order in which they are answered."""

PART_BYTES = {"matrix": 1000, "rollout": 4000}
"""What parts take in an answer for each position, about, where that is much."""

LONG_PARTS = frozenset(("matrix", "rollout"))
"""Those that are long work at any depth."""

ROLL_PARTS = frozenset(("moves", "legal", "tree"))
"""What is wanted of a roll: it needs dice, and the size of its answer goes with the number of plays."""

_PLAYS_FIELD = "play"
_KIND = Field("what", str, choices=KINDS)
_LINE_LISTS = {"candidate": "candidates", "estimate": "estimates"}


def read_rollout_arguments(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of the command `rollout` from the object of a query.

    Raises:
        GammondError: An argument is unknown, of another type or out of range; its field is ``rollout.NAME``.
    """
    arguments = {argument.name: argument for argument in rollouts.ROLLOUT_ARGUMENTS}
    values: dict[str, Any] = dict.fromkeys(arguments)
    for name, value in given.items():
        if name not in arguments:
            known = ", ".join(arguments)
            raise FormatError(
                f"expected {known} in rollout, got {quote_json(name)}{did_you_mean(name, arguments)}",
                field=f"rollout.{name[:MAX_QUOTED_CHARS]}",
            )
        if name == _PLAYS_FIELD:
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise FormatError(
                    f"expected a list of plays for play, got {quote_json(value)}", field=f"rollout.{name}"
                )
            values[name] = tuple(value)
            continue
        try:
            values[name] = (_KIND if name == _KIND.name else arguments[name].field).check(value)
        except GammondError as error:
            raise error.with_field(f"rollout.{name}") from error
    return values


def name_part_field(part: str, error: GammondError, position_name: str) -> str:
    """Return the field of a query at fault where a command refuses to answer a part.

    Args:
        part: One of `PART_NAMES`.
        error: What the command raised.
        position_name: What errors call the position; of several it is the field, whatever the fault.
    """
    if part == "opinion" and error.field == "player":
        return "player"
    names = {argument.name for argument in rollouts.ROLLOUT_ARGUMENTS} if part == "rollout" else ()
    return f"rollout.{error.field}" if position_name == "position" and error.field in names else position_name


def check_rollout_games(values: Mapping[str, Any], positions: int, cap: int) -> None:
    """Check that the rollouts of a query together are not too long.

    Args:
        values: The arguments of each.
        positions: How many there are.
        cap: The most games: trials times what is rolled out.

    Raises:
        LimitError: They are.
    """
    plays = len(values[_PLAYS_FIELD] or ()) + (values["candidates"] or 0)
    starts = {POSITION: 1, CUBE: 2}.get(values["what"], plays or DEFAULT_CANDIDATES)
    trials = values["trials"] or RolloutSettings.trials
    if positions * starts * trials > cap:
        raise LimitError(
            f"expected at most {cap} games in all (positions, trials and candidates multiplied), got "
            f"{positions * starts * trials}: send several queries",
            field="rollout",
        )


def answer_part(
    name: str,
    query: Query,
    session: Session,
    position: Position,
    match: MatchState,
    roll: Roll | None,
    control: WorkControl,
) -> tuple[object, bool]:
    """Answer a part for one position, where a command has the same as that command does.

    Args:
        name: One of `PART_NAMES`.
        query: The query.
        session: A session with the settings of the query; nobody else's. Its game is replaced.
        position: The checkers, those of the seat on roll first.
        match: The match state before the roll.
        roll: The dice; None without.
        control: Stops it.

    Returns:
        What the answer has under the name, and whether it is all that was asked for.

    Raises:
        GammondError: The command refuses it.
        CancelledWork: It was stopped before there was a result.
    """
    if name == "tree":
        assert roll is not None
        with control.take_interpreter():
            return describe_partial_plays(list_partial_plays(position, roll, query.rules)), True
    match = match if roll is None else match.with_roll(roll)
    session.game = GameState(position, match, rules=query.rules)
    command = COMMANDS[name]
    work = command.handler(
        CommandCall(session, command.parser.parse("") | _list_arguments(name, query), COMMANDS)
    )
    assert isinstance(work, Work)
    return _to_document(name, work.run(control))


def _list_arguments(name: str, query: Query) -> dict[str, Any]:
    """Return the arguments of a command as a query gives them."""
    if name == "rollout":
        return read_rollout_arguments(query.rollout or {})
    given: dict[str, dict[str, Any]] = {
        "legal": {},
        "resign": {"kind": query.resignation, "plies": query.plies},
        "opinion": {"player": query.player, "n": query.max_moves},
        "matrix": {
            "away": query.away,
            "cube": query.cube,
            "equities": query.equities,
            "plies": query.plies,
        },
    }
    return {key: value for key, value in given[name].items() if value is not None}


def _to_document(name: str, replies: Sequence[AnyReply]) -> tuple[object, bool]:
    lines = [reply for reply in replies if isinstance(reply, Reply)]
    *rows, final = ({**line.values} for line in lines)
    if name == "legal":
        return [{"play": row["play"], "gnubgid": row["gnubgid"]} for row in rows], True
    is_whole = not final.pop("stopped", False) and final.get("reason") != "stopped"
    for key in ("net", "elapsed_ms"):
        final.pop(key, None)
    document: dict[str, object] = {**round_values(final)}
    if name == "opinion" and "count" in document:
        document["moves"] = [round_values(row) for row in rows]
    if name == "matrix":
        document["rows"] = [{**line.values, **(line.fields or {})} for line in lines[:-1]]
    for line, row in zip(lines, rows, strict=False):
        if line.word in _LINE_LISTS:
            found = document.setdefault(_LINE_LISTS[line.word], [])
            assert isinstance(found, list)
            found.append(round_values(row))
    return document, is_whole


def make_query_session(session: Session, net: str, query: Query) -> Session:
    """Return a session with the settings of a query, for `answer_part`."""
    scratch = Session(session.service, session.initial_seed)
    scratch.engine_settings = replace(
        session.engine_settings,
        net=net,
        ply=query.plies + 1,
        filter_name=query.filter,
        is_cubeful=query.cubeful,
        has_xgids=False,
        store=query.settings.store,
    )
    return scratch
