"""The nets of a player in training, by phase: read from the manifest or from a run, played, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff import defer_bearoff
from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator, ExactEvaluator
from gammond.engine.evaluation.pruning import PlayPruner, ShortlistPruner
from gammond.engine.formats.array_file import load_arrays
from gammond.engine.kernels.nets.sparse import OneLayerWeights as SparseWeights
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.engine.rules.position import Phase
from gammond.nets.catalogue import SHIPPED, FoundEvaluator
from gammond.nets.compiled_net import CompiledNet, PruningNet, can_compile
from gammond.nets.encoders import get_encoder
from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.onnx_layers import Layer as ActivatedLayer
from gammond.nets.onnx_layers import read_shared_tensors
from gammond.nets.onnx_model import NetEvaluator, OnnxModel
from gammond.nets.router import Router
from gammond.tools.common.opponents import load_deep_evaluator, load_net_evaluator
from gammond.tools.common.wings import ExportedNet
from gammond.tools.train.weights.layers import ENCODER, OUTPUTS, LayeredNet
from gammond.tools.train.weights.onnx_files import export_net, net_to_onnx, read_onnx
from gammond.tools.train.weights.td_nets import td_nets_from_arrays

PHASES = {
    "contact": (Phase.CONTACT, Phase.CRASHED),
    "crashed": (Phase.CRASHED,),
    "race": (Phase.RACE,),
}
"""Phases by the names that the manifest has for them; contact includes crashed positions."""

NET_NAMES = ("contact", *CONTACT_CLASSES, "crashed", "race")
"""What nets are trained on, by its names in the manifest."""

_CONTACT_NET_NAMES = {"contact"}, set(CONTACT_CLASSES)
"""The ways to evaluate contact: one net, or one for each contact class."""


@dataclass(frozen=True, eq=False)
class NetSet:
    """The nets of a player: contact, or one for each contact class; race; perhaps one for crashed positions.

    Sets of the same weights are equal, whatever they are called.

    Attributes:
        name: What measurements call the player.
        nets: By what they are trained on, one of `NET_NAMES`.
    """

    name: str
    nets: Mapping[str, LayeredNet]

    def __post_init__(self) -> None:
        if "race" not in self.nets or self.nets.keys() - {"race", "crashed"} not in _CONTACT_NET_NAMES:
            raise DataFileError(
                f"{self.name} has nets for {', '.join(sorted(self.nets)) or 'nothing'}, expected contact "
                f"and race, with or without crashed, or instead of contact {', '.join(CONTACT_CLASSES)}",
                field="net",
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NetSet) and other.digest == self.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def digest(self) -> str:
        """Different for sets of different weights."""
        return "-".join(f"{phase}:{net.digest}" for phase, net in sorted(self.nets.items()))

    def net_names_for(self, phase: str) -> tuple[str, ...]:
        """Return the names of the nets that evaluate a phase, a key of `PHASES`, or would evaluate it."""
        return CONTACT_CLASSES if phase == "contact" and "contact" not in self.nets else (phase,)

    def net_for(self, name: str) -> LayeredNet:
        """Return the net trained on something, or the contact net, which evaluates what has none of its own.

        Raises:
            UnsupportedError: There is neither.
        """
        net = self.nets.get(name, self.nets.get("contact"))
        if net is None:
            raise UnsupportedError(
                f"{self.name} has no net for {name} and none for all contact", field="phase"
            )
        return net

    def with_nets(self, nets: Mapping[str, LayeredNet], name: str) -> NetSet:
        """Return the set with other nets, under a name of its own.

        A net for contact takes the place of those for plans, and nets for all plans that of the former.
        """
        replaced = next((way for way in _CONTACT_NET_NAMES if nets.keys() & way), set())
        others = {each for way in _CONTACT_NET_NAMES if replaced and way is not replaced for each in way}
        return NetSet(name, {**{each: net for each, net in self.nets.items() if each not in others}, **nets})

    def make_evaluator(self, exact: Sequence[ExactEvaluator] | None = None) -> Router:
        """Make the evaluator that the nets will be once they are exported; bearoff databases come first.

        Args:
            exact: The databases; None for those that the engine uses.
        """
        loaded = {phase: self._make_net_evaluator(phase) for phase in self.nets}
        return Router(
            self.name,
            contact=loaded["contact"] if "contact" in loaded else [loaded[each] for each in CONTACT_CLASSES],
            race=loaded["race"],
            crashed=loaded.get("crashed"),
            exact=load_bearoff_evaluators() if exact is None else exact,
        )

    def make_policy(self, evaluator: Router, pruner: PlayPruner) -> PlayPruner:
        """Make a policy that plays as the evaluator does, as fast as the nets allow.

        Args:
            evaluator: What `make_evaluator` returned.
            pruner: Makes the short list where the nets are not of the kind that one compiled loop plays.
        """
        return self._try_make_pruning_net() or ShortlistPruner(pruner, evaluator)

    def make_pruning_net(self) -> PlayPruner:
        """Make the pruning net for search and rollouts.

        Raises:
            UnsupportedError: The nets are not of the kind that one compiled loop plays.
        """
        pruning_net = self._try_make_pruning_net()
        if pruning_net is None:
            raise UnsupportedError(
                f"{self.name} cannot be a pruning net: expected a contact and a race net, each on {ENCODER} "
                f"with one hidden layer",
                field="finder",
            )
        return pruning_net

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return all nets as named arrays for a file."""
        return {key: array for phase, net in self.nets.items() for key, array in net.to_arrays(phase).items()}

    def _try_make_pruning_net(self) -> PruningNet | None:
        contact, race = self.nets.get("contact"), self.nets["race"]
        if contact is None or "crashed" in self.nets:
            return None
        if any(net.encoder_id != ENCODER or len(net.hidden) != 1 for net in (contact, race)):
            return None
        return PruningNet(self.name, _to_sparse_weights(contact), _to_sparse_weights(race))

    def _make_net_evaluator(self, phase: str) -> Evaluator:
        net, name = self.nets[phase], f"{self.name}-{phase}"
        encoder = get_encoder(net.encoder_id)
        (rows, biases), patterns = net.layers[0], None
        if encoder.patterns:
            patterns, biases = net.quantize_patterns()
        layers = [ActivatedLayer(rows[: encoder.values], biases, "Relu", patterns)]
        layers += [ActivatedLayer(*layer, "Relu") for layer in net.layers[1:]]
        layers[-1] = layers[-1]._replace(activation="Sigmoid")
        if can_compile(encoder, layers):
            return CompiledNet(name, encoder, layers)
        return NetEvaluator(name, encoder, OnnxModel(name, net_to_onnx(net, name), net.inputs, OUTPUTS))


def load_bearoff_evaluators() -> tuple[ExactEvaluator, ...]:
    """Return the default bearoff databases: what nets learn depends on no other."""
    return tuple(defer_bearoff(is_default=True))


def load_net_set(source: str) -> NetSet:
    """Read the nets of a player.

    Args:
        source: An evaluator of the manifest or ``default``; or the folder of a run (its best nets, or its
            last where none were measured); or a file of nets in such a folder.

    Raises:
        ValueRangeError: There is neither an evaluator nor a file of this name.
        DataFileError: The manifest, a net or a file is missing or faulty.
        UnsupportedError: The package ``onnx`` is not installed.
    """
    if isinstance(found := SHIPPED.find(source), FoundEvaluator):
        return _load_manifest_nets(found)
    path = Path(source)
    if not path.exists():
        raise ValueRangeError(
            f"expected the folder of a run or an evaluator ({', '.join(SHIPPED.list_evaluators())}), "
            f"got {source!r}",
            field="net",
        )
    return read_net_set(find_nets_file(path))


def read_net_set(file: Path) -> NetSet:
    """Read the nets of a file of a run.

    Raises:
        DataFileError: The file is missing, damaged, or holds no nets.
    """
    return load_arrays(file, partial(net_set_from_arrays, file.parent.name), field="net")


def read_exported_nets(file: Path) -> dict[str, ExportedNet]:
    """Read the nets of a file, as `read_net_set`, for ``gammond export``."""
    return {phase: export_net(net) for phase, net in read_net_set(file).nets.items()}


def net_set_from_arrays(name: str, arrays: Mapping[str, NDArray[Any]]) -> NetSet:
    """Make nets of the arrays of a file of a run: what `NetSet.to_arrays` or ``gammond train td`` gave.

    Args:
        name: Of the nets.
        arrays: All that the file holds.

    Raises:
        DataFileError: The arrays are damaged, or hold no nets.
    """
    if "race_encoder" not in arrays:
        nets, _ = td_nets_from_arrays(name, arrays)
        both = {"contact": nets.contact, "race": nets.race}
        return NetSet(name, {phase: net.copy(is_contiguous=True) for phase, net in both.items()})
    return NetSet(
        name,
        {phase: LayeredNet.from_arrays(phase, arrays) for phase in NET_NAMES if f"{phase}_encoder" in arrays},
    )


def make_net_set_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    """Make the player of a run's nets, called as its folder is.

    Args:
        file: Its folder names the player; messages name it.
        arrays: All that the file holds.

    Raises:
        DataFileError: The arrays are damaged, or hold no nets.
    """
    load = partial(net_set_from_arrays, file.parent.name)
    return EvaluatorPlayer(load_arrays(file, load, arrays, field="net").make_evaluator())


def find_nets_file(path: Path) -> Path:
    """Return the file with the nets of a run's folder; a file is returned as it is."""
    if not path.is_dir():
        return path
    best = path / "best.npz"
    return best if best.exists() else path / "checkpoint.npz"


def _load_manifest_nets(found: FoundEvaluator) -> NetSet:
    nets = {}
    for phase in dict.fromkeys(("race", *found.nets)):
        played = phase if phase in found.nets else "contact"
        found.load_net(played)  # compares the file with the manifest
        net = found.nets[played]
        file = found.file.parent / net.file
        content = file.read_bytes()
        shared = read_shared_tensors(content, file.parent)
        nets[phase] = read_onnx(content, net.encoder, net.name, shared)
    return NetSet(found.name, nets)


def _to_sparse_weights(net: LayeredNet) -> SparseWeights:
    w1, b1, w2, b2 = net.one_layer_weights
    return w1, b1, np.ascontiguousarray(w2), b2


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
    return load_deep_evaluator(name, _load_flat_evaluator)


def _load_flat_evaluator(name: str) -> Evaluator:
    if not isinstance(SHIPPED.find(name), FoundEvaluator) and Path(name).exists():
        return load_net_set(name).make_evaluator()
    return load_net_evaluator(name)
