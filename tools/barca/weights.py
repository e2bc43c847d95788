"""The numbers of the board evaluation vector that learning changes, and vectors in files of runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gammond.engine.barca.evaluation import HAND_WEIGHTS, MAX_WEIGHT, EvaluationVector
from gammond.engine.formats.array_file import load_arrays
from gammond.tools.train.ascent.matches import LearnedWeights, Vector

RUN_PREFIX = "run:"
"""Before the folder of a run, or its file of weights, in the name of a vector."""

TITLE = "barca"
VECTOR_ARRAY = "vector"

_BEST_FILE = "best.npz"

_LEARNED = np.array([0, 1, 2, 5, 6, 7, 8, 9, 10, 11])
"""Places of the numbers that can change a move: the third hole ends the game, and who has a way to a hole can
hold one, so that the numbers for three holes and for none next turn do not."""

_NAMES = (
    *(f"watering_holes.{n}" for n in range(3)),
    *(f"watering_holes_next_turn.{n}" for n in range(1, 4)),
    "adjacency_to_watering_hole",
    "fear",
    "center_proximity",
    "adjacency_to_complementary_teammates",
)

_SCALES = (20.0, 20.0, 20.0, 8.0, 8.0, 20.0, 4.0, 8.0, 3.0, 4.0)

_BOUND = float(MAX_WEIGHT) / 10

SPACE = LearnedWeights(
    title=TITLE,
    names=_NAMES,
    start=np.array(HAND_WEIGHTS.to_list(), np.float64)[_LEARNED],
    scales=np.array(_SCALES),
    low=np.full(len(_NAMES), -_BOUND),
    high=np.full(len(_NAMES), _BOUND),
)
"""The ten weights that learning changes, from those by hand."""


def select_learned(conditions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the columns of the numbers that learning changes.

    Args:
        conditions: ``int64[n, 12]``, in the order of `EvaluationVector.to_list`.

    Returns:
        ``int64[n, 10]``.
    """
    return conditions[:, _LEARNED]


def make_evaluation_vector(vector: Vector) -> EvaluationVector:
    """Make the vector that plays: ten weights rounded to integers, the other two as by hand."""
    numbers = np.array(HAND_WEIGHTS.to_list())
    numbers[_LEARNED] = np.rint(vector)
    return EvaluationVector.from_list(numbers.tolist())


def read_run_weights(name: str) -> EvaluationVector:
    """Read the best vector of a run.

    Args:
        name: ``run:`` and the folder of the run, or its file.

    Raises:
        DataFileError: There is none, or it is of another kind.
    """
    file = find_weights_file(name)
    vector = load_arrays(file, lambda arrays: SPACE.parse(arrays, VECTOR_ARRAY), field="weights")
    return make_evaluation_vector(vector)


def find_weights_file(name: str) -> Path:
    """Return the file of weights of a run, given ``run:`` and its folder or the file itself."""
    path = Path(name.removeprefix(RUN_PREFIX))
    return path / _BEST_FILE if path.is_dir() else path
