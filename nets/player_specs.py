"""Names of players, parsed: ``NAME``, ``NAME:plies=2,noise=9``, ``NAME:level=casual``, ``random:seed=3``."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import LEVELS, MAX_NOISE_POINTS, EvalSettings, find_level
from gammond.engine.errors import FormatError
from gammond.engine.options import CHOICES, Field, format_value, list_fields, parse_options
from gammond.engine.play.decider import Decider, SearchPlayer
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.nets.manifest import MANIFEST_FILE, ScorerEntry, read_manifest, read_net_file

RUN, WILDBG, FUNCTION = "run", "wildbg", "function"

FILE_WORDS = (RUN, FUNCTION, WILDBG)
"""Words before the colon of players that name files."""

_FILE_OPTIONS = re.compile(r"(.+):([a-z]+=[^:/\\]*)")
_MAX_OWN_KINDS = 64
_MILLIPOINTS_PER_POINT = 1000
_NO_LEVEL = "none"


class KindSpec(Struct, frozen=True):
    """A player other than evaluators, as parsed from its name; equal for equal options.

    A player kind is a subclass. Its fields are the options (`gammond.engine.options`), and its
    ``__post_init__`` may refuse combinations of them.

    Attributes:
        name: The name of the kind, before any colon; of one that names a file with that, ``run:FOLDER``.
        summary: A phrase in lower case, without full stop.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    @classmethod
    def list_options(cls) -> tuple[Field, ...]:
        """List the options.

        Raises:
            TypeError: An option is free text. Clients of the server set options, and may not name files.
        """
        fields = list_fields(cls)
        if texts := [field.name for field in fields if field.kind == "string"]:
            raise TypeError(f"the option {texts[0]} of {cls.name} is free text")
        return fields

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Parse the name of a player.

        Args:
            text: ``NAME`` or ``NAME:OPTION=VALUE,...``.

        Raises:
            FormatError: An option is unknown, duplicate, without a value or of another type.
            ValueRangeError: A value is out of range, or options do not fit together.
        """
        _, colon, rest = text.partition(":")
        values = parse_options(rest, cls.list_options(), cls.name, error_field="player") if colon else {}
        return cls(**values)

    def format_name(self) -> str:
        """Format the name of the player as `parse` parses it, without options at their defaults."""
        given = [each for each in self.list_options() if getattr(self, each.name) != each.default]
        texts = [f"{each.name}={format_value(getattr(self, each.name))}" for each in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name

    @property
    def is_deep(self) -> bool:
        """Whether it takes its time over a play, as by look-ahead."""
        return False

    def make(self) -> Player:
        """Make the player, which may take seconds; it can be used from several threads."""
        raise NotImplementedError

    def collect_net_hashes(self) -> dict[str, str]:
        """Return sha256 by name of the nets that it plays with, none of which is loaded."""
        return {}


class ScorerKindSpec(KindSpec, frozen=True):
    """A player of a net with one output: a shipped one, by its name behind that of the kind, or one's own."""

    learned: str = ""

    @classmethod
    def make_of_net(cls, name: str, entry: ScorerEntry, content: bytes) -> Player:
        """Make the player of a net.

        Args:
            name: The player's name in results.
            entry: The entry of its file.
            content: The file.

        Raises:
            DataFileError: It is another kind of net.
        """
        raise NotImplementedError

    @property
    def entry(self) -> ScorerEntry:
        """The net in the manifest."""
        return read_manifest(MANIFEST_FILE).find_scorer(f"{self.name}-{self.learned}")

    def make(self) -> Player:
        """Make the player of the shipped net."""
        return self.make_of_net(self.format_name(), self.entry, read_net_file(self.entry))

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hash of the net."""
        return self.entry.net_hashes


@lru_cache(_MAX_OWN_KINDS)
def make_own_kind(entry: ScorerEntry, folder: Path, of: type[ScorerKindSpec]) -> type[KindSpec]:
    """Make the kind of a net of one's own, without options, of the kind that plays it."""

    class OwnPlayer(KindSpec, frozen=True):
        name = entry.name
        summary = f"a net of one's own that plays as {of.name} does"

        def make(self) -> Player:
            return of.make_of_net(entry.name, entry, read_net_file(entry, folder))

        def collect_net_hashes(self) -> dict[str, str]:
            return entry.net_hashes

    return OwnPlayer


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


class EvaluatorSpec(Struct, frozen=True):
    """An evaluator that plays.

    Attributes:
        text: The whole name.
        evaluator: The name of the evaluator.
        settings: Its look-ahead, cubeless.
        noise_points: Typical loss of a chosen play, see `gammond.engine.analysis.levels`.
        seed: Seed of its errors.
    """

    text: str
    evaluator: str
    settings: EvalSettings = EvalSettings(is_cubeful=False)
    noise_points: float = 0.0
    seed: int = 0

    @classmethod
    def parse(cls, name: str, options: str) -> EvaluatorSpec:
        """Parse the options of an evaluator.

        Args:
            name: The evaluator.
            options: ``OPTION=VALUE,...``, of `EvaluatorOptions`.

        Raises:
            FormatError: An option is unknown, duplicate, without a value, of another type, besides a level,
                or is a filter without plies; its field is the option.
            ValueRangeError: A value is out of range.
        """
        given = parse_options(options, OPTION_FIELDS, "an evaluator", error_field="player")
        chosen = EvaluatorOptions(**given)
        text, plies, filter_name = f"{name}:{options}", chosen.plies, chosen.filter
        noise_points = chosen.noise / _MILLIPOINTS_PER_POINT
        if chosen.level != _NO_LEVEL:
            if others := [key for key in given if key not in ("level", "seed")]:
                raise FormatError(
                    f"level sets plies, filter and noise; remove {others[0]!r}", field=others[0]
                )
            level = find_level(chosen.level)
            plies, filter_name, noise_points = level.plies, level.filter_name, level.noise_points
        elif "filter" in given and not plies:
            raise FormatError("filter has no effect at 0-ply; add plies=1 or more", field="filter")
        return cls(text, name, EvalSettings(plies, filter_name, is_cubeful=False), noise_points, chosen.seed)

    @property
    def is_deep(self) -> bool:
        """Whether it looks ahead."""
        return self.settings.plies > 0

    @property
    def is_evaluator_only(self) -> bool:
        """Whether it always plays the best play at 0-ply."""
        return not self.is_deep and self.noise_points == 0.0

    def play_by(self, engine: Engine) -> Player:
        """Make the player of an engine."""
        if self.is_evaluator_only:
            return EvaluatorPlayer(engine.evaluator)
        return SearchPlayer(self.text, Decider(engine, self.settings, self.noise_points, self.seed))


PlayerSpec = EvaluatorSpec | KindSpec


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
