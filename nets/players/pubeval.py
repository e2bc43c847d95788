"""``pubeval``: Gerald Tesauro's public linear player, the opponent that strengths are published against."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.kernels.nets import pubeval as kernel_pubeval
from gammond.engine.play.player import Player
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.runtime.files import read_data_file
from gammond.nets.player_specs import KindSpec

_MAX_BYTES = 100_000

WEIGHTS_FOLDER = Path(__file__).resolve().parents[1] / "weights" / "pubeval"


class PubevalPlayer(Player):
    """Plays the highest score of pubeval, which scores plays, not outcomes: it is not an evaluator.

    The position after the play is scored, with the race weights if the position *before* it was a race. Per
    point, from the mover's 24 point down, five inputs: an opposing blot; one own checker; two or more;
    exactly three; (n - 3) / 2 beyond three; then the opponent's checkers on the bar / 2 and own checkers
    off / 15.

    *Source:* G. Tesauro, ``pubeval.c`` (public domain, rec.games.backgammon, 1993), weights ``WT.cntc`` and
    ``WT.race``.

    Args:
        folder: Where the two weight files are.

    Raises:
        DataFileError: A weight file is missing or does not have 122 numbers.
    """

    name = "pubeval"

    def __init__(self, folder: Path = WEIGHTS_FOLDER) -> None:
        self._contact = _read_weights(folder / "WT.cntc")
        self._race = _read_weights(folder / "WT.race")

    def pick(
        self, boards: Board, dice: NDArray[np.int8], children: Board, offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Choose among given plays, as `gammond.engine.play.player.Player.pick`; ties go to the first."""
        return self.pick_highest(children, offsets, classify_phases(boards) >= Phase.RACE)

    def pick_highest(
        self, children: Board, offsets: NDArray[np.int64], is_race: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Return the play with the highest score in each of many positions.

        Args:
            children: ``int8[m, 2, 26]``, as the next mover sees them.
            offsets: ``int64[n + 1]``; those of position i are at ``offsets[i]:offsets[i + 1]``.
            is_race: ``bool[n]``, whether position i, before the play, is a race.

        Returns:
            ``int64[n]``, places in `children`.
        """
        chosen = np.empty(len(is_race), np.int64)
        kernel_pubeval.choose_plays(children, offsets, is_race, self._contact, self._race, chosen)
        return chosen

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score plays, as `gammond.engine.play.player.Player.score_plays`."""
        are_races = np.repeat(classify_phases(boards) >= Phase.RACE, np.diff(offsets)).tolist()
        scores = [
            self.score_position(child, is_race=race) for child, race in zip(children, are_races, strict=True)
        ]
        return np.array(scores, np.float32)

    def score_position(self, child: Board, *, is_race: bool) -> float:
        """Score a position for the player who has just moved.

        Args:
            child: ``int8[2, 26]``, as the next mover sees it.
            is_race: Whether the position before the play was a race.

        Returns:
            The score, without a unit.
        """
        return float(kernel_pubeval.score_position(child, self._race if is_race else self._contact))


def _read_weights(file: Path) -> NDArray[np.float32]:
    content = read_data_file(file, _MAX_BYTES, f"pubeval weights {file.name}", "net")
    try:
        weights = np.array(content.decode("ascii").split(), np.float32)
    except ValueError as error:
        raise DataFileError(
            f"pubeval weights {file.name} have something other than numbers", field="net"
        ) from error
    if weights.shape != (kernel_pubeval.WEIGHT_COUNT,) or not np.isfinite(weights).all():
        raise DataFileError(
            f"expected {kernel_pubeval.WEIGHT_COUNT} pubeval weights in {file.name}, got {weights.size}",
            field="net",
        )
    return weights


class PubevalSpec(KindSpec, frozen=True):
    """Pubeval, which has no options."""

    name = "pubeval"
    summary = "Tesauro's public linear player, the usual yardstick"

    def make(self) -> PubevalPlayer:
        """Make the player."""
        return PubevalPlayer()
