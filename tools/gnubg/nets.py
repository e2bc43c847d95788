"""GNU Backgammon's nets as an opponent and a reference, through the package gnubg-nn where it is installed.

The package (GPL) is a development tool; nothing in gammond needs it, and it is imported only when this
opponent is loaded. It evaluates one position at a time, caches evaluations, and is not thread-safe.
"""

from __future__ import annotations

import base64
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import FormatError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_id import ID_LENGTH, decode_position_ids
from gammond.engine.play.player import Player
from gammond.engine.rules.outcome import Outcomes, evaluate_finished
from gammond.engine.rules.position import Board, find_finished
from gammond.nets.player_specs import KindSpec

MAX_PLIES = 2

_NAME = re.compile(r"gnubg(?::plies=([0-9]{1,9}))?")
_KEY_DIGITS = str.maketrans("ABCDEFGHIJKLMNOP", "0123456789abcdef")


class GnubgEvaluator:
    """GNU Backgammon's cubeless evaluation of positions, including its bearoff databases.

    Args:
        plies: Its look-ahead, 0 to 2.

    Attributes:
        package: gnubg-nn, in this process.

    Raises:
        UnsupportedError: The package is missing.
        ValueRangeError: Other plies.
    """

    def __init__(self, plies: int = 0) -> None:
        self.plies = _check_plies(plies)
        self.name = f"gnubg {plies}-ply"
        self.package = _import_gnubg_nn()

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `gammond.engine.evaluation.evaluator.Evaluator.evaluate`."""
        over = find_finished(boards)
        outcomes = np.empty((len(boards), 5), np.float32)
        outcomes[over] = evaluate_finished(boards[over])
        probabilities = self.package.probabilities
        evaluations = [probabilities(board, self.plies) for board in to_gnubg_boards(boards[~over])]
        outcomes[~over] = np.array(evaluations, np.float32).reshape(-1, 5)
        return outcomes


class GnubgPlayer(Player):
    """Plays GNU Backgammon's choice in cubeless money play.

    At 0-ply that is the best equity among all plays, twice as fast as evaluating each play; with look-ahead
    its own filters select the plays that it evaluates deeper.
    """

    follows_evaluator = True

    def __init__(self, plies: int = 0) -> None:
        nets = GnubgEvaluator(plies)
        self.evaluator, self.name = nets, nets.name
        self.plies, self.is_deep = plies, plies > 0
        self._gnubg = nets.package

    def choose(self, boards: Board, dice: NDArray[np.int8]) -> Board:
        """Choose plays, as `gammond.engine.play.player.Player.choose`."""
        best_move = self._gnubg.best_move
        keys = [
            best_move(board, die, other, n=self.plies, b=1)[1]
            for board, (die, other) in zip(to_gnubg_boards(boards), dice.tolist(), strict=True)
        ]
        chosen, is_good = decode_position_ids([_key_to_position_id(key) for key in keys])
        assert is_good.all(), f"gnubg-nn returned impossible positions after {boards[~is_good]}"
        return chosen


class GnubgSpec(KindSpec, frozen=True):
    """The look-ahead of the player."""

    name = "gnubg"
    summary = "GNU Backgammon's nets, with the package gnubg-nn; gnubg:plies=1 looks ahead"

    plies: int

    @classmethod
    def parse(cls, text: str) -> GnubgSpec:
        """Parse the name.

        Args:
            text: ``gnubg`` or ``gnubg:plies=N``.

        Raises:
            FormatError: Another option.
            ValueRangeError: Other plies.
        """
        found = _NAME.fullmatch(text)
        if not found:
            raise FormatError(
                f"gnubg takes the option plies alone, as in gnubg:plies=1, got {text[:80]!r}", field="player"
            )
        return cls(_check_plies(int(found[1] or 0)))

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead."""
        return self.plies > 0

    def make(self) -> GnubgPlayer:
        """Make the player.

        Raises:
            UnsupportedError: The package is missing.
        """
        return GnubgPlayer(self.plies)


def to_gnubg_boards(boards: Board) -> list[list[list[int]]]:
    """Convert boards for gnubg-nn: the opponent first, of each side points 1 to 24 and the bar.

    Args:
        boards: ``int8[n, 2, 26]``.
    """
    boards_of_lists: list[list[list[int]]] = boards[:, ::-1, 1:].tolist()
    return boards_of_lists


def _key_to_position_id(key: str) -> str:
    """Convert a key to a position ID: the same ten bytes, two letters A to P for each."""
    content = bytes.fromhex(key.translate(_KEY_DIGITS))
    return base64.b64encode(content).decode("ascii")[:ID_LENGTH]


def _check_plies(plies: int) -> int:
    if not 0 <= plies <= MAX_PLIES:
        raise ValueRangeError(f"plies of gnubg: expected 0 to {MAX_PLIES}, got {plies}", field="plies")
    return plies


def _import_gnubg_nn() -> Any:  # noqa: ANN401  (the package has no types)
    try:
        import gnubg_nn
    except ImportError:
        raise UnsupportedError(
            "the player gnubg needs the package gnubg-nn, which is not installed: pip install gnubg-nn",
            field="player",
        ) from None
    return gnubg_nn
