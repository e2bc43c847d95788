"""Players that choose by merit, on any judge, and the three difficulties made of them."""

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
from nets.heritage.barca.weighted_choice import (
    DEFAULT_CANDIDATES,
    DeepWeightedChoicePlayer,
    WeightedChoicePlayer,
)
from nets.player_kinds import PlayerKind

MAX_CANDIDATES = 20
"""The most plays that a choice is made among."""


class DifficultyOptions(Struct, frozen=True):
    """What a difficulty leaves open."""

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="judge of the plays")] = (
        DEFAULT_EVALUATOR
    )
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of its choices")] = 0


def load_weighted_choice_player(
    name: str,
    evaluator_name: str,
    plies: int,
    manifest_file: Path,
    *,
    max_candidates: int = DEFAULT_CANDIDATES,
    is_rising: bool = True,
    seed: int = 0,
) -> Player:
    """Load a player that chooses by merit.

    Args:
        name: What results call it.
        evaluator_name: One of `nets.heritage.barca.leaf_evaluators.list_leaf_evaluators`.
        plies: Look-ahead.
        manifest_file: The manifest.
        max_candidates: How many plays the choice is made among.
        is_rising: As `nets.heritage.barca.weighted_choice.compute_choice_weights` has it.
        seed: Of the choices.

    Raises:
        ValueRangeError: No judge has this name, or a number is out of range.
        DataFileError: A net or database is missing or faulty.
    """
    if plies == 0:
        leaves = load_leaf_evaluator(evaluator_name, manifest_file)
        return WeightedChoicePlayer(name, leaves, max_candidates, is_cumulative=is_rising, seed=seed)
    look_ahead = load_look_ahead(evaluator_name, plies, manifest_file)
    return DeepWeightedChoicePlayer(name, look_ahead, max_candidates, is_cumulative=is_rising, seed=seed)


def make_difficulty(
    name: str, summary: str, plies: int, max_candidates: int
) -> PlayerKind[DifficultyOptions]:
    """Make one of the difficulties: a choice by merit among the few best plays at a depth.

    *Source:* the technology page of the Barca project, whose player has the levels Easy, Medium and Hard,
    looks one to three moves ahead, and always chooses among five. It does not say what the levels change;
    here it is the depth, the move itself counting as one, and how many plays the choice is made among: by
    depth alone they are equally strong.

    Args:
        name: Of the player.
        summary: A phrase for the reader.
        plies: Look-ahead behind the play.
        max_candidates: How many plays the choice is made among.
    """

    def make(options: DifficultyOptions, manifest_file: Path) -> Player:
        name = kind.format_name(options)
        return load_weighted_choice_player(
            name, options.of, plies, manifest_file, max_candidates=max_candidates, seed=options.seed
        )

    kind = PlayerKind(
        name,
        summary,
        DifficultyOptions,
        make,
        is_deep=lambda _: plies > 0,
        net_hashes=lambda options, manifest_file: collect_leaf_net_hashes(options.of, plies, manifest_file),
    )
    return kind
