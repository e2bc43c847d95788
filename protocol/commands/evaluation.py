"""Evaluations: ``eval``, ``moves``, ``rank``, and the ``info`` lines and stops of every search."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence

import msgspec
import numpy as np

from engine.analysis.compared_plays import compare_play, has_compared
from engine.analysis.engine import Engine
from engine.analysis.engine_store import KeptAnalysis
from engine.analysis.levels import EvalSettings
from engine.analysis.many_matches import evaluate_matches
from engine.errors import GammondError
from engine.formats import xgid as xgid_format
from engine.formats.position_id import encode_position_ids
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.moves import estimate_plays
from engine.rules.notation import format_moves_plain, format_play, format_plays, parse_play
from engine.rules.outcome import Outcome, cubeless_equity
from engine.rules.position import Board, Position
from engine.rules.rules import Rules
from engine.search import SearchProgress, SearchWatch
from engine.search.results import BoardEvaluations, Effort, PlayEvaluation, PlayTable, PositionEvaluation
from protocol.commands.command import CommandCall
from protocol.core.arguments import error_field
from protocol.core.replies import DECIMALS, outcome_to_values
from protocol.core.requests import Answer, BatchItem, Reply, ReplyValue, Work, WorkControl
from protocol.state.session import Session

MAX_QUICK_PLAYS = 128
"""Maximum estimate of the plays of a roll that are listed in the thread that serves clients: 1 ms or 2."""

MAX_SHORT_PLAYS = 1024
"""Maximum estimate of the plays that short work lists or ranks at 0-ply; some 10 ms."""

PLAY_BYTES = 225
"""What a ranked play takes on the wire, about."""

XGID_BYTES = 60
"""What an XGID takes on the wire, about."""

DECISION_SIZE = 15
"""The size (`Work.size`) of a decision at 0-ply that shows one play."""


def make_search_watch(
    control: WorkControl,
    deadline_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    *,
    from_plies: int = 1,
) -> SearchWatch:
    """Return the watch of a search: stopped with its work or at a deadline, reported in ``info`` lines.

    Args:
        control: Stops the search and takes the lines.
        deadline_s: When the search ends with what it has, by the clock; None for never.
        clock: Seconds.
        from_plies: The first depth whose end is reported. Within a depth nothing is reported at 0-ply.
    """

    def is_over() -> bool:
        return control.is_cancelled() or (deadline_s is not None and clock() >= deadline_s)

    def report(progress: SearchProgress) -> None:
        if progress.effort.is_finished or progress.effort.plies:
            control.report(Reply("info", _format_progress(progress), is_final=False))

    return SearchWatch(is_over, report, from_plies)


def format_choice_info(effort: Effort, best: PlayEvaluation) -> str:
    """Format the best play of a finished depth in the words of UBGI.

    Args:
        effort: The effort; its plies are the depth.
        best: The best play, or the one chosen.
    """
    text = f"depth {effort.plies + 1} {_format_effort(effort)}"
    return f"{text} multipv 1 score {best.score:.{DECIMALS}f} pv {format_moves_plain(best.play)}"


def _format_progress(progress: SearchProgress) -> str:
    effort = progress.effort
    if progress.best is not None:
        return format_choice_info(effort, progress.best)
    text = _format_effort(effort)
    return f"depth {effort.plies + 1} {text}" if effort.is_finished else text


def _format_effort(effort: Effort) -> str:
    text = f"nodes {effort.nodes} time_ms {int(effort.elapsed_s * 1000)}"
    return f"{text} stored true" if effort.is_stored else text


def read_eval_settings(call: CommandCall) -> EvalSettings:
    """Return the settings of a request: its own ``plies``, ``filter`` and ``cubeful``, or the session's.

    Raises:
        ValueRangeError: The plies are out of range, or no filter has this name.
    """
    values = call.values
    return call.session.make_eval_settings(values.get("plies"), values.get("filter"), values.get("cubeful"))


def evaluation_to_values(evaluation: PositionEvaluation | PlayEvaluation) -> dict[str, ReplyValue]:
    """Return an evaluation as keys: outcome, equity, and the cubeful equity and MWC if there are any."""
    values = outcome_to_values(evaluation.outcome, evaluation.equity)
    if evaluation.cubeful is not None:
        values["cubeful"] = evaluation.cubeful
    if evaluation.mwc is not None:
        values["mwc"] = evaluation.mwc
    return values


def evaluations_to_values(
    evaluations: BoardEvaluations, decimals: int | None = None
) -> list[dict[str, ReplyValue]]:
    """Return many evaluations as keys, each as `evaluation_to_values` does.

    Args:
        evaluations: n evaluations.
        decimals: Where numbers are rounded, if they are.
    """
    outcomes, cubeful, mwc = evaluations.outcomes, evaluations.cubeful, evaluations.mwc
    columns = {"equity": cubeless_equity(outcomes), "cubeful": cubeful, "mwc": mwc}
    given = {key: column for key, column in columns.items() if column is not None}
    keys = *Outcome._fields, *given
    table = np.column_stack([outcomes, *given.values()]).astype(np.float64, copy=False)
    if decimals is not None:
        table = np.round(table, decimals) + 0.0
    values: list[dict[str, ReplyValue]] = [dict(zip(keys, row, strict=True)) for row in table.tolist()]
    if mwc is not None:
        for row in np.isnan(mwc).nonzero()[0].tolist():
            del values[row]["mwc"]
    return values


def effort_to_values(effort: Effort) -> dict[str, ReplyValue]:
    """Return the keys of a result whose search was stopped before its depth, or that was kept, if any."""
    values: dict[str, ReplyValue] = {} if effort.is_finished else {"stopped": True}
    return values | {"stored": True} if effort.is_stored else values


def list_id_values(boards: Board, match: MatchState, has_xgids: bool) -> list[dict[str, ReplyValue]]:
    """Return the positions after plays as keys.

    Args:
        boards: ``int8[n, 2, 26]``, as the next mover sees them.
        match: The match state before the plays.
        has_xgids: Whether to return XGIDs, without their prefix, besides position IDs.
    """
    ids = encode_position_ids(boards)
    if not has_xgids:
        return [{"gnubgid": text} for text in ids]
    xgids = xgid_format.encode_xgids(boards, match.next_turn())
    return [
        {"gnubgid": text, "xgid": xgid.removeprefix(xgid_format.PREFIX)}
        for text, xgid in zip(ids, xgids, strict=True)
    ]


def _play_to_values(
    rank: int, evaluation: PlayEvaluation, ids: Mapping[str, ReplyValue]
) -> dict[str, ReplyValue]:
    return {
        "rank": rank,
        "play": format_play(evaluation.play),
        **evaluation_to_values(evaluation),
        "plies": evaluation.plies,
        "survived": evaluation.survived,
        **ids,
    }


def plays_to_values(
    table: PlayTable, match: MatchState, has_xgids: bool = False, decimals: int | None = None
) -> list[dict[str, ReplyValue]]:
    """Return ranked plays as keys, with the positions after them.

    Args:
        table: The plays.
        match: The match state before the plays.
        has_xgids: As for `list_id_values`.
        decimals: Where numbers are rounded, if they are.
    """
    rows = zip(
        format_plays(table.plays),
        evaluations_to_values(table.evaluations, decimals),
        table.plies.tolist(),
        table.survived.tolist(),
        list_id_values(table.plays.boards, match, has_xgids),
        strict=True,
    )
    return [
        {"play": play, **values, "plies": plies, "survived": survived, **ids}
        for play, values, plies, survived, ids in rows
    ]


class EvaluationBatch(msgspec.Struct, frozen=True):
    """Answers ``eval`` at 0-ply for many positions, each with its match state, in one evaluation.

    Attributes:
        engine: Evaluates them.
        settings: How.
    """

    engine: Engine
    settings: EvalSettings

    def answer(self, items: Sequence[tuple[Position, MatchState]]) -> list[Reply]:
        """Answer each as `handle_eval` does."""
        boards = np.array([position.board for position, _ in items])
        places: dict[MatchState, int] = {}
        indices = np.array([places.setdefault(match, len(places)) for _, match in items])
        found = evaluate_matches(self.engine, boards, tuple(places), indices, self.settings)
        about: dict[str, ReplyValue] = {
            "plies": self.engine.evaluator.plies + self.settings.plies,
            "net": self.engine.name,
        }
        return [Reply("eval", values={**values, **about}) for values in evaluations_to_values(found)]


def handle_eval(call: CommandCall) -> Answer:
    """Evaluate the position before the roll."""
    session, settings = call.session, read_eval_settings(call)
    position, match = session.require_evaluable_position(), session.require_evaluable_match()
    load_engine = session.make_engine_loader()

    def run(control: WorkControl) -> list[Reply]:
        engine = load_engine()
        if settings.plies == 0:
            with session.service.time_evaluation(engine):
                return EvaluationBatch(engine, settings).answer([(position, match)])
        with session.service.time_evaluation(engine, make_decision_kind("eval", match, settings)):
            evaluation = engine.evaluate(position, match, settings, make_search_watch(control))
        about: dict[str, ReplyValue] = {"plies": evaluation.effort.plies, "net": engine.name}
        about |= effort_to_values(evaluation.effort)
        return [Reply("eval", values=evaluation_to_values(evaluation) | about)]

    if settings.plies:
        kept = session.recall(make_decision_kind("eval", match, settings), position, match, settings)
        return Work(
            run,
            is_long=kept is None,
            is_quick=kept is not None,
            size=DECISION_SIZE,
            sources=() if kept is None else (kept,),
        )
    quick = session.find_quick_engine()
    item = None if quick is None else BatchItem(EvaluationBatch(quick, settings), (position, match))
    return Work(run, is_quick=item is not None, batch_item=item)


def make_decision_kind(what: str, match: MatchState, settings: EvalSettings) -> Hashable:
    """Return the kind of a decision, as `Service.time_evaluation` takes it.

    Of decisions that look ahead only those that are kept are quick.

    Args:
        what: What is asked for, such as ``plays``.
        match: The match state.
        settings: The settings.
    """
    return what, match.is_money, settings.is_cubeful, settings.plies > 0


def has_few_plays(position: Position, roll: Roll) -> bool:
    """Return whether the plays of a roll are so few that listing or ranking them takes no thread."""
    return estimate_plays(position, roll) <= MAX_QUICK_PLAYS


def handle_moves(call: CommandCall) -> Answer:
    """Rank the legal plays."""
    session, limit = call.session, call.values["n"]
    settings = read_eval_settings(call).with_list(limit)
    position, roll = session.require_roll()
    match, has_xgids = session.require_evaluable_match(), session.engine_settings.has_xgids
    load_engine = session.make_engine_loader(needs=None)
    kind = make_decision_kind("plays", match, settings)

    def run(control: WorkControl) -> list[Reply]:
        engine = load_engine()
        with session.service.time_evaluation(engine, kind):
            ranked = engine.rank_plays(position, roll, match, settings, make_search_watch(control))
        shown = len(ranked.plays) if limit is None else min(limit, len(ranked.plays))
        lines = control.run_in_blocks(
            shown,
            lambda block: [
                Reply("move", values={"rank": rank, **values}, is_final=False)
                for rank, values in enumerate(
                    plays_to_values(ranked.plays.tabulate(block), match, has_xgids), block.start + 1
                )
            ],
        )
        about: dict[str, ReplyValue] = {"count": len(ranked.plays), "shown": len(lines)}
        if ranked.plays.survivors < len(ranked.plays):
            about["searched"] = ranked.plays.survivors
        about |= {"plies": ranked.effort.plies, "net": engine.name}
        return [*lines, Reply("moves", values=about | effort_to_values(ranked.effort))]

    plays = estimate_plays(position, roll)
    shown = plays if limit is None else min(plays, limit)
    kept = session.recall(kind, position, match, settings, roll)
    return _make_ranking_work(session, run, settings, kind, plays, shown, kept)


def handle_rank(call: CommandCall) -> Answer:
    """Compare a play with the best one."""
    session, settings, text = call.session, read_eval_settings(call).with_list(), call.values["play"]
    position, roll = session.require_roll()
    match, rules = session.require_evaluable_match(), session.game.rules
    has_xgids = session.engine_settings.has_xgids
    load_engine = session.make_engine_loader(needs=None)
    kind = make_decision_kind("rank", match, settings)

    def run(control: WorkControl) -> list[Reply]:
        engine = load_engine()
        with error_field("play"):
            play = parse_play(text, position, roll, rules)
        with session.service.time_evaluation(engine, kind):
            found = compare_play(engine, position, roll, match, play, settings, make_search_watch(control))
        rows = [(1, found.best)] if found.rank == 1 else [(1, found.best), (found.rank, found.evaluation)]
        boards = np.stack([each.play.result.board for _, each in rows])
        ids = list_id_values(boards, match, has_xgids)
        values: dict[str, ReplyValue] = {
            "rank": found.rank,
            "count": len(found.ranked.plays),
            "play": format_play(found.evaluation.play),
            "loss": found.loss,
        }
        if found.best.mwc is not None and found.evaluation.mwc is not None:
            values["mwc_loss"] = found.best.mwc - found.evaluation.mwc
        effort = found.ranked.effort
        values |= {"best": format_play(found.best.play), "plies": effort.plies, "net": engine.name}
        return [
            *(
                Reply("move", values=_play_to_values(rank, play, where), is_final=False)
                for (rank, play), where in zip(rows, ids, strict=True)
            ),
            Reply("rank", values=values | effort_to_values(effort)),
        ]

    kept = session.recall(kind, position, match, settings, roll)
    if kept is not None and not _has_compared(kept, position, roll, text, rules):
        kept = None
    return _make_ranking_work(session, run, settings, kind, estimate_plays(position, roll), 2, kept)


def _has_compared(kept: KeptAnalysis, position: Position, roll: Roll, text: str, rules: Rules) -> bool:
    """Return whether a kept ranking answers where a play stands, written as ``rank`` takes it."""
    try:
        return has_compared(kept, position, roll, parse_play(text, position, roll, rules), rules)
    except GammondError:
        return False  # the work says what is wrong with it


def _make_ranking_work(
    session: Session,
    run: Callable[[WorkControl], list[Reply]],
    settings: EvalSettings,
    kind: Hashable,
    plays: int,
    shown: int,
    kept: KeptAnalysis | None = None,
) -> Work:
    """Return the work of a ranking.

    Args:
        session: The session.
        run: Does it.
        settings: How deep it looks.
        kind: Its kind, as `make_decision_kind` returns it.
        plays: About how many plays it ranks.
        shown: About how many of them its answer shows.
        kept: The ranking that is kept, if there is one, so that giving it was seen to be quick.
    """
    is_kept = kept is not None
    is_deep = settings.plies > 0 and not is_kept
    is_quick = not is_deep and plays <= MAX_QUICK_PLAYS
    return Work(
        run,
        is_long=is_deep or plays > MAX_SHORT_PLAYS,
        is_quick=is_quick and (is_kept or session.find_quick_engine(kind) is not None),
        size=DECISION_SIZE + plays,
        answer_bytes=(PLAY_BYTES + XGID_BYTES * session.engine_settings.has_xgids) * shown,
        sources=() if kept is None else (kept,),
    )
