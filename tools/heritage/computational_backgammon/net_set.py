"""The nets of a classic player, one for everything or one for each kind of position, and their files."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import defer_bearoff
from gammond.engine.bearoff.two_sided import TwoSidedTable
from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.formats.array_file import load_arrays
from gammond.engine.kernels import as_kernel_array
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G, Outcomes
from gammond.engine.rules.position import Board
from gammond.nets.heritage.computational_backgammon.net import NORMAL, ClassicNet
from gammond.nets.onnx_model import OUTPUT_NAME
from gammond.nets.router import Router
from gammond.tools.common.wings import ExportedNet
from gammond.tools.heritage.computational_backgammon.kernels.kinds import KINDS, classify_kinds
from gammond.tools.train.weights.onnx_files import OnnxNode, make_onnx

TWO_SIDED = "two-sided"


@dataclass(frozen=True, eq=False)
class ClassicNetSet:
    """The nets of a player, and its evaluation of bearoffs.

    Attributes:
        nets: The net of each kind of position that has one, by a name of `kernels.kinds.KINDS`; ``contact``
            always. Bearoffs without a net of their own are races, and what else has none is contact.
        bearoff: ``none`` or ``two-sided``.
    """

    nets: Mapping[str, ClassicNet]
    bearoff: str

    @classmethod
    def untrained(
        cls, layout: str, outputs: int, hidden: Mapping[str, int], bearoff: str, seed: int
    ) -> ClassicNetSet:
        """Make random nets with so many hidden units for each kind of position that has one."""
        generator = np.random.Generator(np.random.PCG64(seed))
        made = {kind: ClassicNet.untrained(layout, outputs, size, generator) for kind, size in hidden.items()}
        return cls(made, bearoff)

    def with_weights_of(self, parent: ClassicNetSet) -> ClassicNetSet:
        """Return the nets with the weights of another player; symmetric ones may become normal.

        A kind of position for which the parent has no net of its own begins with the one that it plays by.

        Raises:
            ValueRangeError: The nets differ in size or outputs, or normal ones would become symmetric.
        """
        by_kind = dict(zip(KINDS, parent.nets_by_kind, strict=True))
        pairs = {kind: (own, by_kind[kind]) for kind, own in self.nets.items()}
        if any(
            own.layout not in (other.layout, NORMAL)
            or (own.hidden, own.outputs) != (other.hidden, other.outputs)
            for own, other in pairs.values()
        ):
            raise ValueRangeError(
                f"expected a parent with the size and outputs of this run ({_describe(self)}), got "
                f"{_describe(parent)}",
                field="parent",
            )
        copied = {
            kind: ClassicNet(own.layout, own.outputs, deepcopy(other.weights))
            for kind, (own, other) in pairs.items()
        }
        return ClassicNetSet(copied, self.bearoff)

    @property
    def contact(self) -> ClassicNet:
        """The net of contact positions whose kind has no net."""
        return self.nets["contact"]

    @property
    def race(self) -> ClassicNet:
        """The net of races."""
        return self.nets.get("race", self.contact)

    @property
    def nets_by_kind(self) -> tuple[ClassicNet, ...]:
        """The net that evaluates each of `kernels.kinds.KINDS`."""
        others = {"race": self.contact, "bearoff": self.race}
        return tuple(self.nets.get(kind, others.get(kind, self.contact)) for kind in KINDS)

    def make_evaluator(self, name: str) -> Router:
        """Make the evaluator; it follows the nets while they are trained."""
        exact = (load_bearoff_table(),) if self.bearoff == TWO_SIDED else ()
        if self.nets.keys() <= {"contact", "race"}:
            return Router(name, self.contact, self.race, exact=exact)
        return Router(name, _KindEvaluator(self.nets_by_kind), exact=exact)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the nets as named arrays for a file."""
        arrays: dict[str, NDArray[Any]] = {
            "layout": np.array(self.contact.layout),
            "outputs": np.array(self.contact.outputs),
            "bearoff": np.array(self.bearoff),
        }
        for kind, net in self.nets.items():
            arrays |= net.to_arrays(kind)
        return arrays


class _KindEvaluator:
    """Evaluates unfinished positions, each by the net of its kind."""

    name, plies = "classic", 0

    def __init__(self, nets: tuple[ClassicNet, ...]) -> None:
        self._nets = nets

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `gammond.engine.evaluation.evaluator.Evaluator.evaluate`."""
        kinds, outcomes = np.empty(len(boards), np.int8), np.empty((len(boards), 5), np.float32)
        classify_kinds(as_kernel_array(boards, np.int8), kinds)
        for kind in np.unique(kinds).tolist():
            outcomes[kinds == kind] = self._nets[kind].evaluate(boards[kinds == kind])
        return outcomes


def _describe(player: ClassicNetSet) -> str:
    net, sizes = player.contact, [f"{each.hidden[0]} for {kind}" for kind, each in player.nets.items()]
    return f"{net.layout}, hidden units {', '.join(sizes)}, {net.outputs} outputs"


def read_classic_nets(file: Path) -> ClassicNetSet:
    """Read the nets of a file of a run.

    Raises:
        DataFileError: The file is missing, damaged, or of another kind.
    """
    return load_arrays(file, classic_nets_from_arrays, field="net")


def make_classic_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    """Make the player of classic nets.

    Args:
        file: Its folder names the player; for messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The nets are damaged.
    """
    nets = load_arrays(file, classic_nets_from_arrays, arrays, field="net")
    return EvaluatorPlayer(nets.make_evaluator(file.parent.name))


def classic_nets_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> ClassicNetSet:
    """Make nets from what `ClassicNetSet.to_arrays` returned.

    Raises:
        DataFileError: An array is missing or damaged.
    """
    try:
        layout, outputs = str(arrays["layout"]), int(arrays["outputs"])
        kinds = [kind for kind in KINDS if kind == "contact" or f"{kind}_w1" in arrays]
        nets = {kind: ClassicNet.from_arrays(layout, outputs, kind, arrays) for kind in kinds}
        return ClassicNetSet(nets, str(arrays["bearoff"]))
    except KeyError as error:
        raise DataFileError(f"expected the arrays of classic nets, missing {error.args[0]}") from error
    except (TypeError, ValueError) as error:
        raise DataFileError(str(error)) from error


def load_bearoff_table() -> TwoSidedTable:
    """Return the two-sided bearoff database.

    Raises:
        DataFileError: It is damaged, or missing and cannot be built.
    """
    return defer_bearoff().two_sided


def read_exported_nets(file: Path) -> dict[str, ExportedNet]:
    """Read the nets of a file, as `read_classic_nets`, for ``gammond export``."""
    return {
        kind: ExportedNet(net.encoder_id, net.hidden, partial(_to_onnx, net), net.evaluate)
        for kind, net in read_classic_nets(file).nets.items()
    }


def _to_onnx(net: ClassicNet, name: str) -> bytes:
    """Make the ONNX file of a net: ``inputs float32[n, 196]`` to ``outcome float32[n, 5]``."""
    w1, b1, w2, b2 = net.weights
    tensors = {"w1": w1, "b1": b1, "w2": np.ascontiguousarray(w2.T), "b2": b2}
    nodes = [
        OnnxNode("Gemm", ["inputs", "w1", "b1"], ["sums"]),
        OnnxNode("Sigmoid", ["sums"], ["hidden"]),
        OnnxNode("Gemm", ["hidden", "w2", "b2"], ["logits"]),
        OnnxNode("Sigmoid", ["logits"], [OUTPUT_NAME if net.outputs == 5 else "nodes"]),
    ]
    parts = "nodes"
    if net.outputs == 2:  # shares become chances
        nodes += [
            OnnxNode("Split", ["nodes"], ["win", "share_won", "share_lost"], {"axis": 1}),
            OnnxNode("Mul", ["win", "share_won"], ["gammon"]),
            OnnxNode("Sub", ["one", "win"], ["lose"]),
            OnnxNode("Mul", ["lose", "share_lost"], ["lose_gammon"]),
            OnnxNode("Concat", ["win", "gammon", "lose_gammon"], ["chances"], {"axis": 1}),
        ]
        tensors["one"] = np.ones((1, 1), np.float32)
        parts = "chances"
    if net.outputs < 5:  # each chance goes to its place, the others are 0
        tensors["places"] = np.eye(5, dtype=np.float32)[[WIN, WIN_G, LOSE_G][: len(b2)]]
        nodes.append(OnnxNode("MatMul", [parts, "places"], [OUTPUT_NAME]))
    return make_onnx(name, (len(w1), 5), nodes, tensors)
