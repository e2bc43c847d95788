"""``gammond train TRAINER``: one sub-command for each way of learning."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from tools.summaries import summary_of

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


class _TrainerParser(argparse.ArgumentParser):
    """The parser of a trainer, which imports it only when it is the one asked for."""

    def __init__(self, *, module: str, **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._module: str | None = module

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse, with the description and the arguments of the trainer."""
        if self._module is not None:
            trainer = importlib.import_module(self._module)
            self._module = None
            self.description = (trainer.__doc__ or "").replace("`", "")
            trainer.add_arguments(self)
        return super().parse_known_args(args, namespace)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add one sub-parser for each trainer."""
    trainers = parser.add_subparsers(
        dest="trainer", metavar="TRAINER", required=True, parser_class=_TrainerParser
    )
    for name, module in TRAINERS.items():
        trainers.add_parser(
            name,
            module=module,
            help=summary_of(module),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )


def main(args: argparse.Namespace) -> int:
    """Run the chosen trainer; returns the exit status."""
    status: int = importlib.import_module(TRAINERS[args.trainer]).main(args)
    return status
