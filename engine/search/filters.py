"""Move filters by name: which candidates are looked at one ply deeper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import ValueRangeError


@dataclass(frozen=True)
class FilterStage:
    """Which candidates of one depth go on to the next.

    Attributes:
        always: So many of the best, whatever their equities.
        extra: At most so many more.
        within: How far behind the best one these may be, in points.
    """

    always: int
    extra: int
    within: float


@dataclass(frozen=True)
class MoveFilter:
    """The stages of a move filter.

    Attributes:
        name: What requests call it.
        stages: Four; stage i chooses, among candidates valued at i plies, those to value at i + 1 plies.
    """

    name: str
    stages: tuple[FilterStage, ...]

    def count_survivors(self, equities: list[float], plies: int) -> int:
        """Say how many of the best candidates go on.

        Args:
            equities: For the mover, in points, the best first, all at ``plies``.
            plies: Their depth, 0 to 3.

        Returns:
            1 or more.
        """
        stage = self.stages[plies]
        limit = min(len(equities), stage.always + stage.extra)
        number = min(len(equities), stage.always)
        while number < limit and equities[number] >= equities[0] - stage.within:
            number += 1
        return number


def _make_filter(name: str, *stages: tuple[int, int, float]) -> MoveFilter:
    return MoveFilter(name, tuple(FilterStage(*stage) for stage in stages))


FILTERS: Mapping[str, MoveFilter] = MappingProxyType(
    {
        chosen.name: chosen
        for chosen in (
            _make_filter("tiny", (1, 3, 0.06), (1, 2, 0.03), (1, 1, 0.02), (1, 1, 0.02)),
            _make_filter("narrow", (1, 5, 0.10), (1, 3, 0.05), (1, 2, 0.03), (1, 1, 0.02)),
            _make_filter("normal", (1, 8, 0.16), (1, 5, 0.06), (1, 3, 0.04), (1, 2, 0.03)),
            _make_filter("large", (1, 16, 0.32), (1, 8, 0.16), (1, 5, 0.08), (1, 3, 0.05)),
            _make_filter("huge", (2, 24, 0.50), (2, 16, 0.30), (2, 10, 0.16), (2, 6, 0.10)),
        )
    }
)
"""Filters by name, from the fastest to the most careful.

Stages are written (always, extra, within points). Each depth is filtered before the next: the candidates for
2 plies are those that stage 0 lets through to 1 ply and stage 1 from there.
"""

DEFAULT_FILTER = "normal"


def find_move_filter(name: str) -> MoveFilter:
    """Look a filter up.

    Raises:
        ValueRangeError: No filter has this name.
    """
    if name not in FILTERS:
        raise ValueRangeError(
            f"no move filter is called {name[:40]!r}, expected one of {', '.join(FILTERS)}", field="filter"
        )
    return FILTERS[name]
