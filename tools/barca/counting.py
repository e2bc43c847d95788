"""Count sequences of moves of Barca, for ``gammond perft``."""

from __future__ import annotations

from functools import partial

from gammond.engine.barca.moves import apply_move, format_move, legal_moves, perft
from gammond.engine.barca.position import BarcaPosition
from gammond.tools.common.wings import SequenceCounter


def make_counter(text: str | None) -> SequenceCounter:
    """Make the counter of a position, the start if None.

    Raises:
        FormatError: The text is no position.
    """
    position = BarcaPosition.start() if text is None else BarcaPosition.from_text(text)
    moves = {format_move(move): partial(perft, apply_move(position, move)) for move in legal_moves(position)}
    return SequenceCounter(partial(perft, position), moves)
