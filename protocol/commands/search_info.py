"""What a client sees of a search while it runs, and how it stops one."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.rules.moves import Play
from engine.rules.notation import format_moves_plain
from engine.search import SearchProgress, SearchWatch
from protocol.core.replies import DECIMALS
from protocol.core.requests import Reply, WorkControl


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
        if progress.plies >= (from_plies if progress.is_finished else 1):
            control.report(Reply("info", _format_progress(progress), is_final=False))

    return SearchWatch(is_over, tell)


def format_choice_info(plies: int, nodes: int, elapsed_s: float, play: Play, score: float) -> str:
    """Say in UBGI's words what the choice of a finished depth is.

    Args:
        plies: The depth.
        nodes: Positions valued without look-ahead.
        elapsed_s: Since the start.
        play: The choice.
        score: What plays are ranked by, in points.
    """
    text = f"depth {plies + 1} {_format_effort(nodes, elapsed_s)}"
    return f"{text} multipv 1 score {score:.{DECIMALS}f} pv {format_moves_plain(play)}"


def _format_progress(progress: SearchProgress) -> str:
    plies, nodes, elapsed_s, best = progress.plies, progress.nodes, progress.elapsed_s, progress.best
    if best is not None:
        return format_choice_info(plies, nodes, elapsed_s, best.play, best.equity)
    text = _format_effort(nodes, elapsed_s)
    return f"depth {plies + 1} {text}" if progress.is_finished else text


def _format_effort(nodes: int, elapsed_s: float) -> str:
    return f"nodes {nodes} time_ms {int(elapsed_s * 1000)}"
