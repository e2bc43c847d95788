"""Analyses as a store keeps them, made by a search."""

from __future__ import annotations

from engine.analysis.engine import Engine
from engine.analysis.levels import EvalSettings, StoreUse
from engine.errors import CancelledWork
from engine.search.filters import DEFAULT_FILTER
from engine.search.watch import SearchWatch
from engine.store.entries import StoreEntry, StoreQuestion


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
    settings = EvalSettings(
        *(plies, question.filter_name or DEFAULT_FILTER, question.is_cubeful, StoreUse.OFF),
        candidates=question.candidates,
    )
    if match.roll is None:
        return StoreEntry.of_position(plies, engine.search_values(position, match, settings, watch))
    ranked = engine.rank_plays(position, match.roll, match.before_roll(), settings, watch)
    if not ranked.effort.is_finished:
        raise CancelledWork("the search was stopped")
    return StoreEntry.of_plays(plies, ranked.plays)
