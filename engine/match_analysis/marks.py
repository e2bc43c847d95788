"""The words that GNU Backgammon puts beside plays, cube actions and rolls.

*Source:* the manual of GNU Backgammon, "Annotation settings", with the thresholds of version 1.08.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.match_analysis.judgement import Choice
from engine.match_analysis.statistics import JudgedDecision
from engine.match_files.model import NO_NOTES, ActionNotes, RecordedMatch
from engine.rules.game_record import PlayAction

_LOSSES = ((0.12, "very bad"), (0.06, "bad"), (0.03, "doubtful"))
_LUCK = ((0.6, "very "), (0.3, ""))


def add_marks(match: RecordedMatch, decisions: Iterable[JudgedDecision]) -> RecordedMatch:
    """Return a match with marks in its notes, for what was wrong and for lucky rolls.

    Args:
        match: The match, with notes on its actions.
        decisions: Of both players, judged by these notes.
    """
    notes = [
        {
            place: replace(each, play_mark="", cube_mark="", luck_mark=_mark_luck(each.luck))
            if isinstance(game.actions[place], PlayAction)
            else replace(each, cube_mark="")
            for place, each in game.notes.items()
        }
        for game in match.games
    ]
    for decision in decisions:
        mark = _mark_loss(decision.size_points)
        if not mark:
            continue
        own: ActionNotes = notes[decision.game].get(decision.action, NO_NOTES)
        is_play = decision.judgement.choice is Choice.PLAY
        marked = replace(own, play_mark=mark) if is_play else replace(own, cube_mark=mark)
        notes[decision.game][decision.action] = marked
    games = tuple(replace(game, notes=of_game) for game, of_game in zip(match.games, notes, strict=True))
    return replace(match, games=games)


def _mark_loss(points: float) -> str:
    return next((mark for least, mark in _LOSSES if points >= least), "")


def _mark_luck(points: float | None) -> str:
    size = next((size for least, size in _LUCK if points is not None and abs(points) >= least), None)
    if points is None or size is None:
        return ""
    return f"{size}{'lucky' if points > 0 else 'unlucky'}"
