"""Changes of one factor of a configuration, determined by the seed and the number of the trial."""

from __future__ import annotations

import msgspec
import numpy as np

from gammond.engine.options import list_fields
from gammond.nets.heritage.heuristic_engine.heuristic import HeuristicConfig

STEP_SIZES: dict[str, float] = {"cbp": 0.5, "cb": 0.25, "bf": 0.25, "bfp": 0.25, "bt": 3.0, "rb": 0.25}
"""The factors that change, with typical step sizes. Pips do not change: they are the unit."""

WHOLE_NUMBER_FACTORS = frozenset({"bt"})
"""Factors that are whole numbers."""

_DEGREES_OF_FREEDOM = 3.0
"""Degrees of freedom of the Student distribution of steps: a few steps are large."""

_DECIMALS = 3


class FactorChange(msgspec.Struct, frozen=True):
    """A factor, before and after its change."""

    factor: str
    before: float
    after: float

    def apply_to(self, configuration: HeuristicConfig) -> HeuristicConfig:
        """Return a configuration with this change."""
        return msgspec.structs.replace(configuration, **{self.factor: self.after})


def draw_change(configuration: HeuristicConfig, seed: int, trial: int, scale: float = 1.0) -> FactorChange:
    """Draw a change of one factor, within its bounds.

    Args:
        configuration: The configuration to change.
        seed: Of the run.
        trial: The number of the trial.
        scale: Factor of the typical step sizes, above 0.
    """
    generator = np.random.Generator(np.random.PCG64([seed, trial]))
    factor = str(generator.choice(list(STEP_SIZES)))
    bounds = next(field.bounds for field in list_fields(HeuristicConfig) if field.name == factor)
    before: float = getattr(configuration, factor)
    decimals = 0 if factor in WHOLE_NUMBER_FACTORS else _DECIMALS
    after = before
    while after == before:
        step = STEP_SIZES[factor] * scale * float(generator.standard_t(_DEGREES_OF_FREEDOM))
        after = round(min(max(before + step, bounds.low), bounds.high), decimals)
    return FactorChange(factor, before, after)
