"""The parts of a query beside evaluations, ``legal`` to ``rollout``: questions, and their results as keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, EvalSettings
from gammond.engine.analysis.rollout_requests import CUBE, KINDS, MOVES, POSITION
from gammond.engine.errors import FormatError, GammondError, LimitError
from gammond.engine.evaluation.results import Effort
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.notation import format_plays
from gammond.engine.rules.partial_plays import list_partial_plays
from gammond.engine.rules.position import Position
from gammond.engine.search import SearchWatch
from gammond.protocol.commands.cube import (
    DEFAULT_MATRIX_AWAY,
    list_matrix_rows,
    matrix_to_values,
    resignation_to_values,
)
from gammond.protocol.commands.opinions import check_opinionated, list_opinions, opinion_to_values
from gammond.protocol.commands.rollouts import (
    ROLLOUT_ARGUMENTS,
    apply_rollout_arguments,
    list_rollout_rows,
    progress_to_values,
    read_rollout_request,
    rollout_to_values,
)
from gammond.protocol.core.replies import round_values
from gammond.protocol.core.requests import ReplyValue, WorkControl
from gammond.protocol.dialects.json_documents import quote_json
from gammond.protocol.dialects.json_fields import Query
from gammond.protocol.questions.plays import AskPlayer
from gammond.protocol.questions.positions import FindMatrix, Resign
from gammond.protocol.questions.rollouts import RollOut, TrialsProgress
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import EngineSettings

VALUES_BYTES = 250
"""What an evaluation or cube decision takes in an answer, about."""

_PLAYS_FIELD = "play"
ROLLOUT_KIND = Field("what", str, choices=KINDS)


def read_rollout_arguments(given: Mapping[str, object]) -> dict[str, Any]:
    """Return the arguments of the command `rollout` from the object of a query.

    Raises:
        GammondError: An argument is unknown, of another type or out of range; its field is ``rollout.NAME``.
    """
    arguments = {argument.name: argument for argument in ROLLOUT_ARGUMENTS}
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
            values[name] = (ROLLOUT_KIND if name == ROLLOUT_KIND.name else arguments[name].field).check(value)
        except GammondError as error:
            raise error.with_field(f"rollout.{name}") from error
    return values


def name_part_field(part: str, error: GammondError, position_name: str) -> str:
    """Return the field of a query at fault where a part is refused.

    Args:
        part: One of `PARTS`.
        error: What it raised.
        position_name: What errors call the position; of several it is the field, whatever the fault.
    """
    if part == "opinion" and error.field == "player":
        return "player"
    names = {argument.name for argument in ROLLOUT_ARGUMENTS} if part == "rollout" else ()
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


@dataclass(frozen=True)
class PartRequest:
    """A part of a query for one position.

    Attributes:
        query: The query.
        position: The checkers, those of the seat on roll first.
        match: The match state, with the dice if there are any.
        engine: That of the query, by its rules.
        service: Has players, and may have a cluster.
        session_settings: Hold where the query says nothing.
        control: Stops it.
        watch: Stops its search, and reports it.
        report: Takes the progress of other work as keys.
    """

    query: Query
    position: Position
    match: MatchState
    engine: Engine
    service: Service
    session_settings: EngineSettings
    control: WorkControl
    watch: SearchWatch
    report: Callable[[Mapping[str, ReplyValue]], None]

    @property
    def roll(self) -> Roll:
        """The dice, which are there."""
        assert self.match.roll is not None
        return self.match.roll

    @property
    def eval_settings(self) -> EvalSettings:
        """How the position is evaluated."""
        return replace(self.query.settings, is_cubeful=True, candidates=1)


def effort_to_document(effort: Effort | None) -> dict[str, ReplyValue]:
    """Return the keys about the search behind a result."""
    assert effort is not None  # it was searched
    about: dict[str, ReplyValue] = {"plies": effort.plies}
    return about | {"stored": True} if effort.is_stored else about


def _list_legal(part: PartRequest) -> tuple[object, bool]:
    plays = generate_plays(part.position, part.roll, part.query.rules)

    def describe(block: slice) -> list[dict[str, str]]:
        listed = plays.take(block)
        pairs = zip(format_plays(listed), encode_position_ids(listed.boards), strict=True)
        return [{"play": play, "gnubgid": position_id} for play, position_id in pairs]

    return part.control.run_in_blocks(len(plays), describe), True


def _list_partial_plays(part: PartRequest) -> tuple[object, bool]:
    with part.control.take_interpreter():
        return list_partial_plays(part.position, part.roll, part.query.rules), True


def _find_resignation(part: PartRequest) -> tuple[object, bool]:
    named = part.query.resignation
    kind = None if named is None else RESULT_NAMES.index(named) + 1
    question = Resign(part.position, part.match.before_roll(), part.eval_settings, kind=kind)
    found = question.run(part.engine, part.watch)
    effort = found.evaluation.effort
    document = round_values(resignation_to_values(found) | effort_to_document(effort))
    return document, effort is None or effort.is_finished


def _find_matrix(part: PartRequest) -> tuple[object, bool]:
    query = part.query
    away, cube = query.away or DEFAULT_MATRIX_AWAY, query.cube or 1
    question = FindMatrix(part.position, part.match, part.eval_settings, away=away, cube=cube)
    found = question.run(part.engine, part.watch)
    values = matrix_to_values(question, found, part.engine)
    del values["net"]
    return {**values, "rows": list_matrix_rows(found[0], has_equities=bool(query.equities))}, True


def _ask_player(part: PartRequest) -> tuple[object, bool]:
    query, own, players = part.query, part.session_settings, part.service.players
    name = check_opinionated(players, query.player or own.player)
    question = AskPlayer(part.position, part.match.roll, query.rules, name)
    found = question.run(players, own.threads)
    rows = list_opinions(found, query.max_moves)
    document: dict[str, object] = {**round_values(opinion_to_values(found, len(rows)))}
    if found.opinion is None:
        document["moves"] = [round_values(row) for row in rows]
    return document, True


def _roll_out(part: PartRequest) -> tuple[object, bool]:
    query, values = part.query, read_rollout_arguments(part.query.rollout or {})
    request = read_rollout_request(values, part.position, part.match, query.rules, is_cubeful=query.cubeful)
    settings = RolloutSettings(threads=part.session_settings.threads)
    question = RollOut(request, apply_rollout_arguments(settings, values))

    def report(progress: TrialsProgress) -> None:
        part.report(round_values(progress_to_values(progress)))

    answer = question.run(part.engine, part.control, report, part.service.cluster)
    name = "candidates" if request.kind == MOVES else "estimates"
    rows = [round_values(row) for row in list_rollout_rows(answer)]
    return {**round_values(rollout_to_values(answer)), name: rows}, answer.rollout.reason != "stopped"


class Part(NamedTuple):
    """A part of an answer that is found out for one position at a time.

    Attributes:
        answer: Returns what the answer has under the name, and whether it is all that was asked for; raises
            CancelledWork where it was stopped before there was a result, or another GammondError.
        answer_bytes: What it takes in an answer for each position, about; not counting plays.
        is_long: Whether it is long work at any depth.
        needs_roll: Whether it needs dice, and the size of its answer goes with the number of plays.
    """

    answer: Callable[[PartRequest], tuple[object, bool]]
    answer_bytes: int = VALUES_BYTES
    is_long: bool = False
    needs_roll: bool = False


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "legal": Part(_list_legal, needs_roll=True),
        "tree": Part(_list_partial_plays, needs_roll=True),
        "resign": Part(_find_resignation),
        "matrix": Part(_find_matrix, 1000, is_long=True),
        "opinion": Part(_ask_player),
        "rollout": Part(_roll_out, 4000, is_long=True),
    }
)
"""The parts beside evaluations and ranked plays, by name, in the order in which they are answered."""

ROLL_PARTS = frozenset({"moves", *(name for name, part in PARTS.items() if part.needs_roll)})
"""What is wanted of a roll."""
