"""The judges by name that players with cut-offs and choices by merit can stand on.

A judge of numbers alone is one of them if its number is a value of the position: look-ahead averages it over
rolls, and turns its sign for the other side. `bev` is the side's own features less the opponent's.
`phase-net` learned who won, 1 for a win and 0 for a loss, and says about 1/2 where the sides are level.
`phase-heuristic` sees little of the opponent, but measures all positions alike.

Others only rank the plays of one roll, and are left out. `heuristic` scores the blocks and blots of the side
that has played and none of its opponent's, and races on a scale of their own; its look-ahead is its
probability score. `gengammon` learned which play of a roll is the expert's, which leaves open what it adds to
all plays of that roll: what it says of the two sides of a position hardly hangs together.
"""

from __future__ import annotations

from pathlib import Path

from engine.bearoff import load_bearoff
from engine.errors import ValueRangeError
from engine.search import PlaySearch, TreeSearch, ValueCache
from engine.search.objective import CubelessObjective
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
"""Judges that know no outcomes, but give each play a number, and the players that they belong to."""

_EVEN_SCORES = {"phase-net": 0.5, "phase-net-self": 0.5}
"""Scores of positions that are worth nothing to either side, where they are not 0."""


def list_leaf_evaluators() -> tuple[str, ...]:
    """List the names that `load_leaf_evaluator` takes, for the shipped manifest.

    Raises:
        DataFileError: The manifest is faulty.
    """
    return (DEFAULT_EVALUATOR, *list_evaluator_names(), *_SCORER_PLAYERS)


def load_leaf_evaluator(name: str, manifest_file: Path) -> LeafEvaluator:
    """Load a judge of leaves.

    Args:
        name: One of `list_leaf_evaluators`, or an evaluator of the manifest.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No judge has this name.
        DataFileError: A net or database is missing or faulty.
    """
    if name not in _SCORER_PLAYERS:
        return EquityLeafEvaluator(load_evaluator(name, manifest_file), (load_bearoff().two_sided,))
    player = load_player(_SCORER_PLAYERS[name], manifest_file)
    if player.scorer is None:
        raise ValueRangeError(f"{name} does not give each play a number", field="of")
    return ScorerLeafEvaluator(name, player.scorer, _EVEN_SCORES.get(name, 0.0))


def load_look_ahead(name: str, plies: int, manifest_file: Path) -> LookAhead:
    """Load what finds the few best plays: the engine's search; one with cut-offs for judges of numbers alone.

    Raises:
        ValueRangeError: As `load_leaf_evaluator`.
        DataFileError: As `load_leaf_evaluator`.
    """
    if name in _SCORER_PLAYERS:
        return ExactLookAhead(load_star_search(name, manifest_file), plies)
    judgement = CubelessObjective(load_evaluator(name, manifest_file), (load_bearoff().two_sided,))
    tree = TreeSearch(load_pruner(manifest_file=manifest_file), cache=ValueCache())
    return PrunedLookAhead(PlaySearch(judgement, tree), plies)


def load_star_search(
    name: str, manifest_file: Path, cutoffs: Cutoffs = Cutoffs.STAR2, *, is_deepening: bool = False
) -> StarSearch:
    """Load a search with cut-offs, promising replies named by the manifest's finder.

    Raises:
        ValueRangeError: As `load_leaf_evaluator`.
        DataFileError: As `load_leaf_evaluator`.
    """
    finder = load_pruner(manifest_file=manifest_file)
    return StarSearch(load_leaf_evaluator(name, manifest_file), finder, cutoffs, is_deepening=is_deepening)


def collect_leaf_net_hashes(name: str, plies: int, manifest_file: Path) -> dict[str, str]:
    """sha256 by name of the nets that a judge plays with, those of the finder too where it looks ahead.

    Raises:
        GammondError: As `nets.catalogue.collect_net_hashes`.
    """
    own = collect_net_hashes(_SCORER_PLAYERS.get(name, name), manifest_file)
    if plies == 0:
        return own
    return own | collect_pruning_net_hashes(manifest_file)
