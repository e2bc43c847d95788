"""``gammond train TRAINER``: one sub-command for each way of learning."""

from __future__ import annotations

import argparse
import importlib

SUMMARY = "train nets; one sub-command for each way of learning"

TRAINERS: dict[str, str] = {
    "td": "tools.train.td",
    "label": "tools.train.label",
    "fit": "tools.train.fit",
    "refine": "tools.train.refine",
    "plot": "tools.train.plot",
    "validation-set": "tools.train.validation_set",
    "validate": "tools.train.validate",
    "expert-moves": "tools.train.mimic.expert_moves",
    "mimic": "tools.train.mimic.command",
    "mimic-study": "tools.train.mimic.study",
    "classic": "tools.train.classic.command",
    "classic-study": "tools.train.classic.study",
    "climb": "tools.train.climb.command",
    "climb-study": "tools.train.climb.study",
    "heuristic-net": "tools.train.heuristic_net.command",
    "ascend": "tools.train.ascend.command",
}
"""Sub-commands and the modules behind them, each with ``SUMMARY``, ``add_arguments`` and ``main``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one sub-parser for each trainer."""
    trainers = parser.add_subparsers(dest="trainer", metavar="TRAINER", required=True)
    for name, module_name in TRAINERS.items():
        module = importlib.import_module(module_name)
        trainer = trainers.add_parser(
            name,
            help=module.SUMMARY,
            description=(module.__doc__ or "").replace("`", ""),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(trainer)


def main(args: argparse.Namespace) -> int:
    """Run the chosen trainer; returns the exit status."""
    status: int = importlib.import_module(TRAINERS[args.trainer]).main(args)
    return status
