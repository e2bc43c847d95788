"""The line below the prompt: who is to act, pips, score, cube and judge, in as much room as there is."""

from __future__ import annotations

from collections.abc import Sequence

from engine.match import MatchState
from engine.position import Position
from protocol.board_drawing import MARKS
from protocol.repl.game import Game
from protocol.repl.writing import cube_text, roll_text

_BETWEEN = " | "


def toolbar_text(game: Game, net: str, width: int) -> str:
    """Write the line below the prompt.

    Args:
        game: The table, and the person's seat in a game against the engine.
        net: The name of the evaluator.
        width: Columns of the terminal.

    Returns:
        A line of at most ``width`` characters, which begins with a blank. Where room is short, judge, pips,
        cube and score are shortened in this order, then cube, judge, score and pips left out.
    """
    position = game.session.game.position
    plies = game.session.engine.ply - 1
    judge = (f"net {net}, {plies} plies", f"{net} {plies}-ply")
    if position is None:
        return _fitted(["no position: 'play' begins a game", judge[0]], [(1, judge[1]), (1, "")], width)
    pips, score, cube = _pips(game, position), _score(game), _cube(game.session.game.match)
    parts = [_turn(game), pips[0], score[0], cube[0], judge[0]]
    shortened = [(4, judge[1]), (1, pips[1]), (3, cube[1]), (2, score[1])]
    return _fitted(parts, [*shortened, (3, ""), (4, ""), (2, ""), (1, "")], width)


def _fitted(parts: list[str], shortenings: Sequence[tuple[int, str]], width: int) -> str:
    """Join the parts; while they are too long, put in their shorter forms in turn.

    Args:
        parts: In their longest form.
        shortenings: Which part may take which shorter form; an empty one leaves it out.
        width: Columns at most.
    """
    left = list(shortenings)
    while True:
        line = " " + _BETWEEN.join(part for part in parts if part)
        if len(line) <= width or not left:
            return line[:width]
        place, form = left.pop(0)
        parts[place] = form


def _turn(game: Game) -> str:
    match, position = game.session.game.match, game.session.game.position
    mark, name = MARKS[match.on_roll], game.names[match.on_roll]
    who = mark if mark == name else f"{mark} ({name})"
    if position is not None and position.is_over:
        return "match over" if game.has_won_match else "game over"
    if match.doubled:
        return f"{who} doubled"
    return f"{who} to roll" if match.roll is None else f"{who} to play {roll_text(match.roll)}"


def _pips(game: Game, position: Position) -> tuple[str, str]:
    on_roll = game.session.game.match.on_roll
    own, other = position.pips if on_roll == 0 else reversed(position.pips)
    return f"pips {MARKS[0]} {own}, {MARKS[1]} {other}", f"{MARKS[0]} {own} {MARKS[1]} {other}"


def _score(game: Game) -> tuple[str, str]:
    match, points = game.session.game.match, game.points
    if match.is_money:
        return "money", "money"
    score = f"{points[0]}-{points[1]} to {match.length}"
    return (f"{score} Crawford", score) if match.crawford else (score, score)


def _cube(match: MatchState) -> tuple[str, str]:
    if match.cube_owner is None:
        return cube_text(match), f"cube {match.cube}"
    return cube_text(match), f"cube {match.cube} {MARKS[match.cube_owner]}"
