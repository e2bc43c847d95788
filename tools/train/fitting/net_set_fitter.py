"""Nets in fitting side by side: each learns from the positions that it evaluates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.router import classify_contact
from gammond.tools.train.fitting.torch_fitter import Fitter, PatternRows
from gammond.tools.train.fitting.training_loop import FitMetrics, compute_fit_metrics, iterate_steps
from gammond.tools.train.labels.shards import Labels
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet

FitterFactory = Callable[[LayeredNet, Mapping[str, NDArray[Any]] | None, PatternRows | None], Fitter]
"""Makes a fitter of a net, of the state from which it is to go on, if any, and of the rows that it shares."""


class NetSetFitter:
    """The nets of a phase in fitting: one, or one for each contact class.

    Args:
        nets: What to begin with.
        phase: A key of `gammond.tools.train.weights.net_set.PHASES`.
        make_fitter: Makes their fitters.
        state: What `state_dict` returned, to resume from.

    Raises:
        DataFileError: The state belongs to other nets.
    """

    def __init__(
        self, nets: NetSet, phase: str, make_fitter: FitterFactory, state: Mapping[str, NDArray[Any]] | None
    ) -> None:
        self._start = nets
        self._fitters: dict[str, Fitter] = {}
        for name in nets.net_names_for(phase):
            own = None if state is None else _select_arrays(state, name)
            self._fitters[name] = make_fitter(nets.nets[name], own, self._find_shared(name))

    def _find_shared(self, name: str) -> PatternRows | None:
        """Return the rows of patterns of the first net that has the same ones; None if there is none."""
        net = self._start.nets[name]
        for other, fitter in self._fitters.items():
            if fitter.patterns is not None and net.has_patterns_of(self._start.nets[other]):
                return fitter.patterns
        return None

    def make_averaged(self, name: str) -> NetSet:
        """Return the whole set with averaged weights, under a name of its own."""
        nets = self._start
        for net_name, fitter in self._fitters.items():
            nets = nets.with_net(net_name, fitter.averaged_net, name)
        return nets

    def train(
        self,
        labels: Labels,
        steps: int,
        batch: int,
        rate: Callable[[float], float],
        generator: np.random.Generator,
        progress: Callable[[int, float], None] = lambda step, loss: None,
    ) -> float:
        """Take steps, shared among the nets as the labels are, by turns; see `iterate_steps`.

        Args:
            labels: At least one.
            steps: How many in all.
            batch: Positions of a step.
            rate: The learning rate by the share of a net's steps that is done.
            generator: Of the order.
            progress: Called with the steps done in all and the mean loss so far.

        Returns:
            The mean loss of the steps.
        """
        counts, losses = [], []
        for name, fitter in self._fitters.items():
            own = self._select_labels(name, labels)
            counts.append(math.ceil(steps * len(own) / len(labels)))
            losses.append(iterate_steps(fitter, own, counts[-1], batch, rate, generator))
        total = 0.0
        for done, turn in enumerate(_order_turns(counts), 1):
            total += next(losses[turn])
            progress(done, total / done)
        return total / max(sum(counts), 1)

    def compute_metrics(self, labels: Labels) -> tuple[FitMetrics, FitMetrics]:
        """Measure how far the nets and their averaged weights are from labels; nan where there are none."""
        shares = [(self._select_labels(name, labels), fitter) for name, fitter in self._fitters.items()]
        return (
            _combine_metrics([(len(own), compute_fit_metrics(fitter.net, own)) for own, fitter in shares]),
            _combine_metrics(
                [(len(own), compute_fit_metrics(fitter.averaged_net, own)) for own, fitter in shares]
            ),
        )

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return all that the fit resumes from, as named arrays."""
        return {
            f"{name}_{key}": array
            for name, fitter in self._fitters.items()
            for key, array in fitter.state_dict().items()
        }

    def _select_labels(self, name: str, labels: Labels) -> Labels:
        if name not in CONTACT_CLASSES:
            return labels
        return labels.select(classify_contact(labels.boards) == CONTACT_CLASSES.index(name))


def _select_arrays(state: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    prefix = f"{name}_"
    return {key.removeprefix(prefix): array for key, array in state.items() if key.startswith(prefix)}


def _order_turns(counts: Sequence[int]) -> list[int]:
    """Spread numbers of turns evenly: return whose turn each is."""
    shares = [(np.arange(count) + 0.5) / count for count in counts if count]
    whose = np.repeat(np.arange(len(counts)), counts)
    order: list[int] = whose[np.argsort(np.concatenate(shares), kind="stable")].tolist()
    return order


def _combine_metrics(errors: list[tuple[int, FitMetrics]]) -> FitMetrics:
    """The error over all positions, of the errors over parts of them and their numbers."""
    known = [(count, error) for count, error in errors if count]
    whole = sum(count for count, _ in known) or math.nan
    return FitMetrics(
        sum(count * error.loss for count, error in known) / whole,
        math.sqrt(sum(count * error.equity_rmse**2 for count, error in known) / whole),
    )
