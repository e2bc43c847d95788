"""What fitting and refining share: the net, how it learns, how it is measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.nets.catalogue import DEFAULT_EVALUATOR
from gammond.nets.encoders import get_encoder
from gammond.nets.manifest import CONTACT_CLASSES
from gammond.tools.common.command_options import option
from gammond.tools.train.runs.strength_games import GamesOption, OpponentsOption, check_benchmark
from gammond.tools.train.runs.trainer import (
    KeepNets,
    ProcessWork,
    RunSettings,
    VariantOption,
    find_training_rules,
)
from gammond.tools.train.weights.layers import ENCODER, LayeredNet
from gammond.tools.train.weights.net_set import NetSet, load_net_set
from gammond.tools.train.weights.random_positions import sample_random_positions

_DEFAULT_HIDDEN = (256,)


def cosine_rate(first: float, last: float, share: float) -> float:
    """Compute a rate that falls along half a cosine, by the share of the work that is done."""
    return last + (first - last) * 0.5 * (1.0 + math.cos(math.pi * min(share, 1.0)))


def halving_rate(first: float, last: float, share: float) -> float:
    """Compute a rate that falls by halves, in steps of equal length, and ends at the last."""
    drops = max(1, round(math.log2(first / last))) if last < first else 0
    done = min(int(share * (drops + 1)), drops)
    return first * (last / first) ** (done / drops) if drops else first


SCHEDULES: dict[str, Callable[[float, float, float], float]] = {"cosine": cosine_rate, "steps": halving_rate}
"""How a learning rate falls, by name: from the first and the last rate and the share of the work done."""


class Recipe(RunSettings, frozen=True):
    """The net, how it learns and how it is measured."""

    variant: VariantOption = STANDARD_RULES.variant.name
    parent: Annotated[
        str, option("net to begin with: that of an evaluator, or the folder of a run", name="from")
    ] = ""
    phase: Annotated[
        Literal["contact", "crashed", "race"], Meta(description="which net: contact, crashed or race")
    ] = "contact"
    split: Annotated[
        Literal["", "plans"],
        Meta(description="plans: a net for each contact class, which begins as the contact net"),
    ] = ""
    others: Annotated[
        str,
        Meta(description="nets for the other phases (default the parent's, or the default evaluator's)"),
    ] = ""
    encoder: Annotated[str, Meta(description=f"the inputs (default the parent's, or {ENCODER})")] = ""
    hidden: Annotated[
        tuple[int, ...],
        Meta(description="sizes of the hidden layers (default the parent's, or 256)"),
    ] = ()
    optimizer: Annotated[Literal["adam", "muon"], Meta(description="adam, or muon with rates near 0.01")] = (
        "adam"
    )
    batch: Annotated[int, Meta(ge=1, description="positions of a step")] = 512
    rate: Annotated[float, Meta(gt=0, le=1, description="learning rate at the first step")] = 2e-3
    final_rate: Annotated[float, Meta(gt=0, le=1, description="learning rate at the last step")] = 1e-5
    schedule: Annotated[
        Literal["cosine", "steps"], Meta(description="fall of the learning rate: cosine, or steps by halves")
    ] = "cosine"
    differences: Annotated[
        float,
        Meta(
            ge=0, description="weight of the differences between plays of a roll that are labelled together"
        ),
    ] = 0.0
    average: Annotated[
        float, Meta(ge=0, lt=1, description="share of the averaged weights that a step keeps")
    ] = 0.999
    opponents: OpponentsOption = (
        "pubeval",
        DEFAULT_EVALUATOR,
    )
    games: GamesOption = 4000
    seed: Annotated[int, Meta(ge=0, description="seed of weights, positions and order")] = 1

    @property
    def origins(self) -> list[str]:
        """The evaluators and runs that the nets come from."""
        return list(dict.fromkeys(each for each in (self.parent, self.others) if each)) or [DEFAULT_EVALUATOR]

    @property
    def task_players(self) -> Sequence[str]:
        """The opponents that measure its strength."""
        return self.opponents if self.games else ()

    @property
    def rules(self) -> Rules:
        """The rules of the games that sample positions and measure strength."""
        return find_training_rules(self.variant)

    def check(self) -> None:
        """Check what msgspec cannot.

        Raises:
            ValueRangeError: A layer has no units, the rate would rise, or the number of games is odd.
            GammondError: An opponent cannot be loaded, or nets cannot learn the variant.
        """
        find_training_rules(self.variant)
        if self.hidden and min(self.hidden) < 1:
            raise ValueRangeError(
                f"--hidden: expected layers of 1 unit or more, got {min(self.hidden)}", field="hidden"
            )
        if self.split and self.phase != "contact":
            raise ValueRangeError(f"expected phase contact with split plans, got {self.phase}", field="split")
        if self.final_rate > self.rate:
            raise ValueRangeError(
                f"expected a final_rate of at most the rate, {self.rate}, got {self.final_rate}", field="rate"
            )
        check_benchmark(self.opponents, self.games)

    def learning_rate_at(self, share: float) -> float:
        """The learning rate when a share of the steps is done."""
        return SCHEDULES[self.schedule](self.rate, self.final_rate, share)

    def make_initial_nets(self, name: str) -> NetSet:
        """Load or make the nets to begin with.

        Args:
            name: What the set is called.

        Raises:
            GammondError: Nets cannot be loaded, or cannot take the wanted inputs and layers.
        """
        generator = np.random.Generator(np.random.PCG64(self.seed))
        parent = load_net_set(self.parent) if self.parent else None
        others = load_net_set(self.others or DEFAULT_EVALUATOR) if self.others or parent is None else parent
        if parent is None:
            hidden = self.hidden or _DEFAULT_HIDDEN
            first: dict[str, LayeredNet] = {
                self.phase: LayeredNet.make_untrained(self.encoder or ENCODER, hidden, generator)
            }
        else:
            first = {each: parent.net_for(each) for each in parent.net_names_for(self.phase)}
        if self.split and self.phase in first:
            first = dict.fromkeys(CONTACT_CLASSES, first[self.phase])
        expanded = {
            each: net.expand(self.encoder or net.encoder_id, self.hidden or net.hidden, generator)
            for each, net in narrow_nets(first, self.hidden).items()
        }
        return others.with_nets(expanded, name)


class FittingWork(ProcessWork, frozen=True, kw_only=True):
    """Where a net is fitted, which changes the result by rounding alone, and who shares the other work."""

    device: Annotated[str, option("device of torch: cpu, cuda")] = "cpu"
    keep_nets: KeepNets = False


_POSITIONS = 4096


def narrow_nets(nets: Mapping[str, LayeredNet], hidden: Sequence[int]) -> dict[str, LayeredNet]:
    """Leave out hidden units of layers that are wider than wanted, the same ones in all nets.

    A unit counts by how much its value varies between positions of random games, times its weights in the
    next layer, over all nets together. The average values of the units left out go into the next layer's
    biases. As all nets keep the same units, nets that share rows of weights still share them.

    Args:
        nets: Nets with the same hidden layers.
        hidden: Sizes of their hidden layers; layers that are not wider stay as they are.

    Returns:
        The nets, with the same keys.

    Raises:
        ValueRangeError: A layer would be narrowed, and the nets have different ones.
    """
    sizes = next(iter(nets.values())).hidden
    layers = [i for i, (wanted, size) in enumerate(zip(hidden, sizes, strict=False)) if wanted < size]
    if not layers:
        return dict(nets)
    if any(net.hidden != sizes for net in nets.values()):
        raise ValueRangeError("expected nets with the same hidden layers to narrow", field="hidden")
    boards = sample_random_positions(_POSITIONS, seed=1)
    inputs = {key: get_encoder(net.encoder_id).encode(boards) for key, net in nets.items()}
    for layer in layers:
        units = {key: net.run_hidden(inputs[key])[layer] for key, net in nets.items()}
        weights = [
            units[key].std(axis=0) * np.linalg.norm(net.layers[layer + 1][0], axis=1)
            for key, net in nets.items()
        ]
        kept = np.sort(np.argsort(np.sum(weights, axis=0))[sizes[layer] - hidden[layer] :])
        nets = {key: _keep_units(net, layer, kept, units[key].mean(axis=0)) for key, net in nets.items()}
    return dict(nets)


def _keep_units(
    net: LayeredNet, layer: int, kept: NDArray[np.int64], averages: NDArray[np.float32]
) -> LayeredNet:
    """Keep some units of a hidden layer; the averages of the others go into the next layer's biases."""
    (weights, bias), (next_weights, next_bias) = net.layers[layer : layer + 2]
    left_out = np.setdiff1d(np.arange(len(bias)), kept)
    layers = list(net.layers)
    layers[layer] = np.ascontiguousarray(weights[:, kept]), bias[kept]
    layers[layer + 1] = next_weights[kept], next_bias + averages[left_out] @ next_weights[left_out]
    return LayeredNet(net.encoder_id, tuple(layers))
