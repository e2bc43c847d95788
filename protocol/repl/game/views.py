"""What is shown of the game at the table: board, score, rules, cube, whose turn it is, winning chances."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import invert_outcomes
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.board_drawing import (
    BOARD_COLUMNS,
    CHECKER_MARKS,
    NOTED_COLUMNS,
    describe_money_rules,
    draw_board,
)
from gammond.protocol.repl.answers.replies import BoardLine, Mark
from gammond.protocol.repl.answers.sentences import (
    begin_sentence,
    describe_cube_access,
    describe_pips,
    describe_score,
    describe_turn,
)
from gammond.protocol.repl.answers.tables import describe_chances
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.state.player_registry import SESSION_PLAYERS

_PLAYER = re.compile(r"\s*([OX])(?=: |$)")
_ROLLED = re.compile(r"rolled ([1-6]-[1-6])")


def show_board(game: ReplGame) -> list[str]:
    """Draw the board in the columns there are, in a game against the engine as the person sees it.

    Raises:
        StateError: There is no position.
    """
    position, table = game.session.require_position(), game.session.game
    view = None if game.has_two_humans else game.human_seat
    if game.origin is not None:
        view = game.origin.record.bottom_seat
    drawn = draw_board(
        *(position, table.match, game.names, view, game.points),
        is_conceded=table.is_conceded,
        columns=game.columns,
    )
    own = CHECKER_MARKS[(game.human_seat if view is None else view) or 0]
    return [
        BoardLine(line, _mark_board(line, own, has_notes=game.columns >= NOTED_COLUMNS)) for line in drawn
    ]


def _mark_board(line: str, own: str, *, has_notes: bool) -> Iterator[Mark]:
    """Mark the checkers of a line by whose they are, the frame, and in the notes the players and the roll.

    Args:
        line: Of a board.
        own: The checkers that are drawn as the person's own.
        has_notes: Whether notes stand beside the board; if not, they have lines of their own.
    """
    is_drawing = has_notes or line[1:2] in ("|", "+")
    for place, character in enumerate(line[:BOARD_COLUMNS] if is_drawing else ""):
        if character in CHECKER_MARKS:
            yield Mark(place, place + 1, "own" if character == own else "other")
        elif character in "|+-":
            yield Mark(place, place + 1, "frame")
    notes = BOARD_COLUMNS if is_drawing else 0
    if found := _PLAYER.match(line, notes):
        yield Mark(found.start(1), found.end(1), "own" if found[1] == own else "other")
    if found := _ROLLED.search(line, notes):
        yield Mark(found.start(1), found.end(1), "dice")


def show_pips(game: ReplGame) -> list[str]:
    """Return the pip counts, and who leads.

    Raises:
        StateError: There is no position.
    """
    return [describe_pips(game.session.require_position(), game.session.game.match.on_roll, game.names)]


def show_score(game: ReplGame) -> list[str]:
    """Return the score and the cube."""
    table = game.session.game
    is_over = table.is_over and (game.human_seat is not None or game.origin is not None)
    return [describe_score(table.match, game.points, game.names, is_over=is_over) + "."]


def show_rules(game: ReplGame) -> list[str]:
    """Return the rules in force, and how they are changed."""
    table = game.session.game
    if not table.rules.supports(Feature.CUBE):
        return ["These rules have no cube."]
    if not table.match.is_money:
        points = table.match.length
        kind = f"A {points}-point match: the Crawford rule; Jacoby and beavers are for money play."
    else:
        kind = f"Money play: {describe_money_rules(table.match)}."
    return [
        kind,
        "'set game.jacoby on' or 'off' and 'set game.beavers on' or 'off' set the rules of money play; "
        "'help rules' explains them.",
    ]


def show_turn(game: ReplGame) -> list[str]:
    """Return who is to act, and how, with the dice if there are any.

    Raises:
        StateError: There is no position.
    """
    game.session.require_position()
    table = game.session.game
    if table.is_over:
        return ["The game is over."]
    turn = describe_turn(table.match, game.names[table.match.to_act])
    return [f"{begin_sentence(turn)}."]


def show_cube(game: ReplGame) -> list[str]:
    """Return where the cube is and who may turn it; after a game, the score.

    Raises:
        StateError: There is no position.
    """
    game.session.require_position()
    table = game.session.game
    if table.is_over:
        return show_score(game)
    if not table.rules.supports(Feature.CUBE):
        return ["These rules have no cube."]
    return [describe_cube_access(table.match, game.names), "'cube' analyses the decision to double."]


def show_chances(game: ReplGame, *, is_shown: bool) -> list[str]:
    """Show winning chances after each play from here on, or stop showing them.

    Raises:
        DataFileError: Their evaluator cannot be loaded.
    """
    source = find_chances_evaluator(game).name if is_shown else ""
    game.shows_chances = is_shown
    said = f"Showing winning chances by {source} after each play." if is_shown else ""
    return [said or "Winning chances are no longer shown.", *format_chances_now(game)]


def format_chances_now(game: ReplGame) -> list[str]:
    """Return the winning chances of the person, or with two people of the side to roll, if they are shown.

    They are those before a roll, at 0-ply.

    Raises:
        DataFileError: Their evaluator cannot be loaded.
    """
    match = game.session.game.match
    if not (game.shows_chances and game.is_running) or match != match.before_roll():
        return []
    seat = match.on_roll if game.has_two_humans else game.human_seat
    outcomes = find_chances_evaluator(game).evaluate(game.session.require_game().board[None])
    if match.on_roll != seat:
        outcomes = invert_outcomes(outcomes)
    return describe_chances(outcomes[0].tolist())


def find_chances_evaluator(game: ReplGame) -> Evaluator:
    """Return the opponent's evaluator, or the session's for one without and where all is solved.

    It may have to be loaded.

    Raises:
        DataFileError: A file of the evaluator is missing or damaged.
    """
    session, engine = game.session, game.session.engine_settings
    if engine.player not in SESSION_PLAYERS and not session.game.rules.variant.is_solved:
        player = session.service.players.find(engine.player, engine.threads)
        if player.evaluator is not None:
            return player.evaluator
    return session.make_engine_loader(needs=None)().evaluator
