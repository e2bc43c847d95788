"""Evaluations: ``eval``, ``moves``, ``rank``, and the ``info`` lines and stops of every search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
import numpy as np

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.analysis.many_positions import evaluate_matches
from gammond.engine.evaluation.results import Effort, Evaluation, Evaluations, RankedPlay
from gammond.engine.formats import xgid as xgid_format
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import estimate_plays
from gammond.engine.rules.notation import format_moves_plain, format_play, format_plays, parse_play
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Board, Position
from gammond.engine.rules.rules import Feature
from gammond.engine.search import SearchProgress, SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay, RankedPlays
from gammond.protocol.commands.command import Values
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.replies import make_info_reply, outcome_to_values
from gammond.protocol.core.requests import Answer, BatchItem, Reply, ReplyValue, WorkControl
from gammond.protocol.questions.plays import Compare, Rank
from gammond.protocol.questions.positions import Evaluate
from gammond.protocol.questions.question import EngineQuestion, make_work
from gammond.protocol.state.session import Session

_ResultT = TypeVar("_ResultT")

UNSCALED = "unscaled"
"""The key that is true where equities are left out, since points have no scale: chances of the match alone
count there (`gammond.engine.evaluation.results.is_on_scale`)."""

PLAY_BYTES = 225
"""What a ranked play takes on the wire, about."""

XGID_BYTES = 60
"""What an XGID takes on the wire, about."""


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
            control.report(make_info_reply(_progress_to_values(progress)))

    return SearchWatch(is_over, report, from_plies)


def choice_to_values(effort: Effort, best: RankedPlay) -> dict[str, ReplyValue]:
    """Return the best play of a finished depth as keys, in the words of UBGI.

    Args:
        effort: The effort; its plies are the depth.
        best: The best play, or the one chosen.
    """
    values: dict[str, ReplyValue] = {"depth": effort.plies + 1, **_count_effort(effort), "multipv": 1}
    if (points := best.evaluation.points) is not None:
        values["score"] = points
    return values | {"pv": format_moves_plain(best.play)}


def _progress_to_values(progress: SearchProgress) -> dict[str, ReplyValue]:
    effort = progress.effort
    if progress.best is not None:
        return choice_to_values(effort, progress.best)
    depth: dict[str, ReplyValue] = {"depth": effort.plies + 1} if effort.is_finished else {}
    return depth | _count_effort(effort)


def _count_effort(effort: Effort) -> dict[str, ReplyValue]:
    values: dict[str, ReplyValue] = {"nodes": effort.nodes, "time_ms": int(effort.elapsed_s * 1000)}
    return values | {"stored": True} if effort.is_stored else values


def read_eval_settings(session: Session, values: Values) -> EvalSettings:
    """Return the settings of a request: its own ``plies``, ``filter`` and ``cubeful``, or the session's.

    Raises:
        ValueRangeError: The plies are out of range, or no filter has this name.
    """
    return session.make_eval_settings(values.get("plies"), values.get("filter"), values.get("cubeful"))


def evaluation_to_values(evaluation: Evaluation) -> dict[str, ReplyValue]:
    """Return an evaluation as keys: outcome, equity, and the cubeful equity and MWC if there are any.

    In place of a cubeful equity that is on no scale stands `UNSCALED`.
    """
    outcome, equity = evaluation.outcome, evaluation.cubeless_equity
    assert outcome is not None
    assert equity is not None
    values = outcome_to_values(outcome, equity)
    if evaluation.is_cubeful:
        values |= {"cubeful": evaluation.equity} if evaluation.is_scaled else {UNSCALED: True}
    if evaluation.mwc is not None:
        values["mwc"] = evaluation.mwc
    return values


def evaluations_to_values(
    evaluations: Evaluations, decimals: int | None = None
) -> list[dict[str, ReplyValue]]:
    """Return many evaluations as keys, each as `evaluation_to_values` does.

    Args:
        evaluations: n evaluations.
        decimals: Where numbers are rounded, if they are.
    """
    outcomes, cubeful, mwc = evaluations.outcomes, evaluations.cubeful, evaluations.mwc
    columns = {"equity": evaluations.cubeless_equities, "cubeful": cubeful, "mwc": mwc}
    given = {key: column for key, column in columns.items() if column is not None}
    keys = *Outcome._fields, *given
    table = np.column_stack([outcomes, *given.values()]).astype(np.float64, copy=False)
    if decimals is not None:
        table = np.round(table, decimals) + 0.0
    values: list[dict[str, ReplyValue]] = [dict(zip(keys, row, strict=True)) for row in table.tolist()]
    if mwc is not None:
        for row in np.isnan(mwc).nonzero()[0].tolist():
            del values[row]["mwc"]
        for row in evaluations.find_unscaled().nonzero()[0].tolist():
            values[row] = {
                UNSCALED if key == "cubeful" else key: key == "cubeful" or value
                for key, value in values[row].items()
            }
    return values


def effort_to_values(effort: Effort) -> dict[str, ReplyValue]:
    """Return the keys of a result whose search was stopped before its depth, or that was kept, if any."""
    values: dict[str, ReplyValue] = {} if effort.is_finished else {"stopped": True}
    return values | {"stored": True} if effort.is_stored else values


def source_to_values(effort: Effort | None, engine: Engine) -> dict[str, ReplyValue]:
    """Return the keys about the search behind a result."""
    assert effort is not None  # a search says what it took
    return {"plies": effort.plies, "net": engine.name, **effort_to_values(effort)}


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


def _play_to_values(rank: int, play: RankedPlay, ids: Mapping[str, ReplyValue]) -> dict[str, ReplyValue]:
    return {
        "rank": rank,
        "play": format_play(play.play),
        **evaluation_to_values(play.evaluation),
        "plies": play.evaluation.plies or 0,
        "survived": play.survived,
        **ids,
    }


def plays_to_values(
    ranked: RankedPlays,
    block: slice,
    match: MatchState,
    has_xgids: bool = False,
    decimals: int | None = None,
) -> list[dict[str, ReplyValue]]:
    """Return ranked plays as keys, with the positions after them.

    Args:
        ranked: The plays.
        block: Which of them.
        match: The match state before the plays.
        has_xgids: As for `list_id_values`.
        decimals: Where numbers are rounded, if they are.
    """
    plays = ranked.list_legal_plays(block)
    rows = zip(
        format_plays(plays),
        evaluations_to_values(ranked.list_evaluations(block), decimals),
        ranked.depths[block].tolist(),
        (np.arange(len(ranked))[block] < ranked.survivors).tolist(),
        list_id_values(plays.boards, match, has_xgids),
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


def handle_eval(session: Session, values: Values) -> Answer:
    """Evaluate the position before the roll."""
    question = read_evaluation(session, read_eval_settings(session, values))
    settings, item = question.settings, (question.position, question.match)

    def make_item(engine: Engine) -> BatchItem:
        return BatchItem(EvaluationBatch(engine, settings), item)

    return make_work(
        *(session, question, _write_evaluation, make_search_watch),
        make_item=None if settings.plies else make_item,
    )


def _write_evaluation(evaluation: Evaluation, engine: Engine, _: WorkControl) -> list[Reply]:
    return [
        Reply("eval", values=evaluation_to_values(evaluation) | source_to_values(evaluation.effort, engine))
    ]


def ask(
    session: Session, question: EngineQuestion[_ResultT], control: WorkControl
) -> tuple[_ResultT, Engine]:
    """Answer a question on the spot; return the result, and the engine of the session that found it.

    Args:
        session: Who asks.
        question: The question.
        control: Stops and watches the search.

    Raises:
        GammondError: As `EngineQuestion.run`, or the engine cannot be loaded.
    """
    engine = session.make_engine_loader(None)()
    return question.run(engine, make_search_watch(control)), engine


def read_evaluation(session: Session, settings: EvalSettings) -> Evaluate:
    """Return the question what the position is worth before the roll.

    Args:
        session: Who asks about its game.
        settings: How deep.

    Raises:
        StateError: There is no position, or the game was given up.
        PositionError: Value and owner of the cube do not fit together.
        UnsupportedError: The rules do not support evaluation.
    """
    position, match = session.require_evaluable_position(), session.require_evaluable_match()
    session.check_supports(Feature.EVALUATION)
    return Evaluate(position, match, settings)


def read_ranking(session: Session, settings: EvalSettings, shown: int | None = None) -> Rank:
    """Return the question for the ranked plays of the roll.

    Args:
        session: Who asks about its game.
        settings: How deep.
        shown: How many plays are compared, as for `EvalSettings.with_list`.

    Raises:
        StateError: There is no position or no dice, the game is over, or an offer waits.
        PositionError: Value and owner of the cube do not fit together.
    """
    position, roll = session.require_roll()
    return Rank(position, session.require_evaluable_match(), settings.with_list(shown), roll)


def read_comparison(session: Session, settings: EvalSettings, text: str) -> Compare:
    """Return the question how far a play is behind the best one.

    Args:
        session: Who asks about its game.
        settings: How deep.
        text: The play.

    Raises:
        GammondError: As `read_ranking`, or the text is no legal play; its field is then ``play``.
    """
    ranking, rules = read_ranking(session, settings), session.game.rules
    with error_field("play"):
        play = parse_play(text, ranking.position, ranking.roll, rules)
    return Compare(ranking.position, ranking.match, ranking.settings, ranking.roll, play, rules)


def handle_moves(session: Session, values: Values) -> Answer:
    """Rank the legal plays."""
    limit = values["n"]
    question = read_ranking(session, read_eval_settings(session, values), limit)
    match, has_xgids = question.match, session.engine_settings.has_xgids

    def write(ranked: RankedPlays, engine: Engine, control: WorkControl) -> list[Reply]:
        shown = len(ranked) if limit is None else min(limit, len(ranked))
        lines = control.run_in_blocks(
            shown,
            lambda block: [
                Reply("move", values={"rank": rank, **values}, is_final=False)
                for rank, values in enumerate(
                    plays_to_values(ranked, block, match, has_xgids), block.start + 1
                )
            ],
        )
        return [*lines, Reply("moves", values=ranking_to_values(ranked, len(lines), engine))]

    plays = estimate_plays(question.position, question.roll)
    answer_bytes = _count_play_bytes(plays if limit is None else min(plays, limit), has_xgids)
    return make_work(session, question, write, make_search_watch, answer_bytes=answer_bytes)


def handle_rank(session: Session, values: Values) -> Answer:
    """Compare a play with the best one."""
    has_xgids = session.engine_settings.has_xgids
    question = read_comparison(session, read_eval_settings(session, values), values["play"])

    def write(found: ChosenPlay, engine: Engine, _: WorkControl) -> list[Reply]:
        rows = [(1, found.best)] if found.rank == 1 else [(1, found.best), (found.rank, found.chosen)]
        boards = np.stack([each.play.result.board for _, each in rows])
        ids = list_id_values(boards, question.match, has_xgids)
        values: dict[str, ReplyValue] = {
            "rank": found.rank,
            "count": len(found.ranked),
            "play": format_play(found.play),
            **({"loss": found.loss} if found.is_loss_scaled else {UNSCALED: True}),
        }
        if (mwc_loss := find_mwc_loss(found)) is not None:
            values["mwc_loss"] = mwc_loss
        values["best"] = format_play(found.best.play)
        return [
            *(
                Reply("move", values=_play_to_values(rank, play, where), is_final=False)
                for (rank, play), where in zip(rows, ids, strict=True)
            ),
            Reply("rank", values=values | source_to_values(found.ranked.effort, engine)),
        ]

    answer_bytes = _count_play_bytes(2, has_xgids)
    return make_work(session, question, write, make_search_watch, answer_bytes=answer_bytes)


def ranking_to_values(ranked: RankedPlays, shown: int, engine: Engine) -> dict[str, ReplyValue]:
    """Return the keys about ranked plays, of which some are shown."""
    values: dict[str, ReplyValue] = {"count": len(ranked), "shown": shown}
    if ranked.survivors < len(ranked):
        values["searched"] = ranked.survivors
    return values | source_to_values(ranked.effort, engine)


def find_mwc_loss(found: ChosenPlay) -> float | None:
    """Return what a play loses in match-winning chance against the best one; None in money play."""
    best, chosen = found.best.evaluation.mwc, found.chosen.evaluation.mwc
    return None if best is None or chosen is None else best - chosen


def _count_play_bytes(shown: int, has_xgids: bool) -> int:
    """Return about how many bytes some ranked plays take."""
    return (PLAY_BYTES + XGID_BYTES * has_xgids) * shown
