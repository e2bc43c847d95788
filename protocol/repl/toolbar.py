"""The line below the prompt: who is to act, pips, score, cube and judge, in as much room as there is."""

from __future__ import annotations

from collections.abc import Sequence

from engine.match import MatchState
from engine.position import Position
from protocol.board_drawing import MARKS
from protocol.offers import answers
from protocol.repl.game import Game
from protocol.repl.sentences import cube_text, roll_text
from protocol.session import CUSTOM_LEVEL, EngineSettings

_BETWEEN = " | "


def toolbar_text(game: Game, net: str, width: int) -> str:
    """Write the line below the prompt.

    Args:
        game: The table, and the person's seat in a game against the engine.
        net: The name of the evaluator.
        width: Columns of the terminal.

    Returns:
        A line of at most ``width`` characters, which begins with a blank. Where room is short, judge, pips,
        cube and score are shortened in this order, then net, cube, judge, score and pips left out.
    """
    position = game.session.game.position
    judge = _judge(game.session.engine, net)
    if position is None:
        shorter = [(1, form) for form in (*judge[1:], "")]
        return _fitted(["no position: 'play' begins a game", judge[0]], shorter, width)
    pips, score, cube = _pips(game, position), _score(game), _cube(game.session.game.match)
    parts = [_turn(game), pips[0], score[0], cube[0], judge[0]]
    shortened = [(4, judge[1]), (1, pips[1]), (3, cube[1]), (2, score[1]), (4, judge[2])]
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
    match = game.session.game.match
    if game.session.game.is_over:
        return "match over" if game.has_won_match else "game over"
    mark, name = MARKS[match.to_act], game.names[match.to_act]
    who = mark if mark == name else f"{mark} ({name})"
    if answers(match):
        return f"{who} to {' or '.join(answers(match)[:2])}"
    if match.roll is not None:
        return f"{who} to play {roll_text(match.roll)}"
    return f"{who} to roll or double" if game.session.game.may_double else f"{who} to roll"


def _judge(engine: EngineSettings, net: str) -> tuple[str, str, str]:
    level = f"{engine.plies}-ply" if engine.level == CUSTOM_LEVEL else engine.level
    return f"net {net}, {level}", f"{net} {level}", level


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
