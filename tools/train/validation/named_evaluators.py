"""Evaluators by name: those that measurements compare."""

from __future__ import annotations

import re
from pathlib import Path

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.search import NPlyEvaluator
from gammond.nets.catalogue import SHIPPED, FoundEvaluator, load_pruner
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.train.weights.net_set import load_bearoff_evaluators, load_net_set

_LOOKS_AHEAD = re.compile("(.+):plies=([12])")
_GNUBG = "gnubg"


def load_named_evaluator(name: str) -> Evaluator:
    """Load an evaluator.

    Args:
        name: An evaluator of the manifest or ``default``; the folder of a run or a file of nets in it;
            ``wildbg:FOLDER``; ``gnubg``. With ``:plies=N`` behind it, 1 or 2, it looks ahead.

    Raises:
        ValueRangeError: There is no such evaluator; or it is a player that only chooses plays.
        FormatError: An option cannot be read.
        UnsupportedError: A package is missing that it needs.
        DataFileError: The manifest, a net or a file is missing or faulty.
    """
    if (deep := _LOOKS_AHEAD.fullmatch(name)) and deep[1] != _GNUBG:  # which looks ahead in its own way
        optimal = tuple(each for each in load_bearoff_evaluators() if each.is_optimal)
        return NPlyEvaluator(load_named_evaluator(deep[1]), load_pruner(), int(deep[2]), exact=optimal)
    if not isinstance(SHIPPED.find(name), FoundEvaluator) and Path(name).exists():
        return load_net_set(name).make_evaluator()
    return load_net_evaluator(name)
