"""What the analyst says: ``eval`` and ``moves``."""

from __future__ import annotations

from engine.analysis.evaluations import PlayEvaluation, PositionEvaluation
from engine.analysis.levels import EvalSettings
from engine.rules.notation import format_play
from protocol.commands.command import CommandCall
from protocol.commands.search_info import make_search_watch
from protocol.core.replies import outcome_to_values
from protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl


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
        about: dict[str, ReplyValue] = {"plies": judged.plies, "net": analyst.name}
        return [
            Reply(
                "eval", values=evaluation_to_values(judged) | about | make_stopped_values(judged.is_finished)
            )
        ]

    return Work(run, is_long=depth.plies > 0)


def handle_moves(call: CommandCall) -> Answer:
    """Rank the legal plays."""
    session, depth, limit = call.session, read_eval_settings(call), call.values["n"]
    position, roll = session.require_roll()
    match = session.require_evaluable_match()
    find_ranker = session.make_ranker_loader()

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
            "plies": judged.plies,
        }
        about["net"] = ranker.name
        return [*lines, Reply("moves", values=about | make_stopped_values(judged.is_finished))]

    return Work(run, is_long=depth.plies > 0)
