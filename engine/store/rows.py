"""What is read of the file of a store: entries with their use, damaged rows, questions that are due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from engine.store.entries import EngineIdentity, KeptEntry, StoreQuestion


@dataclass(frozen=True)
class StoreRow:
    """An entry with its question and its use.

    Attributes:
        question: What was asked.
        engine: Who answered.
        entry: The values.
        visits: How often the question was asked, at any depth, as that counted then: visits age.
        asked: When it was last asked, in seconds since 1970.
        created: When the entry was searched.
    """

    question: StoreQuestion
    engine: EngineIdentity
    entry: KeptEntry
    visits: int
    asked: int
    created: int


@dataclass(frozen=True)
class BadRow:
    """A row that is not as it was written.

    Attributes:
        question: Its question, as far as it can be told.
        digest: The engine that it names.
        problem: What is wrong with it.
    """

    question: StoreQuestion
    digest: str
    problem: str


class DueQuestion(NamedTuple):
    """A question that is asked often enough to be searched deeper.

    Attributes:
        question: What was asked.
        plies: The depth of its next search, one more than its deepest entry has.
        visits: How often it was asked.
    """

    question: StoreQuestion
    plies: int
    visits: int
