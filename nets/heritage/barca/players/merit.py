"""``merit``: one of the best plays at random, the better ones more often; and its three difficulties."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from engine.options import CHOICES
from engine.play.player import Player
from engine.rules.dice import MAX_SEED
from nets.catalogue import DEFAULT_EVALUATOR
from nets.heritage.barca.leaf_evaluators import (
    collect_leaf_net_hashes,
    list_leaf_evaluators,
    load_leaf_evaluator,
    load_look_ahead,
)
from nets.heritage.barca.star import MAX_STAR_PLIES
from nets.heritage.barca.weighted_choice import (
    DEFAULT_CANDIDATES,
    DeepWeightedChoicePlayer,
    WeightedChoicePlayer,
)
from nets.player_kinds import PlayerKind

MAX_CANDIDATES = 20
"""The most plays to choose among."""


class WeightedChoiceOptions(Struct, frozen=True):
    """The evaluator, and the way to choose."""

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the plays")] = (
        DEFAULT_EVALUATOR
    )
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead")] = 0
    among: Annotated[
        int, Meta(ge=1, le=MAX_CANDIDATES, description="number of best plays to choose among")
    ] = DEFAULT_CANDIDATES
    rising: Annotated[bool, Meta(description="whether better plays weigh more than in proportion")] = True
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")] = 0


class DifficultyOptions(Struct, frozen=True):
    """The options of a difficulty."""

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the plays")] = (
        DEFAULT_EVALUATOR
    )
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")] = 0


def _load_player(name: str, options: WeightedChoiceOptions, manifest_file: Path) -> Player:
    few, is_rising, seed = options.among, options.rising, options.seed
    if options.plies == 0:
        leaves = load_leaf_evaluator(options.of, manifest_file)
        return WeightedChoicePlayer(name, leaves, few, is_cumulative=is_rising, seed=seed)
    look_ahead = load_look_ahead(options.of, options.plies, manifest_file)
    return DeepWeightedChoicePlayer(name, look_ahead, few, is_cumulative=is_rising, seed=seed)


KIND: PlayerKind[WeightedChoiceOptions] = PlayerKind(
    "merit",
    "one of the five best plays at random, the better ones more often",
    WeightedChoiceOptions,
    lambda options, manifest_file: _load_player(KIND.format_name(options), options, manifest_file),
    is_deep=lambda options: options.plies > 0,
    net_hashes=lambda options, manifest_file: collect_leaf_net_hashes(
        options.of, options.plies, manifest_file
    ),
)


def make_difficulty(
    name: str, summary: str, plies: int, max_candidates: int
) -> PlayerKind[DifficultyOptions]:
    """Make one of the difficulties: a random choice among the few best plays at a depth.

    *Source:* the technology page of the Barca project, whose player has the levels Easy, Medium and Hard,
    looks one to three moves ahead, and always chooses among five. It does not say what the levels change;
    here it is the depth, where the move itself counts as one, and the number of plays to choose among: with
    the depth alone they would be equally strong.

    Args:
        name: Name of the player.
        summary: As in `PlayerKind`.
        plies: Look-ahead after the play.
        max_candidates: The number of plays to choose among.
    """

    def make(options: DifficultyOptions, manifest_file: Path) -> Player:
        whole = WeightedChoiceOptions(options.of, plies, max_candidates, seed=options.seed)
        return _load_player(kind.format_name(options), whole, manifest_file)

    kind = PlayerKind(
        name,
        summary,
        DifficultyOptions,
        make,
        is_deep=lambda _: plies > 0,
        net_hashes=lambda options, manifest_file: collect_leaf_net_hashes(options.of, plies, manifest_file),
    )
    return kind
