"""What judges say of the opening position, beside a reference."""

from __future__ import annotations

from collections.abc import Sequence

from engine.outcome import LOSE_G, WIN, WIN_G
from engine.position import Position
from tools.train.classic.text import as_table
from tools.train.judges import load_judge

REFERENCE = (0.519, 0.151, 0.136)
"""GNU Backgammon's chances to win, to win a gammon and to lose one, for the side that has the dice.

Source: the blog Computational Backgammon, 2 September 2011.
"""


def opening_report(names: Sequence[str]) -> str:
    """Tabulate the chances that players give the side on roll in the opening position.

    Args:
        names: As `tools.train.judges.load_judge` takes them.

    Raises:
        ValueRangeError: There is no such player, or it chooses plays and says no chances.
        GammondError: A player cannot be loaded.
    """
    rows = [_row("reference of the blog", REFERENCE)]
    for name in names:
        told = load_judge(name).evaluate(Position.start().board[None])[0]
        rows.append(_row(name, (float(told[WIN]), float(told[WIN_G]), float(told[LOSE_G]))))
    head = ["per cent, for the side on roll", "win", "win gammon", "lose gammon", "farthest from it"]
    return as_table(head, rows)


def _row(name: str, chances: Sequence[float]) -> list[str]:
    farthest = max(abs(chance - told) for chance, told in zip(chances, REFERENCE, strict=True))
    return [name, *(f"{100 * chance:.1f}" for chance in (*chances, farthest))]
