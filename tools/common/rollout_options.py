"""The options of rollouts: presets, and each number by itself."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES
from gammond.engine.match_analysis.rollouts import QUICK_ROLLOUT
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rollout.stop_rules import EITHER, STOP_RULES


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
"""Attributes of parsed arguments that change the settings of a preset."""


def add_rollout_arguments(parser: argparse._ActionsContainer, default: str = USUAL) -> None:
    """Declare the presets and each number, except ``--plies`` and ``--threads``.

    Args:
        parser: Of the tool, or a group of its options.
        default: The preset that counts where none is given.
    """
    presets = parser.add_mutually_exclusive_group()
    for name, (_, _, meaning) in _PRESETS.items():
        presets.add_argument(
            f"--{name}",
            dest="preset",
            action="store_const",
            const=name,
            help=meaning + " (the default)" * (name == default),
        )
    usual = RolloutSettings()
    numbers: tuple[tuple[str, str, type, str], ...] = (
        ("--candidates", "N", int, f"plays to roll out, the best at 0-ply (default {DEFAULT_CANDIDATES})"),
        ("--trials", "N", int, "trials of each (default the preset's)"),
        ("--seed", "N", int, f"seed of the dice (default {usual.seed})"),
        (
            "--truncate",
            "PLIES",
            int,
            "plies after which a trial ends with an evaluation; 0 plays to the end (default the preset's)",
        ),
        ("--leaf-plies", "PLIES", int, "look-ahead for evaluations at the truncation (default 0)"),
        *(
            (
                f"--stop-{rule.reason}",
                rule.unit,
                float,
                f"{rule.tool_meaning}; 0 never (default {rule.field.default})",
            )
            for rule in STOP_RULES.values()
        ),
        ("--min-trials", "N", int, f"trials before {EITHER} of these stops anything (default the preset's)"),
    )
    for option, unit, kind, meaning in numbers:
        parser.add_argument(option, type=kind, metavar=unit, help=meaning)
    parser.add_argument("--no-vr", action="store_true", help="no variance reduction: more noise, less work")


def read_rollout_options(args: argparse.Namespace, threads: int, default: str = USUAL) -> RolloutOptions:
    """Read what `add_rollout_arguments` declares, and ``--plies``.

    Args:
        args: The arguments.
        threads: Number of threads.
        default: The preset that counts where none is given.

    Raises:
        ValueRangeError: A number is out of range.
    """
    preset, preset_plies, _ = _PRESETS[args.preset or default]
    chosen = {name: getattr(args, name) for name in _SETTINGS}
    settings = preset.with_options({**chosen, "vr": not args.no_vr, "threads": threads})
    plies = preset_plies if args.plies is None else args.plies
    return RolloutOptions(settings, plies, args.leaf_plies or 0, args.candidates)


def find_rollout_option(args: argparse.Namespace) -> str:
    """Return the first given option of those that `add_rollout_arguments` declares; empty if none is."""
    if args.preset is not None:
        return f"--{args.preset}"
    given = (name for name in ("candidates", "leaf_plies", *_SETTINGS) if getattr(args, name) is not None)
    name = next(given, "no_vr" if args.no_vr else "")
    return "--" + name.replace("_", "-") if name else ""
