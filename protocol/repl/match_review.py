"""``review FILE``: how the players of a match file played."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from engine.errors import DataFileError
from engine.formats.mat_reader import ParsedGame, parse_mat
from engine.rules import cube_actions
from engine.rules.game_record import DoubleAction, PlayAction
from engine.rules.match import SEATS
from engine.rules.notation import format_play
from protocol.core.requests import WorkControl
from protocol.repl.review import Decision, Reviewer, list_decisions
from protocol.repl.tables import format_count
from protocol.state.game_log import LoggedAction
from protocol.state.game_state import GameState
from protocol.state.session import Session

_MAX_BYTES = 10_000_000


def review_file(session: Session, name: str, control: WorkControl) -> list[str]:
    """Return how both players of each match of a ``.mat`` file played.

    Args:
        session: Whose engine and depth measure the decisions.
        name: Of the file.
        control: Stops and watches the work.

    Raises:
        DataFileError: The file cannot be read.
        GammondError: It holds no game, or an evaluation failed.
    """
    lines: list[str] = []
    for match in parse_mat(_read(name)):
        length = "money play" if not match.length else f"a {match.length}-point match"
        lines.append(f"{' and '.join(match.names)}: {format_count(len(match.games), 'game')} of {length}.")
        if match.issues:
            lines.append(
                f"{format_count(len(match.issues), 'line')} could not be read; what follows it is left out."
            )
        for seat in SEATS:
            decisions = [
                Decision(table, action, f"game {game.number}")
                for game in match.games
                for table, action, _ in list_decisions(list(replay(game)), seat)
            ]
            lines += Reviewer(session).review(decisions, match.names[seat], control)
    return lines


def replay(game: ParsedGame) -> Iterator[LoggedAction]:
    """Yield what was done in a game of a file, with the tables before and after it."""
    position, match = game.rules.starting_position, game.initial_state.before_roll()
    for action in game.actions:
        before_match, is_conceded = match, False
        if isinstance(action, PlayAction):
            before_match = match.with_roll(action.roll)
            following, text, after = before_match.next_turn(), format_play(action.play), action.play.result
        elif isinstance(action, DoubleAction):
            text, after = ("beaver" if match.doubled else "double"), position
            following = cube_actions.beaver(match) if match.doubled else cube_actions.double(match)
        else:
            text, after, is_conceded = ("take" if action.is_take else "drop"), position, not action.is_take
            following = cube_actions.take(match) if action.is_take else match.without_offers()
        before = GameState(position, before_match, rules=game.rules)
        yield LoggedAction(before, GameState(after, following, is_conceded, game.rules), text, None)
        position, match = after, following


def _read(name: str) -> str:
    path = Path(os.path.expanduser(name))
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise DataFileError(f"{name} cannot be read: {error}", field="review") from error
    if len(content) > _MAX_BYTES:
        raise DataFileError(f"{name} is larger than {_MAX_BYTES:,} bytes: no match file", field="review")
    return content.decode("utf-8", "replace")
