"""How deep a question is searched: the oftener it is asked, the deeper."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import FormatError, ValueRangeError
from engine.search.tree import MAX_PLIES

MAX_TIERS = 16
MAX_TIER_VISITS = 1_000_000

_TIER = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")


@dataclass(frozen=True)
class DepthTiers:
    """The depth for each number of visits.

    Attributes:
        steps: From so many visits on, so many plies; both rise from step to step. Questions with fewer visits
            than the first has are not deepened.
        max_plies: The deepest search there is.

    Raises:
        ValueRangeError: There is none or too many, they do not rise, or a number is out of range.
    """

    steps: tuple[tuple[int, int], ...]
    max_plies: int = MAX_PLIES

    def __post_init__(self) -> None:
        if not 1 <= len(self.steps) <= MAX_TIERS:
            raise ValueRangeError(f"expected 1 to {MAX_TIERS} tiers, got {len(self.steps)}", field="tiers")
        before = 0, 0
        for visits, plies in self.steps:
            if not (before[0] < visits <= MAX_TIER_VISITS and before[1] < plies <= self.max_plies):
                raise ValueRangeError(
                    f"expected tiers with rising visits, 1 to {MAX_TIER_VISITS:,}, and rising plies, 1 to "
                    f"{self.max_plies}, got {self}",
                    field="tiers",
                )
            before = visits, plies

    def __str__(self) -> str:
        return "/".join(f"{visits}:{plies}" for visits, plies in self.steps)

    @classmethod
    def parse(cls, text: str) -> DepthTiers:
        """Parse ``VISITS:PLIES/...``, as `str` writes it.

        Raises:
            FormatError: It is written otherwise.
            ValueRangeError: As for the class.
        """
        found = [_TIER.fullmatch(part.strip()) for part in text[:400].split("/")]
        steps = tuple((int(each[1]), int(each[2])) for each in found if each)
        if len(steps) < len(found):
            raise FormatError(
                f"expected tiers as VISITS:PLIES, such as {DEFAULT_TIERS}, got {text[:80]!r}", field="tiers"
            )
        return cls(steps)

    def choose_plies(self, visits: int) -> int:
        """Return how deep a question is to be searched; 0 if it need not be."""
        return max((plies for least, plies in self.steps if visits >= least), default=0)


DEFAULT_TIERS = DepthTiers(((1, 2), (3, 3), (5, 4)))
"""Those of the fifth founding document: its usual search for what was asked once or twice, one ply more from
the third time, two from the fifth. It counts the play itself as a ply, so its three plies are 2-ply. What
it searches "very deep", from the sixteenth time, stays at 4-ply, the deepest search there is."""
