"""Evaluators as players, as people write them: ``NAME``, ``NAME:plies=2,noise=9``, ``NAME:level=casual``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from engine.analyst import Analyst
from engine.choice import Chooser
from engine.dice import MAX_SEED
from engine.errors import FormatError
from engine.evaluator import Evaluator
from engine.levels import LEVELS, MAX_NOISE_POINTS, Depth, level
from engine.players import EvaluatorPlayer, Player
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER
from engine.search_player import SearchPlayer
from nets.options import CHOICES, parameters, read_options

_PER_POINT = 1000
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
            le=round(MAX_NOISE_POINTS * _PER_POINT),
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


PARAMETERS = parameters(EvaluatorOptions)
"""The options, described."""

OPTIONS = tuple(parameter.name for parameter in PARAMETERS)
"""What may stand behind the name."""

_PLAIN = Depth(is_cubeful=False)


@dataclass(frozen=True)
class PlayerSpec:
    """What a player was called.

    Attributes:
        name: The evaluator, before the colon.
        depth: How deep it looks; the cube does not count.
        noise_points: How far behind the best its choices typically are, see `engine.levels.erring_choice`.
        seed: Of its errors.
    """

    name: str
    depth: Depth = _PLAIN
    noise_points: float = 0.0
    seed: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether it plays the best by the evaluator alone."""
        return self.depth.plies == 0 and self.noise_points == 0.0


def player_of(
    text: str, find_evaluator: Callable[[str], Evaluator], find_analyst: Callable[[str], Analyst]
) -> Player:
    """Make an evaluator a player.

    Args:
        text: As `parse_player` reads it.
        find_evaluator: Fetches an evaluator by name, for play by it alone.
        find_analyst: Fetches an analyst by name, for play that looks ahead or errs.

    Raises:
        FormatError: As `parse_player`.
        ValueRangeError: As `parse_player`.
    """
    spec = parse_player(text)
    if spec.is_plain:
        return EvaluatorPlayer(find_evaluator(spec.name))
    return SearchPlayer(text, Chooser(find_analyst(spec.name), spec.depth, spec.noise_points, spec.seed))


def parse_player(text: str) -> PlayerSpec:
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
    given = read_options(rest, PARAMETERS, "an evaluator")
    options = msgspec.convert(given, EvaluatorOptions)
    if options.level != _NO_LEVEL:
        _refuse_beside_level([key for key in given if key not in ("level", "seed")])
        chosen = level(options.level)
        depth = Depth(chosen.plies, chosen.filter_name, is_cubeful=False)
        return PlayerSpec(name, depth, chosen.noise_points, options.seed)
    if "filter" in given and not options.plies:
        raise FormatError(
            "a filter does nothing without look-ahead, expected plies=1 or more beside it", field="filter"
        )
    depth = Depth(options.plies, options.filter, is_cubeful=False)
    return PlayerSpec(name, depth, options.noise / _PER_POINT, options.seed)


def _refuse_beside_level(beside: list[str]) -> None:
    if beside:
        raise FormatError(
            f"a level has its own plies, filter and noise: {beside[0]!r} cannot stand beside it",
            field=beside[0],
        )
