"""``bev``, ``merit`` with its three difficulties, and ``star``: by a vector, by chance, and by look-ahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from gammond.engine.bearoff import load_bearoff
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import CHOICES
from gammond.engine.play.player import Player, ScorerPlayer
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.search import IterativeSearch, TreeSearch, ValueCache
from gammond.engine.search.tree import Objective
from gammond.nets.catalogue import DEFAULT_EVALUATOR, load_evaluator, load_pruner
from gammond.nets.heritage.astros.bev import HAND_WEIGHTS, LEARNED_WEIGHTS, BevScorer, BevWeights
from gammond.nets.heritage.astros.leaf_evaluators import (
    SCORER_PLAYERS,
    collect_leaf_net_hashes,
    list_leaf_evaluators,
    load_leaf_evaluator,
)
from gammond.nets.heritage.astros.star_evaluator import MAX_STAR_PLIES, Cutoffs
from gammond.nets.heritage.astros.star_search import StarSearch
from gammond.nets.heritage.astros.weighted_choice import (
    DEFAULT_CANDIDATES,
    DeepWeightedChoicePlayer,
    LookAhead,
    WeightedChoicePlayer,
    WeightedDraw,
    average_exactly,
    rank_few,
)
from gammond.nets.player_specs import KindSpec

MAX_CANDIDATES = 20
"""The most plays to choose among."""

_PlayEvaluator = Annotated[
    str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the plays")
]
_Seed = Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")]


class BevSpec(BevWeights, KindSpec, frozen=True):
    """The weights, one by one, or the learned ones."""

    name = "bev"
    summary = "a board evaluation vector: features of both sides, each times a weight"

    learned: Annotated[
        bool, Meta(description="the weights of gradient ascent in place of those set by hand")
    ] = False

    def __post_init__(self) -> None:
        if self.learned and self.explicit_weights != HAND_WEIGHTS:
            raise ValueRangeError("learned=true sets all weights; remove it or the weights", field="learned")

    @property
    def explicit_weights(self) -> BevWeights:
        """The weights given one by one."""
        return BevWeights(*(getattr(self, name) for name in BevWeights.__struct_fields__))

    def make(self) -> ScorerPlayer:
        """Make the player of the weights."""
        weights = LEARNED_WEIGHTS if self.learned else self.explicit_weights
        return ScorerPlayer(self.format_name(), BevScorer(weights.vector))


class _ChoiceSpec(KindSpec, frozen=True):
    """A choice among the few best plays, the better ones more often."""

    @property
    def whole(self) -> MeritSpec:
        """The same player with all its options."""
        raise NotImplementedError

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead."""
        return self.whole.plies > 0

    def make(self) -> Player:
        """Make the player."""
        its, name = self.whole, self.format_name()
        draw = WeightedDraw(its.among, is_cumulative=its.rising, seed=its.seed)
        if its.plies == 0:
            return WeightedChoicePlayer(name, load_leaf_evaluator(its.of), draw)
        return DeepWeightedChoicePlayer(name, _load_look_ahead(its.of, its.plies), draw)

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hashes of the nets of its evaluator and its look-ahead."""
        return collect_leaf_net_hashes(self.whole.of, self.whole.plies)


class MeritSpec(_ChoiceSpec, frozen=True):
    """The evaluator, and the way to choose."""

    name = "merit"
    summary = "one of the five best plays at random, the better ones more often"

    of: _PlayEvaluator = DEFAULT_EVALUATOR
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead")] = 0
    among: Annotated[
        int, Meta(ge=1, le=MAX_CANDIDATES, description="number of best plays to choose among")
    ] = DEFAULT_CANDIDATES
    rising: Annotated[bool, Meta(description="whether better plays weigh more than in proportion")] = True
    seed: _Seed = 0

    @property
    def whole(self) -> MeritSpec:
        """The player itself."""
        return self


class EasySpec(_ChoiceSpec, frozen=True):
    """A difficulty: a random choice among the few best plays at a depth.

    *Source:* the technology page of Astros, whose player has the levels Easy, Medium and Hard,
    looks one to three moves ahead, and always chooses among five. It does not say what the levels change;
    here it is the depth, where the move itself counts as one, and the number of plays to choose among: with
    the depth alone they would be equally strong.
    """

    name = "easy"
    summary = "one of the five best plays at 0-ply, the better ones more often"

    moves_ahead: ClassVar[int] = 0
    among: ClassVar[int] = 5

    of: _PlayEvaluator = DEFAULT_EVALUATOR
    seed: _Seed = 0

    @property
    def whole(self) -> MeritSpec:
        """The same player with all its options."""
        return MeritSpec(self.of, self.moves_ahead, self.among, seed=self.seed)


class MediumSpec(EasySpec, frozen=True):
    """The second difficulty."""

    name = "medium"
    summary = "one of the three best plays at 1-ply, the better ones more often"

    moves_ahead: ClassVar[int] = 1
    among: ClassVar[int] = 3


class HardSpec(EasySpec, frozen=True):
    """The third difficulty."""

    name = "hard"
    summary = "one of the two best plays at 2-ply, the better ones more often"

    moves_ahead: ClassVar[int] = 2
    among: ClassVar[int] = 2


class StarSpec(KindSpec, frozen=True):
    """Expectiminimax with cut-offs: the evaluator, the depth and the cut-offs."""

    name = "star"
    summary = "the best play by the full average over rolls and replies, with Star1 and Star2 cut-offs"

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the leaves")] = (
        DEFAULT_EVALUATOR
    )
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead, searching all replies")] = 1
    cutoffs: Annotated[
        Literal["none", "star1", "star2"], Meta(description="cut-offs, which change the speed and no choice")
    ] = "star2"
    deepening: Annotated[
        bool, Meta(description="search depth by depth, each ordering plays for the next")
    ] = False

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead."""
        return self.plies > 0

    def make(self) -> DeepWeightedChoicePlayer:
        """Make the player of the best play."""
        search = _load_star_search(self.of, Cutoffs(self.cutoffs), is_deepening=self.deepening)
        return DeepWeightedChoicePlayer(
            self.format_name(), average_exactly(search, self.plies), WeightedDraw(1)
        )

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hashes of the nets of its evaluator and its look-ahead."""
        return collect_leaf_net_hashes(self.of, self.plies)


def _load_look_ahead(name: str, plies: int) -> LookAhead:
    """Load a search for the few best plays: the engine's, or for scorers the one with cut-offs."""
    if name in SCORER_PLAYERS:
        return average_exactly(_load_star_search(name), plies)
    objective = Objective(load_evaluator(name), exact=(load_bearoff().two_sided,))
    return rank_few(IterativeSearch(objective, TreeSearch(load_pruner(), cache=ValueCache())), plies)


def _load_star_search(
    name: str, cutoffs: Cutoffs = Cutoffs.STAR2, *, is_deepening: bool = False
) -> StarSearch:
    """Load a search with cut-offs, which tries the replies of the manifest's pruning net first."""
    return StarSearch(load_leaf_evaluator(name), load_pruner(), cutoffs, is_deepening=is_deepening)


KINDS: Mapping[str, type[KindSpec]] = {
    kind.name: kind for kind in (BevSpec, EasySpec, HardSpec, MediumSpec, MeritSpec, StarSpec)
}
"""The player kinds of the document."""
