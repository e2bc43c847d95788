"""The limits of ``go``: how deep, how long, through which filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.analysis.levels import EvalSettings
from engine.rules.doubles_rule import DoublesRule
from engine.search import FILTERS, MAX_PLIES
from protocol.core.arguments import MAX_QUOTED_CHARS, parse_choice, parse_integer, suggest_nearest
from protocol.core.errors import CommandError
from protocol.state.session import Session

MAX_MOVETIME_MS = 86_400_000

LIMIT_NAMES = ("plies", "depth", "movetime", "filter")
ROLE_LIMIT_NAMES = (*LIMIT_NAMES, "nodes", "trials")
"""UBGI 0.1's form has two more, which change nothing here."""

_MAX_INTEGER = 2**63 - 1


@dataclass(frozen=True)
class GoLimits:
    """How deep and how long a decision may be thought about.

    Attributes:
        plies: Look-ahead; None if the request does not say.
        movetime_s: Seconds from the arrival of the request; None for no end.
        filter_name: Move filter; None if the request does not say.
    """

    plies: int | None = None
    movetime_s: float | None = None
    filter_name: str | None = None

    def make_eval_settings(self, session: Session) -> EvalSettings:
        """Return how deep a session looks.

        With nothing but a time that is as deep as can be, except at a level that errs: more time must not
        make it stronger.

        Raises:
            UnsupportedError: As `Session.check_eval_settings`.
        """
        plies = self.plies
        is_free = self.movetime_s is not None and session.engine_settings.noise == 0
        if plies is None and is_free and session.game.doubles is DoublesRule.FOUR:
            plies = MAX_PLIES
        return session.make_eval_settings(plies, self.filter_name)


def parse_limits(words: Sequence[str], *, is_role: bool = False) -> GoLimits:
    """Read limits, each with its value: ``plies 2`` or ``plies=2``.

    Args:
        words: What stands after the decision.
        is_role: Whether this is UBGI 0.1's form, in which a depth beyond what is offered is no error: it asks
            for no more than that.

    Raises:
        CommandError: They are no such pairs, or two of them say the depth.
        ValueRangeError: A value is out of range; the field is the limit's name.
    """
    pairs = _parse_pairs(words, ROLE_LIMIT_NAMES if is_role else LIMIT_NAMES)
    if {"plies", "depth"} <= set(pairs):
        raise CommandError("expected 'plies' or 'depth', which is one more, not both", field="limits")
    for name in {"nodes", "trials"} & set(pairs):
        parse_integer(name, pairs[name], 1, _MAX_INTEGER)
    filter_name = parse_choice("filter", pairs["filter"], tuple(FILTERS)) if "filter" in pairs else None
    return GoLimits(_parse_plies(pairs, is_role), _parse_movetime_s(pairs, is_role), filter_name)


def _parse_pairs(words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read ``plies 2`` and ``plies=2`` alike."""
    parts = [part for word in words for part in word.split("=", 1)]
    pairs = dict(zip(parts[::2], parts[1::2], strict=False))
    unknown = next((name for name in parts[::2] if name not in names), None)
    if unknown is not None:
        expected = f"expected pairs of {'|'.join(names)} and a value"
        raise CommandError(
            f"{expected}, got {unknown[:MAX_QUOTED_CHARS]!r}{suggest_nearest(unknown, names)}", field="limits"
        )
    if len(parts) % 2:
        raise CommandError(f"expected a value after {parts[-1]!r}", field="limits")
    twice = next((name for name in names if parts[::2].count(name) > 1), None)
    if twice is not None:
        raise CommandError(f"{twice!r} stands there twice", field="limits")
    return pairs


def _parse_plies(pairs: dict[str, str], is_role: bool) -> int | None:
    if "plies" in pairs:
        return parse_integer("plies", pairs["plies"], 0, MAX_PLIES)
    if "depth" not in pairs:
        return None
    depth = parse_integer("depth", pairs["depth"], 1, _MAX_INTEGER if is_role else MAX_PLIES + 1)
    return min(depth - 1, MAX_PLIES)


def _parse_movetime_s(pairs: dict[str, str], is_role: bool) -> float | None:
    if "movetime" not in pairs:
        return None
    time_ms = parse_integer("movetime", pairs["movetime"], 1, _MAX_INTEGER if is_role else MAX_MOVETIME_MS)
    return min(time_ms, MAX_MOVETIME_MS) / 1000
