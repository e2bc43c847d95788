"""Solved variants: evaluators that know all positions of a variant and the cube, and take the place of nets.

Each is in a wing: a folder of the engine whose ``solution.py`` has its `SolutionSource`, ``SOURCE``. Nothing
else names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Protocol

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.evaluation.evaluator import CubefulEvaluator, Evaluator
from gammond.engine.rules.rules import Variant

_ENGINE = Path(__file__).parent.parent


class Solution(Evaluator, CubefulEvaluator, Protocol):
    """Knows all positions of a variant exactly, with the cube."""

    @property
    def match_equities(self) -> MatchEquityTable:
        """The match equity table of the variant."""
        ...


@dataclass(frozen=True)
class SolutionSource:
    """Where the solutions of variants come from.

    Attributes:
        variants: The variants.
        load: Returns the solution of one of them; raises DataFileError where it is missing or damaged.
        check: Raises DataFileError where the solution of one of them is missing, and does nothing else.
    """

    variants: tuple[Variant, ...]
    load: Callable[[Variant], Solution]
    check: Callable[[Variant], None]


def load_solution(variant: Variant) -> Solution:
    """Return the evaluator of a solved variant.

    Raises:
        DataFileError: It is missing, or its file is damaged.
    """
    return _find_sources()[variant].load(variant)


def check_solution(variant: Variant) -> None:
    """Check that the evaluator of a solved variant is there, or is made at its first use.

    Raises:
        DataFileError: It is missing.
    """
    _find_sources()[variant].check(variant)


@cache
def _find_sources() -> Mapping[Variant, SolutionSource]:
    names = sorted(file.parent.name for file in _ENGINE.glob("*/solution.py"))
    sources: list[SolutionSource] = [
        import_module(f"gammond.engine.{name}.solution").SOURCE for name in names
    ]
    return {variant: source for source in sources for variant in source.variants}
