"""``review FILE``: what the players of a match file decided."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from engine.match_files.model import RecordedGame
from engine.match_files.reading import read_matches
from engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from engine.rules.match import SEATS
from engine.rules.notation import format_play
from protocol.repl.answers.tables import format_count
from protocol.repl.game.review import Decision, list_decisions
from protocol.state.game_log import LoggedAction
from protocol.state.game_state import GameState

ReviewedPlayers = list[tuple[str, list[Decision]]]
"""The names of both players of a match, and what they decided."""


def list_reviewed_matches(name: str) -> Iterator[tuple[list[str], ReviewedPlayers]]:
    """Yield a heading for each match of a match file, and what its players decided.

    Args:
        name: Of the file.

    Raises:
        DataFileError: The file cannot be read.
        GammondError: It is no match file, or holds no game.
    """
    for match in read_matches(os.path.expanduser(name)):
        length = "money play" if not match.length else f"a {match.length}-point match"
        lines = [f"{' and '.join(match.names)}: {format_count(len(match.games), 'game')} of {length}."]
        if match.issues:
            lines.append(
                f"{format_count(len(match.issues), 'line')} could not be read; what follows it is left out."
            )
        yield (
            lines,
            [
                (
                    match.names[seat],
                    [
                        decision._replace(place=f"game {game.number}")
                        for game in match.games
                        for decision in list_decisions(list(replay(game)), seat)
                    ],
                )
                for seat in SEATS
            ],
        )


def replay(game: RecordedGame) -> Iterator[LoggedAction]:
    """Yield what was decided in a game of a file, with the tables before and after it."""
    for situation, action in game.replay():
        before = GameState(situation.position, situation.match, rules=game.rules)
        following = situation.apply(action)
        match action:
            case PlayAction(roll=roll, play=play):
                before, text = replace(before, match=situation.match.with_roll(roll)), format_play(play)
            case DoubleAction():
                text = "beaver" if situation.match.doubled else "double"
            case ResponseAction(is_take=is_take):
                text = "take" if is_take else "drop"
            case _:
                continue
        is_conceded = following.result is not None and not following.position.is_over
        after = GameState(following.position, following.match, is_conceded, game.rules)
        yield LoggedAction(before, after, text, following.result)
