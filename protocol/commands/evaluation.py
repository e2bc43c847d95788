"""Evaluations: ``eval``, ``moves``, and the ``info`` lines and stops of every search."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.analysis.levels import EvalSettings
from engine.rules.notation import format_moves_plain, format_play
from engine.search import SearchProgress, SearchWatch
from engine.search.results import Effort, PlayEvaluation, PositionEvaluation
from protocol.commands.command import CommandCall
from protocol.core.replies import DECIMALS, outcome_to_values
from protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl


def make_search_watch(
    control: WorkControl,
    deadline_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    *,
    from_plies: int = 1,
) -> SearchWatch:
    """Make the watch of a search: stopped with its work or at a deadline, seen in ``info`` lines.

    Args:
        control: Stops the work and takes the lines.
        deadline_s: When the search ends with what it has, by the clock; None for never.
        clock: Seconds.
        from_plies: The first depth whose end is told. Within a depth nothing is told at 0 plies.
    """

    def is_over() -> bool:
        return control.is_stopped or (deadline_s is not None and clock() >= deadline_s)

    def tell(progress: SearchProgress) -> None:
        if progress.effort.plies >= (from_plies if progress.effort.is_finished else 1):
            control.report(Reply("info", _format_progress(progress), is_final=False))

    return SearchWatch(is_over, tell)


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
    return f"nodes {effort.nodes} time_ms {int(effort.elapsed_s * 1000)}"


def read_eval_settings(call: CommandCall) -> EvalSettings:
    """Return how deep a request is answered: its own ``plies``, ``filter`` and ``cubeful``, or the session's.

    Raises:
        ValueRangeError: The plies are out of range, or no filter has this name.
    """
    values = call.values
    return call.session.make_eval_settings(values.get("plies"), values.get("filter"), values.get("cubeful"))


def evaluation_to_values(evaluation: PositionEvaluation | PlayEvaluation) -> dict[str, ReplyValue]:
    """Return the numbers of a judgement as keys: outcome, equity, and what cube and score make of it."""
    values = outcome_to_values(evaluation.outcome, evaluation.equity)
    if evaluation.cubeful is not None:
        values["cubeful"] = evaluation.cubeful
    if evaluation.mwc is not None:
        values["mwc"] = evaluation.mwc
    return values


def make_stopped_values(is_finished: bool) -> dict[str, ReplyValue]:
    """Return what an answer says when its search did not get to the depth asked for; nothing otherwise."""
    return {} if is_finished else {"stopped": True}


def _play_to_values(rank: int, evaluation: PlayEvaluation) -> dict[str, ReplyValue]:
    return {
        "rank": rank,
        "play": format_play(evaluation.play),
        **evaluation_to_values(evaluation),
        "plies": evaluation.plies,
        "survived": evaluation.survived,
    }


def handle_eval(call: CommandCall) -> Answer:
    """Evaluate the position before the roll."""
    session, depth = call.session, read_eval_settings(call)
    position, match = session.require_evaluable_position(), session.require_evaluable_match()
    find_analyst = session.make_engine_loader()

    def run(control: WorkControl) -> list[Reply]:
        analyst = find_analyst()
        judged = analyst.evaluate(position, match, depth, make_search_watch(control))
        about: dict[str, ReplyValue] = {"plies": judged.effort.plies, "net": analyst.name}
        return [
            Reply(
                "eval",
                values=evaluation_to_values(judged) | about | make_stopped_values(judged.effort.is_finished),
            )
        ]

    return Work(run, is_long=depth.plies > 0)


def handle_moves(call: CommandCall) -> Answer:
    """Rank the legal plays."""
    session, depth, limit = call.session, read_eval_settings(call), call.values["n"]
    position, roll = session.require_roll()
    match = session.require_evaluable_match()
    find_ranker = session.make_engine_loader(needs=None)

    def run(control: WorkControl) -> list[Reply]:
        ranker = find_ranker()
        judged = ranker.rank_plays(position, roll, match, depth, make_search_watch(control))
        shown = judged.plays[:limit]
        lines = [
            Reply("move", values=_play_to_values(i, play), is_final=False) for i, play in enumerate(shown, 1)
        ]
        about: dict[str, ReplyValue] = {
            "count": len(judged.plays),
            "shown": len(shown),
            "plies": judged.effort.plies,
        }
        about["net"] = ranker.name
        return [*lines, Reply("moves", values=about | make_stopped_values(judged.effort.is_finished))]

    return Work(run, is_long=depth.plies > 0)
