"""Rollouts on the wire: of the plays of a roll, of a position, of a cube decision."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import DEFAULT_CANDIDATES
from gammond.engine.analysis.rollout_requests import (
    CUBE,
    KINDS,
    MOVES,
    POSITION,
    RolloutRequest,
    RolloutResult,
    default_kind,
    parse_candidates,
)
from gammond.engine.errors import LimitError, StateError, ValueRangeError
from gammond.engine.evaluation.results import Evaluation, MeanEquity, RankedPlay, is_on_scale
from gammond.engine.rollout import CubeRollout, RolloutSettings
from gammond.engine.rollout.settings import MAX_TRUNCATION
from gammond.engine.rollout.stop_rules import EITHER, STOP_RULES, StopRule
from gammond.engine.rules.dice import MAX_SEED, Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play
from gammond.engine.rules.notation import format_moves_plain, format_play
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Feature, Rules
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.engine.search import MAX_PLIES
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.cube import decision_to_values
from gammond.protocol.commands.evaluation import UNSCALED
from gammond.protocol.core.arguments import (
    Argument,
    choice_argument,
    field_argument,
    integer_argument,
    named_argument,
    switch_argument,
)
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.replies import make_info_reply, outcome_to_values
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from gammond.protocol.questions.rollouts import RollOut, TrialsProgress
from gammond.protocol.state.cluster_work import ClusterWork
from gammond.protocol.state.rollout_store import FinishedRollout, RolloutSlot
from gammond.protocol.state.session import Session, rules_error_field

RolloutRun = Callable[[WorkControl], tuple[RolloutResult, int]]
"""Rolls out; returns the result, and how many milliseconds it took."""

CONTINUE = "continue"

MAX_TRIALS = 100_000
MAX_CANDIDATES = 32


def _make_stop_argument(rule: StopRule) -> Argument:
    field = rule.field
    never = "0 for never" if field.default else "never"
    meaning = f"{field.meaning}; default {field.default_text}, {never}"
    return field_argument(replace(field, meaning=meaning, default=None), is_named=True)


ROLLOUT_ARGUMENTS = (
    choice_argument(
        "what",
        (*KINDS, CONTINUE),
        "what to roll out; default: moves if dice are set, else the position; 'continue' resumes the last "
        "rollout",
        is_required=False,
    ),
    integer_argument(
        "trials", 1, MAX_TRIALS, f"trials for each candidate; default {RolloutSettings.trials}", is_named=True
    ),
    integer_argument("seed", 0, MAX_SEED, "seed of the dice; default 0", is_named=True),
    integer_argument(
        "truncate",
        0,
        MAX_TRUNCATION,
        "plies after which a trial ends with an evaluation; default 0, to the end of the game",
        is_named=True,
    ),
    integer_argument(
        "plies", 0, MAX_PLIES, "look-ahead for checker plays and cube decisions; default 0", is_named=True
    ),
    integer_argument(
        "leaf_plies", 0, MAX_PLIES, "look-ahead for the evaluation at truncation; default 0", is_named=True
    ),
    switch_argument("cubeful", "whether the cube is live; default: the session's"),
    switch_argument("vr", "variance reduction; default true"),
    *map(_make_stop_argument, STOP_RULES.values()),
    integer_argument(
        "min_trials",
        2,
        MAX_TRIALS,
        f"trials before {EITHER} rule may stop anything; default {RolloutSettings.min_trials}",
        is_named=True,
    ),
    integer_argument(
        "candidates",
        1,
        MAX_CANDIDATES,
        f"number of plays to roll out, the best at 0-ply; default {DEFAULT_CANDIDATES}, none where 'play' "
        "names them",
        is_named=True,
    ),
    named_argument(
        "play",
        "PLAY",
        'a play to roll out, in quotes or without blanks: "8/5 6/5" or 8/5,6/5; once for each of them',
        is_repeatable=True,
    ),
    integer_argument(
        "threads",
        1,
        MAX_THREADS,
        "threads, limited to the number of cores; default engine.threads",
        is_named=True,
    ),
)
"""The arguments of `rollout`."""

_CONTINUE_ARGUMENTS = ("trials", *STOP_RULES, "min_trials", "threads")


def handle_rollout(session: Session, values: Values) -> Answer:
    """Roll out the plays, the position or the cube decision, or continue the last rollout."""
    roll_out = plan_rollout(session, values)

    def run(control: WorkControl) -> list[Reply]:
        found, elapsed_ms = roll_out(control)
        word = "candidate" if found.request.kind == MOVES else "estimate"
        lines = [Reply(word, values=row, is_final=False) for row in list_rollout_rows(found)]
        about: dict[str, ReplyValue] = {"elapsed_ms": elapsed_ms, "net": found.evaluator_name}
        return [*lines, Reply("rollout", values=rollout_to_values(found) | about)]

    return Work(run, is_long=True)


def plan_rollout(session: Session, values: Mapping[str, Any]) -> RolloutRun:
    """Return what rolls out, or continues the last rollout of a session, which can then be continued.

    Args:
        session: Who asks about its game.
        values: One for each of `ROLLOUT_ARGUMENTS`, None for those that are not given.

    Returns:
        What does the work, and returns the result and how many milliseconds it took; it raises as
        `RollOut.run`.

    Raises:
        GammondError: There is no game or no earlier rollout, the arguments do not fit together, or they ask
            for too much.
    """
    if values["what"] == CONTINUE:
        return _plan_continuation(session, values)
    request, load_engine = _read_request(session, values), session.make_engine_loader()
    settings = apply_rollout_arguments(RolloutSettings(threads=session.engine_settings.threads), values)
    _check_game_count(session, request, settings)
    slot = session.last_rollout = RolloutSlot(session.service.rollout_store)
    cluster = session.service.cluster

    def run(control: WorkControl) -> tuple[RolloutResult, int]:
        record: FinishedRollout | None = None
        try:
            found, elapsed_ms = _roll_out(RollOut(request, settings), load_engine, control, cluster)
            record = FinishedRollout(request, load_engine, settings, found.rollout.state)
        finally:
            slot.finish(record)
        return found, elapsed_ms

    return run


def _read_request(session: Session, values: Mapping[str, Any]) -> RolloutRequest:
    position, game, is_cubeful = session.require_game(), session.game, session.engine_settings.is_cubeful
    if find_kind(values, game.match.roll) == MOVES:
        session.require_roll()
    request = read_rollout_request(values, position, game.match, game.rules, is_cubeful=is_cubeful)
    session.require_evaluable_match()
    return request


def find_kind(values: Mapping[str, Any], roll: Roll | None) -> str:
    """Return what the arguments given say is rolled out."""
    kind: str = values["what"] or (MOVES if values["play"] else default_kind(roll))
    return kind


def read_rollout_request(
    values: Mapping[str, Any], position: Position, match: MatchState, rules: Rules, *, is_cubeful: bool
) -> RolloutRequest:
    """Return the request of arguments.

    Args:
        values: One for each of `ROLLOUT_ARGUMENTS`, None for those that are not given.
        position: The checkers, those of the seat on roll first.
        match: The match state, with the dice if there are any; they are there for plays.
        rules: The rules of the game.
        is_cubeful: Whether the cube is live, where the arguments do not say and the rules have one.

    Raises:
        GammondError: The arguments do not fit together or into the position; its field is their name.
        UnsupportedError: The cube is to be live, and the rules have none.
    """
    kind = find_kind(values, match.roll)
    plays: tuple[Play, ...] = ()
    if kind == MOVES and match.roll is not None:
        plays = parse_candidates(_read_play_texts(values), position, match.roll, rules)
    for name in ("candidates", "play"):
        if kind != MOVES and values[name] is not None:
            raise ValueRangeError(f"'rollout {kind}' has no candidates: remove '{name}'", field=name)
    has_cube: bool | None = values["cubeful"]
    if has_cube is None:
        has_cube = (is_cubeful and rules.supports(Feature.CUBE)) or kind == CUBE
    if has_cube:
        with rules_error_field():
            rules.check_supports(Feature.CUBE)
    return RolloutRequest(
        kind=kind,
        position=position,
        match=match.before_roll(),
        roll=match.roll if kind == MOVES else None,
        is_cubeful=has_cube,
        candidates=values["candidates"],
        plays=plays,
        plies=values["plies"] or 0,
        leaf_plies=values["leaf_plies"] or 0,
    )


def _read_play_texts(values: Mapping[str, Any]) -> tuple[str, ...]:
    texts: tuple[str, ...] = values["play"] or ()
    if len(texts) > MAX_CANDIDATES:
        raise LimitError(f"expected at most {MAX_CANDIDATES} plays, got {len(texts)}", field="play")
    return texts


def apply_rollout_arguments(settings: RolloutSettings, values: Mapping[str, Any]) -> RolloutSettings:
    """Apply the arguments given; threads are limited to the number of cores."""
    changed = settings.with_options(values)
    return replace(changed, threads=min(changed.threads, count_usable_cores()))


def _check_game_count(session: Session, request: RolloutRequest, settings: RolloutSettings) -> None:
    cap = session.service.limits.rollout_games
    if request.max_starts * settings.trials > cap:
        raise LimitError(
            f"expected at most {cap} games (trials times candidates), got {settings.trials} trials of "
            f"{request.max_starts} candidates",
            field="trials",
        )


def _plan_continuation(session: Session, values: Mapping[str, Any]) -> RolloutRun:
    """Continue the last rollout of the session, whatever the position is now."""
    for name, value in values.items():
        if value is not None and name not in ("what", *_CONTINUE_ARGUMENTS):
            taken = ", ".join(_CONTINUE_ARGUMENTS)
            raise CommandError(
                f"'rollout continue' takes only {taken}; the other options stay as they were", field=name
            )
    if values["trials"] is None:
        raise CommandError(
            "expected 'rollout continue trials=N', N counting the trials already played", field="trials"
        )
    if session.last_rollout is None:
        raise StateError("no rollout to continue: send 'rollout' first", field="what")
    earlier, cluster = session.last_rollout, session.service.cluster
    slot = session.last_rollout = RolloutSlot(session.service.rollout_store)

    def run(control: WorkControl) -> tuple[RolloutResult, int]:
        try:
            with control.leave_turn():
                record = earlier.wait_for_rollout(lambda: control.is_stopped)
            settings = apply_rollout_arguments(record.settings, values)
            _check_game_count(session, record.request, settings)
            question = RollOut(record.request, settings, record.state)
            found, elapsed_ms = _roll_out(question, record.load_engine, control, cluster)
        except BaseException:
            slot.finish_as(earlier)
            raise
        slot.finish(replace(record, settings=settings, state=found.rollout.state))
        return found, elapsed_ms

    return run


def _roll_out(
    question: RollOut, load_engine: Callable[[], Engine], control: WorkControl, cluster: ClusterWork | None
) -> tuple[RolloutResult, int]:
    """Roll out; return the result, and how many milliseconds it took."""

    def report(progress: TrialsProgress) -> None:
        control.report(make_info_reply(progress_to_values(progress)))

    engine, started_s = load_engine(), time.monotonic()
    found = question.run(engine, control, report, cluster)
    return found, int(1000 * (time.monotonic() - started_s))


def estimate_to_values(estimate: Evaluation) -> dict[str, ReplyValue]:
    """Return an estimate as keys, each number with its standard error; those of one trial have none."""
    outcome, errors, equity = estimate.outcome, estimate.outcome_errors, estimate.cubeless_equity
    error, cubeless_error = estimate.error, estimate.cubeless_error
    assert outcome is not None
    assert errors is not None
    assert equity is not None
    assert error is not None
    assert cubeless_error is not None
    values: dict[str, ReplyValue] = {
        **outcome_to_values(outcome, equity),
        **{f"{name}_se": each for name, each in errors._asdict().items()},
        "se": cubeless_error,
    }
    if estimate.is_cubeful:
        scaled: dict[str, ReplyValue] = {"cubeful": estimate.equity, "cubeful_se": error}
        values |= scaled if estimate.is_scaled else {UNSCALED: True}
    if estimate.mwc is not None and estimate.mwc_per_point is not None:
        values |= {"mwc": estimate.mwc, "mwc_se": estimate.mwc_per_point * error}
    return _drop_non_finite(values)


def list_rollout_rows(answer: RolloutResult) -> list[dict[str, ReplyValue]]:
    """Return the plays, the position or the sides of the cube decision that were rolled out as keys."""
    rows = answer.results
    if isinstance(rows, CubeRollout):
        taken = [] if rows.take is None else [_estimate_to_row("take", rows.take)]
        return [_estimate_to_row("no_double", rows.no_double), *taken]
    if isinstance(rows, Evaluation):
        return [_estimate_to_row(POSITION, rows)]
    return [_candidate_to_row(rank, row) for rank, row in enumerate(rows, 1)]


def rollout_to_values(answer: RolloutResult) -> dict[str, ReplyValue]:
    """Return what a rollout comes to as keys, and how it ended."""
    state = answer.rollout.state
    values: dict[str, ReplyValue] = {"of": answer.request.kind}
    if isinstance(answer.results, CubeRollout):
        values |= decision_to_values(answer.results.decision)
        if answer.results.gain is not None:
            values |= difference_to_values("gain", answer.results.gain, answer.game.mwc_per_point)
    return values | {
        "trials": answer.trials,
        "reason": answer.rollout.reason,
        "seed": state.seed,
        "plies": answer.plies,
    }


def _candidate_to_row(rank: int, candidate: RankedPlay) -> dict[str, ReplyValue]:
    estimate, behind = candidate.evaluation, candidate.difference_to_best
    values: dict[str, ReplyValue] = {
        "rank": rank,
        "play": format_play(candidate.play),
        **estimate_to_values(estimate),
    }
    if behind is not None:
        behind = behind._replace(equity=-behind.equity)
        values |= difference_to_values("behind", behind, estimate.mwc_per_point)
    return values | {"trials": estimate.trials, "given_up": not candidate.survived}


def _estimate_to_row(name: str, estimate: Evaluation) -> dict[str, ReplyValue]:
    """Return an estimate as keys; it is called ``position``, or by the cube action that leads to it."""
    return {"of": name, **estimate_to_values(estimate), "trials": estimate.trials}


def difference_to_values(
    name: str, difference: MeanEquity, mwc_per_point: float | None
) -> dict[str, ReplyValue]:
    """Return a difference as keys, with its standard error and in joint standard deviations.

    Args:
        name: Its key.
        difference: It.
        mwc_per_point: The match-winning chance that a point is worth; None in money play. Where points have
            no scale, joint standard deviations alone are left.
    """
    values: dict[str, ReplyValue] = {"jsd": difference.jsds}
    if is_on_scale(difference.equity, mwc_per_point):
        values = {name: difference.equity, f"{name}_se": difference.error, **values}
    return _drop_non_finite(values)


def _drop_non_finite(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    """Leave out what has no value: errors of a single trial, differences without a spread in their units."""
    return {
        name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)
    }


def progress_to_values(progress: TrialsProgress) -> dict[str, ReplyValue]:
    """Return how far a rollout is as keys."""
    values: dict[str, ReplyValue] = {"trials": progress.trials, "of": progress.of}
    values["time_ms"] = int(1000 * progress.elapsed_s)
    if progress.equity is not None:
        values["equity"] = progress.equity.equity
        if progress.trials > 1:
            values["se"] = progress.equity.error
    return values if progress.play is None else values | {"pv": format_moves_plain(progress.play)}
