"""Evaluations of the opening position, beside a reference."""

from __future__ import annotations

from collections.abc import Sequence

from engine.rules.outcome import LOSE_G, WIN, WIN_G
from engine.rules.rules import STANDARD_RULES
from tools.heritage.computational_backgammon.text_table import format_table
from tools.train.validation.named_evaluators import load_named_evaluator

REFERENCE_CHANCES = (0.519, 0.151, 0.136)
"""GNU Backgammon's chances of winning, and of winning and losing a gammon, for the side on roll.

Source: the blog Computational Backgammon, 2 September 2011.
"""


def make_opening_report(names: Sequence[str]) -> str:
    """Tabulate players' evaluations of the opening position for the side on roll.

    Args:
        names: As `tools.train.validation.named_evaluators.load_named_evaluator` takes them.

    Raises:
        ValueRangeError: A player is unknown, or has no evaluator.
        GammondError: A player cannot be loaded.
    """
    rows = [_format_row("reference of the blog", REFERENCE_CHANCES)]
    for name in names:
        outcome = load_named_evaluator(name).evaluate(STANDARD_RULES.starting_position.board[None])[0]
        rows.append(_format_row(name, (float(outcome[WIN]), float(outcome[WIN_G]), float(outcome[LOSE_G]))))
    head = ["per cent, for the side on roll", "win", "win gammon", "lose gammon", "farthest from it"]
    return format_table(head, rows)


def _format_row(name: str, chances: Sequence[float]) -> list[str]:
    farthest = max(abs(chance - known) for chance, known in zip(chances, REFERENCE_CHANCES, strict=True))
    return [name, *(f"{100 * chance:.1f}" for chance in (*chances, farthest))]
