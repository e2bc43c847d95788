"""What evaluations become as notes on the actions of a match, and what keeps these so that work can go on."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_files.model import NO_NOTES, ActionNotes, RecordedMatch
from gammond.engine.search.ranked_plays import ChosenPlay

MAX_CANDIDATES = 10
"""Plays that are noted of each roll."""

SEARCHED, ROLLED_OUT = "searched", "rolled out"
"""The stages of an analysis."""


AnalysisJournal = dict[tuple[str, int], ActionNotes]
"""The notes on the decisions of one match, by stage and by their number; several threads use it."""


def note_evaluation(evaluation: Evaluation) -> Evaluation:
    """Return what notes have of an evaluation: what files have a place for."""
    error = None if evaluation.error is None or math.isnan(evaluation.error) else evaluation.error
    return Evaluation(evaluation.equity, evaluation.outcome, evaluation.depth, error, evaluation.trials)


def note_plays(plays: Iterable[RankedPlay]) -> tuple[RankedPlay, ...]:
    """Return what notes have of plays, in their order."""
    return tuple(RankedPlay(each.play, note_evaluation(each.evaluation)) for each in plays)


def order_plays(found: ChosenPlay) -> list[RankedPlay]:
    """Return the plays to be noted: those as deep as the best, with the play that was made, then others."""
    made = found.chosen
    plays = [each for each in found.ranked[: MAX_CANDIDATES + 1] if each.play.result != made.play.result]
    deepest = [each.evaluation for each in plays if each.evaluation.plies == made.evaluation.plies]
    place = sum(each.equity >= made.evaluation.equity for each in deepest) if found.rank > 1 else 0
    plays.insert(place, made)
    return plays[: max(MAX_CANDIDATES, place + 1)]


def keep_comments(match: RecordedMatch) -> RecordedMatch:
    """Return the match without notes but comments."""
    games = []
    for game in match.games:
        comments = {
            place: ActionNotes(comment=old.comment) for place, old in game.notes.items() if old.comment
        }
        games.append(game.with_notes(comments))
    return replace(match, games=tuple(games))


def add_notes(match: RecordedMatch, found: Iterable[tuple[int, int, ActionNotes]]) -> RecordedMatch:
    """Return the match with candidates, cube decisions and luck in the place of those that it has.

    Args:
        match: The match.
        found: The places of a game and of an action in it, with what is new about it.
    """
    notes = [dict(game.notes) for game in match.games]
    for game, place, new in found:
        old = notes[game].get(place, NO_NOTES)
        notes[game][place] = replace(
            old,
            cube=new.cube or old.cube,
            candidates=new.candidates or old.candidates,
            luck=old.luck if new.luck is None else new.luck,
        )
    games = tuple(
        game.with_notes(dict(sorted(of_game.items())))
        for game, of_game in zip(match.games, notes, strict=True)
    )
    return replace(match, games=games)
