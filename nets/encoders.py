"""Encoders: turn positions into the inputs of a net, by the id in the net's manifest entry.

Several encodings pass for "Tesauro's": five checkers on a point give the units ``[1, 1, 1, 1]`` here, and
``[0, 0, 1, 1]``, ``[0, 0, 1, 2]`` or ``[0, 0, 0, 2]`` elsewhere. A net plays badly, without any error, on the
inputs of another encoding; so an id means one layout for ever, and another layout gets another id. An id ends
in the number of inputs: positions ``int8[n, 2, 26]`` become ``float32[n, inputs]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.nets import expert248 as kernel_expert
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.nets import tesauro196 as kernel_encode
from gammond.engine.rules.position import BAR, CHECKERS, OFF, Board

Inputs = NDArray[np.float32]
"""``float32[n, inputs]``, C-contiguous."""


@dataclass(frozen=True)
class Encoder:
    """A layout of inputs.

    Attributes:
        id: Its name in manifests.
        layout: The inputs in order: the name of each kind, and how many there are of it.
        encode: From ``int8[n, 2, 26]`` to ``float32[n, inputs]``.
        opening_sum: The sum of the inputs of the opening position, by which a change of the layout shows.
    """

    id: str
    layout: Mapping[str, int]
    encode: Callable[[Board], Inputs]
    opening_sum: float

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return sum(self.layout.values())

    @property
    def patterns(self) -> int:
        """How many of the last inputs are no values, but numbers of rows that a first layer adds."""
        return kernel_patterns.PATTERNS if kernel_patterns.LAYOUT.items() <= self.layout.items() else 0

    @property
    def pattern_rows(self) -> int:
        """How many such rows there are."""
        return kernel_patterns.ROWS if self.patterns else 0

    @property
    def values(self) -> int:
        """The number of inputs that are values, each of which has a row of weights of its own."""
        return self.inputs - self.patterns

    @property
    def rows(self) -> int:
        """The number of rows of weights of a first layer: those of the values, then those of the patterns."""
        return self.values + self.pattern_rows


def encode_tesauro196(boards: Board) -> Inputs:
    """Encode the board like Tesauro, each side by its own numbers (`gammond.engine.kernels.nets.tesauro196`).

    *Source:* R. Sutton and A. Barto, "Reinforcement Learning: An Introduction" (1998), section 11.1 on
    TD-Gammon 0.0: of a point's four units as many of the first three are 1 as it has checkers, the fourth
    is (n - 3) / 2 beyond three; bar n / 2, off n / 15. G. Tesauro, "Practical issues in temporal difference
    learning", Machine Learning 8 (1992), calls it a truncated unary code. Their two units for the side on
    roll are left out, so that 196 of 198 remain: the side on roll is always side 0 here, so these would be
    constant.
    """
    inputs = np.empty((len(boards), kernel_encode.INPUTS), np.float32)
    kernel_encode.encode(as_kernel_array(boards, np.int8), inputs)
    return inputs


def encode_expert248(boards: Board) -> Inputs:
    """Encode the board as `encode_tesauro196`, then 26 hand-made inputs of each side.

    Layout in `gammond.engine.kernels.nets.expert248`, formulas and sources in ``docs/reference/encoders.md``.
    """
    inputs = np.empty((len(boards), kernel_expert.INPUTS), np.float32)
    kernel_expert.encode(as_kernel_array(boards, np.int8), inputs)
    return inputs


def encode_patterns285(boards: Board) -> Inputs:
    """Encode the board as `encode_expert248`, then 37 patterns as the numbers of their rows of weights.

    Layout of the rows in `gammond.engine.kernels.nets.patterns`, sources in ``docs/reference/encoders.md``.
    """
    boards = as_kernel_array(boards, np.int8)
    inputs = np.empty((len(boards), kernel_expert.INPUTS + kernel_patterns.PATTERNS), np.float32)
    inputs[:, : kernel_expert.INPUTS] = encode_expert248(boards)
    kernel_patterns.write_patterns(boards, kernel_expert.INPUTS, inputs)
    return inputs


def encode_race226(boards: Board) -> Inputs:
    """Encode races as `encode_tesauro196`, then a unit for each number of checkers borne off, 1 to 15.

    How many rolls the last checkers take depends on whether their number is odd, which no multiple of it
    tells. The 15 units of the player on roll come before those of the opponent.
    """
    units = boards[:, :, OFF, None] == np.arange(1, CHECKERS + 1)
    return np.concatenate(
        [encode_tesauro196(boards), units.reshape(len(boards), -1).astype(np.float32)], axis=1
    )


def encode_race263(boards: Board) -> Inputs:
    """Encode races as `encode_race226`, then the patterns of `encode_patterns285`."""
    patterns = np.empty((len(boards), kernel_patterns.PATTERNS), np.float32)
    kernel_patterns.write_patterns(as_kernel_array(boards, np.int8), 0, patterns)
    return np.concatenate([encode_race226(boards), patterns], axis=1)


_counts = np.arange(CHECKERS + 1)[:, None]
_WILDBG_UNITS: Inputs = np.concatenate(
    [_counts == 1, _counts == 2, _counts >= 3, np.maximum(_counts - 3, 0)], axis=1
).astype(np.float32)
"""``float32[16, 4]``: n = 1, n = 2, n >= 3, n - 3 beyond 3."""


def encode_wildbg202(boards: Board) -> Inputs:
    """Encode contact positions for wildbg's nets.

    Checkers borne off of both sides; then four units of a point, for own checkers on the bar and on points
    1 to 24, and for the opponent's checkers on the bar and on the same points in the same order.

    *Source:* the documentation of wildbg's training data (C. Wenderdel, wildbg-training, CC0).
    """
    return _encode_wildbg(boards, [BAR, *range(1, 25)], [BAR, *range(24, 0, -1)])


def encode_wildbg186(boards: Board) -> Inputs:
    """Encode races for wildbg's nets: `encode_wildbg202` without the bar and the far points.

    Own checkers are on points 1 to 23 there, the opponent's on 2 to 24 in the same numbering.
    """
    return _encode_wildbg(boards, list(range(1, 24)), list(range(23, 0, -1)))


def _encode_wildbg(boards: Board, own: list[int], opposing: list[int]) -> Inputs:
    """Encode both sides' checkers off, then the units of given points, each side's in its own numbering."""
    count = len(boards)
    units = [
        _WILDBG_UNITS[boards[:, side, points]].reshape(count, -1)
        for side, points in enumerate((own, opposing))
    ]
    return np.concatenate([boards[:, :, OFF].astype(np.float32), *units], axis=1)


def _list_for_both_sides(layout: Mapping[str, int]) -> dict[str, int]:
    """Return the layout of the same inputs of the player on roll, then of the opponent."""
    return {f"{side} {name}": count for side in ("own", "opposing") for name, count in layout.items()}


_TESAURO196 = _list_for_both_sides(kernel_encode.LAYOUT)
_EXPERT248 = _TESAURO196 | _list_for_both_sides(dict.fromkeys(kernel_expert.FEATURE_NAMES, 1))
_RACE226 = _TESAURO196 | _list_for_both_sides({"units of off": CHECKERS})
_WILDBG_OFF = _list_for_both_sides({"off": 1})

ENCODERS: dict[str, Encoder] = {
    encoder.id: encoder
    for encoder in (
        Encoder("tesauro196", _TESAURO196, encode_tesauro196, 26.0),
        Encoder("expert248", _EXPERT248, encode_expert248, 44.84116),
        Encoder("patterns285", _EXPERT248 | kernel_patterns.LAYOUT, encode_patterns285, 96271.84116),
        Encoder("race226", _RACE226, encode_race226, 26.0),
        Encoder("race263", _RACE226 | kernel_patterns.LAYOUT, encode_race263, 96253.0),
        Encoder(
            "wildbg202",
            _WILDBG_OFF | _list_for_both_sides({"bar and points": 4 * 25}),
            encode_wildbg202,
            16.0,
        ),
        Encoder("wildbg186", _WILDBG_OFF | _list_for_both_sides({"points": 4 * 23}), encode_wildbg186, 14.0),
    )
}
"""All encoders by id."""


def get_encoder(encoder_id: str) -> Encoder:
    """Return the encoder of an id.

    Raises:
        DataFileError: No encoder has this id.
    """
    try:
        return ENCODERS[encoder_id]
    except KeyError:
        raise DataFileError(
            f"expected an encoder ({', '.join(sorted(ENCODERS))}), got {encoder_id!r}", field="encoder"
        ) from None
