"""Check GNU Backgammon's records of games, move by move, by the rules of this engine.

gnubg silently treats an illegal play of an external player as no move. In its record such a turn has no move
although there was a legal one, so the record shows what the wire does not.

*Source:* red-bean.com/sgf/backgammon.html for the notation; gnubg 1.07.001 for what it writes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gammond.engine.errors import FormatError, GammondError, PlayError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.match_files.sgf.reader import SGF_SIGN, SgfHeading
from gammond.engine.match_files.sgf.tree import SgfTree, parse_sgf_trees
from gammond.engine.match_files.sgf.values import COLOURS, parse_written_play
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResponseAction,
)
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.notation import find_written_play
from gammond.engine.rules.rules import STANDARD_RULES

_GAME_START = "(;FF[4]GM[6]"
_RESULT_PATTERN = re.compile(r"([WB])\+(\d+)(R?)")


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
    games = [_read_game(tree) for tree in parse_sgf_trees(text)] if SGF_SIGN.match(text) else []
    if not games:
        raise FormatError(
            f"expected a gnubg record, which begins with {_GAME_START!r}, got {text[:40]!r}", field="record"
        )
    return games


def replay_game(game: GnubgGame) -> ReplayResult:
    """Replay a game to its end, or to the first fault; the seat that acts first has won the opening roll."""
    rolls = cube_actions = 0
    faults: tuple[str, ...] = ()
    try:
        begun = MatchState(
            length=game.length,
            score=game.score,
            crawford=game.crawford,
            on_roll=game.actions[0][0] if game.actions else 0,
            jacoby=game.jacoby,
        )
        situation = GameSituation(STANDARD_RULES.starting_position, begun)
        for seat, text in game.actions:
            action = _read_action(situation, seat, text)
            situation = situation.apply(action)
            if isinstance(action, PlayAction):
                rolls += 1
            else:
                cube_actions += 1
        _check_result(situation, game)
    except GammondError as error:
        faults = (error.message,)
    return ReplayResult(rolls, cube_actions, faults)


def _read_action(situation: GameSituation, seat: int, text: str) -> GameAction:
    """Read what a seat does in a situation.

    Raises:
        GammondError: It cannot be read, or the rules do not allow it.
    """
    match, position = situation.match, situation.position
    if seat != match.to_act:
        raise PlayError(f"seat {seat} acts out of turn: {text}")
    if text == "double":  # on top of a double a beaver
        return DoubleAction(seat, (4 if match.doubled else 2) * match.cube)
    if text in ("take", "drop"):
        return ResponseAction(seat, text == "take")
    if match.doubled:
        raise PlayError(f"seat {seat} rolled while a double was pending")
    written = parse_written_play(text, seat)
    if written is None:
        raise FormatError(f"expected dice and pairs of letters, got {text!r}", field="record")
    roll, moves = written
    try:
        plays = generate_plays(position, roll)
        return PlayAction(seat, roll, find_written_play(moves, position, roll, STANDARD_RULES, plays))
    except PlayError:
        what = f"played {text[2:]} (letters)" if moves else "did not play"
        raise PlayError(
            f"seat {seat} {what} with {format_roll(roll)} at {encode_position_id(position)}, "
            "which is not legal"
        ) from None


def _check_result(situation: GameSituation, game: GnubgGame) -> None:
    """Compare the end of a game with the recorded result.

    Raises:
        PlayError: They differ.
    """
    match, result = situation.match, situation.result
    shown = encode_position_id(situation.position)
    if game.winner is None:
        raise PlayError(f"the game was not finished, its last position is {shown}")
    possible = [] if result is None else [result]
    if game.is_resigned:
        possible = [match.game_result(game.winner, kind + 1) for kind in range(len(RESULT_NAMES))]
    if game.winner not in [each.winner for each in possible]:
        raise PlayError(f"the record has seat {game.winner} win at {shown}")
    points = sorted({each.points for each in possible})
    if game.points not in points:
        raise PlayError(f"points of the game: expected {' or '.join(map(str, points))}, got {game.points}")


def _read_game(tree: SgfTree) -> GnubgGame:
    root = tree.nodes[0]
    if "MI" not in root.properties:
        raise FormatError(
            "expected MI[length:…][game:…][ws:…][bs:…] in each game of a gnubg record", field="record"
        )
    heading, result = SgfHeading.read(root), _RESULT_PATTERN.fullmatch(root.text("RE"))
    rules = heading.rules or frozenset()
    return GnubgGame(
        length=heading.length,
        score=heading.score or (0, 0),
        crawford="crawfordgame" in rules,
        jacoby="jacoby" in rules,
        winner=COLOURS.index(result[1]) if result else None,
        points=int(result[2]) if result else 0,
        is_resigned=bool(result and result[3]),
        actions=tuple(
            (seat, node.text(colour))
            for node in tree.nodes[1:]
            for seat, colour in enumerate(COLOURS)
            if colour in node.properties
        ),
    )
