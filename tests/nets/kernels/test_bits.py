"""Points as bits."""

from __future__ import annotations

import numpy as np
import pytest

from nets.kernels import bits

MASKS = [
    0,
    1,
    2,
    1 << 24,
    bits.BAR_BIT,
    bits.POINTS,
    *np.random.default_rng(1).integers(0, 1 << 26, 200).tolist(),
]


@pytest.mark.nojit
def test_bits_are_counted_found_and_mirrored():
    for mask in MASKS:
        text = f"{mask:026b}"
        assert bits.bit_count(mask) == text.count("1")
        assert bits.mirror_points(mask) == int(text[::-1], 2)
        if mask:
            assert bits.top_bit(mask) == mask.bit_length() - 1


@pytest.mark.nojit
def test_a_mask_of_a_condition():
    assert bits.mask_if(True) & bits.POINTS == bits.POINTS
    assert bits.mask_if(False) == 0


@pytest.mark.nojit
def test_nothing_has_no_top_bit():
    assert bits.top_bit(0) < 0
