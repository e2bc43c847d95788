"""What a net in training sees of a position, and the phase net that it comes to.

All kinds come to a `PhaseNet`, which plays: weights without phases stand in the blocks of all
phases, those on counts are multiplied with what features are divided by.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.rules.position import Board
from nets.heritage.phase_features.features import (
    FEATURES,
    INPUTS,
    compute_phase_features,
    encode_gated_inputs,
    get_divisors,
)
from nets.heritage.phase_features.kernels.features import PHASES


@dataclass(frozen=True)
class InputEncoding:
    """How a position is encoded.

    Attributes:
        is_gated: Whether each phase has inputs of its own.
        is_normalised: Whether features are divided by their largest values.
    """

    is_gated: bool = True
    is_normalised: bool = True

    @property
    def width(self) -> int:
        """How many inputs there are."""
        return INPUTS if self.is_gated else FEATURES

    def encode(self, boards: Board) -> NDArray[np.float32]:
        """Encode positions after a play: ``float32[n, width]`` for ``int8[n, 2, 26]``, row 1 has played."""
        if self.is_gated:
            return encode_gated_inputs(boards, is_normalised=self.is_normalised)
        return compute_phase_features(boards, is_normalised=self.is_normalised)[0]

    def to_phase_net_layer(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """The first layer of the phase net that says the same.

        Args:
            weights: ``float32[width, h]``, those of the net in training.

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
"""Kinds by name: as the net of the manifest; without the phase; and gated, but not normalised."""
