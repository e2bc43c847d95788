"""Players as people write them: ``td128``, ``td128:plies=2,filter=narrow``, ``default:level=casual``."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import FormatError
from engine.levels import Depth, level

OPTIONS = ("plies", "filter", "noise", "seed", "level")
"""What may stand behind the name; `parse_player` says what each means."""

_PER_POINT = 1000
_PLAIN = Depth(is_cubeful=False)


@dataclass(frozen=True)
class PlayerSpec:
    """What a player was called.

    Attributes:
        name: The evaluator, or another player, before the colon.
        depth: How deep it looks; the cube does not count.
        noise_points: How far behind the best its choices typically are, see `engine.levels.erring_choice`.
        seed: Of its errors.
        has_options: Whether anything stood behind the name.
    """

    name: str
    depth: Depth = _PLAIN
    noise_points: float = 0.0
    seed: int = 0
    has_options: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it plays the best by the evaluator alone."""
        return self.depth.plies == 0 and self.noise_points == 0.0


def parse_player(text: str) -> PlayerSpec:
    """Read a player's name and options.

    Options are ``plies`` (look-ahead), ``filter`` (a move filter, where there is look-ahead), ``noise``
    (thousandths of a point) and ``seed`` (of the errors), or ``level`` (the name of a level, which stands for
    plies, filter and noise).

    Args:
        text: ``NAME`` or ``NAME:OPTION=VALUE,...``.

    Raises:
        FormatError: An option is unknown, has no value or a wrong one, stands twice or beside a level, or
            is a filter without plies.
        ValueRangeError: A value is out of range; the option is named.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return PlayerSpec(name)
    options = _options(rest)
    if "level" in options:
        _refuse_beside_level(options)
        chosen = level(options["level"])
        depth = Depth(chosen.plies, chosen.filter_name, is_cubeful=False)
        noise_points = chosen.noise_points
    else:
        depth = Depth(_whole(options, "plies"), options.get("filter", _PLAIN.filter_name), is_cubeful=False)
        if "filter" in options and not depth.plies:
            raise FormatError(
                "a filter does nothing without look-ahead, expected plies=1 or more beside it", field="filter"
            )
        noise_points = _whole(options, "noise") / _PER_POINT
    return PlayerSpec(name, depth, noise_points, _whole(options, "seed"), has_options=True)


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if key not in OPTIONS:
            raise FormatError(
                f"a player has the options {', '.join(OPTIONS)}, not {key[:40]!r}", field="player"
            )
        if not (equals and value):
            raise FormatError(f"a value is missing after {key!r}, expected {key}=VALUE", field=key)
        if key in options:
            raise FormatError(f"{key!r} stands twice", field=key)
        options[key] = value
    return options


def _refuse_beside_level(options: dict[str, str]) -> None:
    beside = [key for key in options if key not in ("level", "seed")]
    if beside:
        raise FormatError(
            f"a level has its own plies, filter and noise: {beside[0]!r} cannot stand beside it",
            field=beside[0],
        )


def _whole(options: dict[str, str], key: str) -> int:
    text = options.get(key, "0")
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise FormatError(f"{key} is a whole number of 0 or more, not {text[:40]!r}", field=key)
    return int(text)
