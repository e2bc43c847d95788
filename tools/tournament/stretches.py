"""Stretches of games between two players: in lockstep without the cube, one at a time with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cube_games import CubePlayer, GameDice, play_game, play_match
from engine.dice import Roll
from engine.endings import HOME_BOUND, PLAYED_OUT, Ending
from engine.game_record import RecordedGame
from engine.games import TurnLog, paired_dice, play_games
from engine.match import MatchState
from engine.players import Player
from tools.tournament.rules import Mode, Rules
from tools.tournament.scores import Scores

_GAMES_APART = 2**40
"""How far apart the dice of the games of a match are in the numbering of pairs."""

_STARTER_TURN = 2**40
"""The turn whose dice say who starts a game of a match, far behind those that are played."""

_MONEY = MatchState(beavers=False)


class Stretch(NamedTuple):
    """Games in a row: the number of the first one, and how many; both even."""

    first_game: int
    games: int


@dataclass(frozen=True)
class Pairing:
    """Two players and the dice between them.

    Attributes:
        first: The player whose points count.
        second: Its opponent.
        seed: Of the dice.
        ending: When games stop, and what they count.
    """

    first: Player
    second: Player
    seed: int
    ending: Ending = PLAYED_OUT

    def play(
        self,
        stretch: Stretch,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        log: TurnLog | None = None,
    ) -> NDArray[Any]:
        """Play a stretch in lockstep.

        Args:
            stretch: Which games.
            progress: Told how many of them are finished.
            cancelled: Asked before each turn.
            log: Told every turn.

        Returns:
            ``[games]``, what each counts for the first player.

        Raises:
            CancelledWork: It was told to stop.
            LimitError: A game would not end.
        """
        return play_games(
            self.first,
            self.second,
            stretch.games,
            self.seed,
            first_pair=stretch.first_game // 2,
            ending=self.ending,
            log=log,
            progress=progress,
            cancelled=cancelled,
        ).points


def scores_of(counted: NDArray[Any], mode: Mode) -> Scores:
    """What games without the cube come to.

    Args:
        counted: ``[games]``, as `Pairing.play` returns it.
        mode: `Mode.CUBELESS` or `Mode.HOME_BOUND`.
    """
    kinds = np.sign(counted) if mode is Mode.HOME_BOUND else counted
    return Scores(counted.astype(np.float64), kinds.astype(np.int8))


def ending_of(mode: Mode) -> Ending:
    """When games without the cube stop."""
    return HOME_BOUND if mode is Mode.HOME_BOUND else PLAYED_OUT


@dataclass(frozen=True)
class CubePairing:
    """Two players with cube decisions.

    Money games have neither beavers nor the Jacoby rule. Turn t of game g of both halves of a pair has the
    same dice, as long as the games last, and the players swap the opening rolls.

    Attributes:
        first: The player whose points count, in seat 0.
        second: Its opponent.
        rules: What they play.
    """

    first: CubePlayer
    second: CubePlayer
    rules: Rules

    def play(
        self,
        stretch: Stretch,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[list[RecordedGame]]:
        """Play a stretch one game after the other.

        Args:
            stretch: Which games, or matches.
            progress: Told how many of them are finished.
            cancelled: Asked before each turn.

        Returns:
            The games of each; money games alone, with the scores of the stretch so far.

        Raises:
            CancelledWork: It was told to stop.
            GammondError: A player cannot decide.
        """
        played: list[list[RecordedGame]] = []
        money = _MONEY
        for number in range(stretch.first_game, stretch.first_game + stretch.games):
            if self.rules.mode is Mode.MATCH:
                played.append(self._match(number, cancelled))
            else:
                begun = replace(money, on_roll=number % 2)
                game = play_game(self._players, begun, self._dice(number, 0), cancelled)
                money = begun.after_game(game.result.winner, game.result.points) or _MONEY
                played.append([game])
            if progress is not None:
                progress(len(played))
        return played

    @property
    def _players(self) -> tuple[CubePlayer, CubePlayer]:
        return self.first, self.second

    def _match(self, number: int, cancelled: Callable[[], bool] | None) -> list[RecordedGame]:
        def starter(game: int) -> int:
            return (number + self._faces(number, game, _STARTER_TURN)[0] * (game > 0)) % 2

        def dice(game: int) -> GameDice:
            return self._dice(number, game)

        return play_match(self._players, self.rules.length, starter, dice, cancelled)

    def _dice(self, number: int, game: int) -> GameDice:
        return lambda turn: self._faces(number, game, turn)

    def _faces(self, number: int, game: int, turn: int) -> Roll:
        series = np.array([number // 2 + game * _GAMES_APART])
        die, other = paired_dice(self.rules.seed, series, np.array([turn]))[0].tolist()
        return die, other


def cube_scores(played: Sequence[Sequence[RecordedGame]], mode: Mode) -> Scores:
    """What games or matches with the cube come to, for seat 0.

    Args:
        played: The games of each, as `CubePairing.play` returns them.
        mode: `Mode.CUBEFUL` or `Mode.MATCH`.
    """
    results = [games[-1].result for games in played]
    signs = np.array([1 if result.winner == 0 else -1 for result in results], np.int8)
    if mode is Mode.MATCH:
        return Scores(signs.astype(np.float64), signs)
    points = np.array([result.points for result in results], np.float64)
    return Scores(signs * points, signs * np.array([result.kind for result in results], np.int8))
