"""The line below the prompt: seat to act, pips, score, cube, net and level, in as much room as there is."""

from __future__ import annotations

from collections.abc import Sequence

from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.repl.answers.sentences import describe_cube
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.state.offers import list_responses
from gammond.protocol.state.session import CUSTOM_LEVEL, EngineSettings

_SEPARATOR = " | "


def format_toolbar(game: ReplGame, net: str, width: int) -> str:
    """Write the line below the prompt.

    Args:
        game: The table, and the person's seat in a game against the engine.
        net: The name of the evaluator.
        width: Columns of the terminal.

    Returns:
        A line of at most ``width`` characters, which begins with a blank. Where room is short, engine, pips,
        cube and score are shortened in this order, then net, cube, engine, tutor, score, pips and the place
        in a match left out.
    """
    position = game.session.game.position
    engine = _format_engine(game.session.engine_settings, net)
    if position is None:
        shorter = [(1, form) for form in (*engine[1:], "")]
        return fit_parts(
            ["no position: 'play' starts a game", engine[0], _format_record(game)], shorter, width
        )
    pips, score, cube = (
        _format_pips(game, position),
        _format_score(game),
        ("", "") if game.session.game.is_over else _format_cube(game.session.game.match),
    )
    tutor = "tutor" if game.tutor.limit is not None else ""
    record = _format_record(game)
    parts = [_format_turn(game), pips[0], score[0], cube[0], engine[0], tutor, record]
    shortened = [(4, engine[1]), (1, pips[1]), (3, cube[1]), (2, score[1]), (4, engine[2])]
    return fit_parts(parts, [*shortened, (3, ""), (4, ""), (5, ""), (2, ""), (1, ""), (6, "")], width)


def fit_parts(parts: list[str], shortenings: Sequence[tuple[int, str]], width: int) -> str:
    """Join the parts; while they are too long, put in their shorter forms in turn.

    Args:
        parts: In their longest form.
        shortenings: Which part may take which shorter form; an empty one leaves it out.
        width: Columns at most.
    """
    left = list(shortenings)
    while True:
        line = " " + _SEPARATOR.join(part for part in parts if part)
        if len(line) <= width or not left:
            return line[:width]
        place, form = left.pop(0)
        parts[place] = form


def _format_turn(game: ReplGame) -> str:
    match = game.session.game.match
    if game.session.game.is_over:
        return "match over" if game.is_match_over else "game over"
    mark, name = CHECKER_MARKS[match.to_act], game.names[match.to_act]
    who = mark if mark == name else f"{mark} ({name})"
    if list_responses(match):
        return f"{who} to {' or '.join(list_responses(match)[:2])}"
    if match.roll is not None:
        return f"{who} to play {format_roll(match.roll)}"
    return f"{who} to roll or double" if game.session.game.may_double else f"{who} to roll"


def _format_record(game: ReplGame) -> str:
    """Return where in an open match the table is, and how far an analysis in the background is."""
    shown, analysis = game.shown_place, game.records.analysis
    parts = []
    if shown is not None:
        step, place = shown.record.find_step(), shown.record.place
        at = "end" if step.action is None else f"move {step.move}"
        parts.append(f"game {place.game + 1} {at}")
    if analysis is not None and analysis.is_running:
        parts.append(f"analysed {analysis.done}/{analysis.total}")
        if analysis.trials is not None:
            parts.append("trials {}/{}".format(*analysis.trials))
    return ", ".join(parts)


def _format_engine(settings: EngineSettings, net: str) -> tuple[str, str, str]:
    level = f"{settings.plies}-ply" if settings.level == CUSTOM_LEVEL else settings.level
    return f"net {net}, {level}", f"{net} {level}", level


def _format_pips(game: ReplGame, position: Position) -> tuple[str, str]:
    on_roll = game.session.game.match.on_roll
    own, other = position.pips if on_roll == 0 else reversed(position.pips)
    return (
        f"pips {CHECKER_MARKS[0]} {own}, {CHECKER_MARKS[1]} {other}",
        f"{CHECKER_MARKS[0]} {own} {CHECKER_MARKS[1]} {other}",
    )


def _format_score(game: ReplGame) -> tuple[str, str]:
    match, points = game.session.game.match, game.points
    if match.is_money:
        return "money", "money"
    score = f"{points[0]}-{points[1]} to {match.length}"
    is_crawford = match.crawford and not game.session.game.is_over
    return (f"{score} Crawford", score) if is_crawford else (score, score)


def _format_cube(match: MatchState) -> tuple[str, str]:
    if match.cube_owner is None:
        return describe_cube(match), f"cube {match.cube}"
    return describe_cube(match), f"cube {match.cube} {CHECKER_MARKS[match.cube_owner]}"
