"""Nets as in the first years of TD-Gammon: sigmoid hidden units on 196 inputs, one, two or five outputs.

The nodes of a net, by its number of outputs:

- 1: winning chance. All games count as single games.
- 2: winning chance, the share of gammons among the wins, and the share of gammons among the losses. The third
  is a node of its own in a normal net; a symmetric one computes it as the second, seen from the other side.
- 5: the outcome of `gammond.engine.rules.outcome`.

A symmetric net mirrors its nodes when the sides are swapped: the weight of each input of the opponent is that
of the player's own input, negated. It has two inputs for the side on roll, negated likewise. Positions are
always seen by the side on roll, for whom these are 1 and 0; so they are the biases of the hidden units here.
A normal net has no such inputs, and no ties between weights.

Source: the blog Computational Backgammon, posts of August to December 2011.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.bearoff import load_bearoff
from gammond.engine.errors import DataFileError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.nets.tesauro196 import INPUTS, SIDE_INPUTS
from gammond.engine.play.player import EvaluatorPlayer
from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G, Outcomes
from gammond.engine.rules.position import Board
from gammond.nets.catalogue import SHIPPED
from gammond.nets.compiled_net import load_net
from gammond.nets.heritage.computational_backgammon import kernels as kernel_classic
from gammond.nets.manifest import NetEntry
from gammond.nets.player_specs import KindSpec
from gammond.nets.router import Router

NODE_COUNTS = {1: 1, 2: 3, 5: 5}
"""Number of nodes of a net, by its number of outputs."""

NORMAL, SYMMETRIC = "normal", "symmetric"
LAYOUTS = (NORMAL, SYMMETRIC)

_MEAN_ACTIVE_INPUTS = 30.0
"""Average number of inputs that are not zero."""

ClassicWeights = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""The arrays of a net in order: ``w1``, ``b1``, ``w2``, ``b2``."""

_WEIGHT_NAMES = ("w1", "b1", "w2", "b2")


@dataclass(frozen=True, eq=False)
class ClassicNet:
    """One net; an evaluator of unfinished positions.

    Attributes:
        layout: ``normal`` or ``symmetric``.
        outputs: 1, 2 or 5.
        weights: ``float32[196, h]``, ``float32[h]``, ``float32[n, h]`` and ``float32[n]`` for n nodes.

    Raises:
        DataFileError: The attributes do not fit together.
    """

    layout: str
    outputs: int
    weights: ClassicWeights

    name = "classic"
    encoder_id = "tesauro196"
    plies = 0

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS or self.outputs not in NODE_COUNTS:
            raise DataFileError(
                f"expected a classic net that is {' or '.join(LAYOUTS)} with 1, 2 or 5 outputs, "
                f"got {self.layout} with {self.outputs}",
                field="net",
            )
        shapes = [array.shape for array in self.weights]
        nodes, hidden = NODE_COUNTS[self.outputs], self.weights[1].shape
        if len(hidden) != 1 or shapes != [(INPUTS, *hidden), hidden, (nodes, *hidden), (nodes,)]:
            raise DataFileError(
                f"expected weights [{INPUTS}, h], [h], [{nodes}, h] and [{nodes}] for a classic net of "
                f"{self.outputs} outputs, got {', '.join(str(list(shape)) for shape in shapes)}",
                field="net",
            )
        if any(array.dtype != np.float32 for array in self.weights):
            raise DataFileError("expected float32 weights", field="net")

    @classmethod
    def untrained(cls, layout: str, outputs: int, hidden: int, generator: np.random.Generator) -> ClassicNet:
        """Make random weights, tied where the net is symmetric."""
        nodes = NODE_COUNTS[outputs]
        w1 = generator.normal(0.0, np.sqrt(1.0 / _MEAN_ACTIVE_INPUTS), (INPUTS, hidden)).astype(np.float32)
        w2 = generator.normal(0.0, np.sqrt(1.0 / hidden), (nodes, hidden)).astype(np.float32)
        if layout == SYMMETRIC:
            w1[SIDE_INPUTS:] = -w1[:SIDE_INPUTS]
            w2[nodes // 2 + 1 :] = -w2[1 : nodes // 2 + 1]
        b2 = -w2.sum(axis=1) / np.float32(2.0)  # untrained units are 1/2 on average: even chances
        return cls(layout, outputs, (w1, np.zeros(hidden, np.float32), w2, b2.astype(np.float32)))

    @property
    def hidden(self) -> tuple[int, ...]:
        """Sizes of the hidden layers: one."""
        return (len(self.weights[1]),)

    def compute_nodes(self, boards: Board) -> NDArray[np.float32]:
        """Run the net: ``float32[n, nodes]`` for ``int8[n, 2, 26]``."""
        nodes = np.empty((len(boards), NODE_COUNTS[self.outputs]), np.float32)
        kernel_classic.forward(as_kernel_array(boards, np.int8), self.weights, nodes)
        return nodes

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `Evaluator.evaluate`; outcomes without a node are 0."""
        nodes = self.compute_nodes(boards)
        if self.outputs == 5:
            return nodes
        outcomes = np.zeros((len(boards), 5), np.float32)
        outcomes[:, WIN] = nodes[:, 0]
        if self.outputs == 2:
            outcomes[:, WIN_G] = nodes[:, 0] * nodes[:, 1]
            outcomes[:, LOSE_G] = (np.float32(1.0) - nodes[:, 0]) * nodes[:, 2]
        return outcomes

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the weights as named arrays for a file, without layout and outputs."""
        return {f"{prefix}_{name}": array for name, array in zip(_WEIGHT_NAMES, self.weights, strict=True)}

    @classmethod
    def from_arrays(
        cls, layout: str, outputs: int, prefix: str, arrays: Mapping[str, NDArray[Any]]
    ) -> ClassicNet:
        """Make the net from the result of `to_arrays`.

        Raises:
            DataFileError: An array is missing, or the arrays do not fit together.
        """
        try:
            w1, b1, w2, b2 = (arrays[f"{prefix}_{name}"] for name in _WEIGHT_NAMES)
        except KeyError as error:
            raise DataFileError(f"expected an array {error.args[0]}, got none", field="net") from error
        return cls(layout, outputs, (w1, b1, w2, b2))


def outcomes_to_nodes(outcomes: Outcomes, outputs: int) -> NDArray[np.float32]:
    """Convert outcomes to the nodes of a net.

    Args:
        outcomes: ``float32[n, 5]``.
        outputs: 1, 2 or 5.

    Returns:
        ``float32[n, nodes]``; shares of impossible events are 0.
    """
    if outputs == 5:
        return np.ascontiguousarray(outcomes)
    win = outcomes[:, WIN]
    if outputs == 1:
        return win[:, None].copy()
    lose = np.float32(1.0) - win
    shares = [
        np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
        for part, whole in ((outcomes[:, WIN_G], win), (outcomes[:, LOSE_G], lose))
    ]
    return np.stack([win, *shares], axis=1)


class ClassicSpec(KindSpec, frozen=True):
    """The net, and the evaluator of races."""

    name = "classic"
    summary = "a small net trained by temporal differences on its own games, like the first TD-Gammon"

    hidden: Annotated[Literal["10", "20", "40", "80"], Meta(description="hidden units")] = "40"
    outputs: Annotated[
        Literal["1", "2", "5"], Meta(description="outputs: 1 winning chance, 2 with gammons, 5 the outcome")
    ] = "5"
    layout: Annotated[
        Literal["normal", "symmetric"],
        Meta(description="symmetric: the opponent's inputs have the negated weights of the player's own"),
    ] = "normal"
    races: Annotated[
        Literal["one", "own", "bearoff"],
        Meta(description="races by the one net, by their own net, or by that and a bearoff database"),
    ] = "one"

    def list_entries(self) -> list[NetEntry]:
        """List the net for contact, and that for races if they have their own."""
        names = [f"classic-{self.hidden}-{self.outputs}-{self.layout}-contact"]
        if self.races != "one":
            names.append("classic-race")
        return [SHIPPED.manifest.find_net(name) for name in names]

    def make(self) -> EvaluatorPlayer:
        """Make the player of the nets."""
        nets = [load_net(entry, SHIPPED.file.parent) for entry in self.list_entries()]
        exact = (load_bearoff().two_sided,) if self.races == "bearoff" else ()
        return EvaluatorPlayer(Router(self.format_name(), contact=nets[0], race=nets[-1], exact=exact))

    def collect_net_hashes(self) -> dict[str, str]:
        """Return the hashes of the nets."""
        return {entry.name: entry.sha256 for entry in self.list_entries()}
