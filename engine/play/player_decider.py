"""A player that knows plays alone, at a table with a cube."""

from __future__ import annotations

import numpy as np

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.errors import PlayError
from engine.play.decider import ChosenPlay, Decider
from engine.play.player import Player
from engine.play.search_player import InterruptiblePlayer, SearchPlayer
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.position import Board, Position
from engine.search import SearchWatch


class PlayerDecider(Decider):
    """Plays what a player chooses, whatever the score; the cube is its analyst's, as of any `Decider`.

    Args:
        player: Chooses the plays.
        engine: Judges the cube, and what the chosen plays are worth.
        settings: How deep the cube is judged.
        noise_points: How it errs with the cube, see `engine.analysis.levels.choose_with_noise`.
        seed: Of these errors.
    """

    def __init__(
        self,
        player: Player,
        engine: Engine,
        settings: EvalSettings | None = None,
        noise_points: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(engine, settings, noise_points, seed)
        self._player = player

    @property
    def name(self) -> str:
        """The player's name."""
        return self._player.name

    def choose_play(
        self, position: Position, roll: Roll, match: MatchState, watch: SearchWatch | None = None
    ) -> ChosenPlay:
        """Choose a play of a roll, as `Decider.choose_play`.

        All plays are judged at one look; where the player looks ahead, as it judges them itself.

        Raises:
            PlayError: The player broke the rules.
            GammondError: As `Engine.rank_plays`.
        """
        if isinstance(self._player, SearchPlayer):
            return self._player.choose_play(position, roll, watch)
        chosen = self._choose_result(position, roll, watch)
        ranked = self.engine.rank_plays(
            position, roll, match, EvalSettings(is_cubeful=self.settings.is_cubeful)
        )
        play = ranked.find_by_result(chosen)
        if play is None:
            raise PlayError(f"{self.name} chose what is no legal play of {roll[0]}-{roll[1]}", field="player")
        return ChosenPlay(play, ranked)

    def _choose_result(self, position: Position, roll: Roll, watch: SearchWatch | None) -> Board:
        """The position after the player's play."""
        if isinstance(self._player, InterruptiblePlayer):
            return self._player.choose_one(position, roll, watch)
        chosen: Board = self._player.choose(position.board[None].copy(), np.array([roll], np.int8))[0]
        return chosen
