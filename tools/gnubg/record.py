"""Check GNU Backgammon's records of games, move by move, by the rules of this engine.

gnubg silently treats an illegal play of an external player as no move. In its record such a turn has no move
although there was a legal one, so the record shows what the wire does not.

*Source:* red-bean.com/sgf/backgammon.html for the notation; gnubg 1.07.001 for what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.errors import FormatError, GammondError, PlayError
from engine.formats.position_id import encode_position_id
from engine.rules import cube_actions
from engine.rules.dice import parse_roll
from engine.rules.match import RESULT_NAMES, GameResult, MatchState
from engine.rules.moves import legal_plays
from engine.rules.outcome import classify_results
from engine.rules.position import BAR, OFF, Position, swap_sides
from engine.rules.rules import STANDARD_RULES

_GAME_START = "(;FF[4]GM[6]"
_NODE_PATTERN = re.compile(r";([WB])\[([^\]]*)\]")
_RESULT_PATTERN = re.compile(r"RE\[([WB])\+(\d+)(R?)\]")
_MATCH_PATTERN = re.compile(r"MI\[length:(\d+)\]\[game:\d+\]\[ws:(\d+)\]\[bs:(\d+)\]")
_SEATS = {"W": 0, "B": 1}


@dataclass(frozen=True)
class GnubgGame:
    """One game of a record.

    Attributes:
        length: Points of the match, 0 for money.
        score: Points of seats 0 and 1 before the game.
        crawford: Whether it was the Crawford game.
        jacoby: Whether the Jacoby rule was in force.
        winner: The seat that won; None for an unfinished game.
        points: Won by it.
        is_resigned: Whether the loser resigned.
        actions: Seat and action: dice and moves in letters, ``double``, ``take`` or ``drop``.
    """

    length: int
    score: tuple[int, int]
    crawford: bool
    jacoby: bool
    winner: int | None
    points: int
    is_resigned: bool
    actions: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class ReplayResult:
    """The result of replaying a game.

    Attributes:
        rolls: How many were played by the rules.
        cube_actions: How many doubles and responses were legal.
        faults: What is wrong; empty if nothing.
    """

    rolls: int
    cube_actions: int
    faults: tuple[str, ...]


def parse_record(text: str) -> list[GnubgGame]:
    """Read the games of an SGF file that gnubg saved.

    Raises:
        FormatError: It is no such file.
    """
    games = [_parse_game(part) for part in text.split(_GAME_START)[1:]]
    if not games:
        raise FormatError(
            f"expected a gnubg record, which begins with {_GAME_START!r}, got {text[:40]!r}", field="record"
        )
    return games


def replay_game(game: GnubgGame) -> ReplayResult:
    """Replay a game to its end, or to the first fault."""
    try:
        replay = _Replay(game)
    except GammondError as error:
        return ReplayResult(0, 0, (error.message,))
    faults: tuple[str, ...] = ()
    try:
        for seat, action in game.actions:
            replay.apply_action(seat, action)
        replay.check_result(game)
    except GammondError as error:
        faults = (error.message,)
    return ReplayResult(replay.rolls, replay.cube_actions, faults)


class _Replay:
    """A game in the course of its replay.

    Args:
        game: Its beginning; the seat that acts first has won the opening roll.

    Raises:
        GammondError: The start of the game is invalid.
    """

    def __init__(self, game: GnubgGame) -> None:
        self.rolls = 0
        self.cube_actions = 0
        self._position = STANDARD_RULES.starting_position
        self._match = MatchState(
            length=game.length,
            score=game.score,
            crawford=game.crawford,
            on_roll=game.actions[0][0] if game.actions else 0,
            jacoby=game.jacoby,
        )
        self._drop_result: GameResult | None = None

    def apply_action(self, seat: int, action: str) -> None:
        """Apply one action.

        Raises:
            GammondError: The rules do not allow it.
        """
        if seat != self._match.to_act:
            raise PlayError(f"seat {seat} acts out of turn: {action}")
        if action == "double":
            # A double on top of a double is a beaver.
            act = cube_actions.beaver if self._match.doubled else cube_actions.double
            self._match = act(self._match)
        elif action == "take":
            self._match = cube_actions.take(self._match)
        elif action == "drop":
            self._drop_result = cube_actions.pass_double(self._match)
        else:
            self._apply_play(seat, action)
            return
        self.cube_actions += 1

    def check_result(self, game: GnubgGame) -> None:
        """Compare the end with the recorded result.

        Raises:
            PlayError: They differ.
        """
        if game.winner is None:
            raise PlayError(
                f"the game was not finished, its last position is {encode_position_id(self._position)}"
            )
        if game.is_resigned:
            possible = [self._match.game_result(game.winner, kind + 1) for kind in range(len(RESULT_NAMES))]
        elif self._drop_result is not None:
            possible = [self._drop_result]
        elif self._position.is_over:
            kind = int(classify_results(self._position.board[None])[0])
            possible = [self._match.game_result(1 - self._match.on_roll, kind)]
        else:
            possible = []
        if game.winner not in [result.winner for result in possible]:
            raise PlayError(f"the record has seat {game.winner} win at {encode_position_id(self._position)}")
        points = sorted({result.points for result in possible})
        if game.points not in points:
            raise PlayError(
                f"points of the game: expected {' or '.join(map(str, points))}, got {game.points}"
            )

    def _apply_play(self, seat: int, action: str) -> None:
        if self._match.doubled:
            raise PlayError(f"seat {seat} rolled while a double was pending")
        roll = parse_roll(action[:2])
        result = _apply_moves(self._position, list(_parse_moves(seat, action[2:])))
        if result not in [play.result for play in legal_plays(self._position, roll)]:
            what = f"played {action[2:]} (letters)" if action[2:] else "did not play"
            raise PlayError(
                f"seat {seat} {what} with {roll[0]}{roll[1]} at {encode_position_id(self._position)}, "
                "which is not legal"
            )
        self.rolls += 1
        self._position = result
        self._match = self._match.next_turn()


def _parse_game(text: str) -> GnubgGame:
    match = _MATCH_PATTERN.search(text)
    if match is None:
        raise FormatError(
            "expected MI[length:…][game:…][ws:…][bs:…] in each game of a gnubg record", field="record"
        )
    result = _RESULT_PATTERN.search(text)
    return GnubgGame(
        length=int(match[1]),
        score=(int(match[2]), int(match[3])),
        crawford=bool(re.search(r"RU\[[^\]]*CrawfordGame", text)),
        jacoby=bool(re.search(r"RU\[[^\]]*Jacoby", text)),
        winner=_SEATS[result[1]] if result else None,
        points=int(result[2]) if result else 0,
        is_resigned=bool(result and result[3]),
        actions=tuple((_SEATS[node[1]], node[2]) for node in _NODE_PATTERN.finditer(text)),
    )


def _parse_moves(seat: int, letters: str) -> Iterator[tuple[int, int]]:
    if len(letters) % 2 or not re.fullmatch("[a-z]*", letters):
        raise FormatError(f"moves: expected pairs of letters, got {letters!r}", field="record")
    for source, target in zip(letters[::2], letters[1::2], strict=True):
        yield _parse_point(seat, source), _parse_point(seat, target)


def _parse_point(seat: int, letter: str) -> int:
    place = ord(letter) - ord("a")
    if place >= 24:
        return BAR if letter == "y" else OFF
    return place + 1 if seat == 0 else 24 - place


def _apply_moves(position: Position, moves: list[tuple[int, int]]) -> Position:
    """Move checkers whatever the rules; return the position as the next mover sees it."""
    board = np.array(position.board)
    for source, target in moves:
        board[0, source] -= 1
        board[0, target] += 1
        if target != OFF and board[1, 25 - target] == 1:
            board[1, 25 - target] = 0
            board[1, BAR] += 1
    return Position(swap_sides(board))
