"""The games of tournaments: backgammon with its variants, and those that wings add."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gammond.engine.rules.rules import VARIANTS
from gammond.tools.common.wings import find_wings
from gammond.tools.tournament.entrants import Entrant
from gammond.tools.tournament.rules import GameRules, PairingTask
from gammond.tools.tournament.statistics.scores import PairedScores


class TournamentGame(Protocol):
    """What a tournament asks of a game."""

    def read_rules(self, args: argparse.Namespace) -> GameRules:
        """Return what the arguments of the command ask for.

        Raises:
            GammondError: They ask for what the game does not have.
        """
        ...

    def load_entrants(self, names: Sequence[str], rules: Any) -> list[Entrant]:  # noqa: ANN401
        """Load all players once, to find errors before the games begin.

        Args:
            names: Of the players.
            rules: What `read_rules` returned.

        Raises:
            ValueRangeError: Fewer than two players, or one of them twice.
            GammondError: A player cannot be loaded.
        """
        ...

    def load_helpers(self, names: Sequence[str], rules: Any) -> list[Entrant]:  # noqa: ANN401
        """Return players that decide for others and play no games of their own."""
        ...

    def play_range(
        self,
        task: PairingTask[Any],
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> PairedScores:
        """Play the games of a task, in this process or in another.

        Args:
            task: The task.
            progress: Called with the number of its games that are finished.
            cancelled: Called now and then; returns whether to stop.

        Raises:
            CancelledWork: `cancelled` returned True.
            GammondError: A player cannot play.
        """
        ...


def list_games() -> list[str]:
    """Return the names of all games and variants."""
    return [*VARIANTS, *_find_others()]


def load_game(name: str) -> TournamentGame:
    """Load a game, one of `list_games`."""
    if make := _find_others().get(name):
        return make()
    from gammond.tools.tournament.backgammon import BackgammonTournament

    return BackgammonTournament()


def _find_others() -> dict[str, Callable[[], TournamentGame]]:
    return {name: make for wing in find_wings() for name, make in wing.tournaments.items()}
