"""Positions worth learning from, by where they come from; all depends on the seed and the nets alone.

Sources: ``selfplay``, games of the nets against themselves; ``astray``, the same where now and then another
promising play is made than the best; each of `SETUPS`, set up on purpose and played on for
some turns; ``disagreement``, positions of ``astray`` games where evaluations at 0-ply and 1-ply differ much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator
from gammond.engine.evaluation.pruning import EvaluatorPruner, PlayPruner
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Board, Phase, classify_phases, find_finished, swap_sides
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules
from gammond.engine.search import NPlyEvaluator
from gammond.engine.search.cache import deduplicate_boards
from gammond.engine.search.tree import Pruning
from gammond.tools.train.labels.setups import SETUPS, draw_setups
from gammond.tools.train.labels.shards import concatenate_decisions
from gammond.tools.train.labels.traces import Visits, concatenate_visits
from gammond.tools.train.weights.net_set import PHASES, NetSet, load_bearoff_evaluators

SOURCES = ("selfplay", "astray", *SETUPS, "disagreement")
"""Where positions come from, by name."""

RACE_SOURCES = ("race", "gammon-race")
"""Those that have nothing but races."""

_ORDER_STREAM = 12
_STREAMS = {
    **{name: i for i, name in enumerate(each for each in SOURCES if each not in RACE_SOURCES)},
    **{name: _ORDER_STREAM + 1 + i for i, name in enumerate(RACE_SOURCES)},
}
"""Numbers in the seeds of each source's draws: those of a new source leave the others' as they are."""

DEFAULT_SOURCES = (
    "selfplay=12",
    "astray=2",
    "backgame=1",
    "containment=1",
    "priming=1",
    "crashed=1",
    "late-hit=1",
    "anchor-pair=1",
    "late-containment=0.5",
    "ace-point=0.5",
    "bear-in=0.5",
    "disagreement=1",
)
"""Sources with their parts of the whole."""

_SAMPLED_SHARE = 0.5
"""The share of the positions of a game that is taken: neighbours say much the same."""

_PAIRINGS = 8
_PAIRED_PIPS = (5.0, 25.0)
"""Races drawn for each of the source ``race`` that games meet, and by how many pips their sides scatter."""

_GAME_YIELD = 16
_SETUP_YIELD = 5
"""About how many positions a game, or one that is played on from a set-up, yields."""

_SETUP_TURNS = 14
_MAX_TURNS = 1000
_ASTRAY_RATE = 0.12
_ASTRAY_KEEP = 6
_ASTRAY_MARGIN = 0.3
_DISAGREEMENT_POOL = 4
"""One position is taken out of this many where evaluations disagree."""

_DISAGREEMENT_PRUNING = Pruning(keep=4, margin=0.1)


@dataclass(frozen=True, eq=False)
class PositionSample:
    """Positions to label.

    Attributes:
        boards: ``int8[n, 2, 26]``, none of them over.
        sources: ``uint8[n]``, which of the sources asked for each comes from.
        visits: How games came from one to the next, of whole games alone.
        decisions: ``int64[n]``, as those of `gammond.tools.train.labels.shards.Labels`.
    """

    boards: Board
    sources: NDArray[np.uint8]
    visits: Visits
    decisions: NDArray[np.int64]


@dataclass(frozen=True)
class Sampler:
    """Samples positions of games, or set up on purpose.

    Attributes:
        evaluator: Evaluates at 0 plies.
        policy: What plays as the evaluator does.
        pruner: Finds promising replies for the evaluation at 1 ply.
        exact_evaluators: Evaluators whose positions need no learning.
        wanted_phases: Phases to take.
        rules: The rules of the games.

    Raises:
        UnsupportedError: The rules do not support training.
    """

    evaluator: Evaluator
    policy: PlayPruner
    pruner: PlayPruner
    exact_evaluators: tuple[ExactEvaluator, ...]
    wanted_phases: tuple[Phase, ...]
    rules: Rules = STANDARD_RULES

    def __post_init__(self) -> None:
        self.rules.check_supports(Feature.TRAINING)

    def sample(
        self, counts: Sequence[tuple[str, int]], seed: Sequence[int], whole_games: bool = False
    ) -> PositionSample:
        """Collect positions.

        Args:
            counts: Sources and how many positions of each.
            seed: Numbers that together decide dice and draws.
            whole_games: Take all positions of a game and tell how it came from one to the next, instead of
                a share of them drawn from many games.

        Returns:
            The positions of each source distinct, all in random order.
        """
        parts = []
        for source, count in counts:
            generator = np.random.Generator(np.random.PCG64([*seed, _STREAMS[source]]))
            parts.append(self._sample_source(source, count, generator, whole_games))
        places = np.repeat(np.arange(len(counts), dtype=np.uint8), [count for _, count in counts])
        order = np.random.Generator(np.random.PCG64([*seed, _ORDER_STREAM])).permutation(len(places))
        boards = np.concatenate([boards for boards, _ in parts])
        visits = concatenate_visits(parts).reorder(order)
        return PositionSample(boards[order], places[order], visits, np.arange(len(order)))

    def list_plays(
        self, sample: PositionSample, plays: int, margin: float, generator: np.random.Generator
    ) -> PositionSample:
        """Roll in each position, and take those after the best plays, where there is a choice.

        Args:
            sample: The positions.
            plays: How many of a roll to take at most.
            margin: The most points by which one may lose against the best, by the evaluator.
            generator: Of the dice.

        Returns:
            The positions after two plays or more of each roll, the best first, as the next mover sees them.
        """
        dice = generator.integers(1, 7, (len(sample.boards), 2)).astype(np.int8)
        replies = EvaluatorPruner(self.evaluator).prune_plays(sample.boards, dice, plays, margin)
        decisions = np.repeat(np.arange(len(sample.boards)), np.diff(replies.offsets))
        is_open = ~find_finished(replies.children)
        is_open &= (np.bincount(decisions[is_open], minlength=len(sample.boards)) > 1)[decisions]
        numbers = np.unique(decisions[is_open], return_inverse=True)[1]
        rows = sample.sources[decisions[is_open]], Visits.empty(), numbers
        return PositionSample(np.ascontiguousarray(replies.children[is_open]), *rows)

    def _sample_source(
        self, source: str, count: int, generator: np.random.Generator, whole_games: bool
    ) -> tuple[Board, Visits]:
        if source == "disagreement":
            return self._draw_disagreements(count, generator), Visits.empty()
        if source in SETUPS:
            is_played_out = whole_games or Phase.RACE in self.wanted_phases
            turns = _MAX_TURNS if is_played_out else _SETUP_TURNS
            starts: Callable[[int], Board] = partial(draw_setups, source, generator)
            games = _GameSource(starts, _GAME_YIELD if is_played_out else _SETUP_YIELD, turns, 0.0)
        else:
            games = _GameSource(
                self._make_openings, _GAME_YIELD, _MAX_TURNS, _ASTRAY_RATE if source == "astray" else 0.0
            )
        if whole_games:
            return self._collect_in_order(games, count, generator)
        if source == "race":
            met = self._draw_distinct(games, count // _PAIRINGS + 1, generator)
            return self._pair_sides(met, count, generator), Visits.empty()
        return self._draw_distinct(games, count, generator), Visits.empty()

    def _make_openings(self, games: int) -> Board:
        return np.repeat(self.rules.starting_position.board[None], games, axis=0)

    def _draw_distinct(self, games: _GameSource, count: int, generator: np.random.Generator) -> Board:
        """Play games until there are enough distinct positions, and draw among them."""
        found = np.empty((0, 2, 26), np.int8)
        while len(found) < count:
            turns = self._play_games(
                games, games.count_games_needed(count - len(found)), _SAMPLED_SHARE, generator
            )
            found = deduplicate_boards(np.concatenate([found, *(turn.boards for turn in turns)])).boards
        return np.ascontiguousarray(generator.permutation(found)[:count])

    def _pair_sides(self, boards: Board, count: int, generator: np.random.Generator) -> Board:
        """Draw among races and others of the same sides, put against sides of about as many pips.

        Sides in a race do not meet, so each may be against any other that it has passed.
        """
        sides = boards.reshape(-1, 26)
        pips = sides.astype(np.int64) @ np.arange(26)
        found = boards
        while len(found) < count:
            spreads = generator.choice(_PAIRED_PIPS, len(sides))
            order = np.argsort(pips + spreads * generator.normal(size=len(sides)))
            pairs = sides[order].reshape(-1, 2, 26)
            pairs = np.where(generator.integers(2, size=(len(pairs), 1, 1)), pairs, swap_sides(pairs))
            is_race = classify_phases(pairs) == Phase.RACE
            for evaluator in self.exact_evaluators:
                is_race &= ~evaluator.covers(pairs)
            found = deduplicate_boards(np.concatenate([found, pairs[is_race]])).boards
        return np.ascontiguousarray(generator.permutation(found)[:count])

    def _collect_in_order(
        self, games: _GameSource, count: int, generator: np.random.Generator
    ) -> tuple[Board, Visits]:
        """Play games until there are enough distinct positions, and take them as they come."""
        boards, follows = np.empty((0, 2, 26), np.int8), np.empty(0, np.bool_)
        found = deduplicate_boards(boards)
        while len(found.boards) < count:
            turns = self._play_games(
                games, games.count_games_needed((count - len(found.boards)) // 2), 1.0, generator
            )
            new_boards, new_follows = _sort_by_game(turns)
            boards, follows = np.concatenate([boards, new_boards]), np.concatenate([follows, new_follows])
            found = deduplicate_boards(boards)
        seen = np.maximum.accumulate(found.places) < count
        rows, follows = found.places[seen], follows[seen]
        follows[-1:] = False
        return found.boards[:count], Visits(rows, follows)

    def _play_games(
        self, games: _GameSource, number: int, share: float, generator: np.random.Generator
    ) -> list[_Turn]:
        """Play in lockstep until nothing wanted can come, and take a share of the wanted positions."""
        boards, numbers = games.make_starts(number), np.arange(number)
        wanted = np.array([int(phase) for phase in self.wanted_phases])
        seen = []
        for _ in range(games.turns):
            is_of_use = self._can_reach_wanted(boards, classify_phases(boards))
            boards, numbers = boards[is_of_use], numbers[is_of_use]
            if not len(boards):
                break
            is_taken = np.isin(classify_phases(boards), wanted)
            if share < 1.0:
                is_taken &= generator.random(len(boards)) < share
            children, is_best = self._play_turn(boards, games.astray, generator)
            seen.append(_Turn(boards[is_taken], numbers[is_taken], is_best[is_taken]))
            boards = children
        return seen

    def _can_reach_wanted(self, boards: Board, phase_of: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether a wanted position may come, this one included."""
        use = phase_of <= max(int(phase) for phase in self.wanted_phases)
        if Phase.RACE in self.wanted_phases:
            for evaluator in self.exact_evaluators:
                use &= ~evaluator.covers(boards)
        return use

    def _play_turn(
        self, boards: Board, astray: float, generator: np.random.Generator
    ) -> tuple[Board, NDArray[np.bool_]]:
        """Roll and play in each position: the best, or now and then another promising play; say which."""
        dice = generator.integers(1, 7, (len(boards), 2)).astype(np.int8)
        if not astray:
            return self.policy.prune_plays(boards, dice, 1, 0.0).children, np.ones(len(boards), np.bool_)
        replies = self.policy.prune_plays(boards, dice, _ASTRAY_KEEP, _ASTRAY_MARGIN)
        starts, counts = replies.offsets[:-1], np.diff(replies.offsets)
        drawn = generator.integers(0, counts)
        drawn[generator.random(len(boards)) >= astray] = 0
        return replies.children[starts + drawn], drawn == 0

    def _draw_disagreements(self, count: int, generator: np.random.Generator) -> Board:
        """Draw among more positions, the likelier the more their evaluations differ."""
        pool, _ = self._sample_source("astray", _DISAGREEMENT_POOL * count, generator, whole_games=False)
        shallow = cubeless_equity(self.evaluator.evaluate(pool))
        deep = cubeless_equity(
            NPlyEvaluator(self.evaluator, self.pruner, 1, _DISAGREEMENT_PRUNING).evaluate(pool)
        )
        waiting = generator.exponential(size=len(pool)) / (np.abs(deep - shallow) + 1e-6)
        drawn: Board = pool[np.argsort(waiting, kind="stable")[:count]]
        return drawn


def concatenate_samples(parts: Sequence[PositionSample], count: int) -> PositionSample:
    """Put the first positions of samples of plays one after the other, ``count`` of them."""
    return PositionSample(
        np.concatenate([part.boards for part in parts])[:count],
        np.concatenate([part.sources for part in parts])[:count],
        Visits.empty(),
        concatenate_decisions([part.decisions for part in parts])[:count],
    )


def make_sampler(
    nets: NetSet, pruner: PlayPruner, phase: str = "contact", rules: Rules = STANDARD_RULES
) -> Sampler:
    """Let nets play the games that positions are taken from.

    Args:
        nets: Play.
        pruner: Finds promising replies.
        phase: Which positions to take, a key of `gammond.tools.train.weights.net_set.PHASES`.
        rules: The rules of the games.
    """
    evaluator = nets.make_evaluator()
    policy = nets.make_policy(evaluator, pruner)
    return Sampler(evaluator, policy, pruner, load_bearoff_evaluators(), PHASES[phase], rules)


@dataclass(frozen=True)
class _GameSource:
    """Games of a source.

    Attributes:
        make_starts: Makes positions to begin with, as many as asked for.
        positions_per_game: About how many positions one yields, of which a share of `_TAKEN` is taken.
        turns: After which they are broken off.
        astray: How often another play is made than the best.
    """

    make_starts: Callable[[int], Board]
    positions_per_game: int
    turns: int
    astray: float

    def count_games_needed(self, positions: int) -> int:
        """How many games to play for some positions."""
        return positions // self.positions_per_game + 8


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


def _sort_by_game(turns: Sequence[_Turn]) -> tuple[Board, NDArray[np.bool_]]:
    """Put positions in the order of play, game by game, and tell from which the best play led to the next."""
    games = np.concatenate([turn.games for turn in turns])
    times = np.repeat(np.arange(len(turns)), [len(turn.games) for turn in turns])
    order = np.lexsort((times, games))
    games, times = games[order], times[order]
    follows = np.concatenate([turn.is_best for turn in turns])[order]
    follows[:-1] &= (games[1:] == games[:-1]) & (times[1:] == times[:-1] + 1)
    follows[-1:] = False
    return np.concatenate([turn.boards for turn in turns])[order], follows


def parse_sources(texts: Sequence[str]) -> dict[str, float]:
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
                f"expected different sources, each NAME or NAME=PART with a part above 0 and a name of "
                f"{', '.join(SOURCES)}, got {text!r}",
                field="sources",
            )
        parts[name] = part
    if not parts:
        raise ValueRangeError("expected at least one source of positions, got none", field="sources")
    return parts


def allocate_counts(parts: Mapping[str, float], count: int) -> list[tuple[str, int]]:
    """Share a number of positions among sources, each within one of its due."""
    due = np.cumsum(list(parts.values())) / sum(parts.values()) * count
    ends = np.rint(due).astype(int)
    return list(zip(parts, np.diff(ends, prepend=0).tolist(), strict=True))
