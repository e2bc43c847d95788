"""GenGammon's player: a net that scores positions by counts of checkers alone, and a rule for races."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.play.player import Player
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.files import read_data_file
from gammond.nets.heritage.gengammon import kernels as kernel
from gammond.nets.manifest import ScorerEntry
from gammond.nets.onnx_layers import read_weights
from gammond.nets.onnx_model import OnnxModel
from gammond.nets.player_specs import ScorerKindSpec

HIDDEN_UNITS = 26
"""Hidden units."""

ACTIVATIONS = {"linear": kernel.LINEAR, "softsign": kernel.SOFTSIGN}
"""Activations of the hidden units: x, or x / (1 + abs(x))."""

WEIGHTS_NAME = "weights"
"""The tensor of a net's ONNX file with its weights, ``float32[52, 26]``."""

_MAX_WEIGHT = 1e6
"""Limit of a weight, so that no sum leaves the range of float32."""

_MAX_TEXT_BYTES = 1_000_000
_HEADER = re.compile(r"gengammon 52-26-1 (\w+)")
_OUTSIDE_PIPS = np.maximum(np.arange(26) - 6, 0)


@dataclass(frozen=True, eq=False)
class GengammonNet:
    """52 inputs, 26 hidden units, and one output that is the sum of the units.

    A side has 26 inputs: its 24 points from its own ace point on, its checkers on the bar, and those of the
    other side there. Each is a number of checkers. The side that has played comes first. There are no inputs
    for checkers borne off, and no biases.

    Without activation hidden units add nothing: the net is one sum with a weight for each input.

    *Source:* the description of the GenGammon project (`docs/lab/history/1-gengammon.md`), which names no
    activation. Softsign is ours.

    Attributes:
        weights: ``float32[26, 52]``, a row for each hidden unit.
        activation: A key of `ACTIVATIONS`.

    Raises:
        DataFileError: The weights have another shape or are not numbers, or the activation is unknown.
    """

    weights: NDArray[np.float32]
    activation: str = "linear"

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise DataFileError(
                f"expected hidden units {' or '.join(ACTIVATIONS)}, got {self.activation[:20]!r}", field="net"
            )
        if self.weights.shape != (HIDDEN_UNITS, kernel.INPUTS):
            raise DataFileError(
                f"expected weights [26, 52] of a 52-26-1 net, got {list(self.weights.shape)}", field="net"
            )
        if not (np.abs(self.weights) <= _MAX_WEIGHT).all():
            raise DataFileError(
                f"expected weights of at most {_MAX_WEIGHT:.0f}, got larger ones", field="net"
            )

    @property
    def padded_weights(self) -> NDArray[np.float32]:
        """The weights for the kernels, ``float32[52, PADDED_UNITS]``."""
        lanes = np.zeros((kernel.INPUTS, kernel.PADDED_UNITS), np.float32)
        lanes[:, :HIDDEN_UNITS] = self.weights.T
        return lanes

    def score_boards(self, boards: Board) -> NDArray[np.float32]:
        """Score positions after a play, as `gammond.engine.evaluation.evaluator.Scorer.score_boards`."""
        result = np.empty(len(boards), np.float32)
        boards = as_kernel_array(boards, np.int8)
        kernel.score_positions(boards, self.padded_weights, ACTIVATIONS[self.activation], result)
        return result


class GengammonPlayer(Player):
    """Plays the highest score of its net; in races that of `score_race_plays`.

    Args:
        name: Its name in results.
        net: Scores the plays while there is contact before the play.
    """

    def __init__(self, name: str, net: GengammonNet) -> None:
        self.name = name
        self.net = net

    def score_plays(self, boards: Board, children: Board, offsets: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score plays, as `gammond.engine.play.player.Player.score_plays`."""
        is_race = np.repeat(classify_phases(boards) >= Phase.RACE, np.diff(offsets))
        scores = np.empty(len(children), np.float32)
        scores[is_race] = score_race_plays(children[is_race])
        scores[~is_race] = self.net.score_boards(children[~is_race])
        return scores


def score_race_plays(boards: Board) -> NDArray[np.float32]:
    """Score plays of races: bear off as many checkers as possible, else come home, else make many points.

    *Source:* ours. The description says only that a simple code plays once both sides are home bound.

    Args:
        boards: ``int8[n, 2, 26]`` as the next mover sees them.

    Returns:
        ``float32[n]`` for the side that has played: 10,000 for each checker off, minus 10 for each pip to the
        home board, plus 1 for each point occupied there.
    """
    own = boards[:, 1].astype(np.int64)
    held = (own[:, 1:7] > 0).sum(axis=1)
    scores: NDArray[np.float32] = (10_000 * own[:, 0] - 10 * (own @ _OUTSIDE_PIPS) + held).astype(np.float32)
    return scores


def format_net(net: GengammonNet) -> str:
    """Format a net as text: a header, then one line of 52 numbers for each hidden unit."""
    rows = [" ".join(f"{weight:.9g}" for weight in row) for row in net.weights.tolist()]
    return "\n".join([f"gengammon 52-26-1 {net.activation}", *rows, ""])


def read_net_text(file: Path) -> GengammonNet:
    """Read a net that `format_net` formatted.

    Raises:
        DataFileError: The file is missing, is another kind of file, or has other numbers of lines or weights.
    """
    content = read_data_file(file, _MAX_TEXT_BYTES, str(file), "net")
    try:
        lines = content.decode("ascii").splitlines()
    except UnicodeDecodeError as error:
        raise DataFileError(f"{file} is not the text of a net", field="net") from error
    head = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if not head:
        raise DataFileError(
            f"{file} line 1 is {lines[0][:40] if lines else ''!r}, expected 'gengammon 52-26-1 linear' or "
            "another activation",
            field="net",
        )
    rows = [line.split() for line in lines[1:] if line.strip()]
    if len(rows) != HIDDEN_UNITS:
        raise DataFileError(f"{file} has {len(rows)} hidden units, expected {HIDDEN_UNITS}", field="net")
    for number, row in enumerate(rows, 1):
        if len(row) != kernel.INPUTS:
            raise DataFileError(
                f"{file}: hidden unit {number} has {len(row)} weights, expected {kernel.INPUTS}", field="net"
            )
    try:
        weights = np.array(rows, np.float32)
    except ValueError as error:
        raise DataFileError(f"{file} has a weight that is not a number: {error}", field="net") from error
    return GengammonNet(weights, head[1])


def parse_onnx_net(name: str, content: bytes, activation: str) -> GengammonNet:
    """Read a net from the bytes of its ONNX file, and check that it computes the same.

    Args:
        name: Its name in errors.
        content: The file, with the tensor `WEIGHTS_NAME`.
        activation: A key of `ACTIVATIONS`.

    Raises:
        DataFileError: It is another kind of net, or has another activation.
    """
    model = OnnxModel(name, content, kernel.INPUTS, 1)
    model.check()
    (weights,) = read_weights(name, content, [WEIGHTS_NAME])
    net = GengammonNet(np.ascontiguousarray(weights.T), activation)
    start = STANDARD_RULES.starting_position.board[None]
    expected, found = net.score_boards(start)[0], model.run(encode_counts(start))[0, 0]
    if not np.isclose(found, expected, rtol=1e-4, atol=1e-4):
        raise DataFileError(
            f"expected {expected:g} of net {name} with {activation} units, got {found:g}", field="net"
        )
    return net


def encode_counts(boards: Board) -> NDArray[np.float32]:
    """Encode positions after a play for a net's ONNX file, ``float32[n, 52]``."""
    counts = np.empty((len(boards), kernel.INPUTS), np.int8)
    boards = as_kernel_array(boards, np.int8)
    for i in range(len(boards)):
        kernel.write_counts(boards, i, counts, i)
    return counts.astype(np.float32)


class GengammonSpec(ScorerKindSpec, frozen=True):
    """The net."""

    name = "gengammon"
    summary = "a 52-26-1 net on counts of checkers that mimics experts; a simple rule plays its races"

    learned: Annotated[
        Literal["genetic", "linear", "backprop", "play"],
        Meta(
            description="trained by a genetic algorithm; the same without activation, as first described; by "
            "backpropagation; or from games against itself"
        ),
    ] = "genetic"

    @classmethod
    def make_of_net(cls, name: str, entry: ScorerEntry, content: bytes) -> GengammonPlayer:
        """Make the player of a net, as `ScorerKindSpec.make_of_net`."""
        return GengammonPlayer(name, parse_onnx_net(entry.name, content, entry.activation))
