"""Completing a board from a format that leaves out the checkers borne off."""

from __future__ import annotations

from engine.errors import PositionError
from engine.rules.position import CHECKERS, OFF, Board


def fill_borne_off(board: Board, side_names: tuple[str, str]) -> None:
    """Count the checkers missing from points and bar as borne off.

    Args:
        board: ``int8[2, 26]``, changed in place.
        side_names: What an error calls the two rows.

    Raises:
        PositionError: A side has more than 15 checkers.
    """
    for row, side in zip(board, side_names, strict=True):
        count = int(row[1:].sum())
        if count > CHECKERS:
            raise PositionError(
                f"{side} has {count} checkers on the board, at most 15 exist", field="position"
            )
        row[OFF] = CHECKERS - count
