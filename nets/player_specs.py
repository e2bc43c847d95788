"""Evaluators as players, as people write them: ``NAME``, ``NAME:plies=2,noise=9``, ``NAME:level=casual``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from engine.analysis.engine import Engine
from engine.analysis.levels import LEVELS, MAX_NOISE_POINTS, EvalSettings, find_level
from engine.errors import FormatError
from engine.evaluation.evaluator import Evaluator
from engine.options import CHOICES, list_fields, parse_options
from engine.play.decider import Decider, SearchPlayer
from engine.play.player import EvaluatorPlayer, Player
from engine.rules.dice import MAX_SEED
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER

_MILLIPOINTS_PER_POINT = 1000
_NO_LEVEL = "none"


class EvaluatorOptions(Struct, frozen=True):
    """How an evaluator plays; by itself it plays the best at one look."""

    plies: Annotated[int, Meta(ge=0, le=MAX_PLIES, description="look-ahead")] = 0
    filter: Annotated[
        str,
        Meta(
            extra={CHOICES: tuple(FILTERS)},
            description="which plays are looked at deeper, with plies of 1 or more",
        ),
    ] = DEFAULT_FILTER
    noise: Annotated[
        int,
        Meta(
            ge=0,
            le=round(MAX_NOISE_POINTS * _MILLIPOINTS_PER_POINT),
            description="how far behind the best its choices typically are, in thousandths of a point",
        ),
    ] = 0
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of its errors")] = 0
    level: Annotated[
        str,
        Meta(
            extra={CHOICES: (_NO_LEVEL, *LEVELS)},
            description="a strength of play, in place of plies, filter and noise",
        ),
    ] = _NO_LEVEL


OPTION_FIELDS = list_fields(EvaluatorOptions)
"""The options."""

OPTION_NAMES = tuple(field.name for field in OPTION_FIELDS)
"""What may stand behind the name."""

_PLAIN_SETTINGS = EvalSettings(is_cubeful=False)


@dataclass(frozen=True)
class PlayerSpec:
    """What a player was called.

    Attributes:
        name: The evaluator, before the colon.
        settings: How deep it looks; the cube does not count.
        noise_points: How far behind the best its choices typically are, see `levels.choose_with_noise`.
        seed: Of its errors.
    """

    name: str
    settings: EvalSettings = _PLAIN_SETTINGS
    noise_points: float = 0.0
    seed: int = 0

    @property
    def is_evaluator_only(self) -> bool:
        """Whether it plays the best by the evaluator alone."""
        return self.settings.plies == 0 and self.noise_points == 0.0


def make_player(
    text: str, load_evaluator: Callable[[str], Evaluator], load_engine: Callable[[str], Engine]
) -> Player:
    """Make an evaluator a player.

    Args:
        text: As `parse_player_spec` reads it.
        load_evaluator: Fetches an evaluator by name, for play by it alone.
        load_engine: Fetches an analyst by name, for play that looks ahead or errs.

    Raises:
        FormatError: As `parse_player_spec`.
        ValueRangeError: As `parse_player_spec`.
    """
    spec = parse_player_spec(text)
    if spec.is_evaluator_only:
        return EvaluatorPlayer(load_evaluator(spec.name))
    return SearchPlayer(text, Decider(load_engine(spec.name), spec.settings, spec.noise_points, spec.seed))


def parse_player_spec(text: str) -> PlayerSpec:
    """Read the name and options of an evaluator that plays.

    Args:
        text: ``NAME`` or ``NAME:OPTION=VALUE,...``, with the options of `EvaluatorOptions`.

    Raises:
        FormatError: An option is unknown, has no value or one of another kind, stands twice or beside a
            level, or is a filter without plies.
        ValueRangeError: A value is out of range; the option is named.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return PlayerSpec(name)
    given = parse_options(rest, OPTION_FIELDS, "an evaluator", error_field="player")
    options = msgspec.convert(given, EvaluatorOptions)
    if options.level != _NO_LEVEL:
        _reject_options_beside_level([key for key in given if key not in ("level", "seed")])
        chosen = find_level(options.level)
        depth = EvalSettings(chosen.plies, chosen.filter_name, is_cubeful=False)
        return PlayerSpec(name, depth, chosen.noise_points, options.seed)
    if "filter" in given and not options.plies:
        raise FormatError(
            "a filter does nothing without look-ahead, expected plies=1 or more beside it", field="filter"
        )
    depth = EvalSettings(options.plies, options.filter, is_cubeful=False)
    return PlayerSpec(name, depth, options.noise / _MILLIPOINTS_PER_POINT, options.seed)


def _reject_options_beside_level(option_names: list[str]) -> None:
    if option_names:
        raise FormatError(
            f"a level has its own plies, filter and noise: {option_names[0]!r} cannot stand beside it",
            field=option_names[0],
        )
