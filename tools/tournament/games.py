"""The games of tournaments: a row for each beside backgammon, which has all its variants."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engine.rules.rules import VARIANTS
from tools.tournament.entrants import Entrant
from tools.tournament.rules import GameRules, PairingTask
from tools.tournament.statistics.scores import PairedScores

OTHER_GAMES = {"barca": "tools.barca.tournament:BarcaTournament"}
"""Games other than backgammon -> their class, a `TournamentGame`: ``module:class``."""

_BACKGAMMON = "tools.tournament.backgammon:BackgammonTournament"


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
    return [*VARIANTS, *OTHER_GAMES]


def load_game(name: str) -> TournamentGame:
    """Load a game, one of `list_games`."""
    module, _, cls = OTHER_GAMES.get(name, _BACKGAMMON).partition(":")
    game: TournamentGame = getattr(importlib.import_module(module), cls)()
    return game
