"""Rollouts on the wire: of the plays of a roll, of a position, of a cube decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.analyst import Analyst
from engine.cores import MAX_THREADS, usable_cores
from engine.dice import MAX_SEED
from engine.errors import LimitError, StateError, ValueRangeError
from engine.notation import format_moves_plain
from engine.rollout import RolloutSettings, RolloutState
from engine.rollout.questions import (
    CUBE,
    KINDS,
    MOVES,
    USUAL_CANDIDATES,
    PreparedRollout,
    RolloutQuestion,
    usual_kind,
)
from engine.rollout.settings import MAX_TRUNCATION
from engine.search import MAX_PLIES
from protocol.arguments import choice, decimal, integer, switch
from protocol.command import Call
from protocol.errors import CommandError
from protocol.handlers.rollout_lines import RolloutTold, answer_lines, final_line
from protocol.requests import Answer, Control, Reply, Work
from protocol.rollout_memory import RolloutRecord, RolloutSlot
from protocol.session import Session

CONTINUE = "continue"

MAX_TRIALS = 100_000
MAX_CANDIDATES = 32
MAX_STOP_ERROR = 3.0
MAX_STOP_JSD = 100.0

ARGUMENTS = (
    choice(
        "what",
        (*KINDS, CONTINUE),
        "what is rolled out, moves if dice are on the board and else the position; 'continue' goes on with "
        "the last rollout",
        is_required=False,
    ),
    integer("trials", 1, MAX_TRIALS, "games for each candidate; 1296 if left out", is_named=True),
    integer("seed", 0, MAX_SEED, "of the dice; 0 if left out", is_named=True),
    integer(
        "truncate",
        0,
        MAX_TRUNCATION,
        "plies after which a game ends with its value; 0, or left out, plays on to the end",
        is_named=True,
    ),
    integer("plies", 0, MAX_PLIES, "look-ahead of plays and doubles; 0 if left out", is_named=True),
    integer(
        "leaf_plies", 0, MAX_PLIES, "look-ahead of the values at the truncation; 0 if left out", is_named=True
    ),
    switch("cubeful", "whether the cube is turned; the session's if left out"),
    switch("vr", "whether luck is taken off; true if left out"),
    decimal(
        "stop_error",
        0,
        MAX_STOP_ERROR,
        "end at this standard error of the equities, in points; 0, or left out, never does",
        is_named=True,
    ),
    decimal(
        "stop_jsd",
        0,
        MAX_STOP_JSD,
        "give up candidates so many joint standard deviations behind; 3 if left out, 0 never does",
        is_named=True,
    ),
    integer(
        "min_trials",
        2,
        MAX_TRIALS,
        "trials before either rule ends anything; 324 if left out",
        is_named=True,
    ),
    integer(
        "candidates",
        1,
        MAX_CANDIDATES,
        "how many plays are rolled out, the best at 0 plies; 5 if left out",
        is_named=True,
    ),
    integer(
        "threads",
        1,
        MAX_THREADS,
        "threads to work with, no more than there are cores; engine.threads if left out",
        is_named=True,
    ),
)
"""What `rollout` takes."""

_SETTINGS = {
    "trials": "trials",
    "seed": "seed",
    "truncate": "truncation",
    "vr": "variance_reduction",
    "stop_error": "stop_error",
    "stop_jsd": "stop_jsd",
    "min_trials": "min_trials",
    "threads": "threads",
}
"""Arguments of `rollout`, and the fields of `RolloutSettings` that they set."""

_OF_CONTINUE = ("trials", "stop_error", "stop_jsd", "min_trials", "threads")


def handle_rollout(call: Call) -> Answer:
    """Roll out what is on the table, or go on with the last rollout."""
    values, session = call.values, call.session
    if values["what"] == CONTINUE:
        return _continued(session, values)
    question, find_analyst = _question(session, values), session.analyst_source()
    settings = _changed(RolloutSettings(threads=session.engine.threads), values)
    _check_games(session, question, settings)
    slot = session.last_rollout = RolloutSlot(session.service.kept_rollouts)

    def run(control: Control) -> list[Reply]:
        record: RolloutRecord | None = None
        try:
            replies, state = _rolled_out(question, find_analyst, settings, None, control)
            record = RolloutRecord(question, find_analyst, settings, state)
        finally:
            slot.end(record)
        return replies

    return Work(run, is_long=True)


def _question(session: Session, values: Mapping[str, Any]) -> RolloutQuestion:
    position, match = session.need_game(), session.game.match
    kind = values["what"] or usual_kind(match.roll)
    if kind == MOVES:
        session.need_roll()
    elif values["candidates"] is not None:
        raise ValueRangeError(f"candidates are plays, and 'rollout {kind}' has none", field="candidates")
    is_cubeful = values["cubeful"]
    if is_cubeful is None:
        is_cubeful = session.engine.is_cubeful or kind == CUBE
    return RolloutQuestion(
        kind=kind,
        position=position,
        match=session.match_to_judge(),
        roll=match.roll if kind == MOVES else None,
        is_cubeful=is_cubeful,
        candidates=values["candidates"] or USUAL_CANDIDATES,
        plies=values["plies"] or 0,
        leaf_plies=values["leaf_plies"] or 0,
    )


def _changed(settings: RolloutSettings, values: Mapping[str, Any]) -> RolloutSettings:
    """Set what the arguments set; no more threads work than there are cores."""
    changes = {field: values[name] for name, field in _SETTINGS.items() if values[name] is not None}
    changed = replace(settings, **changes)
    return replace(changed, threads=min(changed.threads, usable_cores()))


def _check_games(session: Session, question: RolloutQuestion, settings: RolloutSettings) -> None:
    cap = session.service.limits.rollout_games
    if question.starts * settings.trials > cap:
        raise LimitError(
            f"a rollout has up to {cap} games, {question.starts} candidates with {settings.trials} trials "
            "are more",
            field="trials",
        )


def _continued(session: Session, values: Mapping[str, Any]) -> Work:
    """Go on with the last rollout of the session, whatever is on the table."""
    for name, value in values.items():
        if value is not None and name not in ("what", *_OF_CONTINUE):
            taken = ", ".join(_OF_CONTINUE)
            raise CommandError(f"'rollout continue' takes {taken}; the rest is as it was", field=name)
    if values["trials"] is None:
        raise CommandError("expected 'rollout continue trials=N', counting those there are", field="trials")
    if session.last_rollout is None:
        raise StateError("there is no rollout to go on with: send 'rollout' first", field="what")
    earlier = session.last_rollout
    slot = session.last_rollout = RolloutSlot(session.service.kept_rollouts)

    def run(control: Control) -> list[Reply]:
        try:
            record = earlier.record(lambda: control.is_stopped)
            settings = _changed(record.settings, values)
            _check_games(session, record.question, settings)
            replies, state = _rolled_out(
                record.question, record.find_analyst, settings, record.state, control
            )
        except BaseException:
            slot.end_as(earlier)
            raise
        slot.end(replace(record, settings=settings, state=state))
        return replies

    return Work(run, is_long=True)


def _rolled_out(
    question: RolloutQuestion,
    find_analyst: Callable[[], Analyst],
    settings: RolloutSettings,
    resume: RolloutState | None,
    control: Control,
) -> tuple[list[Reply], RolloutState]:
    """Roll out; return the lines of the answer, and the state to go on from."""
    rollout = PreparedRollout(question, find_analyst(), settings, lambda: control.is_stopped)
    names = list(map(format_moves_plain, rollout.plays))
    told = RolloutTold(control, settings.trials, rollout.scoring, names)
    answer = rollout.run(resume, told)
    return [*answer_lines(answer), final_line(answer, told.elapsed_ms)], answer.rollout.state
