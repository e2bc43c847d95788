"""The positions of match files: what came up in games that others played."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from gammond.engine.errors import DataFileError
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.common.match_inputs import list_match_inputs
from gammond.tools.common.progress import Progress


def read_match_positions(names: Sequence[str]) -> Board:
    """Read the positions before the rolls of all plays, as the player on roll sees them.

    Games of other variants are left out, and files that cannot be read, which stderr names.

    Args:
        names: Match files, and folders of them.

    Returns:
        ``int8[n, 2, 26]``, as often as they came up.

    Raises:
        DataFileError: There is no position.
    """
    boards, inputs = [], list_match_inputs(names)
    with Progress(len(inputs), "match files") as bar:
        for number, each in enumerate(inputs, 1):
            for match in each.read(_write_message, strict=False):
                for game in match.games:
                    if game.rules.variant != STANDARD_RULES.variant:
                        continue
                    boards += [
                        situation.position.board
                        for situation, action, _ in game.replayed
                        if isinstance(action, PlayAction)
                    ]
            bar.update(number)
    if not boards:
        raise DataFileError(f"found no game in {', '.join(names)}", field="matches")
    return np.array(boards, np.int8)


def _write_message(text: str) -> None:
    sys.stderr.write(f"gammond train: {text}\n")
