"""What a client sees of a search while it runs, and how it stops one."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.moves import Play
from engine.notation import format_moves_plain
from engine.search import SearchProgress, SearchWatch
from protocol.replies import DECIMALS
from protocol.requests import Control, Reply


def search_watch(
    control: Control,
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
        if progress.plies >= (from_plies if progress.finished else 1):
            control.report(Reply("info", _progress_text(progress), is_final=False))

    return SearchWatch(is_over, tell)


def choice_text(plies: int, nodes: int, elapsed_s: float, play: Play, score: float) -> str:
    """Say in UBGI's words what the choice of a finished depth is.

    Args:
        plies: The depth.
        nodes: Positions valued without look-ahead.
        elapsed_s: Since the start.
        play: The choice.
        score: What plays are ranked by, in points.
    """
    text = f"depth {plies + 1} {_effort_text(nodes, elapsed_s)}"
    return f"{text} multipv 1 score {score:.{DECIMALS}f} pv {format_moves_plain(play)}"


def _progress_text(progress: SearchProgress) -> str:
    plies, nodes, elapsed_s, best = progress.plies, progress.nodes, progress.elapsed_s, progress.best
    if best is not None:
        return choice_text(plies, nodes, elapsed_s, best.play, best.equity)
    text = _effort_text(nodes, elapsed_s)
    return f"depth {plies + 1} {text}" if progress.finished else text


def _effort_text(nodes: int, elapsed_s: float) -> str:
    return f"nodes {nodes} time_ms {int(elapsed_s * 1000)}"
