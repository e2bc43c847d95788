"""Searches of Barca that are kept: answered at once when they are asked for again, and deepened meanwhile."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import cached_property, partial

import msgspec

from gammond.engine.analysis.deepening import Deepening
from gammond.engine.barca import search as searching
from gammond.engine.barca.evaluation import WEIGHTS, load_weights
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.kernels.moves import SQUARES
from gammond.engine.barca.kernels.search import MAX_DEPTH, WIN_SCORE
from gammond.engine.barca.moves import Move
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.barca.search import SearchLimits, SearchLine, SearchResult, search
from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.runtime.version import identify_program
from gammond.engine.search.watch import SearchWatch
from gammond.engine.store.database import DepthTiers
from gammond.engine.store.entries import EngineIdentity, StoreQuestion
from gammond.engine.store.options import open_store
from gammond.engine.store.store import AnalysisStore
from gammond.protocol.game_entry import GameStore
from gammond.protocol.state.service import Service

GAME = "barca"

LEAST_KEPT_DEPTH = 4
"""A smaller depth takes a few milliseconds, and is searched each time."""

TIERS = DepthTiers(((1, 5), (3, 6), (5, 7), (16, 8)), max_plies=MAX_DEPTH)
"""The usual depth for what was asked once or twice, one more from the third time, two from the fifth, and a
very deep search from the sixteenth.

*Source:* the technology page of the Barca project, section "Using a Database", whose usual depth is 3."""

_NAME = f"{GAME} "
"""Before the name of the vector, in the name of an engine."""

_Line = tuple[int, list[tuple[int, int]]]


@dataclass(frozen=True)
class KeptLines:
    """The best moves of a position, as a store keeps them.

    Attributes:
        plies: The depth that was asked for.
        lines: The moves with their values and lines, best first.

    Raises:
        DataFileError: They are impossible.
    """

    plies: int
    lines: tuple[SearchLine, ...]

    def __post_init__(self) -> None:
        squares = [square for line in self.lines for move in line.pv for square in move]
        is_right = self.lines and all(line.pv and abs(line.score) <= WIN_SCORE for line in self.lines)
        if not (is_right and 1 <= self.plies <= MAX_DEPTH and all(0 <= each < SQUARES for each in squares)):
            raise DataFileError(f"expected the best moves of a position of Barca, got {str(self)[:80]}")

    @property
    def size(self) -> int:
        """How many bytes they take in memory, about."""
        return 100 * sum(len(line.pv) for line in self.lines)

    def encode(self) -> bytes:
        """Return the lines as bytes."""
        return msgspec.json.encode([(line.score, line.pv) for line in self.lines])

    @classmethod
    def decode(cls, plies: int, payload: bytes) -> KeptLines:
        """Read what `encode` wrote.

        Raises:
            DataFileError: It is something else.
        """
        try:
            found = msgspec.json.decode(payload, type=list[_Line])
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise DataFileError(f"expected the best moves of a position of Barca: {error}") from error
        pvs = [tuple(Move(*move) for move in moves) for _, moves in found]
        lines = [SearchLine(pv[0], score, pv) for pv, (score, _) in zip(pvs, found, strict=True) if pv]
        return cls(plies, tuple(lines))


class KeptSearches:
    """Finds and keeps searches to a depth for all clients of a process; opens its file at the first of them.

    What was searched with other weights, or by another version of gammond, is not found. A game in which a
    position has come up twice has answers of its own, which are not kept, nor are those by weights that a
    client has written as numbers.

    Args:
        service: What all clients share.
    """

    def __init__(self, service: Service) -> None:
        self._options = service.catalogue.store
        self._asked: set[str] = set()
        self._loops: dict[str, Deepening] = {}

    @cached_property
    def store(self) -> AnalysisStore:
        """The store."""
        return open_store(self._options, None, GAME, KeptLines.decode)

    def find(
        self, game: BarcaGame, weights: str, count: int, depth: int, *, allow_deeper: bool
    ) -> SearchResult | None:
        """Return the kept answer of a depth, and count the visit; None if there is none.

        Args:
            game: The game so far.
            weights: The name of the board evaluation vector.
            count: How many moves are ranked.
            depth: The depth.
            allow_deeper: Whether a deeper answer will do.
        """
        if not self._is_kept(game, weights, depth):
            return None
        self._asked.add(weights)
        question = _make_question(game.position, weights, count)
        entry = self.store.find(question, _identify(weights), depth, allow_deeper=allow_deeper)
        if not isinstance(entry, KeptLines) or entry.lines[0].move not in game.legal_moves():
            return None
        return SearchResult(entry.lines, entry.plies, 0, 0.0, is_stored=True)

    def keep(self, game: BarcaGame, weights: str, count: int, depth: int, result: SearchResult) -> None:
        """Keep the answer of a depth, unless the search was stopped; see `find`."""
        if self._is_kept(game, weights, depth) and not result.stopped:
            self._asked.add(weights)
            question = _make_question(game.position, weights, count)
            self.store.keep(question, _identify(weights), KeptLines(depth, result.lines))

    def list_deepenings(self) -> list[Deepening]:
        """Return what deepens the searches, for each vector that was asked for."""
        for name in sorted(self._asked):  # a copy: workers add to them
            if name not in self._loops:
                identity = _identify(name)
                # By the time that it works: others may have the processor meanwhile.
                self._loops[name] = Deepening(
                    self.store, partial(_search_lines, name), identity, TIERS, clock=time.thread_time
                )
        return list(self._loops.values())

    def _is_kept(self, game: BarcaGame, weights: str, depth: int) -> bool:
        is_plain = len(set(game.history)) == len(game.history) and weights in WEIGHTS
        return self._options.on and depth >= LEAST_KEPT_DEPTH and is_plain


def _identify(weights: str) -> EngineIdentity:
    """Return all that the values of a search depend on beside the position and the depth."""
    numbers = ",".join(map(str, load_weights(weights).to_list()))
    nets, tables = (hashlib.sha256(text.encode()).hexdigest() for text in (numbers, ""))
    return EngineIdentity(f"{_NAME}{weights}", nets, tables, identify_program(searching))


STORE = GameStore(lambda name: _identify(name.removeprefix(_NAME)), TIERS)
"""The part of Barca in `gammond.protocol.games.GAMES`."""


def _make_question(position: BarcaPosition, weights: str, count: int) -> StoreQuestion:
    return StoreQuestion(position.to_text(), GAME, f"{weights} {count}")


def _search_lines(weights: str, question: StoreQuestion, plies: int, watch: SearchWatch) -> KeptLines:
    """Search with a vector, by its name, for the answer to a question, as `_make_question` makes it.

    Raises:
        DataFileError: It is no question.
        CancelledWork: It was stopped.
    """
    try:
        game = BarcaGame.from_position(BarcaPosition.from_text(question.xgid))
        limits = SearchLimits(plies, multipv=int(question.settings.split()[-1]))
    except (GammondError, ValueError, IndexError) as error:
        raise DataFileError(f"expected a question of Barca, got {str(question)[:80]}: {error}") from error

    def check() -> bool:
        watch.check()
        return False

    watch.check()
    return KeptLines(plies, search(game, limits, load_weights(weights), should_stop=check).lines)
