"""A file with the results of a tournament so far, so that a run that was ended can go on.

The first line has the rules, a line for each player its nets, and a line for each range of games the results.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import StateError
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.common.journal import Journal, LinePlace, Record
from gammond.tools.tournament.backgammon import TournamentRules
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.games import DEFAULT_VARIANT, GameRange, GameRules

_FORMAT = "gammond tournament 1"

_MOST_KIND = 3
"""A backgammon."""

_DTYPES: dict[str, np.dtype[Any]] = {
    "values": np.dtype("<f4"),
    "kinds": np.dtype("<i1"),
    "lengths": np.dtype("<i4"),
}
"""Arrays of `PairedScores` -> how a line has them; lengths are left out where they are not counted."""


class ResultsFile(Journal):
    """Results of earlier runs and of this one; used as a context manager.

    Args:
        file: Where they are kept; None keeps nothing.
        rules: What is played.
        entrants: The players; the file must not have others.

    Raises:
        StateError: The file has a player who does not take part, or one with other nets.
        GammondError: As `Journal`.
    """

    def __init__(self, file: Path | None, rules: GameRules, entrants: Sequence[Entrant]) -> None:
        self._entrants = {entrant.name: entrant for entrant in entrants}
        self._known_players: set[str] = set()
        self._scores: dict[tuple[str, str], PairedScores] = {}
        head = {"format": _FORMAT, **rules.to_record()}
        super().__init__(file, head, "keep", take=self._take_record, identify=_complete_rules)
        for entrant in self._entrants.values():
            if entrant.name not in self._known_players:
                self.append({"player": entrant.name, "nets": entrant.nets})

    def get_scores(self, first: str, second: str) -> PairedScores:
        """Return the results between two players, all games from the first on."""
        if self._is_stored_swapped(first, second):
            return self._scores[second, first].swap_players()
        return self._scores.get((first, second), PairedScores.empty())

    def add(self, first: str, second: str, game_range: GameRange, scores: PairedScores) -> None:
        """Add the results of a range of games, which must follow those already kept.

        Raises:
            DataFileError: The file cannot be written.
        """
        if self._is_stored_swapped(first, second):
            self.add(second, first, game_range, scores.swap_players())
            return
        self._scores[first, second] = self.get_scores(first, second).concatenate(scores)
        record: Record = {"first": first, "second": second, "first_game": game_range.first_game}
        for name, dtype in _DTYPES.items():
            if (array := getattr(scores, name)).size:
                record[name] = base64.b64encode(array.astype(dtype).tobytes()).decode()
        self.append(record)

    def _is_stored_swapped(self, first: str, second: str) -> bool:
        """Return whether the games of two players are kept in the other order."""
        return first != second and (second, first) in self._scores

    def _take_record(self, place: LinePlace, record: Record) -> None:
        if "player" in record:
            self._check_player(record["player"], record["nets"])
        elif "format" not in record:
            self._take_scores({"lengths": "", **record})

    def _take_scores(self, record: Record) -> None:
        values, kinds, lengths = (
            np.frombuffer(base64.b64decode(record[name], validate=True), dtype)
            for name, dtype in _DTYPES.items()
        )
        names = str(record["first"]), str(record["second"])
        before = self._scores.get(names, PairedScores.empty())
        if len(lengths) not in (0, len(values)):
            raise ValueError(f"it has {len(lengths)} lengths of {len(values)} games")
        if len(values) != len(kinds) or len(values) % 2 or before.games != record["first_game"]:
            raise ValueError("its games do not follow those of the line before")
        _check_results(values, kinds, lengths)
        self._scores[names] = before.concatenate(
            PairedScores(values.astype(np.float64), kinds.astype(np.int8), lengths.astype(np.int32))
        )

    def _check_player(self, name: str, nets: dict[str, str]) -> None:
        if name not in self._entrants:
            raise StateError(f"{self.file} has games of {name!r}, who does not take part", field="keep")
        if nets != self._entrants[name].nets:
            raise StateError(
                f"{self.file} has games of {name!r} with other nets: choose another file",
                field="keep",
            )
        self._known_players.add(name)


def _complete_rules(head: Record) -> dict[str, object]:
    """Return the rules of a tournament with those that its file leaves out."""
    return {**TournamentRules().to_record(), "variant": DEFAULT_VARIANT, **head}


def _check_results(values: NDArray[Any], kinds: NDArray[Any], lengths: NDArray[Any]) -> None:
    """Check that results are some that games can have.

    Raises:
        ValueError: They are not.
    """
    if np.isinf(values).any():
        raise ValueError("expected finite scores")
    if (np.abs(kinds) > _MOST_KIND).any() or (np.sign(kinds) != np.sign(np.nan_to_num(values))).any():
        raise ValueError("its scores and the kinds of its wins do not fit together")
    if (lengths < 0).any():
        raise ValueError("expected lengths of games of 0 or more")
