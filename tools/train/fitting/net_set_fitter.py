"""Nets in fitting side by side: each learns from the labels of positions that it evaluates.

Labels are split, shuffled, encoded batch by batch, and compared with nets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.outcome import Outcomes, cubeless_equity
from gammond.engine.rules.position import Board
from gammond.engine.rules.seeded_random import BoardHasher, to_integers_below
from gammond.nets.encoders import get_encoder
from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.router import classify_contact
from gammond.tools.train.fitting.recipe import Recipe
from gammond.tools.train.fitting.torch_fitter import OUTPUT_WEIGHTS, Fitter, PatternRows
from gammond.tools.train.labels.shards import Labels, divide_decisions
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet

_EVALUATION_BATCH = 4096
_SPLIT_PARTS = 1_000_000


@dataclass(frozen=True)
class FitMetrics:
    """How far a net is from labels.

    Attributes:
        loss: Mean weighted sum of squared errors, what the fit makes small.
        equity_rmse: Root mean square of the errors of equity, in points.
        play_loss: Mean loss of the plays that the net chooses, in points of equity, over the rolls of which
            several plays are labelled; nan if there are none.
    """

    loss: float
    equity_rmse: float
    play_loss: float = math.nan


class NetSetFitter:
    """The nets of a phase in fitting: one, or one for each contact class.

    Args:
        nets: What to begin with.
        recipe: Says which of them learn, and how.
        device: As `Fitter` takes it.
        threads: How many threads torch works with.
        state: What `state_dict` returned, to resume from.

    Raises:
        DataFileError: The state belongs to other nets.
    """

    def __init__(
        self,
        nets: NetSet,
        recipe: Recipe,
        device: str,
        threads: int,
        state: Mapping[str, NDArray[Any]] | None,
    ) -> None:
        self._start = nets
        self._recipe = recipe
        self._fitters: dict[str, Fitter] = {}
        for name in nets.net_names_for(recipe.phase):
            own, shared = None if state is None else _select_arrays(state, name), self._find_shared(name)
            self._fitters[name] = Fitter(
                nets.nets[name], recipe.optimizer, recipe.average, device, threads, own, shared
            )

    def _find_shared(self, name: str) -> PatternRows | None:
        """Return the rows of patterns of the first net that has the same ones; None if there is none."""
        net = self._start.nets[name]
        for other, fitter in self._fitters.items():
            if fitter.patterns is not None and net.has_patterns_of(self._start.nets[other]):
                return fitter.patterns
        return None

    def make_averaged(self, name: str) -> NetSet:
        """Return the whole set with averaged weights, under a name of its own."""
        averaged = {net_name: fitter.averaged_net for net_name, fitter in self._fitters.items()}
        return self._start.with_nets(averaged, name)

    def train(
        self,
        labels: Labels,
        steps: int,
        done: int,
        whole: int,
        progress: Callable[[int, float], None] = lambda step, loss: None,
    ) -> float:
        """Take the steps of an epoch or a generation, shared among the nets as the labels are, by turns.

        Args:
            labels: At least one.
            steps: How many in all.
            done: Epochs or generations before; with the seed they decide the order of the labels.
            whole: Epochs or generations of the run, over which the learning rate falls.
            progress: Called with the steps done in all and the mean loss so far.

        Returns:
            The mean loss of the steps.
        """
        recipe, counts, losses = self._recipe, [], []
        generator = np.random.Generator(np.random.PCG64([recipe.seed, done]))

        def rate(share: float) -> float:
            return recipe.learning_rate_at((done + share) / whole)

        for name, fitter in self._fitters.items():
            own = labels.select(_find_own(name, labels.boards))
            counts.append(math.ceil(steps * len(own) / len(labels)))
            losses.append(
                iterate_steps(fitter, own, counts[-1], recipe.batch, rate, generator, recipe.differences)
            )
        total = 0.0
        for step, turn in enumerate(_order_turns(counts), 1):
            total += next(losses[turn])
            progress(step, total / step)
        return total / max(sum(counts), 1)

    def compute_metrics(self, labels: Labels) -> tuple[FitMetrics, FitMetrics]:
        """Measure how far the nets and their averaged weights are from labels; nan where there are none."""
        last = {name: fitter.net for name, fitter in self._fitters.items()}
        averaged = {name: fitter.averaged_net for name, fitter in self._fitters.items()}
        return self._compare_nets(last, labels), self._compare_nets(averaged, labels)

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return all that the fit resumes from, as named arrays."""
        return {
            f"{name}_{key}": array
            for name, fitter in self._fitters.items()
            for key, array in fitter.state_dict().items()
        }

    def _compare_nets(self, nets: Mapping[str, LayeredNet], labels: Labels) -> FitMetrics:
        outcomes = np.empty_like(labels.targets)
        for name, net in nets.items():
            own = _find_own(name, labels.boards)
            outcomes[own] = _evaluate(net, labels.boards[own])
        return _compare_outcomes(outcomes, labels)


def _find_own(name: str, boards: Board) -> NDArray[np.bool_]:
    """Return which positions the net of a name evaluates."""
    if name not in CONTACT_CLASSES:
        return np.ones(len(boards), np.bool_)
    own: NDArray[np.bool_] = classify_contact(boards) == CONTACT_CLASSES.index(name)
    return own


def _select_arrays(state: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    prefix = f"{name}_"
    return {key.removeprefix(prefix): array for key, array in state.items() if key.startswith(prefix)}


def _order_turns(counts: Sequence[int]) -> list[int]:
    """Spread numbers of turns evenly: return whose turn each is."""
    shares = [(np.arange(count) + 0.5) / count for count in counts if count]
    whose = np.repeat(np.arange(len(counts)), counts)
    order: list[int] = whose[np.argsort(np.concatenate(shares), kind="stable")].tolist()
    return order


def split_labels(labels: Labels, validation_share: float, seed: int) -> tuple[Labels, Labels]:
    """Set labels aside for validation; a position is on the same side whenever the seed is the same.

    The plays of a roll are where the first one of them is.

    Args:
        labels: All of them.
        validation_share: To set aside, 0 to 1.
        seed: Decides which.

    Returns:
        Those to learn from, and those set aside.
    """
    firsts, counts = divide_decisions(labels.decisions)
    parts = to_integers_below(BoardHasher(seed).hash_boards(labels.boards[firsts]), _SPLIT_PARTS)
    aside = np.repeat(parts < round(validation_share * _SPLIT_PARTS), counts)
    return labels.select(~aside), labels.select(aside)


def iterate_steps(
    fitter: Fitter,
    labels: Labels,
    steps: int,
    batch: int,
    rate: Callable[[float], float],
    generator: np.random.Generator,
    differences: float = 0.0,
) -> Iterator[float]:
    """Take steps on shuffled labels, starting over as often as they run out.

    The plays of a roll stay together, but where a batch ends. Positions are encoded as they are needed: that
    costs a few hundredths of the step, and the inputs of millions of positions would not fit into memory.

    Args:
        fitter: What learns.
        labels: At least one.
        steps: How many.
        batch: Positions of each step, fewer where there are no more.
        rate: The learning rate by the share of the steps that is done.
        generator: Of the order.
        differences: As `Fitter.step` takes it.

    Yields:
        The loss of each step.
    """
    encode = get_encoder(fitter.encoder_id).encode
    size = min(batch, len(labels))
    order, at = _shuffle(labels.decisions, generator), 0
    for step in range(steps):
        if at + size > len(order):
            order, at = _shuffle(labels.decisions, generator), 0
        rows = order[at : at + size]
        at += size
        inputs, own = encode(labels.boards[rows]), labels.decisions[rows]
        yield fitter.step(inputs, labels.targets[rows], rate(step / steps), own, differences)


def _shuffle(decisions: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.int64]:
    """Return an order of positions, ``int64[n]``, in which those of a decision are neighbours."""
    firsts, counts = divide_decisions(decisions)
    order = generator.permutation(len(firsts))
    counts = counts[order]
    shifts = firsts[order] - (np.cumsum(counts) - counts)
    shuffled: NDArray[np.int64] = np.arange(len(decisions)) + np.repeat(shifts, counts)
    return shuffled


def compute_fit_metrics(net: LayeredNet, labels: Labels) -> FitMetrics:
    """Compare a net with labels; nan where there are none."""
    return _compare_outcomes(_evaluate(net, labels.boards), labels)


def _evaluate(net: LayeredNet, boards: Board) -> Outcomes:
    """Evaluate positions, some thousand at a time."""
    encode = get_encoder(net.encoder_id).encode
    outcomes = np.empty((len(boards), len(OUTPUT_WEIGHTS)), np.float32)
    for start in range(0, len(boards), _EVALUATION_BATCH):
        rows = slice(start, start + _EVALUATION_BATCH)
        outcomes[rows] = net.forward(encode(boards[rows]))
    return outcomes


def _compare_outcomes(outcomes: Outcomes, labels: Labels) -> FitMetrics:
    """Compare evaluations with labels; nan where there are none."""
    count = len(labels) or math.nan
    squares = np.square(outcomes - labels.targets) @ np.array(OUTPUT_WEIGHTS, np.float32)
    found, wanted = cubeless_equity(outcomes), cubeless_equity(labels.targets)
    return FitMetrics(
        float(squares.sum(dtype=np.float64)) / count,
        math.sqrt(float(np.square(found - wanted).sum(dtype=np.float64)) / count),
        _compute_play_loss(found, wanted, labels.decisions),
    )


def _compute_play_loss(
    found: NDArray[np.float32], wanted: NDArray[np.float32], decisions: NDArray[np.int64]
) -> float:
    """Compute what the plays chosen lose on average, where several of a roll are labelled; nan if none are.

    Args:
        found: ``float32[n]``, equities of the next mover by the net, which chooses the least.
        wanted: ``float32[n]``, by the labels.
        decisions: ``int64[n]``, rising.
    """
    firsts, counts = divide_decisions(decisions)
    if not (counts > 1).any():
        return math.nan
    chosen = np.lexsort((found, decisions))[firsts]
    losses = wanted[chosen] - np.minimum.reduceat(wanted, firsts)
    return float(np.mean(losses[counts > 1], dtype=np.float64))
