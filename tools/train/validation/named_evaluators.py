"""Evaluators by name: those that measurements compare."""

from __future__ import annotations

from pathlib import Path

from engine.evaluation.evaluator import Evaluator
from nets.catalogue import DEFAULT_EVALUATOR, list_evaluator_names
from tools.common.opponents import load_net_evaluator
from tools.train.weights.net_set import load_net_set


def load_named_evaluator(name: str) -> Evaluator:
    """Load an evaluator.

    Args:
        name: An evaluator of the manifest or ``default``; the folder of a run or a file of nets in it;
            ``wildbg:FOLDER``; ``gnubg``, with ``:plies=N`` behind it to look ahead.

    Raises:
        ValueRangeError: There is no such evaluator; or it is a player that only chooses plays.
        FormatError: An option cannot be read.
        UnsupportedError: A package is missing that it needs.
        DataFileError: The manifest, a net or a file is missing or faulty.
    """
    if name not in (DEFAULT_EVALUATOR, *list_evaluator_names()) and Path(name).exists():
        return load_net_set(name).make_evaluator()
    return load_net_evaluator(name)
