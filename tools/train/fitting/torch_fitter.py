"""Fit a net to labels by gradient descent: the one module that knows torch."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, UnsupportedError, missing_package
from gammond.engine.rules.outcome import Outcomes
from gammond.nets.encoders import Inputs, get_encoder
from gammond.tools.train.weights.layers import LayeredNet

_EQUITY_COEFFICIENTS = (2.0, 1.0, 1.0, -1.0, -1.0)
"""What each output counts in the cubeless equity."""

OUTPUT_WEIGHTS = tuple(each**2 for each in _EQUITY_COEFFICIENTS)
"""Weights of the squared errors of the outputs."""

_CLOSE_POINTS = 0.04
"""A play that loses so much counts 1/e as much as the best one of its roll."""

_ADAM_RATE_SHARE = 0.2
"""The rate of the weights that Muon does not take, as a share of its own."""

_AVERAGING_WARM_UP = 10.0
"""The averaged weights forget the first steps: their decay after t steps is at most (1 + t) / (10 + t)."""


class Fitter:
    """A net in fitting: gradient descent on weighted squared errors, and a running average of its weights.

    Nets may share their rows of patterns: then each step of any of them changes these rows for all.

    Args:
        net: Where to begin.
        optimizer: ``adam``, or ``muon``: orthogonal steps for the weights of hidden layers, Adam for biases
            and the output layer. *Source:* Keller Jordan and others, "Muon: An optimizer for hidden layers in
            neural networks" (2024); torch's own, its steps as large as Adam's.
        average: Decay of the averaged weights a step, 0 up to 1 exclusive.
        device: ``cpu``, or another that torch knows, such as ``cuda``.
        threads: How many threads torch works with.
        state: What `state_dict` returned, to resume from.
        shared: The rows of patterns of another net, which has the same ones; None for own ones.

    Attributes:
        encoder_id: What the net's inputs are.
        patterns: The rows of patterns; None for a net without any.

    Raises:
        UnsupportedError: Torch is not installed, or has no such device.
        DataFileError: The state belongs to another net.
    """

    def __init__(
        self,
        net: LayeredNet,
        optimizer: str,
        average: float,
        device: str = "cpu",
        threads: int = 1,
        state: Mapping[str, NDArray[Any]] | None = None,
        shared: PatternRows | None = None,
    ) -> None:
        self._torch = torch = _import_torch()
        torch.set_num_threads(threads)
        self.encoder_id = net.encoder_id
        self._values = get_encoder(net.encoder_id).values
        self._average = average
        try:
            self._device = torch.device(device)
            self._weights = self._to_tensors(net)
        except (RuntimeError, AssertionError) as error:
            raise UnsupportedError(f"torch cannot use {device!r}: {error}", field="device") from error
        for weight in self._weights:
            weight.requires_grad_(True)
        self._averaged = self._to_tensors(net)
        self._make_optimizers(optimizer)
        self._owns_patterns = shared is None and get_encoder(net.encoder_id).patterns > 0
        rows = net.layers[0][0][self._values :]
        self.patterns = PatternRows(torch, rows, self._device, average) if self._owns_patterns else shared
        self._output_weights = torch.tensor(OUTPUT_WEIGHTS, device=self._device)
        self._coefficients = torch.tensor(_EQUITY_COEFFICIENTS, device=self._device)
        self.steps = 0
        if state is not None:
            self._restore(state)

    @property
    def net(self) -> LayeredNet:
        """The present net."""
        return self._as_net(self._weights, None if self.patterns is None else self.patterns.rows)

    @property
    def averaged_net(self) -> LayeredNet:
        """The net with averaged weights."""
        return self._as_net(self._averaged, None if self.patterns is None else self.patterns.averaged)

    def step(
        self,
        inputs: Inputs,
        targets: Outcomes,
        rate: float,
        decisions: NDArray[np.int64] | None = None,
        differences: float = 0.0,
    ) -> float:
        """Take one step of gradient descent.

        Args:
            inputs: ``float32[n, inputs]``.
            targets: ``float32[n, 5]``.
            rate: The learning rate.
            decisions: ``int64[n]``, the same number for the plays of a roll.
            differences: Weight of the squared errors of the differences between them.

        Returns:
            The loss before the step: the mean over positions of the weighted sum of squared errors, and of
            those of differences.
        """
        torch = self._torch
        self._set_rate(rate)
        units = torch.from_numpy(inputs).to(self._device)
        wanted = torch.from_numpy(targets).to(self._device)
        sums = torch.addmm(self._weights[1], units[:, : self._values], self._weights[0])
        if self.patterns is not None:
            sums = sums + self.patterns.add_up(units[:, self._values :].long())
        for i in range(2, len(self._weights), 2):
            sums = torch.addmm(self._weights[i + 1], torch.relu(sums), self._weights[i])
        errors = torch.sigmoid(sums) - wanted
        loss = (errors.square() * self._output_weights).sum(1).mean()
        if differences and decisions is not None:
            loss = loss + differences * self._compute_difference_loss(errors, wanted, decisions)
        steppers = (self._muon, self._adam, None if self.patterns is None else self.patterns.optimizer)
        optimizers = [each for each in steppers if each is not None]
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        self.steps += 1
        changed = 1.0 - _compute_kept_share(self._average, self.steps)
        with torch.no_grad():
            for mean, weight in zip(self._averaged, self._weights, strict=True):
                mean.lerp_(weight, changed)
        if self.patterns is not None:
            self.patterns.average_step()
        return float(loss.item())

    def _compute_difference_loss(self, errors: Any, wanted: Any, decisions: NDArray[np.int64]) -> Any:  # noqa: ANN401
        """Compute how far errors of equity differ between the plays of a roll; shared ones do no harm.

        The squares are of each error less the mean of its roll; plays count the less, the worse they are.
        """
        torch = self._torch
        numbers = torch.from_numpy(np.unique(decisions, return_inverse=True)[1]).to(self._device)
        equities = wanted @ self._coefficients
        best = torch.full_like(equities, torch.inf).scatter_reduce(0, numbers, equities, "amin")
        weights = torch.exp((best[numbers] - equities) / _CLOSE_POINTS)
        own = errors @ self._coefficients
        sums = torch.zeros_like(own).scatter_add(0, numbers, weights * own)
        means = sums / torch.zeros_like(own).scatter_add(0, numbers, weights)
        return (weights * (own - means[numbers]).square()).mean()

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return all that the fit resumes from, as named arrays."""
        arrays: dict[str, NDArray[Any]] = {"fit_steps": np.array(self.steps)}
        for i, (weight, mean) in enumerate(zip(self._weights, self._averaged, strict=True)):
            arrays[f"fit_weight{i}"] = weight.detach().cpu().numpy().copy()
            arrays[f"fit_mean{i}"] = mean.cpu().numpy().copy()
            for name, kept in self._optimizer_of(i).state[weight].items():
                if name != "step":
                    arrays[f"fit_{name}{i}"] = kept.cpu().numpy().copy()
        return arrays | (self.patterns.state_dict() if self._owns_patterns and self.patterns else {})

    def _restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        torch = self._torch
        try:
            self.steps = int(state["fit_steps"])
            with torch.no_grad():
                for i, (weight, mean) in enumerate(zip(self._weights, self._averaged, strict=True)):
                    weight.copy_(torch.from_numpy(_check_shape(state[f"fit_weight{i}"], weight)))
                    mean.copy_(torch.from_numpy(_check_shape(state[f"fit_mean{i}"], weight)))
                    if self.steps:
                        self._optimizer_of(i).state[weight] = self._read_optimizer_state(state, i)
            if self._owns_patterns and self.patterns is not None:
                self.patterns.restore(state)
        except (KeyError, ValueError) as error:
            raise DataFileError(f"expected the state of a fit of this net: {error}") from error

    def _read_optimizer_state(self, state: Mapping[str, NDArray[Any]], i: int) -> dict[str, Any]:
        """What its optimizer keeps of a weight, by torch's names."""
        torch, is_adam = self._torch, self._optimizer_of(i) is self._adam
        names = ("exp_avg", "exp_avg_sq") if is_adam else ("momentum_buffer",)
        kept = {
            name: torch.from_numpy(_check_shape(state[f"fit_{name}{i}"], self._weights[i])).to(self._device)
            for name in names
        }
        return kept | ({"step": torch.tensor(float(self.steps))} if is_adam else {})

    def _optimizer_of(self, i: int) -> Any:  # noqa: ANN401
        """Which optimizer a weight has: Muon, if there is one, the matrices of the hidden layers."""
        is_hidden_matrix = i % 2 == 0 and i < len(self._weights) - 2
        return self._muon if self._muon is not None and is_hidden_matrix else self._adam

    def _make_optimizers(self, name: str) -> None:
        """Share the weights between Adam and, if wanted, Muon."""
        torch, hidden = self._torch, self._weights[:-2:2]
        self._muon = None
        if name == "muon":
            self._muon = torch.optim.Muon(hidden, weight_decay=0.0, adjust_lr_fn="match_rms_adamw")
        taken = [] if self._muon is None else [id(weight) for weight in hidden]
        self._adam = torch.optim.Adam([weight for weight in self._weights if id(weight) not in taken])

    def _set_rate(self, rate: float) -> None:
        adam_rate = rate if self._muon is None else _ADAM_RATE_SHARE * rate
        for group in self._adam.param_groups:
            group["lr"] = adam_rate
        if self.patterns is not None:
            self.patterns.set_rate(adam_rate)
        if self._muon is not None:
            for group in self._muon.param_groups:
                group["lr"] = rate

    def _to_tensors(self, net: LayeredNet) -> list[Any]:
        """Return all weights but the rows of patterns."""
        (rows, bias), *others = net.layers
        arrays = [array for layer in ((rows[: self._values], bias), *others) for array in layer]
        return [self._torch.tensor(array, device=self._device) for array in arrays]

    def _as_net(self, tensors: list[Any], patterns: Any) -> LayeredNet:  # noqa: ANN401
        arrays = [tensor.detach().cpu().numpy().copy() for tensor in tensors]
        if patterns is not None:
            arrays[0] = np.concatenate([arrays[0], patterns.detach().cpu().numpy()])
        return LayeredNet(self.encoder_id, tuple(zip(arrays[::2], arrays[1::2], strict=True)))


class PatternRows:
    """Rows of patterns in fitting: those of one net, or of several that share them.

    Args:
        torch: The package.
        rows: ``float32[n, units]``, where to begin.
        device: Of torch.
        average: As `Fitter` takes it.

    Attributes:
        rows: They, as a tensor.
        averaged: Their running average.
        optimizer: Takes their steps.
    """

    def __init__(self, torch: ModuleType, rows: NDArray[np.float32], device: Any, average: float) -> None:  # noqa: ANN401
        self._torch, self._average = torch, average
        self.rows = torch.tensor(rows, device=device, requires_grad=True)
        self.averaged = torch.tensor(rows, device=device)
        self.optimizer = torch.optim.Adam([self.rows])
        self._steps = 0

    def add_up(self, numbers: Any) -> Any:  # noqa: ANN401
        """Return the sums of rows, given their numbers, ``int64[n, patterns]``."""
        return self._torch.nn.functional.embedding_bag(numbers, self.rows, mode="sum")

    def set_rate(self, rate: float) -> None:
        """Set the learning rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def average_step(self) -> None:
        """Take a step that was made into the average."""
        self._steps += 1
        with self._torch.no_grad():
            self.averaged.lerp_(self.rows, 1.0 - _compute_kept_share(self._average, self._steps))

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return all that they resume from, as named arrays."""
        arrays: dict[str, NDArray[Any]] = {"fit_pattern_steps": np.array(self._steps)}
        named = {"rows": self.rows, "mean": self.averaged, **self.optimizer.state[self.rows]}
        for name, kept in named.items():
            if name != "step":
                arrays[f"fit_pattern_{name}"] = kept.detach().cpu().numpy().copy()
        return arrays

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Resume from what `state_dict` returned; raise KeyError or ValueError for the state of others."""
        self._steps = int(state["fit_pattern_steps"])
        read = {name: _check_shape(state[f"fit_pattern_{name}"], self.rows) for name in ("rows", "mean")}
        with self._torch.no_grad():
            self.rows.copy_(self._torch.from_numpy(read["rows"]))
            self.averaged.copy_(self._torch.from_numpy(read["mean"]))
        if self._steps:
            kept = {
                name: self._torch.from_numpy(_check_shape(state[f"fit_pattern_{name}"], self.rows)).to(
                    self.rows.device
                )
                for name in ("exp_avg", "exp_avg_sq")
            }
            self.optimizer.state[self.rows] = {**kept, "step": self._torch.tensor(float(self._steps))}


def _compute_kept_share(average: float, steps: int) -> float:
    """Compute the share of the averaged weights that a step keeps."""
    return min(average, (1.0 + steps) / (_AVERAGING_WARM_UP + steps))


def _check_shape(array: NDArray[Any], like: Any) -> NDArray[Any]:  # noqa: ANN401
    if array.shape != tuple(like.shape) or array.dtype != np.float32:
        raise ValueError(f"expected float32{tuple(like.shape)}, got {array.dtype}{array.shape}")
    return array


def _import_torch() -> ModuleType:
    try:
        import torch  # takes a second or two: only for commands that fit
    except ImportError as error:
        raise missing_package("fitting needs", "torch", "train") from error
    module: ModuleType = torch
    return module
