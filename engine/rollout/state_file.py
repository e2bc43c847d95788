"""Files of saved rollouts: an npz archive of plain arrays and a line of JSON; loading runs no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, PositionError, StateError
from gammond.engine.formats.array_file import read_array_file
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rollout.results import RolloutState, TrialCubes
from gammond.engine.rollout.settings import MAX_TRIALS
from gammond.engine.rules.match import MAX_CUBE
from gammond.engine.rules.position import Position, count_checkers
from gammond.engine.runtime.files import open_output

FORMAT = "gammond rollout 1"

_HEADER, _EVALUATORS = "facts", "judges"
"""Names in the file, fixed with its format."""

_MAX_SCORE = 1e6
"""The sum of a trial's luck is far below it."""

_SHOWN_CHARACTERS = 12
"""Characters of a hash that a message shows."""

_ARRAY_NAMES = (_HEADER, "starts", "cube_states", "stakes", "counts", "scores")

_HEADER_FIELDS: dict[str, type] = {"seed": int, "truncation": int, "variance_reduction": bool, "scoring": str}


def save_state(state: RolloutState, path: Path, identity: Mapping[str, str] | None = None) -> None:
    """Save a state; the file is written whole or not at all.

    Args:
        state: The state.
        path: The file; replaced if it exists.
        identity: Distinguishes the evaluators from others of the same names, such as hashes of nets by name.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    header = {name: getattr(state, name) for name in _HEADER_FIELDS}
    header |= {"format": FORMAT, _EVALUATORS: list(state.evaluators), "identity": dict(identity or {})}
    counts = np.array([len(scores) for scores in state.scores], np.int64)
    with open_output(path) as file:
        np.savez_compressed(
            file,
            facts=np.frombuffer(json.dumps(header).encode(), np.uint8),
            starts=state.starts,
            cube_states=state.cubes.states,
            stakes=state.cubes.stakes,
            counts=counts,
            scores=np.concatenate(state.scores),
        )


def load_state(path: Path, identity: Mapping[str, str] | None = None) -> RolloutState:
    """Load a state, and check it.

    Args:
        path: The file.
        identity: The identity that the state must have been saved with; any if None.

    Raises:
        DataFileError: The file is missing, no saved rollout, of another version or altered.
        StateError: Its identity differs.
    """
    try:
        arrays = read_array_file(path, _ARRAY_NAMES)
    except DataFileError as error:
        raise _make_error(path, f"it {error.message.removeprefix(f'{path} ')}") from error
    header = _read_header(path, arrays[_HEADER])
    if identity is not None:
        _check_identity(path, header["identity"], dict(identity))
    starts, scores = _check_arrays(path, arrays["starts"], arrays["counts"], arrays["scores"])
    return RolloutState(
        starts=starts,
        cubes=_check_cubes(path, arrays["cube_states"], arrays["stakes"], len(starts)),
        seed=header["seed"],
        truncation=header["truncation"],
        variance_reduction=header["variance_reduction"],
        evaluators=tuple(header[_EVALUATORS]),
        scoring=header["scoring"],
        scores=scores,
    )


def _read_header(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    """Parse and check the line of JSON."""
    try:
        header = json.loads(array.tobytes())
    except (ValueError, RecursionError) as error:
        raise _make_error(path, "its header is not JSON") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _make_error(path, f"expected the format {FORMAT!r}")
    for name, kind in _HEADER_FIELDS.items():
        if type(header.get(name)) is not kind:
            raise _make_error(path, f"{name} is missing or no {kind.__name__}")
    names = header.get(_EVALUATORS)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _make_error(path, "the names of the evaluators are missing")
    identity = header.get("identity")
    if not isinstance(identity, dict) or not all(isinstance(part, str) for part in identity.values()):
        raise _make_error(path, "the identity of the evaluators is missing")
    return header


def _check_identity(path: Path, saved: dict[str, str], expected: dict[str, str]) -> None:
    """Check that the evaluators are not others of the same names."""
    for name in sorted(saved.keys() | expected.keys()):
        if saved.get(name) != expected.get(name):
            raise StateError(
                f"{path} has {name} {_format_hash(saved.get(name))}, expected "
                f"{_format_hash(expected.get(name))} to continue it",
                field="state",
            )


def _format_hash(part: str | None) -> str:
    return "missing" if part is None else part[:_SHOWN_CHARACTERS]


def _check_arrays(
    path: Path, starts: NDArray[Any], counts: NDArray[Any], scores: NDArray[Any]
) -> tuple[NDArray[np.int8], tuple[NDArray[np.float64], ...]]:
    """Check the arrays, and split the scores."""
    if starts.dtype != np.int8 or starts.ndim != 3 or not len(starts):
        raise _make_error(path, "expected positions as int8[n, 2, 26]")
    try:
        boards = np.stack([Position(board, count_checkers(starts)).board for board in starts])
    except PositionError as error:
        raise _make_error(path, error.message) from error
    is_counted = counts.dtype == np.int64 and counts.shape == (len(starts),)
    if not is_counted or (counts < 0).any() or (counts > MAX_TRIALS).any():
        raise _make_error(path, f"expected numbers of trials from 0 to {MAX_TRIALS}")
    shape_fits = scores.ndim == 2 and scores.shape[1] >= OUTCOME_COLUMNS and len(scores) == counts.sum()
    if scores.dtype != np.float64 or not shape_fits or (np.abs(scores) > _MAX_SCORE).any():
        raise _make_error(path, f"expected a score within {_MAX_SCORE:,.0f} points for each trial")
    return boards, tuple(np.split(scores, np.cumsum(counts)[:-1]))


def _check_cubes(path: Path, states: NDArray[Any], stakes: NDArray[Any], starts: int) -> TrialCubes:
    """Check the cubes."""
    is_whole = states.dtype == np.int8 and stakes.dtype == np.float64
    if not is_whole or states.shape != (starts,) or stakes.shape != (starts,):
        raise _make_error(path, "expected a cube for each position")
    if (states < 0).any() or not ((stakes > 0) & (stakes <= MAX_CUBE)).all():
        raise _make_error(path, f"expected cube states of 0 or more and stakes up to {MAX_CUBE}")
    return TrialCubes(states, stakes)


def _make_error(path: Path, reason: str) -> DataFileError:
    return DataFileError(f"{path} is not a usable saved rollout: {reason}", field="state")
