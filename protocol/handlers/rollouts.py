"""Rollouts on the wire: of the plays of a roll, of a position, of a cube decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.cores import usable_cores
from engine.errors import LimitError, StateError, ValueRangeError
from engine.levels import Depth
from engine.notation import format_moves_plain
from engine.rollout import (
    Rollout,
    RolloutSettings,
    RolloutState,
    Scoring,
    roll_out_cube,
    roll_out_plays,
    roll_out_position,
    scoring_after_plays,
    scoring_before_roll,
)
from engine.rollout.settings import MAX_THREADS, MAX_TRUNCATION
from engine.search import MAX_PLIES
from protocol.arguments import choice, decimal, integer, switch
from protocol.command import Call
from protocol.errors import CommandError
from protocol.handlers.cubes import decision_values
from protocol.handlers.judging import before_roll
from protocol.handlers.rollout_lines import (
    RolloutTold,
    View,
    candidate_line,
    difference_values,
    estimate_line,
    reason_name,
)
from protocol.requests import Answer, Control, Reply, Value, Work
from protocol.rollout_memory import RolloutQuestion, RolloutRecord, RolloutSlot
from protocol.session import MAX_SEED, Session

MOVES, POSITION, CUBE = KINDS = ("moves", "position", "cube")
CONTINUE = "continue"

MAX_TRIALS = 100_000
MAX_CANDIDATES = 32
USUAL_CANDIDATES = 5
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

_Plan = Callable[[RolloutRecord | None], tuple[RolloutQuestion, RolloutSettings]]


def handle_rollout(call: Call) -> Answer:
    """Roll out what is on the table, or go on with the last rollout."""
    values, session = call.values, call.session
    if values["what"] == CONTINUE:
        return _continued(session, values)
    question = _question(session, values)
    settings = _changed(RolloutSettings(threads=session.engine.threads), values)
    _check_games(session, question, settings)
    return _work(session, None, lambda _: (question, settings))


def _question(session: Session, values: Mapping[str, Any]) -> RolloutQuestion:
    position, match = session.need_game(), session.game.match
    kind = values["what"] or (POSITION if match.roll is None else MOVES)
    if kind == MOVES:
        session.need_roll()
    if kind == CUBE and values["cubeful"] is False:
        raise ValueRangeError("a cube decision is not rolled out without the cube", field="cubeful")
    is_cubeful = session.engine.is_cubeful if values["cubeful"] is None else values["cubeful"]
    return RolloutQuestion(
        kind=kind,
        position=position,
        match=before_roll(match),
        roll=match.roll,
        candidates=values["candidates"] or USUAL_CANDIDATES,
        plies=values["plies"] or 0,
        leaf_plies=values["leaf_plies"] or 0,
        is_cubeful=is_cubeful or kind == CUBE,
        find_analyst=session.analyst_source(),
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

    def plan(record: RolloutRecord | None) -> tuple[RolloutQuestion, RolloutSettings]:
        if record is None:
            raise StateError("the last rollout came to nothing: send 'rollout' again", field="what")
        settings = _changed(record.settings, values)
        _check_games(session, record.question, settings)
        return record.question, settings

    return _work(session, session.last_rollout, plan)


def _work(session: Session, earlier: RolloutSlot | None, plan: _Plan) -> Work:
    """Make the work of a rollout that goes on from an earlier one if given; the session keeps its record."""
    slot = session.last_rollout = RolloutSlot()

    def run(control: Control) -> list[Reply]:
        record: RolloutRecord | None = None
        try:
            if earlier is not None:
                record = earlier.record(lambda: control.is_stopped)
            question, settings = plan(record)
            replies, state = _Rolling(question, settings, control).run(record.state if record else None)
            record = RolloutRecord(question, settings, state)
        finally:
            slot.end(record)
        return replies

    return Work(run, is_long=True)


class _Rolling:
    """One rollout at work, and its answer."""

    def __init__(self, question: RolloutQuestion, settings: RolloutSettings, control: Control) -> None:
        self._question = question
        self._settings = settings
        self._control = control
        self._analyst = question.find_analyst()
        self._judges = self._analyst.rollout_judges(
            question.plies, question.leaf_plies, question.plies, cancelled=self._is_stopped
        )
        self._game = question.game(self._analyst)

    def run(self, resume: RolloutState | None) -> tuple[list[Reply], RolloutState]:
        """Roll out; return the lines of the answer, and the state to go on from."""
        run = {MOVES: self._roll_out_plays, POSITION: self._roll_out_position, CUBE: self._roll_out_cube}
        return run[self._question.kind](resume)

    def _roll_out_plays(self, resume: RolloutState | None) -> tuple[list[Reply], RolloutState]:
        question = self._question
        assert question.roll is not None  # there are no plays without dice
        depth = Depth(0, is_cubeful=question.is_cubeful)
        ranked = self._analyst.rank_plays(question.position, question.roll, question.match, depth)
        plays = [judged.play for judged in ranked.plays[: question.candidates]]
        told = self._told(scoring_after_plays(self._game), list(map(format_moves_plain, plays)))
        rolled, rollout = roll_out_plays(
            question.position,
            question.roll,
            self._judges,
            self._settings,
            plays=plays,
            game=self._game,
            resume=resume,
            progress=told,
            cancelled=self._is_stopped,
        )
        lines = [candidate_line(rank, play, self._view) for rank, play in enumerate(rolled, 1)]
        return [*lines, self._final(rollout, told)], rollout.state

    def _roll_out_position(self, resume: RolloutState | None) -> tuple[list[Reply], RolloutState]:
        told = self._told(scoring_before_roll(self._game))
        estimate, rollout = roll_out_position(
            self._question.position,
            self._judges,
            self._settings,
            game=self._game,
            resume=resume,
            progress=told,
            cancelled=self._is_stopped,
        )
        return [estimate_line(POSITION, estimate, self._view), self._final(rollout, told)], rollout.state

    def _roll_out_cube(self, resume: RolloutState | None) -> tuple[list[Reply], RolloutState]:
        assert self._game is not None  # cube decisions are rolled out with the cube
        told = self._told(scoring_before_roll(self._game))
        rolled = roll_out_cube(
            self._question.position,
            self._game,
            self._judges,
            self._settings,
            resume=resume,
            progress=told,
            cancelled=self._is_stopped,
        )
        lines = [estimate_line("no_double", rolled.no_double, self._view)]
        values = decision_values(rolled.decision)
        if rolled.take is not None and rolled.gain is not None:
            lines.append(estimate_line("take", rolled.take, self._view))
            values |= difference_values("gain", rolled.gain)
        return [*lines, self._final(rolled.rollout, told, values)], rolled.rollout.state

    @property
    def _view(self) -> View:
        return View(self._game, self._question.is_cubeful)

    def _told(self, scoring: Scoring, names: Sequence[str] = ()) -> RolloutTold:
        return RolloutTold(self._control, self._settings.trials, scoring, names)

    def _final(
        self, rollout: Rollout, told: RolloutTold, decision: Mapping[str, Value] | None = None
    ) -> Reply:
        question, settings = self._question, self._settings
        values: dict[str, Value] = {"of": question.kind, **(decision or {})}
        values |= {
            "trials": max(map(len, rollout.state.scores)),
            "reason": reason_name(rollout.reason),
            "seed": settings.seed,
            "plies": self._analyst.evaluator.plies + question.plies,
            "elapsed_ms": told.elapsed_ms,
            "net": self._analyst.name,
        }
        return Reply("rollout", values=values)

    def _is_stopped(self) -> bool:
        return self._control.is_stopped
