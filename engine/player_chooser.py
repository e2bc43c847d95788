"""A player that knows plays alone, at a table with a cube."""

from __future__ import annotations

import numpy as np

from engine.analyst import Analyst
from engine.choice import Choice, Chooser
from engine.dice import Roll
from engine.errors import PlayError
from engine.levels import Depth
from engine.match import MatchState
from engine.players import Player
from engine.position import Board, Position
from engine.search import SearchWatch
from engine.search_player import LookingPlayer, SearchPlayer


class PlayerChooser(Chooser):
    """Plays what a player chooses, whatever the score; the cube is its analyst's, as of any `Chooser`.

    Args:
        player: Chooses the plays.
        analyst: Judges the cube, and what the chosen plays are worth.
        depth: How deep the cube is judged.
        noise_points: How it errs with the cube, see `engine.levels.erring_choice`.
        seed: Of these errors.
    """

    def __init__(
        self,
        player: Player,
        analyst: Analyst,
        depth: Depth | None = None,
        noise_points: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(analyst, depth, noise_points, seed)
        self._player = player

    @property
    def name(self) -> str:
        """The player's name."""
        return self._player.name

    def play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> Choice:
        """Choose a play of a roll, as `Chooser.play`.

        All plays are judged at one look; where the player looks ahead, as it judges them itself.

        Raises:
            PlayError: The player broke the rules.
            GammondError: As `Analyst.rank_plays`.
        """
        if isinstance(self._player, SearchPlayer):
            return self._player.choice(position, roll, watch)
        chosen = self._chosen(position, roll, watch)
        ranked = self.analyst.rank_plays(position, roll, match, Depth(is_cubeful=self.depth.is_cubeful))
        play = ranked.leading_to(chosen)
        if play is None:
            raise PlayError(f"{self.name} chose what is no legal play of {roll[0]}-{roll[1]}", field="player")
        return Choice(play, ranked)

    def _chosen(self, position: Position, roll: Roll, watch: SearchWatch | None) -> Board:
        """The position after the player's play."""
        if isinstance(self._player, LookingPlayer):
            return self._player.choose_one(position, roll, watch)
        chosen: Board = self._player.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        return chosen
