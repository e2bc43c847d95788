"""Evaluators by name for the leaves of searches with cut-offs and of players that choose at random.

A scorer is one of them if its score is a value of the position: look-ahead averages it over rolls, and
negates it for the other side. `bev` is the side's own features minus the opponent's. `phase-net` learned who
won, 1 for a win and 0 for a loss, and gives about 1/2 to an even position. `phase-heuristic` sees little of
the opponent, but measures all positions alike.

Scorers that only rank the plays of one roll are left out. `heuristic` scores the blocks and blots of the side
that has played and none of its opponent's, and races on a scale of their own; its look-ahead is its
probability score. `gengammon` learned which play of a roll is the expert's, which leaves a constant for all
plays of that roll open: its scores for the two sides of a position are hardly related.
"""

from __future__ import annotations

from pathlib import Path

from engine.bearoff import load_bearoff
from engine.errors import ValueRangeError
from engine.search import PlaySearch, TreeSearch, ValueCache
from engine.search.objective import Objective
from nets.catalogue import (
    DEFAULT_EVALUATOR,
    collect_net_hashes,
    collect_pruning_net_hashes,
    list_evaluator_names,
    load_evaluator,
    load_player,
    load_pruner,
)
from nets.heritage.barca.star import (
    Cutoffs,
    EquityLeafEvaluator,
    LeafEvaluator,
    ScorerLeafEvaluator,
    StarSearch,
)
from nets.heritage.barca.weighted_choice import ExactLookAhead, LookAhead, PrunedLookAhead

_SCORER_PLAYERS = {
    "bev": "bev",
    "bev-learned": "bev:learned=true",
    "phase-heuristic": "phase-heuristic",
    "phase-net": "phase-net",
    "phase-net-self": "phase-net:learned=self",
}
"""Scorers that serve as evaluators of leaves, and the players whose scorers they are."""

_EVEN_SCORES = {"phase-net": 0.5, "phase-net-self": 0.5}
"""Scores of even positions, where they are not 0."""


def list_leaf_evaluators() -> tuple[str, ...]:
    """List the names that `load_leaf_evaluator` takes, for the shipped manifest.

    Raises:
        DataFileError: The manifest is faulty.
    """
    return (DEFAULT_EVALUATOR, *list_evaluator_names(), *_SCORER_PLAYERS)


def load_leaf_evaluator(name: str, manifest_file: Path) -> LeafEvaluator:
    """Load an evaluator of leaves.

    Args:
        name: One of `list_leaf_evaluators`, or an evaluator of the manifest.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No evaluator has this name.
        DataFileError: A net or database is missing or faulty.
    """
    if name not in _SCORER_PLAYERS:
        return EquityLeafEvaluator(load_evaluator(name, manifest_file), (load_bearoff().two_sided,))
    player = load_player(_SCORER_PLAYERS[name], manifest_file)
    if player.scorer is None:
        raise ValueRangeError(f"expected a player that scores plays, got {name}", field="of")
    return ScorerLeafEvaluator(name, player.scorer, _EVEN_SCORES.get(name, 0.0))


def load_look_ahead(name: str, plies: int, manifest_file: Path) -> LookAhead:
    """Load a search for the few best plays: the engine's, or for scorers the one with cut-offs.

    Raises:
        ValueRangeError: As `load_leaf_evaluator`.
        DataFileError: As `load_leaf_evaluator`.
    """
    if name in _SCORER_PLAYERS:
        return ExactLookAhead(load_star_search(name, manifest_file), plies)
    objective = Objective(load_evaluator(name, manifest_file), exact=(load_bearoff().two_sided,))
    tree = TreeSearch(load_pruner(manifest_file=manifest_file), cache=ValueCache())
    return PrunedLookAhead(PlaySearch(objective, tree), plies)


def load_star_search(
    name: str, manifest_file: Path, cutoffs: Cutoffs = Cutoffs.STAR2, *, is_deepening: bool = False
) -> StarSearch:
    """Load a search with cut-offs, which tries the replies of the manifest's pruning net first.

    Raises:
        ValueRangeError: As `load_leaf_evaluator`.
        DataFileError: As `load_leaf_evaluator`.
    """
    pruner = load_pruner(manifest_file=manifest_file)
    return StarSearch(load_leaf_evaluator(name, manifest_file), pruner, cutoffs, is_deepening=is_deepening)


def collect_leaf_net_hashes(name: str, plies: int, manifest_file: Path) -> dict[str, str]:
    """Return sha256 by name of the nets of an evaluator of leaves, with the pruning net's for look-ahead.

    Raises:
        GammondError: As `nets.catalogue.collect_net_hashes`.
    """
    own = collect_net_hashes(_SCORER_PLAYERS.get(name, name), manifest_file)
    if plies == 0:
        return own
    return own | collect_pruning_net_hashes(manifest_file)
