"""``gammond train TRAINER``: one sub-command for each way of learning."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from tools.summaries import read_summary

SUMMARY = "train nets; one sub-command for each way of learning"

TRAINERS: dict[str, str] = {
    "td": "tools.train.td.command",
    "label": "tools.train.labels.command",
    "fit": "tools.train.fitting.fit",
    "refine": "tools.train.fitting.refine",
    "plot": "tools.train.runs.plot",
    "validation-set": "tools.train.validation.build_set",
    "validate": "tools.train.validation.validate",
    "expert-moves": "tools.heritage.gengammon.expert_moves",
    "mimic": "tools.heritage.gengammon.command",
    "mimic-study": "tools.heritage.gengammon.study",
    "classic": "tools.heritage.computational_backgammon.command",
    "classic-study": "tools.heritage.computational_backgammon.study",
    "climb": "tools.heritage.heuristic_engine.command",
    "climb-study": "tools.heritage.heuristic_engine.study",
    "heuristic-net": "tools.heritage.phase_features.command",
    "ascend": "tools.heritage.barca.command",
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
            help=read_summary(module),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )


def main(args: argparse.Namespace) -> int:
    """Run the chosen trainer; returns the exit status."""
    status: int = importlib.import_module(TRAINERS[args.trainer]).main(args)
    return status
