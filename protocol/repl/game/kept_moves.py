"""A game of moves as a file, so that the next start of the terminal goes on with it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gammond.engine.errors import DataFileError
from gammond.engine.options import convert

_FORMAT = 1


class KeptMoves(msgspec.Struct, frozen=True):
    """What the next start of the terminal goes on with.

    Attributes:
        human: The person's side.
        lines: Commands that set up the settings and the game, move by move.
        format: The version of the file.
    """

    human: int
    lines: tuple[str, ...]
    format: int = _FORMAT


def read_kept_moves(file: Path) -> KeptMoves | None:
    """Read a game.

    Returns:
        The game; None where there is no file.

    Raises:
        DataFileError: It cannot be read.
    """
    try:
        kept = convert(msgspec.json.decode(file.read_bytes()), KeptMoves)
        if kept.format != _FORMAT or kept.human not in (0, 1):
            raise DataFileError("it is of another version of gammond", field="game")
        return kept
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, DataFileError) as error:  # msgspec's errors are ValueErrors
        raise DataFileError(f"the saved game {file} cannot be read: {error}", field="game") from error
