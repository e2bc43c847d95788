"""Input encodings of nets in training, and the phase nets that these nets become.

Each becomes a `PhaseNet`, which plays: weights without phases are repeated in the blocks of all phases, and
those on counts are multiplied by the divisors of the features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.position import Board
from gammond.nets.heritage.phase_features.features import (
    FEATURES,
    INPUTS,
    compute_phase_features,
    encode_gated_inputs,
    get_divisors,
)
from gammond.nets.heritage.phase_features.kernels import PHASES


@dataclass(frozen=True)
class InputEncoding:
    """The encoding of a position.

    Attributes:
        is_gated: Whether each phase has inputs of its own.
        is_normalised: Whether features are divided by their largest values.
    """

    is_gated: bool = True
    is_normalised: bool = True

    @property
    def width(self) -> int:
        """The number of inputs."""
        return INPUTS if self.is_gated else FEATURES

    def encode(self, boards: Board) -> NDArray[np.float32]:
        """Encode positions after a play: ``float32[n, width]`` for ``int8[n, 2, 26]``, row 1 has played."""
        if self.is_gated:
            return encode_gated_inputs(boards, is_normalised=self.is_normalised)
        return compute_phase_features(boards, is_normalised=self.is_normalised)[0]

    def to_phase_net_layer(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the first layer of the equivalent phase net.

        Args:
            weights: ``float32[width, h]``, the first layer of the net in training.

        Returns:
            ``float32[48, h]``.
        """
        every = weights if self.is_gated else np.tile(weights, (PHASES, 1))
        scale = np.ones(FEATURES) if self.is_normalised else get_divisors(True)
        layer: NDArray[np.float32] = every * np.tile(scale, PHASES).astype(np.float32)[:, None]
        return layer


GATED = InputEncoding()

INPUT_ENCODINGS: dict[str, InputEncoding] = {
    "gated": GATED,
    "plain": InputEncoding(is_gated=False),
    "counts": InputEncoding(is_normalised=False),
}
"""Encodings by name: that of the shipped net; without the phase; and gated, but not normalised."""
