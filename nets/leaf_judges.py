"""The judges by name that players with cut-offs and choices by merit can stand on."""

from __future__ import annotations

from pathlib import Path

from engine.bearoff import load_bearoff
from engine.errors import ValueRangeError
from engine.merit import ExactLookAhead, LookAhead, UsualLookAhead
from engine.players import ScorerPlayer
from engine.search import MoveSearch, TreeSearch, ValueCache
from engine.search.judgement import CubelessJudgement
from engine.search.star import Cutoffs, EquityLeaves, Leaves, ScoreLeaves, StarSearch
from nets.loading import DEFAULT, evaluator_names, load_evaluator, load_finder, load_player, net_hashes
from nets.manifest import read_manifest

_SCORERS = {"bev": "bev", "bev-learned": "bev:learned=true", "phase-heuristic": "phase-heuristic"}
"""Judges that know no outcomes, but give each play a number, and the players that they belong to."""

JUDGES = (DEFAULT, *evaluator_names(), *_SCORERS)
"""What `load_leaves` takes."""


def load_leaves(name: str, manifest_file: Path) -> Leaves:
    """Load a judge of leaves.

    Args:
        name: One of `JUDGES`, or an evaluator of the manifest.
        manifest_file: The manifest.

    Raises:
        ValueRangeError: No judge has this name.
        DataFileError: A net or database is missing or faulty.
    """
    if name not in _SCORERS:
        return EquityLeaves(load_evaluator(name, manifest_file), (load_bearoff().two_sided,))
    player = load_player(_SCORERS[name], manifest_file)
    if not isinstance(player, ScorerPlayer):
        raise ValueRangeError(f"{name} does not give each play a number", field="of")
    return ScoreLeaves(name, player.scorer)


def load_look_ahead(name: str, plies: int, manifest_file: Path) -> LookAhead:
    """Load what finds the few best plays: the engine's search; one with cut-offs for judges of numbers alone.

    Raises:
        ValueRangeError: As `load_leaves`.
        DataFileError: As `load_leaves`.
    """
    if name in _SCORERS:
        return ExactLookAhead(load_star(name, manifest_file), plies)
    judgement = CubelessJudgement(load_evaluator(name, manifest_file), (load_bearoff().two_sided,))
    tree = TreeSearch(load_finder(manifest_file=manifest_file), cache=ValueCache())
    return UsualLookAhead(MoveSearch(judgement, tree), plies)


def load_star(
    name: str, manifest_file: Path, cutoffs: Cutoffs = Cutoffs.STAR2, *, is_deepening: bool = False
) -> StarSearch:
    """Load a search with cut-offs, promising replies named by the manifest's finder.

    Raises:
        ValueRangeError: As `load_leaves`.
        DataFileError: As `load_leaves`.
    """
    finder = load_finder(manifest_file=manifest_file)
    return StarSearch(load_leaves(name, manifest_file), finder, cutoffs, is_deepening=is_deepening)


def judge_hashes(name: str, plies: int, manifest_file: Path) -> dict[str, str]:
    """sha256 by name of the nets that a judge plays with, those of the finder too where it looks ahead.

    Raises:
        GammondError: As `nets.loading.net_hashes`.
    """
    own = {} if name in _SCORERS else net_hashes(name, manifest_file)
    if plies == 0:
        return own
    return own | net_hashes(read_manifest(manifest_file).finder or DEFAULT, manifest_file)
