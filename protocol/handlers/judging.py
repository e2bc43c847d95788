"""What the judge says: ``eval`` and ``moves``."""

from __future__ import annotations

import numpy as np

from engine.errors import UnsupportedError
from engine.evaluator import Evaluator
from engine.notation import format_play
from engine.outcome import Outcome, cubeless_equity
from engine.position import Position
from engine.ranking import RankedPlay, rank_plays
from protocol.command import Call
from protocol.replies import outcome_values
from protocol.requests import Answer, Control, Reply, Value, Work
from protocol.session import Session

MAX_PLIES = 0
"""The deepest evaluation that is offered."""


def check_plies(plies: int) -> int:
    """Return a number of plies that is offered.

    Raises:
        UnsupportedError: It is not.
    """
    if plies > MAX_PLIES:
        raise UnsupportedError(f"evaluations are made at {MAX_PLIES} plies here, not {plies}", field="plies")
    return plies


def wanted_plies(session: Session, plies: int | None = None) -> int:
    """Return the plies that a request asks for: its own, or those of the session's settings."""
    return check_plies(session.engine.ply - 1 if plies is None else plies)


def evaluated(judge: Evaluator, position: Position) -> tuple[Outcome, float]:
    """Evaluate one position.

    Returns:
        Its outcome and cubeless money equity in points, for the player on roll.
    """
    outcomes = judge.evaluate(np.ascontiguousarray(position.board[None]))
    return Outcome(*map(float, outcomes[0])), float(cubeless_equity(outcomes)[0])


def ranked_values(rank: int, ranked: RankedPlay) -> dict[str, Value]:
    """Return a judged play as keys."""
    return {
        "rank": rank,
        "play": format_play(ranked.play),
        **outcome_values(ranked.outcome, ranked.equity),
        "plies": ranked.plies,
    }


def handle_eval(call: Call) -> Answer:
    """Evaluate the position before the roll."""
    wanted_plies(call.session, call.values["plies"])
    position = call.session.need_position()
    find_judge = call.session.judge_source()

    def run(_: Control) -> list[Reply]:
        judge = find_judge()
        values = outcome_values(*evaluated(judge, position))
        return [Reply("eval", values={**values, "plies": judge.plies, "net": judge.name})]

    return Work(run)


def handle_moves(call: Call) -> Answer:
    """Rank the legal plays."""
    wanted_plies(call.session, call.values["plies"])
    position, roll = call.session.need_roll()
    limit = call.values["n"]
    find_judge = call.session.judge_source()

    def run(_: Control) -> list[Reply]:
        judge = find_judge()
        ranked = rank_plays(judge, position, roll)
        shown = ranked[:limit]
        lines = [Reply("move", values=ranked_values(i, r), is_final=False) for i, r in enumerate(shown, 1)]
        totals: dict[str, Value] = {"count": len(ranked), "shown": len(shown)}
        return [*lines, Reply("moves", values={**totals, "plies": judge.plies, "net": judge.name})]

    return Work(run)
