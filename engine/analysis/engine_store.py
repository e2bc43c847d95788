"""The store of analyses as one engine asks it and fills it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, MAX_CANDIDATES, EvalSettings, StoreUse
from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.formats.xgid import decode_xgid, encode_xgid
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState, make_canonical
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.search.filters import DEFAULT_FILTER, FILTERS
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.tree import Values
from gammond.engine.store.entries import EngineIdentity, KeptEntry, StoreEntry, StoreQuestion

if TYPE_CHECKING:
    from gammond.engine.store.store import AnalysisStore  # loaded when a store is opened: it takes 30 ms

MIN_KEPT_PLIES = 1
"""The least depth that is looked up: 0-ply takes less time than that."""

_KEPT_AT_ONCE_PLIES = 2
"""The depth from which an answer is kept when it is first asked for; a shallower one takes less than a
millisecond, and is kept when it is asked for again."""

_CUBEFUL, _CUBELESS = "cubeful", "cubeless"
"""How questions begin whether the cube counts."""

_MAX_NOTED = 20_000
"""Shallow questions that are remembered as asked once."""


@lru_cache(maxsize=1024)  # who asks whether there is an answer, asks for it next
def make_question(
    position: Position, match: MatchState, settings: EvalSettings, roll: Roll | None = None
) -> StoreQuestion:
    """Make the question under which an analysis by standard rules is kept; its depth is no part of it.

    Args:
        position: The checkers, those of the player on roll first.
        match: The match state; its dice and offers do not matter.
        settings: Whether the cube counts; for plays the move filter, and how many it lets through in any
            case.
        roll: Two dice, in any order, to ask for plays; None to ask for the position.
    """
    canonical, asked = make_canonical(match), _CUBEFUL if settings.is_cubeful else _CUBELESS
    if roll is not None:
        canonical = canonical.with_roll((max(roll), min(roll)))
        asked = _add_filter(asked, settings.filter_name, settings.candidates)
    return StoreQuestion(encode_xgid(position, canonical), STANDARD_RULES.name, asked)


def read_question(question: StoreQuestion) -> tuple[Position, MatchState, EvalSettings]:
    """Return what `make_question` was given: the match state has the dice if plays are asked for.

    The settings are for 0-ply, and look at no store.

    Raises:
        DataFileError: It is not as `make_question` writes it.
    """
    cube, _, by = question.settings.partition(" ")
    filter_name, _, count = by.partition(" ")
    try:
        position, match = decode_xgid(question.xgid)
        candidates = int(count or 1)
    except (GammondError, ValueError) as error:
        raise DataFileError(f"expected a question, got {str(question)[:160]}: {error}") from error
    if by and not (filter_name in FILTERS and 1 <= candidates <= MAX_CANDIDATES):
        raise DataFileError(f"expected a move filter and how many plays it lets through, got {by[:80]!r}")
    settings = EvalSettings(0, filter_name or DEFAULT_FILTER, cube == _CUBEFUL, StoreUse.OFF, candidates)
    same = make_question(position, match, settings, match.roll)
    for field, expected, got in zip(question._fields, same, question, strict=True):
        if got != expected:
            raise DataFileError(f"expected the {field} {expected}, got {got[:80]!r}")
    return position, match, settings


def _add_filter(cube: str, name: str, candidates: int) -> str:
    """Return the settings of a question for plays."""
    return f"{cube} {name}" if candidates == 1 else f"{cube} {name} {candidates}"


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
        found = self.store.find(self.asked, self.settings, is_at_hand=True)
        if found is None or found.entry is not self.entry:
            return False
        self.store.store.count_visit(self.question, self.store.identity)
        return True


class EngineStore:
    """Finds and keeps the analyses of one engine; safe to use from several threads.

    The store is opened when the first question is looked up: who asks none pays nothing for it.

    Args:
        open_store: Returns the store, the same one each time.
        identify: Identifies the engine: only what an equal one searched is found.
    """

    def __init__(
        self, open_store: Callable[[], AnalysisStore], identify: Callable[[], EngineIdentity]
    ) -> None:
        self._open_store = open_store
        self._identify = identify
        self._noted: set[StoreQuestion] = set()

    @cached_property
    def store(self) -> AnalysisStore:
        """The store."""
        return self._open_store()

    @property
    def is_open(self) -> bool:
        """Whether it has been opened, since a question was looked up."""
        return "store" in vars(self)

    @cached_property
    def identity(self) -> EngineIdentity:
        """The engine."""
        return self._identify()

    def find(
        self, question: StoreQuestion, settings: EvalSettings, *, is_at_hand: bool = False
    ) -> KeptAnalysis | None:
        """Return the kept answer of the depth, or of a greater one where the settings allow it.

        Of the plays of a roll, they then allow the answer by a larger move filter too, or for a list where
        only the best is wanted: it searched more of them.

        Args:
            question: What is asked.
            settings: How.
            is_at_hand: Whether only what is found in microseconds will do, and no visit is counted; else a
                file may be read, never for long.
        """
        if is_at_hand and not self.is_open:
            return None
        look_up: Callable[..., KeptEntry | None] = self.store.recall if is_at_hand else self.store.find
        takes_deeper = settings.store is StoreUse.DEEPER
        for each in _iterate_questions(question, settings):
            entry = look_up(each, self.identity, settings.plies, allow_deeper=takes_deeper)
            if isinstance(entry, StoreEntry):
                return KeptAnalysis(self, question, settings, each, entry)
        return None

    def keep(self, question: StoreQuestion, plies: int, found: Values | RankedPlays) -> None:
        """Keep what a search found; what took little time only when it is asked for again.

        Args:
            question: What was asked.
            plies: Plies of look-ahead.
            found: The values of a position, ``float32[k]``, or the plays of a roll.
        """
        try:
            if isinstance(found, RankedPlays):
                entry = StoreEntry.of_plays(plies, found)
            else:
                entry = StoreEntry.of_position(plies, found)
        except DataFileError:  # values that are impossible are kept nowhere
            return
        visits = 1
        if plies < _KEPT_AT_ONCE_PLIES:
            if question not in self._noted:
                if len(self._noted) >= _MAX_NOTED:
                    self._noted.clear()
                self._noted.add(question)
                return
            self._noted.discard(question)
            visits = 2
        self.store.keep(question, self.identity, entry, visits)


def _iterate_questions(question: StoreQuestion, settings: EvalSettings) -> Iterator[StoreQuestion]:
    """Return the questions whose answers will do, the one that was asked first."""
    if settings.store is not StoreUse.DEEPER or not question.asks_for_plays:
        yield question
        return
    cube, names, least = question.settings.partition(" ")[0], list(FILTERS), settings.candidates
    for name in names[names.index(settings.filter_name) :]:
        for count in sorted({least, max(least, DEFAULT_CANDIDATES)}):
            yield question._replace(settings=_add_filter(cube, name, count))
