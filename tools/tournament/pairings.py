"""Games between two players, range by range: in lockstep without the cube, one at a time with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gammond.engine.match_files.model import RecordedGame
from gammond.engine.play.cube_games import GameDice, play_game, play_match
from gammond.engine.play.decider import Decider
from gammond.engine.play.lockstep import (
    GAME_OVER,
    HOME_BOUND,
    EndCondition,
    EndlessGameError,
    PairedGameResults,
    TurnLog,
    play_games,
)
from gammond.engine.play.player import Player
from gammond.engine.rules.dice import Roll, draw_paired_dice
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.tools.tournament.entrants import load_cached_player, load_cube_player
from gammond.tools.tournament.records import LockstepLog, write_records
from gammond.tools.tournament.rules import GameRange, PairingTask, TournamentMode, TournamentRules
from gammond.tools.tournament.statistics.scores import PairedScores

_GAMES_APART = 2**40
"""Distance between the dice of successive games of a match, in pairs of games."""

_STARTER_TURN = 2**40
"""The turn whose dice decide who starts a game of a match, beyond all that are played."""

_MONEY = MatchState(beavers=False)


@dataclass(frozen=True)
class CubelessPairing:
    """Two players and their dice.

    Attributes:
        first: The player whose points count.
        second: Its opponent.
        seed: Of the dice.
        ending: When games stop, and what they count.
        rules: The rules of the games.
    """

    first: Player
    second: Player
    seed: int
    ending: EndCondition = GAME_OVER
    rules: Rules = STANDARD_RULES

    def play(
        self,
        game_range: GameRange,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        log: TurnLog | None = None,
    ) -> PairedGameResults:
        """Play a range of games in lockstep.

        Args:
            game_range: Which games.
            progress: Called with the number of finished games.
            cancelled: Called before each turn; returns whether to stop.
            log: Receives every turn.

        Returns:
            The scores of the first player.

        Raises:
            CancelledWork: `cancelled` returned True.
            UnsupportedError: A player cannot play by the rules.
        """
        return play_games(
            self.first,
            self.second,
            game_range.games,
            self.seed,
            rules=self.rules,
            first_pair=game_range.first_game // 2,
            ending=self.ending,
            may_be_endless=True,
            log=log,
            progress=progress,
            cancelled=cancelled,
        )


def score_cubeless_games(results: PairedGameResults, mode: TournamentMode) -> PairedScores:
    """Score games without the cube.

    Args:
        results: As `CubelessPairing.play` returns them.
        mode: `TournamentMode.CUBELESS` or `TournamentMode.HOME_BOUND`.
    """
    points = results.points
    kinds = np.sign(points) if mode is TournamentMode.HOME_BOUND else points
    values = points.astype(np.float64)
    values[results.endless] = np.nan
    return PairedScores(values, kinds.astype(np.int8))


def select_ending(mode: TournamentMode) -> EndCondition:
    """Return when games without the cube stop."""
    return HOME_BOUND if mode is TournamentMode.HOME_BOUND else GAME_OVER


@dataclass(frozen=True)
class CubefulPairing:
    """Two players with cube decisions.

    Money games have neither beavers nor the Jacoby rule. Turn t of game g of both halves of a pair has the
    same dice, as long as the games last, and the players swap the opening rolls.

    Attributes:
        first: The player whose points count, in seat 0.
        second: Its opponent.
        rules: What they play.
    """

    first: Decider
    second: Decider
    rules: TournamentRules

    def play(
        self,
        game_range: GameRange,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[list[RecordedGame]]:
        """Play a range of games one after the other.

        Args:
            game_range: Which games, or matches.
            progress: Called with the number of finished games.
            cancelled: Called before each turn; returns whether to stop.

        Returns:
            The games of each match; a money game by itself, with the running score of the range; none where
            a game did not end.

        Raises:
            CancelledWork: `cancelled` returned True.
            GammondError: A player cannot decide.
        """
        played: list[list[RecordedGame]] = []
        money = _MONEY
        for number in range(game_range.first_game, game_range.first_game + game_range.games):
            begun = replace(money, on_roll=number % 2)
            try:
                if self.rules.mode is TournamentMode.MATCH:
                    played.append(self._play_match(number, cancelled))
                else:
                    dice = self._make_dice(number, 0)
                    game = play_game(self._players, begun, dice, cancelled, self.rules.game)
                    assert game.result is not None  # it was played to its end
                    money = begun.after_game(game.result.winner, game.result.points) or _MONEY
                    played.append([game])
            except EndlessGameError:
                played.append([])
            if progress is not None:
                progress(len(played))
        return played

    @property
    def _players(self) -> tuple[Decider, Decider]:
        return self.first, self.second

    def _play_match(self, number: int, cancelled: Callable[[], bool] | None) -> list[RecordedGame]:
        def starter(game: int) -> int:
            return (number + self._roll_dice(number, game, _STARTER_TURN)[0] * (game > 0)) % 2

        def dice(game: int) -> GameDice:
            return self._make_dice(number, game)

        return play_match(self._players, self.rules.length, starter, dice, cancelled, self.rules.game)

    def _make_dice(self, number: int, game: int) -> GameDice:
        return lambda turn: self._roll_dice(number, game, turn)

    def _roll_dice(self, number: int, game: int, turn: int) -> Roll:
        series = np.array([number // 2 + game * _GAMES_APART])
        die, other = draw_paired_dice(self.rules.seed, series, np.array([turn]))[0].tolist()
        return die, other


def score_cubeful_games(records: Sequence[Sequence[RecordedGame]], mode: TournamentMode) -> PairedScores:
    """Score games or matches with the cube, for seat 0.

    Args:
        records: As `CubefulPairing.play` returns them.
        mode: `TournamentMode.CUBEFUL` or `TournamentMode.MATCH`.
    """
    values, kinds = np.full(len(records), np.nan), np.zeros(len(records), np.int8)
    for place, games in enumerate(records):
        if games:
            result = games[-1].result
            assert result is not None
            sign, is_match = 1 if result.winner == 0 else -1, mode is TournamentMode.MATCH
            values[place] = sign * (1 if is_match else result.points)
            kinds[place] = sign * (1 if is_match else result.kind)
    return PairedScores(values, kinds)


ReportGames = Callable[[int], None]
CancelCheck = Callable[[], bool]


def play_range(
    task: PairingTask[TournamentRules],
    progress: ReportGames | None = None,
    cancelled: CancelCheck | None = None,
) -> PairedScores:
    """Play the games of a task.

    Args:
        task: The task.
        progress: Called with the number of its games that are finished.
        cancelled: Called before each turn; returns whether to stop.

    Raises:
        CancelledWork: `cancelled` returned True.
        GammondError: A player cannot be loaded, or a record cannot be written.
    """
    mode = task.rules.mode
    if mode.has_cube:
        first, second = (load_cube_player(name, task.rules.cube_by) for name in task.names)
        table = CubefulPairing(first, second, task.rules)
        played = table.play(task.game_range, progress, cancelled)
        scores = score_cubeful_games(played, mode)
    else:
        own, other = (load_cached_player(name) for name in task.names)
        pairing = CubelessPairing(own, other, task.rules.seed, select_ending(mode), task.rules.game)
        log = None if task.records is None else LockstepLog(task.game_range.games, task.rules.game)
        results = pairing.play(task.game_range, progress, cancelled, log)
        scores = score_cubeless_games(results, mode)
        played = [[game] for game in log.make_records(results)] if log is not None else []
    if task.records is not None:
        write_records(task, task.records, played)
    return scores
