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

    def sample(
        self, counts: Sequence[tuple[str, int]], seed: Sequence[int]
    ) -> tuple[Board, NDArray[np.uint8]]:
        """Collect positions.

        Args:
            counts: Sources and how many positions of each.
            seed: Numbers that together decide dice and draws.

        Returns:
            Distinct positions of a source ``int8[n, 2, 26]``, none of them over, in random order, and the
            place in ``counts`` that each comes from, ``uint8[n]``.
        """
        parts, places = [], []
        for place, (source, count) in enumerate(counts):
            generator = np.random.Generator(np.random.PCG64([*seed, SOURCES.index(source)]))
            parts.append(self._of_source(source, count, generator))
            places.append(np.full(count, place, np.uint8))
        order = np.random.Generator(np.random.PCG64([*seed, len(SOURCES)])).permutation(sum(map(len, parts)))
        return np.concatenate(parts)[order], np.concatenate(places)[order]

    def _of_source(self, source: str, count: int, generator: np.random.Generator) -> Board:
        if source == "disagreement":
            return self._where_judgements_differ(count, generator)
        if source in SETUPS:
            turns = _MAX_TURNS if Phase.RACE in self.wanted else _SETUP_TURNS
            starts: Callable[[int], Board] = partial(_starts_of, source, generator)
            return self._collected(starts, count, _SETUP_YIELD, turns, 0.0, generator)
        astray = _ASTRAY if source == "astray" else 0.0
        return self._collected(_opening, count, _GAME_YIELD, _MAX_TURNS, astray, generator)

    def _collected(
        self,
        starts: Callable[[int], Board],
        count: int,
        expected: int,
        turns: int,
        astray: float,
        generator: np.random.Generator,
    ) -> Board:
        """Play on from starts until there are enough distinct positions, and draw among them."""
        found = np.empty((0, 2, 26), np.int8)
        while len(found) < count:
            games = (count - len(found)) // expected + 8
            seen = self._played(starts(games), turns, astray, generator)
            found = distinct_boards(np.concatenate([found, *seen])).boards
        return np.ascontiguousarray(generator.permutation(found)[:count])

    def _played(
        self, boards: Board, turns: int, astray: float, generator: np.random.Generator
    ) -> list[Board]:
        """Play in lockstep until nothing wanted can come, and take some of the wanted positions."""
        wanted = np.array([int(phase) for phase in self.wanted])
        seen = []
        for _ in range(turns):
            boards = boards[self._is_of_use(boards, phases(boards))]
            if not len(boards):
                break
            is_taken = np.isin(phases(boards), wanted) & (generator.random(len(boards)) < _TAKEN)
            seen.append(boards[is_taken])
            boards = self._after_a_turn(boards, astray, generator)
        return seen

    def _is_of_use(self, boards: Board, phase_of: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether a wanted position may come, this one included."""
        use = phase_of <= max(int(phase) for phase in self.wanted)
        if Phase.RACE in self.wanted:
            for judge in self.exact:
                use &= ~judge.covers(boards)
        return use

    def _after_a_turn(self, boards: Board, astray: float, generator: np.random.Generator) -> Board:
        """Roll and play in each position: the best, or now and then another promising play."""
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        if not astray:
            return self.policy.best_replies(boards, dice, 1, 0.0).children
        replies = self.policy.best_replies(boards, dice, _ASTRAY_KEEP, _ASTRAY_MARGIN)
        starts, counts = replies.offsets[:-1], np.diff(replies.offsets)
        drawn = generator.integers(0, counts)
        return replies.children[starts + np.where(generator.random(len(boards)) < astray, drawn, 0)]

    def _where_judgements_differ(self, count: int, generator: np.random.Generator) -> Board:
        """Draw among more positions, each the likelier the farther its judgements lie apart."""
        pool = self._of_source("astray", _DRAWN_FROM * count, generator)
        shallow = cubeless_equity(self.evaluator.evaluate(pool))
        deep = cubeless_equity(NPlyEvaluator(self.evaluator, self.finder, 1, _ROUGH).evaluate(pool))
        waiting = generator.exponential(size=len(pool)) / (np.abs(deep - shallow) + 1e-6)
        drawn: Board = pool[np.argsort(waiting, kind="stable")[:count]]
        return drawn


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
