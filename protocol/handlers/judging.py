"""What the analyst says: ``eval`` and ``moves``."""

from __future__ import annotations

from engine.judged import JudgedPlay, JudgedPosition
from engine.levels import Depth
from engine.notation import format_play
from protocol.command import Call
from protocol.handlers.watching import search_watch
from protocol.replies import outcome_values
from protocol.requests import Answer, Control, Reply, Value, Work


def wanted_depth(call: Call) -> Depth:
    """Return how deep a request is answered: its own ``plies``, ``filter`` and ``cubeful``, or the session's.

    Raises:
        ValueRangeError: The plies are out of range, or no filter has this name.
    """
    values = call.values
    return call.session.depth(values.get("plies"), values.get("filter"), values.get("cubeful"))


def judged_values(judged: JudgedPosition | JudgedPlay) -> dict[str, Value]:
    """Return the numbers of a judgement as keys: outcome, equity, and what cube and score make of it."""
    values = outcome_values(judged.outcome, judged.equity)
    if judged.cubeful is not None:
        values["cubeful"] = judged.cubeful
    if judged.mwc is not None:
        values["mwc"] = judged.mwc
    return values


def stopped_values(is_finished: bool) -> dict[str, Value]:
    """Return what an answer says when its search did not get to the depth asked for; nothing otherwise."""
    return {} if is_finished else {"stopped": True}


def _play_values(rank: int, judged: JudgedPlay) -> dict[str, Value]:
    return {
        "rank": rank,
        "play": format_play(judged.play),
        **judged_values(judged),
        "plies": judged.plies,
        "survived": judged.survived,
    }


def handle_eval(call: Call) -> Answer:
    """Evaluate the position before the roll."""
    session, depth = call.session, wanted_depth(call)
    position, match = session.need_judgeable(), session.match_to_judge()
    find_analyst = session.analyst_source()

    def run(control: Control) -> list[Reply]:
        analyst = find_analyst()
        judged = analyst.judge(position, match, depth, search_watch(control))
        about: dict[str, Value] = {"plies": judged.plies, "net": analyst.name}
        return [Reply("eval", values=judged_values(judged) | about | stopped_values(judged.is_finished))]

    return Work(run, is_long=depth.plies > 0)


def handle_moves(call: Call) -> Answer:
    """Rank the legal plays."""
    session, depth, limit = call.session, wanted_depth(call), call.values["n"]
    position, roll = session.need_roll()
    match = session.match_to_judge()
    find_ranker = session.ranker_source()

    def run(control: Control) -> list[Reply]:
        ranker = find_ranker()
        judged = ranker.rank_plays(position, roll, match, depth, search_watch(control))
        shown = judged.plays[:limit]
        lines = [
            Reply("move", values=_play_values(i, play), is_final=False) for i, play in enumerate(shown, 1)
        ]
        about: dict[str, Value] = {"count": len(judged.plays), "shown": len(shown), "plies": judged.plies}
        about["net"] = ranker.name
        return [*lines, Reply("moves", values=about | stopped_values(judged.is_finished))]

    return Work(run, is_long=depth.plies > 0)
