"""The store of analyses as one engine asks it and fills it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.analysis.levels import DEFAULT_CANDIDATES, EvalSettings, StoreUse
from engine.errors import DataFileError
from engine.rules.dice import Roll
from engine.rules.match import MatchState
from engine.rules.position import Position
from engine.rules.rules import STANDARD_RULES, Rules
from engine.search.filters import FILTERS
from engine.search.objective import Values
from engine.search.results import PlaySequence
from engine.store.entries import EngineIdentity, StoreEntry, StoreQuestion
from engine.store.opening import StoreOpener

if TYPE_CHECKING:
    from engine.store.analysis_store import AnalysisStore  # loaded when a store is opened: it takes 30 ms

_MIN_PLIES = 1
"""The least depth that is looked up: 0-ply takes less time than that."""

_KEPT_AT_ONCE_PLIES = 2
"""The depth from which an answer is kept when it is first asked for; a shallower one takes less than a
millisecond, and is kept when it is asked for again."""

_MAX_NOTED = 20_000
"""Shallow questions that are remembered as asked once."""


@lru_cache(maxsize=1024)  # who asks whether there is an answer, asks for it next
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
        position,
        match,
        roll,
        is_cubeful=settings.is_cubeful,
        filter_name=settings.filter_name,
        candidates=settings.candidates,
    )


@dataclass(frozen=True, eq=False)
class KeptAnalysis:
    """An analysis that is kept and at hand, for answers that are made of it more than once.

    Attributes:
        store: Where it was found.
        asked: What was asked.
        settings: How.
        question: The question whose answer does: that one, or the same by a larger move filter.
        entry: The answer.
    """

    store: EngineStore
    asked: StoreQuestion
    settings: EvalSettings
    question: StoreQuestion
    entry: StoreEntry

    @property
    def size(self) -> int:
        """How many bytes the answer takes in memory."""
        return self.entry.size

    def ask_again(self) -> bool:
        """Return whether the same would be found now, and count the visit if so; takes microseconds."""
        store, takes_deeper = self.store, self.settings.store is StoreUse.DEEPER
        if self.question != self.asked:
            found = store.recall(self.asked, self.settings)
            if found is None or found.question != self.question:
                return False
        return store.store.visit(self.question, store.identity, self.entry, allow_deeper=takes_deeper)


class EngineStore:
    """Finds and keeps the analyses of one engine; safe to use from several threads.

    The store is opened when the first question is looked up: who asks none pays nothing for it. There are no
    locks here, which a process that is forked could find held.

    Args:
        open_store: Returns the store, the same one each time.
        identify: Identifies the engine: only what an equal one searched is found.

    Attributes:
        is_open: Whether a question has been looked up.
    """

    def __init__(self, open_store: StoreOpener, identify: Callable[[], EngineIdentity]) -> None:
        self._open_store = open_store
        self._identify = identify
        self.is_open = False
        self._store: AnalysisStore | None = None
        self._identity: EngineIdentity | None = None
        self._noted: set[StoreQuestion] = set()

    @property
    def store(self) -> AnalysisStore:
        """The store."""
        if self._store is None:
            self._store = self._open_store()
        return self._store

    @property
    def identity(self) -> EngineIdentity:
        """The engine."""
        if self._identity is None:
            self._identity = self._identify()
        return self._identity

    def ask(
        self,
        rules: Rules,
        position: Position,
        match: MatchState,
        settings: EvalSettings,
        roll: Roll | None = None,
    ) -> StoreQuestion | None:
        """Return the question under which an answer is kept; None for one that is neither kept nor found.

        Args:
            rules: The rules of the game.
            position: As for `make_question`.
            match: The match state.
            settings: The settings.
            roll: The dice, to ask for plays.
        """
        if settings.store is StoreUse.OFF or settings.plies < _MIN_PLIES:
            return None
        if rules.doubles != STANDARD_RULES.doubles or position.is_over:  # variants differ in the start alone
            return None
        return make_question(position, match, settings, roll)

    def find(self, question: StoreQuestion, settings: EvalSettings) -> StoreEntry | None:
        """Return the kept answer of the depth, or of a greater one where the settings allow it.

        Of the plays of a roll, they then allow the answer by a larger move filter too, or for a list where
        only the best is wanted: it searched more of them. It may read a file, never for long.
        """
        self.is_open = True
        takes_deeper = settings.store is StoreUse.DEEPER
        for each in _list_questions(question, settings):
            entry = self.store.find(each, self.identity, settings.plies, allow_deeper=takes_deeper)
            if entry is not None:
                assert isinstance(entry, StoreEntry)  # as the store reads it
                return entry
        return None

    def recall(self, question: StoreQuestion, settings: EvalSettings) -> KeptAnalysis | None:
        """Return what `find` finds in microseconds, without reading a file and without counting a visit."""
        if not self.is_open:
            return None
        takes_deeper = settings.store is StoreUse.DEEPER
        for each in _list_questions(question, settings):
            entry = self.store.recall(each, self.identity, settings.plies, allow_deeper=takes_deeper)
            if entry is not None:
                assert isinstance(entry, StoreEntry)  # as the store reads it
                return KeptAnalysis(self, question, settings, each, entry)
        return None

    def list_depths(self, question: StoreQuestion) -> list[int]:
        """List the plies of the kept answers to a question, the least first; nobody has asked it by that."""
        self.is_open = True
        return self.store.list_depths(question, self.identity)

    def keep_position(self, question: StoreQuestion, plies: int, values: Values) -> None:
        """Keep what a search found for a position, ``float32[k]``; see `_keep`."""
        with suppress(DataFileError):  # values that are impossible are kept nowhere
            self._keep(question, StoreEntry.of_position(plies, values))

    def keep_plays(self, question: StoreQuestion, plies: int, plays: PlaySequence) -> None:
        """Keep what a search found for the plays of a roll; see `_keep`."""
        with suppress(DataFileError):
            self._keep(question, StoreEntry.of_plays(plies, plays))

    def _keep(self, question: StoreQuestion, entry: StoreEntry) -> None:
        """Keep an answer; one that took little time only when it is asked for again."""
        visits = 1
        if entry.plies < _KEPT_AT_ONCE_PLIES:
            if question not in self._noted:
                if len(self._noted) >= _MAX_NOTED:
                    self._noted.clear()
                self._noted.add(question)
                return
            self._noted.discard(question)
            visits = 2
        self.store.keep(question, self.identity, entry, visits)


def _list_questions(question: StoreQuestion, settings: EvalSettings) -> list[StoreQuestion]:
    """Return the questions whose answers will do, the one that was asked first."""
    if settings.store is not StoreUse.DEEPER or not question.asks_for_plays:
        return [question]
    names, least = list(FILTERS), settings.candidates
    return [
        question.with_filter(name, count)
        for name in names[names.index(settings.filter_name) :]
        for count in sorted({least, max(least, DEFAULT_CANDIDATES)})
    ]
