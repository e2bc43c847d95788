"""The options of rollouts: presets, and each number by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Struct

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES
from gammond.engine.match_analysis.rollouts import QUICK_ROLLOUT
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.stop_rules import EITHER, STOP_RULES
from gammond.tools.common.command_options import option


@dataclass(frozen=True)
class RolloutOptions:
    """A rollout as asked for on the command line.

    Attributes:
        settings: Trials, truncation, variance reduction, stop rules.
        plies: Look-ahead for plays and cube decisions.
        leaf_plies: Look-ahead for evaluations at the truncation.
        candidates: Plays to roll out; None where none were asked for.
    """

    settings: RolloutSettings
    plies: int
    leaf_plies: int
    candidates: int | None


QUICK, USUAL, LONG = "quick", "usual", "long"

_PRESETS: Mapping[str, tuple[RolloutSettings, int, str]] = MappingProxyType(
    {
        QUICK: (QUICK_ROLLOUT, 0, "324 trials of 11 plies at 0-ply: some 2 s, standard error about 0.005"),
        USUAL: (
            RolloutSettings(),
            0,
            "1,296 trials to the end at 0-ply: some 20 s, standard error about 0.010",
        ),
        LONG: (
            RolloutSettings(),
            1,
            "1,296 trials to the end at 1-ply: 2 to 3 minutes, standard error about 0.009",
        ),
    }
)
"""Settings, look-ahead and help of presets by name, which is also the option; time and error are those of
five plays of the opening 3-1, on two quiet cores, where none is pruned."""

_SETTINGS = ("trials", "seed", "truncate", *STOP_RULES, "min_trials")
"""Options that change the settings of a preset."""


class RolloutNumbers(Struct, frozen=True, kw_only=True):
    """Presets of rollouts, and each number but look-ahead and threads; `define_numbers` makes its kinds."""

    default: ClassVar[str] = USUAL

    quick: bool = False
    usual: bool = False
    long: bool = False
    candidates: int | None = None
    leaf_plies: int | None = None
    no_vr: bool = False

    def read(self, plies: int | None, threads: int) -> RolloutOptions:
        """Return the rollouts that are asked for.

        Args:
            plies: Look-ahead for plays and cube decisions; None for the preset's.
            threads: Number of threads.

        Raises:
            ValueRangeError: A number is out of range.
        """
        preset, preset_plies, _ = _PRESETS[self.preset or self.default]
        chosen = {name: getattr(self, name) for name in _SETTINGS}
        settings = preset.with_options({**chosen, "vr": not self.no_vr, "threads": threads})
        return RolloutOptions(
            settings, preset_plies if plies is None else plies, self.leaf_plies or 0, self.candidates
        )

    @property
    def preset(self) -> str:
        """The name of the preset that is given; empty for none."""
        return next((name for name in _PRESETS if getattr(self, name)), "")


def define_numbers(name: str, default: str) -> type[RolloutNumbers]:
    """Define the options of a command that rolls out.

    Args:
        name: Of the struct in this module, by which workers find it.
        default: The preset that counts where none is given.
    """
    usual = RolloutSettings()
    switches = {
        each: meaning + " (the default)" * (each == default) for each, (_, _, meaning) in _PRESETS.items()
    }
    numbers = {
        "candidates": (int, f"plays to roll out, the best at 0-ply (default {DEFAULT_CANDIDATES})", "N"),
        "trials": (int, "trials of each (default the preset's)", "N"),
        "seed": (int, f"seed of the dice (default {usual.seed})", "N"),
        "truncate": (
            int,
            "plies after which a trial ends with an evaluation; 0 plays to the end (default the preset's)",
            "PLIES",
        ),
        "leaf_plies": (int, "look-ahead for evaluations at the truncation (default 0)", "PLIES"),
        **{
            each: (float, f"{rule.tool_meaning}; 0 never (default {rule.field.default})", rule.unit)
            for each, rule in STOP_RULES.items()
        },
        "min_trials": (int, f"trials before {EITHER} of these stops anything (default the preset's)", "N"),
    }
    fields: list[tuple[str, object, object]] = [
        (each, Annotated[bool, option(meaning, one_of="preset")], False) for each, meaning in switches.items()
    ]
    fields += [
        (each, Annotated[kind, option(meaning, unit)] | None, None)
        for each, (kind, meaning, unit) in numbers.items()
    ]
    fields += [("no_vr", Annotated[bool, option("no variance reduction: more noise, less work")], False)]
    kind = msgspec.defstruct(
        name,
        fields,
        bases=(RolloutNumbers,),
        module=__name__,
        namespace={"default": default},
        frozen=True,
        kw_only=True,
    )
    assert issubclass(kind, RolloutNumbers)
    return kind


if TYPE_CHECKING:

    class UsualNumbers(RolloutNumbers, frozen=True):
        """Those of a command whose default is `USUAL`."""

    class QuickNumbers(RolloutNumbers, frozen=True):
        """Those of a command whose default is `QUICK`."""

else:
    UsualNumbers = define_numbers("UsualNumbers", USUAL)
    QuickNumbers = define_numbers("QuickNumbers", QUICK)
