"""Games and matches with the cube between two deciders, one game at a time.

Nobody resigns, and a player who would beaver takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.match_files.model import RecordedGame
from gammond.engine.play.decider import Decider
from gammond.engine.play.lockstep import MAX_TURNS, EndlessGameError
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResponseAction,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules

GameDice = Callable[[int], Roll]
"""The roll of each turn of a game, from 0; that of turn 0 has two different dice."""


def play_game(
    players: tuple[Decider, Decider],
    initial_match: MatchState,
    dice: GameDice,
    cancelled: Callable[[], bool] | None = None,
    rules: Rules = STANDARD_RULES,
) -> RecordedGame:
    """Play one game to its end.

    Args:
        players: In seats 0 and 1.
        initial_match: The match state; its seat on roll won the opening roll.
        dice: The roll of each turn.
        cancelled: Asked before each turn; the work stops when it returns true.
        rules: The rules of the game.

    Raises:
        UnsupportedError: The rules do not support the cube.
        CancelledWork: The work was cancelled.
        EndlessGameError: The game did not end within `gammond.engine.play.lockstep.MAX_TURNS`.
        GammondError: A player cannot decide.
    """
    rules.check_supports(Feature.CUBE)
    players = players[0].with_rules(rules), players[1].with_rules(rules)
    now = GameSituation(rules.starting_position, initial_match)
    actions: list[GameAction] = []

    def act(action: GameAction) -> None:
        nonlocal now
        now = now.apply(action)
        actions.append(action)

    for turn in range(MAX_TURNS):
        if cancelled is not None and cancelled():
            raise CancelledWork(f"stopped in turn {turn} of a game")
        position, match = now.position, now.match
        seat, other = match.on_roll, 1 - match.on_roll
        if turn and match.may_double(seat) and players[seat].should_double(position, match):
            act(DoubleAction(seat, 2 * match.cube))
            response = players[other].choose_response(position, match)
            act(ResponseAction(other, response is not CubeResponse.PASS))
        if now.result is None:
            roll = dice(turn)
            act(PlayAction(seat, roll, players[seat].choose_play(position, roll, now.match).play))
        if now.result is not None:
            start = rules.starting_position
            return RecordedGame(0, initial_match, start, tuple(actions), now.result, rules)
    raise EndlessGameError(f"a game with the cube took over {MAX_TURNS} turns")


def play_match(
    players: tuple[Decider, Decider],
    length: int,
    opening_seat: Callable[[int], int],
    dice: Callable[[int], GameDice],
    cancelled: Callable[[], bool] | None = None,
    rules: Rules = STANDARD_RULES,
) -> list[RecordedGame]:
    """Play a match; the winner of its last game has won it.

    Args:
        players: In seats 0 and 1.
        length: Length of the match in points, 1 or more.
        opening_seat: The seat that wins the opening roll of each game, from 0.
        dice: The dice of each game.
        cancelled: As for `play_game`.
        rules: The rules of the games.

    Raises:
        ValueRangeError: The length is out of range.
        GammondError: As `play_game`.
    """
    games: list[RecordedGame] = []
    match: MatchState | None = MatchState(length=length)
    while match is not None:
        number = len(games)
        begun = replace(match, on_roll=opening_seat(number))
        games.append(play_game(players, begun, dice(number), cancelled, rules))
        result = games[-1].result
        assert result is not None  # it was played to its end
        match = begun.after_game(result.winner, result.points)
    return games
