"""Nets in fitting side by side: each learns from the positions that it judges."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nets.plans import PLANS, plans_of
from tools.train.epochs import FitError, error_of, learn
from tools.train.fitting import Fitter
from tools.train.layers import LayeredNet
from tools.train.net_set import NetSet
from tools.train.shards import Labels

MakeFitter = Callable[[LayeredNet, Mapping[str, NDArray[Any]] | None], Fitter]
"""Makes a fitter of a net, and of the state from which it is to go on, if any."""


class Fits:
    """The nets of a phase in fitting: one, or one for each plan.

    Args:
        nets: What to begin with.
        phase: A key of `tools.train.net_set.PHASES`.
        make: Makes their fitters.
        state: What `state` gave, to go on from there.

    Raises:
        DataFileError: The state belongs to other nets.
    """

    def __init__(
        self, nets: NetSet, phase: str, make: MakeFitter, state: Mapping[str, NDArray[Any]] | None
    ) -> None:
        self._start = nets
        self._fitters = {
            name: make(nets.nets[name], None if state is None else _own(state, name))
            for name in nets.of_phase(phase)
        }

    def averaged(self, name: str) -> NetSet:
        """The whole set with averaged weights, under a name of its own."""
        nets = self._start
        for net_name, fitter in self._fitters.items():
            nets = nets.with_net(net_name, fitter.averaged, name)
        return nets

    def learn(
        self,
        labels: Labels,
        steps: int,
        batch: int,
        rate: Callable[[float], float],
        generator: np.random.Generator,
        progress: Callable[[int, float], None] = lambda step, loss: None,
    ) -> float:
        """Take steps, shared among the nets as the labels are; see `tools.train.epochs.learn`.

        Args:
            labels: At least one.
            steps: How many in all.
            batch: Positions of a step.
            rate: The learning rate by the share of a net's steps that is done.
            generator: Of the order.
            progress: Told the steps done in all and the mean loss so far.

        Returns:
            The mean loss of the steps.
        """
        done, total = 0, 0.0
        for name, fitter in self._fitters.items():
            own = self._judged_by(name, labels)
            own_steps = math.ceil(steps * len(own) / len(labels))
            if not own_steps:
                continue

            def own_rate(step: int, own_steps: int = own_steps) -> float:
                return rate(step / own_steps)

            def told(step: int, loss: float, done: int = done, total: float = total) -> None:
                progress(done + step, (total + loss * step) / (done + step))

            total += own_steps * learn(fitter, own, own_steps, batch, own_rate, generator, told)
            done += own_steps
        return total / done

    def errors(self, labels: Labels) -> tuple[FitError, FitError]:
        """How far the nets and their averaged weights are from labels; nan where there are none."""
        shares = [(self._judged_by(name, labels), fitter) for name, fitter in self._fitters.items()]
        return (
            _joined([(len(own), error_of(fitter.net, own)) for own, fitter in shares]),
            _joined([(len(own), error_of(fitter.averaged, own)) for own, fitter in shares]),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """All that decides how the fit goes on, as named arrays."""
        return {
            f"{name}_{key}": array
            for name, fitter in self._fitters.items()
            for key, array in fitter.state().items()
        }

    def _judged_by(self, name: str, labels: Labels) -> Labels:
        if name not in PLANS:
            return labels
        return labels.rows(plans_of(labels.boards) == PLANS.index(name))


def _own(state: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    prefix = f"{name}_"
    return {key.removeprefix(prefix): array for key, array in state.items() if key.startswith(prefix)}


def _joined(errors: list[tuple[int, FitError]]) -> FitError:
    """The error over all positions, of the errors over parts of them and their numbers."""
    known = [(count, error) for count, error in errors if count]
    whole = sum(count for count, _ in known) or math.nan
    return FitError(
        sum(count * error.loss for count, error in known) / whole,
        math.sqrt(sum(count * error.equity**2 for count, error in known) / whole),
    )
