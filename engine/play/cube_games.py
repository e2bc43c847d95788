"""Games and matches with the cube between two deciders, one game at a time.

Nobody resigns, and a player who would beaver takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.cubeful import CubeResponse
from engine.errors import CancelledWork
from engine.play.decider import Decider
from engine.play.lockstep import MAX_TURNS, EndlessGameError
from engine.rules import cube_actions
from engine.rules.dice import Roll
from engine.rules.game_record import DoubleAction, GameAction, GameRecord, PlayAction, ResponseAction
from engine.rules.match import GameResult, MatchState
from engine.rules.outcome import classify_results
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES, Feature, Rules

GameDice = Callable[[int], Roll]
"""The roll of each turn of a game, from 0; that of turn 0 has two different dice."""


def play_game(
    players: tuple[Decider, Decider],
    initial_match: MatchState,
    dice: GameDice,
    cancelled: Callable[[], bool] | None = None,
    rules: Rules = STANDARD_RULES,
) -> GameRecord:
    """Play one game to its end.

    Args:
        players: In seats 0 and 1.
        initial_match: The match state; its seat on roll won the opening roll.
        dice: The dice.
        cancelled: Asked before each turn; the work stops when it returns true.
        rules: The rules of the game.

    Raises:
        UnsupportedError: The rules do not support the cube.
        CancelledWork: The work was cancelled.
        EndlessGameError: The game did not end within `engine.play.lockstep.MAX_TURNS`.
        GammondError: A player cannot decide.
    """
    rules.check_supports(Feature.CUBE)
    players = players[0].with_rules(rules), players[1].with_rules(rules)
    position, match = rules.starting_position, initial_match
    actions: list[GameAction] = []
    for turn in range(MAX_TURNS):
        if cancelled is not None and cancelled():
            raise CancelledWork(f"stopped in turn {turn} of a game")
        seat = match.on_roll
        if turn and match.may_double(seat) and players[seat].should_double(position, match):
            match, dropped = _offer_double(players, position, match, actions)
            if dropped is not None:
                return GameRecord(initial_match, tuple(actions), dropped, rules)
        roll = dice(turn)
        play = players[seat].choose_play(position, roll, match).play
        actions.append(PlayAction(seat, roll, play))
        position = play.result
        if position.is_over:
            kind = int(classify_results(position.board[None])[0])
            return GameRecord(initial_match, tuple(actions), match.game_result(seat, kind), rules)
        match = match.next_turn()
    raise EndlessGameError(f"a game with the cube took over {MAX_TURNS} turns")


def play_match(
    players: tuple[Decider, Decider],
    length: int,
    opening_seat: Callable[[int], int],
    dice: Callable[[int], GameDice],
    cancelled: Callable[[], bool] | None = None,
    rules: Rules = STANDARD_RULES,
) -> list[GameRecord]:
    """Play a match.

    Args:
        players: In seats 0 and 1.
        length: Length of the match in points, 1 or more.
        opening_seat: The seat that wins the opening roll of each game, from 0.
        dice: The dice of each game.
        cancelled: As for `play_game`.
        rules: The rules of the games.

    Returns:
        The games in order; the winner of the last one has won the match.

    Raises:
        ValueRangeError: The length is out of range.
        GammondError: As `play_game`.
    """
    games: list[GameRecord] = []
    match: MatchState | None = MatchState(length=length)
    while match is not None:
        number = len(games)
        begun = replace(match, on_roll=opening_seat(number))
        games.append(play_game(players, begun, dice(number), cancelled, rules))
        result = games[-1].result
        match = begun.after_game(result.winner, result.points)
    return games


def _offer_double(
    players: tuple[Decider, Decider], position: Position, match: MatchState, actions: list[GameAction]
) -> tuple[MatchState, GameResult | None]:
    """Play out a double and its response; return the new state, and the result after a pass."""
    offered = cube_actions.double(match)
    other = offered.to_act
    actions.append(DoubleAction(match.on_roll, 2 * match.cube))
    takes = players[other].choose_response(position, match) is not CubeResponse.PASS
    actions.append(ResponseAction(other, takes))
    return (cube_actions.take(offered), None) if takes else (match, cube_actions.pass_double(offered))
