"""Player kinds: players other than the manifest's evaluators, in `nets.players` and `nets.heritage`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

from engine.options import Field, convert, format_value, list_fields, parse_options
from engine.play.player import Player

if TYPE_CHECKING:
    from nets.manifest import ScorerEntry

_HERE = Path(__file__).parent

OptionsT = TypeVar("OptionsT", bound=Struct)


@dataclass(frozen=True)
class PlayerKind(Generic[OptionsT]):
    """A player kind.

    Attributes:
        name: Its name, before any colon; that of its module, with ``-`` for ``_``.
        summary: A phrase in lower case, without full stop.
        options: A frozen struct; its fields are the options after the colon (`engine.options`). Its
            ``__post_init__`` may refuse combinations of options.
        make: Makes the player, given its options and the manifest's file; may take seconds. The player can
            be used from several threads.
        is_deep: Whether a player with these options takes its time over a play, as by look-ahead.
        net_hashes: sha256 by name of the nets that it plays with, given the arguments of `make`.
        make_of_own: Makes the player of a net of one's own, given the entry of its file and the folder of the
            manifest; None for a kind that plays none.
    """

    name: str
    summary: str
    options: type[OptionsT]
    make: Callable[[OptionsT, Path], Player]
    is_deep: Callable[[OptionsT], bool] = lambda _: False
    net_hashes: Callable[[OptionsT, Path], dict[str, str]] = lambda _, __: {}
    make_of_own: Callable[[ScorerEntry, Path], Player] | None = None

    @property
    def fields(self) -> tuple[Field, ...]:
        """The options.

        Raises:
            TypeError: An option is free text. Clients of the server set options, and may not name files.
        """
        fields = list_fields(self.options)
        if texts := [field.name for field in fields if field.kind == "string"]:
            raise TypeError(f"the option {texts[0]} of {self.name} is free text")
        return fields

    def parse_options(self, text: str) -> OptionsT:
        """Parse the options in the name of a player.

        Args:
            text: ``NAME`` or ``NAME:OPTION=VALUE,...``.

        Raises:
            FormatError: An option is unknown, duplicate, without a value or of another type.
            ValueRangeError: A value is out of range, or options do not fit together.
        """
        _, colon, rest = text.partition(":")
        values = parse_options(rest, self.fields, self.name, error_field="player") if colon else {}
        return convert(values, self.options)

    def format_name(self, options: OptionsT) -> str:
        """Format the name of a player as `parse_options` parses it, without options at their defaults."""
        given = [each for each in self.fields if getattr(options, each.name) != each.default]
        texts = [f"{each.name}={format_value(getattr(options, each.name))}" for each in given]
        return f"{self.name}:{','.join(texts)}" if texts else self.name


class NoOptions(Struct, frozen=True):
    """The options of a player that has none."""


def list_kind_names() -> list[str]:
    """List the names of all player kinds, in alphabetical order, without importing their modules."""
    return sorted(_find_modules())


@functools.cache
def _find_modules() -> dict[str, str]:
    """Map names to modules: those in `nets.players`, and in each ``players`` folder of `nets.heritage`."""
    modules = {}
    for folder in (_HERE / "players", *sorted((_HERE / "heritage").glob("*/players"))):
        package = ".".join(("nets", *folder.relative_to(_HERE).parts))
        for module in pkgutil.iter_modules([str(folder)]):
            modules[module.name.replace("_", "-")] = f"{package}.{module.name}"
    return modules


def find_kind(name: str) -> PlayerKind[Any] | None:
    """Return the player kind of a name, which may be any text; None where there is none."""
    module = _find_modules().get(name)
    if module is None:
        return None
    kind: PlayerKind[Any] = importlib.import_module(module).KIND
    return kind


def load_player_kinds() -> list[PlayerKind[Any]]:
    """Load all player kinds, in the order of their names."""
    return [kind for kind in map(find_kind, list_kind_names()) if kind is not None]
