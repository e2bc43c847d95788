"""Analyses as a store keeps them: made by a search, and read as the search's own results."""

from __future__ import annotations

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings
from engine.errors import CancelledWork
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.search.filters import DEFAULT_FILTER
from engine.search.plays import RankedList
from engine.search.watch import SearchWatch
from engine.store.entries import StoreEntry, StoreQuestion


def make_question(
    position: Position, match: MatchState, settings: EvalSettings, roll: Roll | None = None
) -> StoreQuestion:
    """Make the question under which an analysis by standard rules is kept.

    Args:
        position: The checkers, those of the seat on roll first.
        match: The match state.
        settings: The settings; the depth is no part of the question.
        roll: The dice, to ask for plays; None to ask for the position and its cube.
    """
    return StoreQuestion.make(
        position, match, roll, is_cubeful=settings.is_cubeful, filter_name=settings.filter_name
    )


def search_entry(
    engine: Engine, question: StoreQuestion, plies: int, watch: SearchWatch | None = None
) -> StoreEntry:
    """Search for the answer to a question, without looking at any store.

    Args:
        engine: Answers.
        question: What is asked.
        plies: Plies of look-ahead, 1 or more.
        watch: Counts nodes and stops the search.

    Raises:
        DataFileError: The question is none, or the values are impossible.
        ValueRangeError: The plies are out of range.
        CancelledWork: The watch stopped it.
    """
    position, match = question.read()
    settings = EvalSettings(plies, question.filter_name or DEFAULT_FILTER, question.is_cubeful)
    if match.roll is None:
        return StoreEntry.of_position(plies, engine.search_values(position, match, settings, watch))
    ranked = engine.rank_plays(position, match.roll, match.before_roll(), settings, watch)
    if not ranked.effort.is_finished:
        raise CancelledWork("the search was stopped")
    plays = ranked.plays
    assert isinstance(plays, RankedList)  # what searches of plays return
    return StoreEntry(plies, plays.values, plays.order, plays.depths, plays.survivors)
