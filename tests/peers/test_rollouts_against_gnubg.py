"""Rollouts by gnubg's program against positions whose values long rollouts of ours know."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.outcome import cubeless_equity
from gammond.tools.gnubg import find_gnubg
from gammond.tools.gnubg.rollouts import roll_out_with_gnubg
from tests.tools.train.validation.class_values import read_class_values

pytestmark = pytest.mark.peer

DIFFERENT_PLAY = 0.05
"""Points by which the values of two engines' games may differ in ordinary contact."""


def test_values_are_ours_within_the_errors_and_what_playing_differently_makes(tmp_path):
    if find_gnubg() is None:
        pytest.skip("needs the program gnubg (Debian: apt-get install gnubg)")
    values = [each for each in read_class_values() if each.name == "contact"]
    boards = np.stack([each.board for each in values])
    settings = RolloutSettings(trials=324, stop_error=0.02, min_trials=36)
    found = roll_out_with_gnubg(boards, 0, settings, list(range(len(values))), tmp_path)
    for rolled, known in zip(found, values, strict=True):
        assert rolled.trials >= 36
        assert rolled.equity == pytest.approx(float(cubeless_equity(np.array([rolled.outcome]))[0]), abs=1e-5)
        error = np.hypot(rolled.error, known.error)
        assert abs(rolled.equity - known.equity) < 4 * error + DIFFERENT_PLAY, known
