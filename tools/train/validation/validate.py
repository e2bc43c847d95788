"""``gammond train validate``: how far nets are from rolled-out positions, class by class.

The positions are those of `gammond train validation-set`, which may still be at work. Of each net: the root
mean square of its errors of cubeless equity, with the labels' own mean squared error subtracted (RMSE) and
without (raw); the ratio of the RMSE to that of the first net, on the same positions; the mean error. All with
standard errors. The table ends with how the nets evaluate the opening position.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import Outcome, Outcomes, cubeless_equity
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.version import read_version
from gammond.tools.common.command_options import Json, ToolCommand, argument, option, read_file
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report, format_table
from gammond.tools.train.runs.run_folder import CONFIG_FILE
from gammond.tools.train.runs.settings import read_settings
from gammond.tools.train.validation.build_set import ValidationSettings
from gammond.tools.train.validation.net_errors import (
    NetErrorStats,
    compute_net_errors,
    rms,
)
from gammond.tools.train.validation.positions import is_learned
from gammond.tools.train.validation.rollout_labels import RolloutLabels, read_all_rollouts
from gammond.tools.train.weights.net_set import load_named_evaluator

SUMMARY = "compare nets with rolled-out positions"

ALL_CLASSES = "all"
"""The name of all classes together."""

_EVALUATION_BATCH = 256


class ValidateOptions(Struct, frozen=True, kw_only=True):
    """Which nets are compared, with which set.

    Raises:
        ValueRangeError: A net is named twice.
    """

    set: Annotated[Path, read_file("folder of a validation set", "SET", count="")]
    nets: Annotated[
        tuple[str, ...],
        argument(
            "NET",
            "an evaluator of the manifest or 'default', the folder of a run or a file of nets in it, "
            "'wildbg:FOLDER', 'gnubg'; ':plies=1' or ':plies=2' behind it looks ahead; the first is the one "
            "that others are compared with",
            count="+",
        ),
    ]
    not_in: Annotated[tuple[str, ...], option("folders of labels whose positions are left out", "LIST")] = ()
    summary: Annotated[bool, option("write a line for each class with the RMSE of each net alone")] = False
    json: Json = False

    def __post_init__(self) -> None:
        if len({*self.nets}) < len(self.nets):
            raise ValueRangeError("a net is named twice", field="net")


def run(options: ValidateOptions) -> int:
    """Compare and report; returns the exit status.

    Raises:
        GammondError: The set or a net cannot be read, or no position is left.
    """
    settings = read_settings(options.set / CONFIG_FILE, ValidationSettings)
    labels = read_all_rollouts(options.set)
    evaluators = {name: load_named_evaluator(name) for name in options.nets}
    learned = is_learned(labels.positions.boards, [Path(each) for each in options.not_in])
    if learned.all():
        raise ValueRangeError(
            "expected positions outside --not-in, got none: it has all of the set", field="not_in"
        )
    classes = compare_nets(labels[~learned], evaluators)
    opening = evaluate_opening(evaluators)
    left_out = int(learned.sum())
    if options.json:
        sys.stdout.write(
            format_json_report(
                set=str(options.set),
                rolled_out_by=settings.net,
                plies=settings.plies,
                truncated=settings.truncate,
                left_out=left_out,
                classes=[asdict(each) for each in classes],
                opening={net: outcome._asdict() for net, outcome in opening.items()},
            )
        )
    else:
        tables = format_summary(classes) if options.summary else format_tables(classes, opening)
        sys.stdout.write(f"{_format_header(options.set, settings, left_out)}\n\n{tables}")
    return 0


@dataclass(frozen=True)
class ClassErrors:
    """How far nets are from the labels of a class.

    Attributes:
        name: Of the class, or `ALL`.
        positions: How many.
        trials: The mean number of games of each.
        label_error: Root mean square of the labels' standard errors.
        nets: In their order.
    """

    name: str
    positions: int
    trials: float
    label_error: float
    nets: tuple[NetErrorStats, ...]


def compare_nets(labels: RolloutLabels, evaluators: Mapping[str, Evaluator]) -> tuple[ClassErrors, ...]:
    """Compare nets with labels.

    Args:
        labels: One or more.
        evaluators: By name; the others are compared with the first.

    Returns:
        The classes of the set, and all together at the end where there are several.
    """
    equities = {}
    for name, evaluator in evaluators.items():
        with Progress(len(labels), name) as bar:
            equities[name] = cubeless_equity(
                _evaluate_in_batches(evaluator, labels.positions.boards, bar.update)
            )
    return tuple(
        ClassErrors(
            name,
            int(rows.sum()),
            float(labels.trials[rows].mean()),
            rms(labels.equity_errors[rows]),
            compute_net_errors(
                {net: values[rows] for net, values in equities.items()},
                labels.equities[rows],
                labels.equity_errors[rows],
            ),
        )
        for name, rows in _iterate_classes(labels)
    )


def evaluate_opening(evaluators: Mapping[str, Evaluator]) -> dict[str, Outcome]:
    """Evaluate the opening position, for the player on roll before the roll, by each net."""
    start = STANDARD_RULES.starting_position.board[None]
    return {name: Outcome(*evaluator.evaluate(start)[0].tolist()) for name, evaluator in evaluators.items()}


def _evaluate_in_batches(evaluator: Evaluator, boards: Board, progress: Callable[[int], None]) -> Outcomes:
    outcomes = np.empty((len(boards), 5), np.float32)
    for start in range(0, len(boards), _EVALUATION_BATCH):
        some = boards[start : start + _EVALUATION_BATCH]
        outcomes[start : start + _EVALUATION_BATCH] = evaluator.evaluate(some)
        progress(start + len(some))
    return outcomes


def _iterate_classes(labels: RolloutLabels) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """The classes that have positions, with the rows of each."""
    classes = labels.positions.classes
    present = [(name, classes == i) for i, name in enumerate(labels.positions.class_names)]
    present = [(name, rows) for name, rows in present if rows.any()]
    yield from present
    if len(present) > 1:
        yield ALL_CLASSES, np.ones(len(labels), np.bool_)


def format_tables(classes: Sequence[ClassErrors], opening: Mapping[str, Outcome]) -> str:
    """Write a comparison as tables, one for each class."""
    width = max(len(net) for net in (*opening, "opening, on roll"))
    lines: list[str] = []
    for each in classes:
        lines += [_format_class(each), f"{'net':<{width}}{_COLUMN_HEADS}"]
        lines += [*(f"{net.net:<{width}}{_format_row(net)}" for net in each.nets), ""]
    lines += [f"{'opening, on roll':<{width}}      win   gammon   loses gammon"]
    lines += [
        f"{net:<{width}}   {outcome.win:.4f}   {outcome.win_g:.4f}         {outcome.lose_g:.4f}"
        for net, outcome in opening.items()
    ]
    return "\n".join(lines) + "\n"


def format_summary(classes: Sequence[ClassErrors]) -> str:
    """Write a comparison as one table: the RMSE of each net on each class."""
    rows = [
        (
            each.name,
            f"{each.positions:,}",
            f"{each.label_error:.4f}",
            *(f"{net.rmse:.4f}" for net in each.nets),
        )
        for each in classes
    ]
    return format_table(("class", "positions", "labels' error", *(net.net for net in classes[0].nets)), rows)


def _format_header(folder: Path, settings: ValidationSettings, left_out: int) -> str:
    how = f"truncated after {settings.truncate} plies" if settings.truncate else "played out"
    player = f"{settings.net} at {settings.plies}-ply"
    head = f"gammond {read_version()}: {folder}, rolled out by {player}, {how}"
    return head + (f"; {left_out:,} positions left out that are among labels" if left_out else "")


_COLUMN_HEADS = f"{'RMSE':>19}{'of the first':>18}{'mean error':>20}{'raw':>10}"


def _format_class(each: ClassErrors) -> str:
    return (
        f"{each.name}: {each.positions:,} positions, {each.trials:,.0f} games each, "
        f"labels' standard error {each.label_error:.4f}"
    )


def _format_row(net: NetErrorStats) -> str:
    rmse, ratio, bias = f"{net.rmse:.4f}", f"{net.ratio:.3f}", f"{net.bias:+.4f}"
    return f"{rmse:>19}{ratio:>18}{bias:>20}{net.raw_rmse:10.4f}"


COMMAND = ToolCommand(ValidateOptions, run)
