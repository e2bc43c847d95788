"""Files of cube decisions come back as they were written, and faults are named by their line."""

import dataclasses

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.tools.train.cube_decisions.decision_file import (
    DecisionRollout,
    RatedDecision,
    read_decisions,
    stack_rollouts,
    write_decisions,
)
from gammond.tools.train.cube_decisions.match_states import make_match
from tests.support.boards import position

ROLLOUT = DecisionRollout(
    (0.123, -1.5), (0.021, 0.034), 0.017, 108, Outcome(0.512, 0.124, 0.011, 0.1, -0.001)
)
RACE = position({5: 4, 6: 5}, {20: 5, 19: 4})
DECISIONS = [
    RatedDecision("bearoff", "money", RACE, MatchState(beavers=False)),
    RatedDecision("bearoff", "jacoby", RACE, MatchState(beavers=False, jacoby=True), ROLLOUT),
    RatedDecision("contact", "match-redouble", RACE, make_match(3, 5, 2), ROLLOUT),
    RatedDecision("contact", "post-crawford", RACE, make_match(4, 1), ROLLOUT),
]


def test_decisions_come_back_as_they_were_written(tmp_path):
    write_decisions(tmp_path / "set.txt", DECISIONS)
    assert read_decisions(tmp_path / "set.txt") == DECISIONS


def test_a_folder_has_the_decisions_of_its_shards_in_order(tmp_path):
    for number in (1, 0):
        write_decisions(tmp_path / f"rollouts-{number:06}.txt", DECISIONS[2 * number : 2 * number + 2])
    assert read_decisions(tmp_path) == DECISIONS


def test_values_errors_and_outcomes_are_stacked():
    values, errors, outcomes = stack_rollouts(DECISIONS[1:])
    np.testing.assert_allclose(values, [[0.123, -1.5]] * 3)
    np.testing.assert_allclose(errors, [[0.021, 0.034]] * 3)
    assert outcomes.shape == (3, 5)
    with pytest.raises(DataFileError, match="without a rollout"):
        stack_rollouts(DECISIONS)


@pytest.mark.parametrize(
    "line",
    [
        "contact money",
        "contact money 4HPwATDgc/ABMA MAEAAAAAAAAE 1 2 3",
        "contact money 4HPwATDgc/ABM MAEAAAAAAAAE",
        "contact money 4HPwATDgc/ABMA MAEAAAAAAAA",
        "contact money 4HPwATDgc/ABMA MAEAAAAAAAAE 1 2 3 4 5 6 7 8 9 10 x",
    ],
)
def test_a_damaged_line_is_named(tmp_path, line):
    file = tmp_path / "set.txt"
    write_decisions(file, DECISIONS)
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(DataFileError, match="line 6 is no cube decision"):
        read_decisions(file)


def test_a_folder_without_shards_and_a_missing_file_are_refused(tmp_path):
    with pytest.raises(DataFileError, match="holds no rolled-out cube decisions"):
        read_decisions(tmp_path)
    with pytest.raises(DataFileError, match="cannot be read"):
        read_decisions(tmp_path / "nothing.txt")


def test_thousandths_are_rounded(tmp_path):
    rollout = dataclasses.replace(ROLLOUT, values=(0.12349, -0.9996))
    write_decisions(tmp_path / "set.txt", [dataclasses.replace(DECISIONS[1], rollout=rollout)])
    found = read_decisions(tmp_path / "set.txt")[0].rollout
    assert found is not None
    assert found.values == (0.123, -1.0)
