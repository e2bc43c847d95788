"""Changes of one factor of a configuration, each decided by the seed and the number of the trial."""

from __future__ import annotations

import msgspec
import numpy as np

from nets.heuristic import Configuration
from nets.options import parameters

STEPS: dict[str, float] = {"cbp": 0.5, "cb": 0.25, "bf": 0.25, "bfp": 0.25, "bt": 3.0, "rb": 0.25}
"""The factors that change, and how far typically. Pips stay what everything else is measured in."""

WHOLE = frozenset({"bt"})
"""Factors that only whole numbers tell apart."""

_FREEDOM = 3.0
"""Degrees of freedom of Student's distribution, which steps have: now and then one goes far."""

_DECIMALS = 3


class Change(msgspec.Struct, frozen=True):
    """A factor and what becomes of it."""

    factor: str
    before: float
    after: float

    def made_to(self, configuration: Configuration) -> Configuration:
        """A configuration with this change."""
        return msgspec.structs.replace(configuration, **{self.factor: self.after})


def change_of(configuration: Configuration, seed: int, trial: int, scale: float = 1.0) -> Change:
    """Draw a change of one factor, within its bounds.

    Args:
        configuration: What is changed.
        seed: Of the run.
        trial: Its number.
        scale: What the usual steps are multiplied with, above 0.
    """
    generator = np.random.Generator(np.random.PCG64([seed, trial]))
    factor = str(generator.choice(list(STEPS)))
    bounds = next(each for each in parameters(Configuration) if each.name == factor)
    before: float = getattr(configuration, factor)
    decimals = 0 if factor in WHOLE else _DECIMALS
    after = before
    while after == before:
        step = STEPS[factor] * scale * float(generator.standard_t(_FREEDOM))
        after = round(min(max(before + step, bounds.low), bounds.high), decimals)
    return Change(factor, before, after)
