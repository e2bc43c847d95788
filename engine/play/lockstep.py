"""Many cubeless money games between two players, in lockstep, with paired dice.

Games come in pairs with the same dice: turn t of both games of a pair has the same roll, and the players
swap seats. Each player thus has the other's luck once, and a player against itself scores exactly 0. The dice
of a pair depend on the seed, the pair and the turn alone, so the result does not depend on the number of
games that run at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import CancelledWork, LimitError, ValueRangeError
from gammond.engine.play.paired_scores import PairedScores
from gammond.engine.play.player import Player
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.outcome import classify_results
from gammond.engine.rules.position import Board, Phase, classify_phases, find_finished
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.rules.seeded_random import check_seed

LOCKSTEP_GAMES = 512
"""Games that run side by side: enough to keep nets in large batches."""

MAX_TURNS = 10_000
"""A game that is not over by then will not end: games of random plays take some hundred turns at most."""


PIPS_PER_ROLL = 8.166
"""Lead of the side that rolls next: the average roll, 8 1/6 pips.

*Source:* the metric's author, who cuts it to three places. It ignores blocked points and wastage.
"""

_PIPS = np.arange(26, dtype=np.float32)


class EndCondition(NamedTuple):
    """When games stop, and how they are scored.

    Attributes:
        dtype: The dtype of scores.
        is_reached: Returns which games stop, ``bool[n]``, by ``int8[n, 2, 26]``, each just after a play as
            the next mover sees it; at least those in which a side has borne off all its checkers.
        score_games: Returns the scores of games that stop for the side that has *just moved*, ``dtype[n]``.
    """

    dtype: np.dtype[Any]
    is_reached: Callable[[Board], NDArray[np.bool_]]
    score_games: Callable[[Board], NDArray[Any]]


def _find_races(boards: Board) -> NDArray[np.bool_]:
    return classify_phases(boards) >= Phase.RACE


def _count_pips_ahead(boards: Board) -> NDArray[np.float32]:
    """Return the lead in pips; `PIPS_PER_ROLL` goes to the side to roll."""
    pips = boards.astype(np.float32) @ _PIPS
    return (pips[:, 0] - pips[:, 1] - np.float32(PIPS_PER_ROLL)).astype(np.float32)


GAME_OVER = EndCondition(np.dtype(np.int8), find_finished, classify_results)
"""Games end when a side has borne off all its checkers; they score 1 to 3 points."""

HOME_BOUND = EndCondition(np.dtype(np.float32), _find_races, _count_pips_ahead)
"""Games stop once contact is over; they score the lead in pips.

*Source:* the Home Bound metric of the GenGammon project (`docs/lab/history.md` has the document).
"""


class EndlessGameError(LimitError):
    """A game did not end within `MAX_TURNS`: let others play."""


class TurnLog(Protocol):
    """Records games while they are played."""

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Record one turn in each of several games.

        Args:
            games: ``int64[n]``, their numbers; the turns of a game come in their order.
            seat: The player who moved: 0 the first, 1 the second.
            dice: ``int8[n, 2]``.
            after: ``int8[n, 2, 26]``, the positions after the plays as the next mover sees them.
        """
        ...


def play_games(
    first: Player,
    second: Player,
    games: int,
    seed: int = 0,
    *,
    rules: Rules = STANDARD_RULES,
    first_pair: int = 0,
    has_pairs: bool = True,
    lockstep: int = LOCKSTEP_GAMES,
    ending: EndCondition = GAME_OVER,
    may_be_endless: bool = False,
    log: TurnLog | None = None,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> PairedScores:
    """Play cubeless money games.

    Args:
        first: A player.
        second: Another, or the same.
        games: Number of games, even.
        seed: Seed of the dice, 0 or more.
        rules: The rules of the games.
        first_pair: Number of the first pair, to continue the same series.
        has_pairs: Whether both games of a pair have the same dice; otherwise each game has its own.
        lockstep: Number of games that run side by side; the result does not depend on it.
        ending: When games end, and how they score.
        may_be_endless: Whether games that do not end within `MAX_TURNS` are left and counted as such.
        log: Records every turn.
        progress: Called with the number of finished games.
        cancelled: Asked before each turn; the work stops when it returns true.

    Returns:
        The results, in the order of the pairs.

    Raises:
        ValueRangeError: An odd or negative number of games, a negative seed, or no game at a time.
        CancelledWork: The work was cancelled.
        EndlessGameError: A game did not end within `MAX_TURNS`, and none may be endless.
        UnsupportedError: A player cannot play by the rules.
    """
    if games < 0 or games % 2:
        raise ValueRangeError(f"expected an even number of games, 0 or more, got {games}", field="games")
    check_seed(seed)
    if lockstep < 1:
        raise ValueRangeError(f"expected 1 game or more at a time, got {lockstep}", field="lockstep")

    def draw(numbers: NDArray[np.int64], turns: NDArray[np.int64]) -> NDArray[np.int8]:
        own = first_pair + numbers // 2 if has_pairs else 2 * first_pair + numbers
        return draw_paired_dice(seed, own, turns)

    first, second = first.with_rules(rules), second.with_rules(rules)
    table = _LockstepGames(games, draw, rules.starting_position.board, lockstep, ending, log)
    while table.running_count:
        if cancelled is not None and cancelled():
            raise CancelledWork(f"stopped after {table.finished_count} of {games} games")
        table.play_turn(first, second)
        if table.leave_endless_games() and not may_be_endless:
            raise EndlessGameError(
                f"a game between {first.name} and {second.name} took over {MAX_TURNS} turns"
            )
        if progress is not None:
            progress(table.finished_count)
    values = table.points.astype(np.float64)
    values[table.endless] = np.nan
    kinds = table.points if ending is GAME_OVER else np.sign(table.points)
    return PairedScores(values, kinds.astype(np.int8))


class _LockstepGames:
    """Games in progress, one row each; a finished game's row goes to the next game.

    Args:
        games: How many are to be played.
        draw: Draws the rolls of turns of games, ``int8[n, 2]`` for ``int64[n]`` each.
        start: The starting position.
        lockstep: How many run side by side.
        ending: As for `play_games`.
        log: As for `play_games`.
    """

    def __init__(
        self,
        games: int,
        draw: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int8]],
        start: Board,
        lockstep: int,
        ending: EndCondition,
        log: TurnLog | None,
    ) -> None:
        self.points = np.zeros(games, ending.dtype)
        self.finished_count = 0
        self.endless: list[int] = []
        self._draw = draw
        self._start = start
        self._ending = ending
        self._log = log
        self._started_count = min(games, lockstep)
        self._games = np.arange(self._started_count)
        self._turns = np.zeros(self._started_count, np.int64)
        self._boards: Board = np.repeat(start[None], self._started_count, axis=0)

    @property
    def running_count(self) -> int:
        """The number of games in progress."""
        return len(self._games)

    def play_turn(self, first: Player, second: Player) -> None:
        """Play one turn in each game; the first player starts the even games, the second the odd ones."""
        dice = self._draw(self._games, self._turns)
        mover = (self._games + self._turns) % 2
        for number, player in enumerate((first, second)):
            rows = np.flatnonzero(mover == number)
            if rows.size:
                self._boards[rows] = player.choose(self._boards[rows], dice[rows])
                if self._log is not None:
                    self._log.add(self._games[rows], number, dice[rows], self._boards[rows])
        self._turns += 1
        ended = self._ending.is_reached(self._boards)
        if ended.any():
            rows = np.flatnonzero(ended)
            won = self._ending.score_games(self._boards[rows])
            self.points[self._games[rows]] = np.where(mover[rows] == 0, won, -won)
            self._replace_games(rows)

    def leave_endless_games(self) -> int:
        """Leave the games that have had all the turns that a game may have; return how many there were."""
        rows = np.flatnonzero(self._turns >= MAX_TURNS)
        self.endless += self._games[rows].tolist()
        if rows.size:
            self._replace_games(rows)
        return len(rows)

    def _replace_games(self, rows: NDArray[np.int64]) -> None:
        """Give the rows of games that are over to the next games."""
        self.finished_count += len(rows)
        fresh = min(len(rows), len(self.points) - self._started_count)
        self._games[rows[:fresh]] = np.arange(self._started_count, self._started_count + fresh)
        self._turns[rows[:fresh]] = 0
        self._boards[rows[:fresh]] = self._start
        self._started_count += fresh
        left = np.ones(len(self._games), np.bool_)
        left[rows[fresh:]] = False
        self._games, self._turns, self._boards = self._games[left], self._turns[left], self._boards[left]
