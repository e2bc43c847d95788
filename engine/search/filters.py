"""Move filters by name: which candidate plays are searched one ply deeper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from gammond.engine.errors import ValueRangeError


@dataclass(frozen=True)
class FilterStage:
    """The candidates of one depth that go on to the next.

    Attributes:
        always: Number of best candidates that go on whatever their equities.
        extra: Maximum number of further candidates.
        within: Maximum loss of these against the best one, in points.
    """

    always: int
    extra: int
    within: float

    def with_at_least(self, count: int) -> FilterStage:
        """Return the stage that lets so many of the best through in any case, and no more of the others."""
        always = max(self.always, count)
        return replace(self, always=always, extra=max(0, self.always + self.extra - always))


@dataclass(frozen=True)
class MoveFilter:
    """The stages of a move filter.

    Attributes:
        name: The filter's name in requests.
        stages: Four; stage i chooses, among candidates evaluated at i-ply, those to evaluate at i + 1 plies.
    """

    name: str
    stages: tuple[FilterStage, ...]

    def with_at_least(self, count: int) -> MoveFilter:
        """Return the filter that lets so many of the best through each stage, whatever their equities."""
        if all(stage.always >= count for stage in self.stages):
            return self
        return replace(self, stages=tuple(stage.with_at_least(count) for stage in self.stages))

    def count_survivors(self, equities: list[float], plies: int) -> int:
        """Return how many of the best candidates go on.

        Args:
            equities: For the mover, in points, best first, all at depth `plies`.
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
"""Filters by name, fastest first.

Stages are written (always, extra, within points). Each depth is filtered before the next: the candidates at
2-ply have passed stage 0 and then stage 1.
"""

DEFAULT_FILTER = "normal"


def find_move_filter(name: str) -> MoveFilter:
    """Return the filter of a name.

    Raises:
        ValueRangeError: No filter has this name.
    """
    if name not in FILTERS:
        raise ValueRangeError(
            f"expected a move filter, one of {', '.join(FILTERS)}, got {name[:40]!r}", field="filter"
        )
    return FILTERS[name]
