"""Encoders: what turns positions into the inputs of a net, by the id that a net's manifest entry names.

Several encodings pass for "Tesauro's": five checkers on a point give the units ``[1, 1, 1, 1]`` here, and
``[0, 0, 1, 1]``, ``[0, 0, 1, 2]`` or ``[0, 0, 0, 2]`` elsewhere. A net plays badly, without any error, on the
inputs of another encoding; so an id means one layout for ever, and another layout gets another id.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.position import Board
from nets.kernels import encode as kernel_encode

Inputs = NDArray[np.float32]
"""``float32[n, inputs]``, C-contiguous."""


@dataclass(frozen=True)
class Encoder:
    """A way to turn positions into inputs.

    Attributes:
        id: What manifests call it.
        inputs: The number of inputs.
        encode: From ``int8[n, 2, 26]`` to ``float32[n, inputs]``.
    """

    id: str
    inputs: int
    encode: Callable[[Board], Inputs]


def encode_tesauro196(boards: Board) -> Inputs:
    """Encode the board as Tesauro did, both sides in their own numbering; layout in `nets.kernels.encode`.

    *Source:* R. Sutton and A. Barto, "Reinforcement Learning: An Introduction" (1998), section 11.1 on
    TD-Gammon 0.0: of a point's four units as many of the first three are 1 as it has checkers, the fourth
    is (n - 3) / 2 beyond three; bar n / 2, off n / 15. G. Tesauro, "Practical issues in temporal difference
    learning", Machine Learning 8 (1992), calls it a truncated unary code. Their two units for the side on
    roll are left out, which makes 196 of 198: the side on roll is always side 0 here, so these would be
    constant.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n, 196]``.
    """
    inputs = np.empty((len(boards), kernel_encode.INPUTS), np.float32)
    kernel_encode.encode(np.require(boards, np.int8, ["C", "W"]), inputs)
    return inputs


ENCODERS: dict[str, Encoder] = {
    encoder.id: encoder for encoder in (Encoder("tesauro196", kernel_encode.INPUTS, encode_tesauro196),)
}
"""All encoders by id."""


def get_encoder(encoder_id: str) -> Encoder:
    """Look an encoder up.

    Raises:
        DataFileError: No encoder has this id.
    """
    try:
        return ENCODERS[encoder_id]
    except KeyError:
        raise DataFileError(
            f"unknown encoder {encoder_id!r}, expected one of {', '.join(sorted(ENCODERS))}", field="encoder"
        ) from None
