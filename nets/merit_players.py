"""Players that choose by merit, on any judge, and the three difficulties made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from engine.dice import MAX_SEED
from engine.merit import USUAL_FEW, DeepMeritPlayer, MeritPlayer
from engine.players import Player
from nets.leaf_judges import JUDGES, judge_hashes, load_leaves, load_look_ahead
from nets.loading import DEFAULT
from nets.options import CHOICES
from nets.player_kinds import PlayerKind

MAX_FEW = 20
"""The most plays that a choice is made among."""


class DifficultyOptions(Struct, frozen=True):
    """What a difficulty leaves open."""

    of: Annotated[str, Meta(extra={CHOICES: JUDGES}, description="judge of the plays")] = DEFAULT
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of its choices")] = 0


def load_merit_player(
    name: str,
    judge: str,
    plies: int,
    manifest_file: Path,
    *,
    few: int = USUAL_FEW,
    is_rising: bool = True,
    seed: int = 0,
) -> Player:
    """Load a player that chooses by merit.

    Args:
        name: What results call it.
        judge: One of `nets.leaf_judges.JUDGES`.
        plies: Look-ahead.
        manifest_file: The manifest.
        few: How many plays the choice is made among.
        is_rising: As `engine.merit.merit_weights` has it.
        seed: Of the choices.

    Raises:
        ValueRangeError: No judge has this name, or a number is out of range.
        DataFileError: A net or database is missing or faulty.
    """
    if plies == 0:
        leaves = load_leaves(judge, manifest_file)
        return MeritPlayer(name, leaves, few, is_rising=is_rising, seed=seed)
    look_ahead = load_look_ahead(judge, plies, manifest_file)
    return DeepMeritPlayer(name, look_ahead, few, is_rising=is_rising, seed=seed)


def difficulty(name: str, summary: str, plies: int, few: int) -> PlayerKind[DifficultyOptions]:
    """Make one of the difficulties: a choice by merit among the few best plays at a depth.

    *Source:* the technology page of the Barca project, whose player has the levels Easy, Medium and Hard,
    looks one to three moves ahead, and always chooses among five. It does not say what the levels change;
    here it is the depth, the move itself counting as one, and how many plays the choice is made among: by
    depth alone they are equally strong.

    Args:
        name: Of the player.
        summary: A phrase for the reader.
        plies: Look-ahead behind the play.
        few: How many plays the choice is made among.
    """

    def make(options: DifficultyOptions, manifest_file: Path) -> Player:
        name = kind.called(options)
        return load_merit_player(name, options.of, plies, manifest_file, few=few, seed=options.seed)

    kind = PlayerKind(
        name,
        summary,
        DifficultyOptions,
        make,
        is_deep=lambda _: plies > 0,
        hashes=lambda options, manifest_file: judge_hashes(options.of, plies, manifest_file),
    )
    return kind
