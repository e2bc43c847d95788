"""Positions worth learning from, by where they come from; all depends on the seed and the nets alone.

Sources: ``selfplay``, games of the nets against themselves; ``astray``, the same where now and then another
promising play is made than the best; each of `tools.train.setups.SETUPS`, set up on purpose and played on for
some turns; ``disagreement``, positions of ``astray`` games where judgements at 0 and 1 plies lie far apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.evaluator import Evaluator, ExactJudge
from engine.outcome import cubeless_equity
from engine.position import Board, Phase, Position, phases
from engine.replies import ReplyFinder
from engine.search import NPlyEvaluator
from engine.search.positions import distinct_boards
from engine.search.tree import Pruning
from tools.train.setups import SETUPS, set_up
from tools.train.traces import Visits, joined_visits

SOURCES = ("selfplay", "astray", *SETUPS, "disagreement")
"""Where positions come from, by name."""

USUAL_SOURCES = (
    "selfplay=12",
    "astray=2",
    "backgame=1",
    "containment=1",
    "priming=1",
    "crashed=1",
    "late-hit=1",
    "disagreement=1",
)
"""Sources with their parts of the whole."""

_TAKEN = 0.5
"""The share of the positions of a game that is taken: neighbours say much the same."""

_GAME_YIELD = 16
_SETUP_YIELD = 5
"""About how many positions a game, or one that is played on from a set-up, yields."""

_SETUP_TURNS = 14
_MAX_TURNS = 1000
_ASTRAY = 0.12
_ASTRAY_KEEP = 6
_ASTRAY_MARGIN = 0.3
_DRAWN_FROM = 4
"""Of so many positions one is taken where judgements disagree."""

_ROUGH = Pruning(keep=4, margin=0.1)


@dataclass(frozen=True, eq=False)
class Sample:
    """Positions to label.

    Attributes:
        boards: ``int8[n, 2, 26]``, none of them over.
        sources: ``uint8[n]``, which of the sources asked for each comes from.
        visits: How games came from one to the next, of whole games alone.
    """

    boards: Board
    sources: NDArray[np.uint8]
    visits: Visits


@dataclass(frozen=True)
class Sampler:
    """Who plays and judges, and which positions are wanted.

    Attributes:
        evaluator: The judge at 0 plies.
        policy: What plays as the evaluator does.
        finder: Names promising replies for the judgement at 1 ply.
        exact: Judges whose positions need no learning.
        wanted: Phases to take.
    """

    evaluator: Evaluator
    policy: ReplyFinder
    finder: ReplyFinder
    exact: tuple[ExactJudge, ...]
    wanted: tuple[Phase, ...]

    def sample(self, counts: Sequence[tuple[str, int]], seed: Sequence[int], whole: bool = False) -> Sample:
        """Collect positions.

        Args:
            counts: Sources and how many positions of each.
            seed: Numbers that together decide dice and draws.
            whole: Take all positions of a game and tell how it came from one to the next, instead of a share
                of them drawn from many games.

        Returns:
            The positions of each source distinct, all in random order.
        """
        parts = []
        for source, count in counts:
            generator = np.random.Generator(np.random.PCG64([*seed, SOURCES.index(source)]))
            parts.append(self._of_source(source, count, generator, whole))
        places = np.repeat(np.arange(len(counts), dtype=np.uint8), [count for _, count in counts])
        order = np.random.Generator(np.random.PCG64([*seed, len(SOURCES)])).permutation(len(places))
        boards = np.concatenate([boards for boards, _ in parts])
        return Sample(boards[order], places[order], joined_visits(parts).moved(order))

    def _of_source(
        self, source: str, count: int, generator: np.random.Generator, whole: bool
    ) -> tuple[Board, Visits]:
        if source == "disagreement":
            return self._where_judgements_differ(count, generator), Visits.none()
        if source in SETUPS:
            turns = _MAX_TURNS if Phase.RACE in self.wanted else _SETUP_TURNS
            starts: Callable[[int], Board] = partial(_starts_of, source, generator)
            games = _Games(starts, _SETUP_YIELD, turns, 0.0)
        else:
            games = _Games(_opening, _GAME_YIELD, _MAX_TURNS, _ASTRAY if source == "astray" else 0.0)
        if whole:
            return self._in_order(games, count, generator)
        return self._drawn(games, count, generator), Visits.none()

    def _drawn(self, games: _Games, count: int, generator: np.random.Generator) -> Board:
        """Play games until there are enough distinct positions, and draw among them."""
        found = np.empty((0, 2, 26), np.int8)
        while len(found) < count:
            turns = self._played(games, games.needed(count - len(found)), _TAKEN, generator)
            found = distinct_boards(np.concatenate([found, *(turn.boards for turn in turns)])).boards
        return np.ascontiguousarray(generator.permutation(found)[:count])

    def _in_order(self, games: _Games, count: int, generator: np.random.Generator) -> tuple[Board, Visits]:
        """Play games until there are enough distinct positions, and take them as they come."""
        boards, follows = np.empty((0, 2, 26), np.int8), np.empty(0, np.bool_)
        found = distinct_boards(boards)
        while len(found.boards) < count:
            turns = self._played(games, games.needed((count - len(found.boards)) // 2), 1.0, generator)
            new_boards, new_follows = _by_game(turns)
            boards, follows = np.concatenate([boards, new_boards]), np.concatenate([follows, new_follows])
            found = distinct_boards(boards)
        seen = np.maximum.accumulate(found.places) < count
        rows, follows = found.places[seen], follows[seen]
        follows[-1:] = False
        return found.boards[:count], Visits(rows, follows)

    def _played(
        self, games: _Games, number: int, share: float, generator: np.random.Generator
    ) -> list[_Turn]:
        """Play in lockstep until nothing wanted can come, and take a share of the wanted positions."""
        boards, numbers = games.starts(number), np.arange(number)
        wanted = np.array([int(phase) for phase in self.wanted])
        seen = []
        for _ in range(games.turns):
            is_of_use = self._is_of_use(boards, phases(boards))
            boards, numbers = boards[is_of_use], numbers[is_of_use]
            if not len(boards):
                break
            is_taken = np.isin(phases(boards), wanted)
            if share < 1.0:
                is_taken &= generator.random(len(boards)) < share
            children, is_best = self._after_a_turn(boards, games.astray, generator)
            seen.append(_Turn(boards[is_taken], numbers[is_taken], is_best[is_taken]))
            boards = children
        return seen

    def _is_of_use(self, boards: Board, phase_of: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether a wanted position may come, this one included."""
        use = phase_of <= max(int(phase) for phase in self.wanted)
        if Phase.RACE in self.wanted:
            for judge in self.exact:
                use &= ~judge.covers(boards)
        return use

    def _after_a_turn(
        self, boards: Board, astray: float, generator: np.random.Generator
    ) -> tuple[Board, NDArray[np.bool_]]:
        """Roll and play in each position: the best, or now and then another promising play; say which."""
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        if not astray:
            return self.policy.best_replies(boards, dice, 1, 0.0).children, np.ones(len(boards), np.bool_)
        replies = self.policy.best_replies(boards, dice, _ASTRAY_KEEP, _ASTRAY_MARGIN)
        starts, counts = replies.offsets[:-1], np.diff(replies.offsets)
        drawn = generator.integers(0, counts)
        drawn[generator.random(len(boards)) >= astray] = 0
        return replies.children[starts + drawn], drawn == 0

    def _where_judgements_differ(self, count: int, generator: np.random.Generator) -> Board:
        """Draw among more positions, each the likelier the farther its judgements lie apart."""
        pool, _ = self._of_source("astray", _DRAWN_FROM * count, generator, whole=False)
        shallow = cubeless_equity(self.evaluator.evaluate(pool))
        deep = cubeless_equity(NPlyEvaluator(self.evaluator, self.finder, 1, _ROUGH).evaluate(pool))
        waiting = generator.exponential(size=len(pool)) / (np.abs(deep - shallow) + 1e-6)
        drawn: Board = pool[np.argsort(waiting, kind="stable")[:count]]
        return drawn


@dataclass(frozen=True)
class _Games:
    """Games of a source.

    Attributes:
        starts: Makes positions to begin with, as many as asked for.
        expected: About how many positions one yields, of which a share of `_TAKEN` is taken.
        turns: After which they are broken off.
        astray: How often another play is made than the best.
    """

    starts: Callable[[int], Board]
    expected: int
    turns: int
    astray: float

    def needed(self, positions: int) -> int:
        """How many games to play for some positions."""
        return positions // self.expected + 8


@dataclass(frozen=True, eq=False)
class _Turn:
    """Positions of games that were played in lockstep, in one turn.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        games: ``int64[n]``, the number of each one's game, in rising order.
        is_best: ``bool[n]``, whether the best play was made there.
    """

    boards: Board
    games: NDArray[np.int64]
    is_best: NDArray[np.bool_]


def _by_game(turns: Sequence[_Turn]) -> tuple[Board, NDArray[np.bool_]]:
    """Put positions in the order of play, game by game, and tell from which the best play led to the next."""
    games = np.concatenate([turn.games for turn in turns])
    times = np.repeat(np.arange(len(turns)), [len(turn.games) for turn in turns])
    order = np.lexsort((times, games))
    games, times = games[order], times[order]
    follows = np.concatenate([turn.is_best for turn in turns])[order]
    follows[:-1] &= (games[1:] == games[:-1]) & (times[1:] == times[:-1] + 1)
    follows[-1:] = False
    return np.concatenate([turn.boards for turn in turns])[order], follows


def read_sources(texts: Sequence[str]) -> dict[str, float]:
    """Read sources and their parts of the whole: ``selfplay=3``, or ``selfplay`` for 1.

    Raises:
        ValueRangeError: There is none, one is unknown or given twice, or a part is no number above 0.
    """
    parts: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.partition("=")
        try:
            part = float(number) if equals else 1.0
        except ValueError:
            part = 0.0
        if name not in SOURCES or name in parts or not 0.0 < part < float("inf"):
            raise ValueRangeError(
                f"a source is one of {', '.join(SOURCES)}, once, with = and a number above 0 behind it or "
                f"nothing, not {text!r}",
                field="sources",
            )
        parts[name] = part
    if not parts:
        raise ValueRangeError("there is no source of positions", field="sources")
    return parts


def shares(parts: Mapping[str, float], count: int) -> list[tuple[str, int]]:
    """Share a number of positions among sources, each within one of its due."""
    due = np.cumsum(list(parts.values())) / sum(parts.values()) * count
    ends = np.rint(due).astype(int)
    return list(zip(parts, np.diff(ends, prepend=0).tolist(), strict=True))


def _opening(games: int) -> Board:
    return np.repeat(Position.start().board[None], games, axis=0)


def _starts_of(kind: str, generator: np.random.Generator, count: int) -> Board:
    return set_up(kind, count, generator)
