"""Configurations of the heuristic engine as tables of its compiled score."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS, HeuristicConfig


def test_rows_of_blocks_and_blots_count_as_in_the_document():
    factors = HeuristicConfig(cbp=2.0, cb=1.5, bf=0.5, bfp=0.25, bt=6.0).tables
    assert factors.blocks[3] == pytest.approx(6.0**1.5)
    assert np.array_equal(factors.blocks, factors.last_blocks)
    assert factors.blots[:, 6].tolist() == [0.0, 0.0]
    assert factors.blots[:, 7].tolist() == [3.5, 1.75]


def test_as_printed_the_blot_factor_divides_and_zero_forbids_blots():
    printed = HeuristicConfig(cb=0.0, cbp=0.0, bf=2.0, bt=0.0).tables_as_printed
    assert printed.blots[:, 7].tolist() == [3.5, 0.0]
    assert printed.blocks[2] == 1.0
    assert printed.last_blocks[3] == 9.0
    assert printed.lead == 0.0
    assert np.isinf(HEURISTIC_CONFIGS["untrained"].tables_as_printed.blots[0, 1:]).all()
