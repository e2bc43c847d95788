"""Names of players, parsed: ``NAME``, ``NAME:plies=2,noise=9``, ``NAME:level=casual``, ``random:seed=3``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated, Any

from msgspec import Meta, Struct

from engine.analysis.engine import Engine
from engine.analysis.levels import LEVELS, MAX_NOISE_POINTS, EvalSettings, find_level
from engine.errors import FormatError, ValueRangeError
from engine.evaluation.evaluator import Evaluator
from engine.options import CHOICES, convert, did_you_mean, list_fields, parse_options
from engine.play.decider import Decider, SearchPlayer
from engine.play.player import EvaluatorPlayer, Player
from engine.rules.dice import MAX_SEED
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER
from nets.player_kinds import PlayerKind, find_kind, list_kind_names

_MILLIPOINTS_PER_POINT = 1000
_NO_LEVEL = "none"

RUN, WILDBG, FUNCTION = "run", "wildbg", "function"

FILE_WORDS = (RUN, WILDBG, FUNCTION)
"""Words before the colon of players that name files."""

_FILE_OPTIONS = re.compile(r"(.+):([a-z]+=[^:/\\]*)")


class EvaluatorOptions(Struct, frozen=True):
    """Options of an evaluator that plays; the defaults play its best play at 0-ply."""

    plies: Annotated[int, Meta(ge=0, le=MAX_PLIES, description="look-ahead")] = 0
    filter: Annotated[
        str,
        Meta(
            extra={CHOICES: tuple(FILTERS)},
            description="move filter: which plays are searched deeper, with plies=1 or more",
        ),
    ] = DEFAULT_FILTER
    noise: Annotated[
        int,
        Meta(
            ge=0,
            le=round(MAX_NOISE_POINTS * _MILLIPOINTS_PER_POINT),
            description="typical loss of a chosen play against the best, in thousandths of a point",
        ),
    ] = 0
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its errors")] = 0
    level: Annotated[
        str,
        Meta(
            extra={CHOICES: (_NO_LEVEL, *LEVELS)},
            description="level of play; sets plies, filter and noise",
        ),
    ] = _NO_LEVEL


OPTION_FIELDS = list_fields(EvaluatorOptions)
"""The options of an evaluator."""

OPTION_NAMES = tuple(field.name for field in OPTION_FIELDS)
"""Their names."""

_PLAIN_SETTINGS = EvalSettings(is_cubeful=False)


@dataclass(frozen=True)
class EvaluatorSpec:
    """An evaluator that plays, as parsed from a name.

    Attributes:
        text: The whole name.
        evaluator: The name of the evaluator.
        settings: Its look-ahead, cubeless.
        noise_points: Typical loss of a chosen play, see `engine.analysis.levels`.
        seed: Seed of its errors.
    """

    text: str
    evaluator: str
    settings: EvalSettings = _PLAIN_SETTINGS
    noise_points: float = 0.0
    seed: int = 0

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead."""
        return self.settings.plies > 0

    @property
    def is_evaluator_only(self) -> bool:
        """Whether it always plays the best play at 0-ply."""
        return not self.is_deep and self.noise_points == 0.0

    def make(
        self, load_evaluator: Callable[[str], Evaluator], load_engine: Callable[[str], Engine]
    ) -> Player:
        """Make the player.

        Args:
            load_evaluator: Loads an evaluator by name, for play at 0-ply without errors.
            load_engine: Loads an engine by name, for play that looks ahead or errs.
        """
        if self.is_evaluator_only:
            return EvaluatorPlayer(load_evaluator(self.evaluator))
        decider = Decider(load_engine(self.evaluator), self.settings, self.noise_points, self.seed)
        return SearchPlayer(self.text, decider)


@dataclass(frozen=True)
class KindSpec:
    """A player of a kind, as parsed from a name; equal for equal options, however they are written.

    Attributes:
        kind: The kind.
        options: Its options, of the type ``kind.options``.
    """

    kind: PlayerKind[Any]
    options: Any

    @property
    def is_deep(self) -> bool:
        """Whether it takes its time over a play."""
        return self.kind.is_deep(self.options)


PlayerSpec = EvaluatorSpec | KindSpec


def parse_player(text: str, evaluators: Sequence[str], others: Iterable[str] = ()) -> PlayerSpec:
    """Parse the name of a player.

    Args:
        text: The name of an evaluator, with options of `EvaluatorOptions` after a colon, or of a player kind,
            with its own.
        evaluators: The names of evaluators; they take precedence over player kinds.
        others: Names that the caller accepts besides, for messages.

    Raises:
        FormatError: An option is unknown, duplicate, without a value, of another type, besides a level, or is
            a filter without plies; its field is the option.
        ValueRangeError: No player has this name, or a value is out of range.
    """
    name, colon, rest = text.partition(":")
    if name in evaluators:
        return parse_evaluator(name, rest) if colon else EvaluatorSpec(text, name)
    kind = find_kind(name)
    if kind is None:
        from nets.own_nets import find_own_kind  # the modules of nets: not for the start of a program

        kind = find_own_kind(name)
    if kind is None:
        known = list(dict.fromkeys([*others, *evaluators, *list_kind_names()]))
        raise ValueRangeError(
            f"expected a player ({', '.join(known)}), got {name[:40]!r}{did_you_mean(name, known)}",
            field="player",
        )
    return KindSpec(kind, kind.parse_options(text))


def split_file_options(text: str) -> tuple[str, str]:
    """Split the name of a player that names a file, which may have colons, and its options.

    Args:
        text: ``run:FOLDER``, or with options after a colon: ``run:FOLDER:plies=1,seed=3``.

    Returns:
        The name, and the options, empty where there are none.
    """
    found = _FILE_OPTIONS.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")


def name_player(text: str) -> str:
    """Return what a player is called for short: its name without options, of a file that of the file."""
    word, _, path = split_file_options(text)[0].partition(":")
    return (PurePath(path).stem or word) if word in FILE_WORDS else word


def parse_evaluator(name: str, options: str) -> EvaluatorSpec:
    """Parse the options of an evaluator that plays.

    Args:
        name: The evaluator.
        options: ``OPTION=VALUE,...``, of `EvaluatorOptions`.

    Raises:
        FormatError: As `parse_player`.
        ValueRangeError: A value is out of range.
    """
    text = f"{name}:{options}"
    given = parse_options(options, OPTION_FIELDS, "an evaluator", error_field="player")
    chosen = convert(given, EvaluatorOptions)
    if chosen.level != _NO_LEVEL:
        _reject_options_beside_level([key for key in given if key not in ("level", "seed")])
        level = find_level(chosen.level)
        settings = EvalSettings(level.plies, level.filter_name, is_cubeful=False)
        return EvaluatorSpec(text, name, settings, level.noise_points, chosen.seed)
    if "filter" in given and not chosen.plies:
        raise FormatError("filter has no effect at 0-ply; add plies=1 or more", field="filter")
    settings = EvalSettings(chosen.plies, chosen.filter, is_cubeful=False)
    return EvaluatorSpec(text, name, settings, chosen.noise / _MILLIPOINTS_PER_POINT, chosen.seed)


def _reject_options_beside_level(option_names: list[str]) -> None:
    if option_names:
        raise FormatError(
            f"level sets plies, filter and noise; remove {option_names[0]!r}", field=option_names[0]
        )
