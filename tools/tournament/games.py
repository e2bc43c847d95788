"""What a tournament asks of a game: backgammon with its variants, or one that a wing adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.tournament.entrants import Entrant

DEFAULT_VARIANT = STANDARD_RULES.variant.name
"""The variant of records that name none."""


class GameRange(NamedTuple):
    """Consecutive games of two players.

    Attributes:
        first_game: The number of the first one, even.
        games: How many, even.
    """

    first_game: int
    games: int


class GameRules(Protocol):
    """The rules that all pairs of players play by, whatever the game, and how their games are played."""

    @property
    def seed(self) -> int:
        """The seed of dice or openings, 0 or more."""
        ...

    @property
    def name(self) -> str:
        """The name of the games in reports."""
        ...

    @property
    def game_noun(self) -> str:
        """The word for what is counted: games or matches."""
        ...

    @property
    def score_unit(self) -> str:
        """The unit of scores."""
        ...

    @property
    def has_gammons(self) -> bool:
        """Whether games can be won as gammons."""
        ...

    @property
    def remarks(self) -> list[str]:
        """Lines for people, below the head of a report."""
        ...

    def to_record(self) -> dict[str, object]:
        """Return all fields by the names that reports and results files have for them."""
        ...

    def choose_games_per_range(self, *, is_deep: bool, is_sequential: bool) -> int:
        """Return how many games a range has.

        Args:
            is_deep: Whether a player takes its time over a play.
            is_sequential: Whether a test may stop a pair early.
        """
        ...

    def load_entrants(self, names: Sequence[str]) -> list[Entrant]:
        """Load all players once, to find errors before the games begin.

        Raises:
            ValueRangeError: Fewer than two players, or one of them twice.
            GammondError: A player cannot be loaded, or cannot play by these rules.
        """
        ...

    def load_helpers(self, names: Sequence[str]) -> list[Entrant]:
        """Return players that decide for those of these names and play no games of their own."""
        ...

    def play_range(
        self,
        task: PairingTask,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> PairedScores:
        """Play the games of a task, in this process or in another.

        Args:
            task: The task, whose rules these are.
            progress: Called with the number of its games that are finished.
            cancelled: Called before each turn; returns whether to stop.

        Raises:
            CancelledWork: `cancelled` returned True.
            GammondError: A player cannot be loaded or cannot play, or a record cannot be written.
        """
        ...


@dataclass(frozen=True)
class PairingTask:
    """A range of games between two players.

    Attributes:
        rules: What they play.
        names: Of both players; the scores are the first one's.
        player_indices: Their places among all players, from 0.
        game_range: Which games.
        records: The folder for the records of the games; None for none.
        overwrites: Whether a record may replace another one.
    """

    rules: GameRules
    names: tuple[str, str]
    player_indices: tuple[int, int]
    game_range: GameRange
    records: Path | None = None
    overwrites: bool = False
