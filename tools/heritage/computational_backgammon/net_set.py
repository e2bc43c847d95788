"""The nets of a classic player, one for everything or one each for contact and races, and their files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.bearoff.two_sided import TwoSidedTable
from engine.errors import DataFileError, ValueRangeError
from engine.formats.array_file import read_array_file
from engine.play.player import EvaluatorPlayer, Player
from nets.catalogue import load_exact_evaluators
from nets.heritage.computational_backgammon.net import NORMAL, ClassicNet, ClassicWeights
from nets.router import Router

TWO_SIDED = "two-sided"


@dataclass(frozen=True, eq=False)
class ClassicNetSet:
    """The nets of a player, and its evaluation of bearoffs.

    Attributes:
        contact: The net for contact, and for races if they have no net of their own.
        race: The net for races; may be the same.
        bearoff: ``none`` or ``two-sided``.
    """

    contact: ClassicNet
    race: ClassicNet
    bearoff: str

    @classmethod
    def untrained(
        cls, layout: str, outputs: int, hidden: int, race_hidden: int, bearoff: str, seed: int
    ) -> ClassicNetSet:
        """Make random nets; one for everything if ``race_hidden`` is 0."""
        generator = np.random.Generator(np.random.PCG64(seed))
        sizes = [size for size in (hidden, race_hidden) if size]
        nets = [ClassicNet.untrained(layout, outputs, size, generator) for size in sizes]
        return cls(nets[0], nets[-1], bearoff)

    def with_weights_of(self, parent: ClassicNetSet) -> ClassicNetSet:
        """Return the nets with the weights of another player; symmetric ones may become normal.

        Raises:
            ValueRangeError: The nets differ in size or outputs, or normal ones would become symmetric.
        """
        pairs = (self.contact, parent.contact), (self.race, parent.race)
        is_freed = self.contact.layout == parent.contact.layout or self.contact.layout == NORMAL
        if not is_freed or any(
            (own.hidden, own.outputs) != (other.hidden, other.outputs) for own, other in pairs
        ):
            raise ValueRangeError(
                f"expected a parent with the size and outputs of this run ({_describe(self)}), got "
                f"{_describe(parent)}",
                field="parent",
            )
        contact, race = (
            ClassicNet(own.layout, own.outputs, _copy_weights(other.weights)) for own, other in pairs
        )
        return ClassicNetSet(contact, contact if self.race is self.contact else race, self.bearoff)

    @property
    def nets(self) -> dict[str, ClassicNet]:
        """The nets by phase, as manifests name them; races may have no net of their own."""
        both = {"contact": self.contact, "race": self.race}
        return both if self.race is not self.contact else {"contact": self.contact}

    def make_evaluator(self, name: str) -> Router:
        """Make the evaluator; it follows the nets while they are trained."""
        exact = (load_bearoff_table(),) if self.bearoff == TWO_SIDED else ()
        return Router(name, self.contact, self.race, exact=exact)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the nets as named arrays for a file."""
        arrays: dict[str, NDArray[Any]] = {
            "layout": np.array(self.contact.layout),
            "outputs": np.array(self.contact.outputs),
            "bearoff": np.array(self.bearoff),
        }
        for phase, net in self.nets.items():
            arrays |= net.to_arrays(phase)
        return arrays


def _describe(player: ClassicNetSet) -> str:
    net = player.contact
    return f"{net.layout}, {net.hidden[0]} and {player.race.hidden[0]} hidden units, {net.outputs} outputs"


def _copy_weights(weights: ClassicWeights) -> ClassicWeights:
    w1, b1, w2, b2 = weights
    return w1.copy(), b1.copy(), w2.copy(), b2.copy()


def is_classic_net_set(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether the arrays of a file of nets are those of a classic player."""
    return "layout" in arrays


def read_classic_nets(file: Path) -> ClassicNetSet:
    """Read the nets of a file of a run.

    Raises:
        DataFileError: The file is missing, damaged, or of another kind.
    """
    return _build_nets(file, read_array_file(file))


def make_classic_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player | None:
    """Make the player of classic nets; None if the arrays of a file are of another kind.

    Args:
        file: Its folder names the player; for messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The nets are damaged.
    """
    if not is_classic_net_set(arrays):
        return None
    return EvaluatorPlayer(_build_nets(file, arrays).make_evaluator(file.parent.name))


def _build_nets(file: Path, arrays: Mapping[str, NDArray[Any]]) -> ClassicNetSet:
    try:
        return classic_nets_from_arrays(arrays)
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}", field="net") from error


def classic_nets_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> ClassicNetSet:
    """Make nets from what `ClassicNetSet.to_arrays` returned.

    Raises:
        DataFileError: An array is missing or damaged.
    """
    try:
        layout, outputs = str(arrays["layout"]), int(arrays["outputs"])
        contact = ClassicNet.from_arrays(layout, outputs, "contact", arrays)
        race = ClassicNet.from_arrays(layout, outputs, "race", arrays) if "race_w1" in arrays else contact
        return ClassicNetSet(contact, race, str(arrays["bearoff"]))
    except KeyError as error:
        raise DataFileError(f"expected the arrays of classic nets, missing {error.args[0]}") from error
    except (TypeError, ValueError) as error:
        raise DataFileError(str(error)) from error


@lru_cache(maxsize=1)
def load_bearoff_table() -> TwoSidedTable:
    """Return the two-sided bearoff database.

    Raises:
        DataFileError: It is damaged, or missing and cannot be built.
    """
    return next(each for each in load_exact_evaluators() if isinstance(each, TwoSidedTable))
