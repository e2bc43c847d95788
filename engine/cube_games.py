"""Games and matches with the cube, one at a time: what two players with cube decisions do over the board.

There is no resigning, and a player who would beaver takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from engine import cube_actions
from engine.choice import Choice
from engine.cubeful import Response
from engine.dice import Roll
from engine.endings import PLAYED_OUT
from engine.errors import CancelledWork, LimitError
from engine.game_record import Action, Answered, Doubled, RecordedGame, Rolled
from engine.games import MAX_TURNS
from engine.match import GameResult, MatchState
from engine.position import Position


class CubePlayer(Protocol):
    """Anything that plays and handles the cube, such as an `engine.choice.Chooser`."""

    def play(self, position: Position, roll: Roll, match: MatchState) -> Choice:
        """Choose a play of a roll."""
        ...

    def doubles(self, position: Position, match: MatchState) -> bool:
        """Decide whether to double; never where that is not allowed."""
        ...

    def response(self, position: Position, match: MatchState) -> Response:
        """Answer a double, in a position and match state as the side that doubled has them."""
        ...


GameDice = Callable[[int], Roll]
"""The roll of each turn of a game, from 0; that of turn 0 has two different dice."""


def play_game(
    players: tuple[CubePlayer, CubePlayer],
    begun: MatchState,
    dice: GameDice,
    cancelled: Callable[[], bool] | None = None,
) -> RecordedGame:
    """Play one game to its end.

    Args:
        players: In seats 0 and 1.
        begun: The match state; its seat on roll won the opening roll.
        dice: What is rolled.
        cancelled: Asked before each turn; stops the work when it says yes.

    Raises:
        CancelledWork: It was told to stop.
        LimitError: The game did not end within `engine.games.MAX_TURNS`.
        GammondError: A player cannot decide.
    """
    position, match = Position.start(), begun
    actions: list[Action] = []
    for turn in range(MAX_TURNS):
        if cancelled is not None and cancelled():
            raise CancelledWork(f"stopped in turn {turn} of a game")
        seat = match.on_roll
        if turn and match.may_double(seat) and players[seat].doubles(position, match):
            match, dropped = _offer(players, position, match, actions)
            if dropped is not None:
                return RecordedGame(begun, tuple(actions), dropped)
        roll = dice(turn)
        play = players[seat].play(position, roll, match).play.play
        actions.append(Rolled(seat, roll, play))
        position = play.result
        if position.is_over:
            kind = int(PLAYED_OUT.counted(position.board[None])[0])
            return RecordedGame(begun, tuple(actions), match.result(seat, kind))
        match = match.next_turn()
    raise LimitError(f"a game with the cube took over {MAX_TURNS} turns")


def play_match(
    players: tuple[CubePlayer, CubePlayer],
    length: int,
    starter: Callable[[int], int],
    dice: Callable[[int], GameDice],
    cancelled: Callable[[], bool] | None = None,
) -> list[RecordedGame]:
    """Play a match.

    Args:
        players: In seats 0 and 1.
        length: Its points, 1 or more.
        starter: The seat that wins the opening roll of each game, from 0.
        dice: The dice of each game.
        cancelled: As for `play_game`.

    Returns:
        Its games in order; the winner of the last one has won the match.

    Raises:
        ValueRangeError: The length is out of range.
        GammondError: As `play_game`.
    """
    games: list[RecordedGame] = []
    match: MatchState | None = MatchState(length=length)
    while match is not None:
        number = len(games)
        begun = replace(match, on_roll=starter(number))
        games.append(play_game(players, begun, dice(number), cancelled))
        result = games[-1].result
        match = begun.after_game(result.winner, result.points)
    return games


def _offer(
    players: tuple[CubePlayer, CubePlayer], position: Position, match: MatchState, actions: list[Action]
) -> tuple[MatchState, GameResult | None]:
    """Let a double be answered; the state that follows, and the result where it was dropped."""
    offered = cube_actions.double(match)
    other = offered.to_act
    actions.append(Doubled(match.on_roll, 2 * match.cube))
    takes = players[other].response(position, match) is not Response.PASS
    actions.append(Answered(other, takes))
    return (cube_actions.take(offered), None) if takes else (match, cube_actions.drop(offered))
