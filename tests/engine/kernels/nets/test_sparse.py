"""The fast sigmoid against the exact function; `test_play_evaluation` has the layers."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels.nets import sparse as kernel_sparse
from tests.nets.bare_nets import sigmoid


@pytest.mark.nojit
def test_the_sigmoid_is_within_two_ten_millionths():
    x = np.concatenate([np.linspace(-100, 100, 4001), np.linspace(-1, 1, 1000)]).astype(np.float32)
    found = [float(kernel_sparse.sigmoid(value)) for value in x]
    np.testing.assert_allclose(found, sigmoid(x.astype(np.float64)), rtol=0, atol=2e-7)
    assert min(found) >= 0
    assert max(found) <= 1


@pytest.mark.nojit
def test_a_certain_logit_is_exactly_one_and_its_negative_zero():
    assert kernel_sparse.sigmoid(kernel_sparse.CERTAIN_LOGIT) == 1
    assert kernel_sparse.sigmoid(-kernel_sparse.CERTAIN_LOGIT) == 0
