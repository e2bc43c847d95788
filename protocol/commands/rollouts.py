"""Rollouts on the wire: of the plays of a roll, of a position, of a cube decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.analysis.engine import Engine
from engine.analysis.levels import DEFAULT_CANDIDATES
from engine.analysis.rollout_requests import (
    CUBE,
    KINDS,
    MOVES,
    PreparedRollout,
    RolloutRequest,
    RolloutResult,
    default_kind,
    parse_candidates,
)
from engine.errors import LimitError, StateError, ValueRangeError
from engine.rollout import RolloutSettings, RolloutState
from engine.rollout.settings import MAX_TRUNCATION
from engine.rules.dice import MAX_SEED
from engine.rules.moves import Play
from engine.rules.notation import format_moves_plain
from engine.rules.rules import Feature
from engine.runtime.cores import MAX_THREADS, count_usable_cores
from engine.search import MAX_PLIES
from protocol.commands.command import CommandCall
from protocol.commands.rollout_replies import RolloutReporter, make_final_reply, make_result_replies
from protocol.core.arguments import (
    choice_argument,
    decimal_argument,
    integer_argument,
    repeatable_argument,
    switch_argument,
)
from protocol.core.errors import CommandError
from protocol.core.requests import Answer, Reply, Work, WorkControl
from protocol.state.cluster_work import ClusterWork, work_with_cluster
from protocol.state.rollout_store import FinishedRollout, RolloutSlot
from protocol.state.session import Session

CONTINUE = "continue"

MAX_TRIALS = 100_000
MAX_CANDIDATES = 32
MAX_STOP_ERROR = 3.0
MAX_STOP_JSD = 100.0

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
    decimal_argument(
        "stop_error",
        0,
        MAX_STOP_ERROR,
        "stop at this standard error of the equities, in points; default 0, never",
        is_named=True,
    ),
    decimal_argument(
        "stop_jsd",
        0,
        MAX_STOP_JSD,
        "prune candidates this many joint standard deviations behind the best; "
        f"default {RolloutSettings.stop_jsd:g}, 0 for never",
        is_named=True,
    ),
    integer_argument(
        "min_trials",
        2,
        MAX_TRIALS,
        f"trials before either rule may stop anything; default {RolloutSettings.min_trials}",
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
    repeatable_argument(
        "play",
        "PLAY",
        'a play to roll out, in quotes or without blanks: "8/5 6/5" or 8/5,6/5; once for each of them',
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

_SETTING_FIELDS = {
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

_CONTINUE_ARGUMENTS = ("trials", "stop_error", "stop_jsd", "min_trials", "threads")


def handle_rollout(call: CommandCall) -> Answer:
    """Roll out the plays, the position or the cube decision, or continue the last rollout."""
    values, session = call.values, call.session
    if values["what"] == CONTINUE:
        return _continue_rollout(session, values)
    request, load_engine = _make_request(session, values), session.make_engine_loader()
    settings = apply_rollout_arguments(RolloutSettings(threads=session.engine_settings.threads), values)
    _check_game_count(session, request, settings)
    slot = session.last_rollout = RolloutSlot(session.service.rollout_store)
    cluster = session.service.cluster

    def run(control: WorkControl) -> list[Reply]:
        record: FinishedRollout | None = None
        try:
            replies, state = _run_rollout(request, load_engine, settings, None, control, cluster)
            record = FinishedRollout(request, load_engine, settings, state)
        finally:
            slot.finish(record)
        return replies

    return Work(run, is_long=True)


def _make_request(session: Session, values: Mapping[str, Any]) -> RolloutRequest:
    position, match = session.require_game(), session.game.match
    kind = values["what"] or (MOVES if values["play"] else default_kind(match.roll))
    plays: tuple[Play, ...] = ()
    if kind == MOVES:
        _, roll = session.require_roll()
        plays = parse_candidates(_read_play_texts(values), position, roll, session.game.rules)
    for name in ("candidates", "play"):
        if kind != MOVES and values[name] is not None:
            raise ValueRangeError(f"'rollout {kind}' has no candidates: remove '{name}'", field=name)
    is_cubeful = values["cubeful"]
    if is_cubeful is None:
        has_cube = session.game.rules.supports(Feature.CUBE)
        is_cubeful = (session.engine_settings.is_cubeful and has_cube) or kind == CUBE
    if is_cubeful:
        session.check_supports(Feature.CUBE)
    return RolloutRequest(
        kind=kind,
        position=position,
        match=session.require_evaluable_match(),
        roll=match.roll if kind == MOVES else None,
        is_cubeful=is_cubeful,
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
    changes = {field: values[name] for name, field in _SETTING_FIELDS.items() if values[name] is not None}
    changed = replace(settings, **changes)
    return replace(changed, threads=min(changed.threads, count_usable_cores()))


def _check_game_count(session: Session, request: RolloutRequest, settings: RolloutSettings) -> None:
    cap = session.service.limits.rollout_games
    if request.max_starts * settings.trials > cap:
        raise LimitError(
            f"expected at most {cap} games (trials times candidates), got {settings.trials} trials of "
            f"{request.max_starts} candidates",
            field="trials",
        )


def _continue_rollout(session: Session, values: Mapping[str, Any]) -> Work:
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

    def run(control: WorkControl) -> list[Reply]:
        try:
            with control.leave_turn():
                record = earlier.wait_for_rollout(lambda: control.is_stopped)
            settings = apply_rollout_arguments(record.settings, values)
            _check_game_count(session, record.request, settings)
            replies, state = _run_rollout(
                record.request, record.load_engine, settings, record.state, control, cluster
            )
        except BaseException:
            slot.finish_as(earlier)
            raise
        slot.finish(replace(record, settings=settings, state=state))
        return replies

    return Work(run, is_long=True)


def _run_rollout(
    request: RolloutRequest,
    load_engine: Callable[[], Engine],
    settings: RolloutSettings,
    resume: RolloutState | None,
    control: WorkControl,
    cluster: ClusterWork | None,
) -> tuple[list[Reply], RolloutState]:
    """Roll out; return the lines of the answer, and the state to continue from."""
    engine = load_engine()
    rollout = PreparedRollout(request, engine, settings, control.is_cancelled)
    names = list(map(format_moves_plain, rollout.plays))
    reporter = RolloutReporter(control, settings.trials, rollout.scoring, names)
    latest = resume

    def roll_out_there(cluster: ClusterWork) -> RolloutResult | None:
        blocks = cluster.make_blocks(engine, request.plies, request.leaf_plies)
        if blocks is None:
            return None
        return rollout.run(resume, follow, blocks, cancelled=lambda: control.is_stopped)

    def follow(state: RolloutState) -> None:
        nonlocal latest
        latest = state
        assert cluster is not None
        cluster.check()
        reporter(state)

    answer = work_with_cluster(cluster, control, roll_out_there, lambda: rollout.run(latest, reporter))
    return [*make_result_replies(answer), make_final_reply(answer, reporter.elapsed_ms)], answer.rollout.state
