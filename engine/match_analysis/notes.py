"""What evaluations become as notes on the actions of a match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    RecordedCandidate,
    RecordedCubeDecision,
    RecordedEvaluation,
    RecordedMatch,
)
from engine.rules.outcome import Outcome
from engine.search.results import ComparedPlay, PlayEvaluation

MAX_CANDIDATES = 10
"""Plays that are noted of each roll."""


def make_cube_notes(held: RecordedEvaluation, taken: RecordedEvaluation) -> ActionNotes:
    """Return the notes on a cube decision.

    Args:
        held: The evaluation of the position without a double.
        taken: That of a double that is taken, in units of the cube before it.
    """
    return ActionNotes(cube=RecordedCubeDecision(held.equity, taken.equity, 1.0, held, taken))


def order_plays(found: ComparedPlay) -> list[PlayEvaluation]:
    """Return the plays to be noted: those as deep as the best, with the play that was made, then others."""
    ranked = found.ranked.plays
    made = found.evaluation
    plays = [play for play in ranked[: MAX_CANDIDATES + 1] if play.play.result != made.play.result]
    deepest = [play for play in plays if play.plies == made.plies]
    place = sum(play.score >= made.score for play in deepest) if found.rank > 1 else 0
    plays.insert(place, made)
    return plays[: max(MAX_CANDIDATES, place + 1)]


def to_candidates(plays: Sequence[PlayEvaluation]) -> tuple[RecordedCandidate, ...]:
    """Return the candidates of evaluated plays, in their order."""
    return tuple(
        RecordedCandidate(
            play.play, RecordedEvaluation(play.score, to_tuple(play.outcome), f"{play.plies}-ply")
        )
        for play in plays
    )


def to_tuple(outcome: Outcome) -> tuple[float, float, float, float, float]:
    """Return the probabilities of an outcome as notes have them."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = outcome
    return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon


def keep_comments(match: RecordedMatch) -> RecordedMatch:
    """Return the match without notes but comments."""
    games = []
    for game in match.games:
        comments = {
            place: ActionNotes(comment=old.comment) for place, old in game.notes.items() if old.comment
        }
        games.append(replace(game, notes=comments))
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
        replace(game, notes=dict(sorted(of_game.items())))
        for game, of_game in zip(match.games, notes, strict=True)
    )
    return replace(match, games=games)
