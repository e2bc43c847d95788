"""docs/lab/history/4-phase-features.md agrees with the program."""

import re
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import CHECKERS, OFF
from gammond.nets.heritage.phase_features.features import (
    FEATURE_MAXIMA,
    FEATURE_NAMES,
    FEATURES,
    compute_phase_features,
)
from gammond.nets.heritage.phase_features.players import (
    MAX_WEIGHTED_SUM,
    MIN_WEIGHTED_SUM,
    PhaseHeuristicScorer,
    UniformChoicePlayer,
)
from gammond.tools.heritage.phase_features.command import sample_games
from gammond.tools.heritage.phase_features.settings import HeuristicNetSettings
from tests.support.boards import random_rolls

PAGE = (Path(__file__).parents[4] / "docs" / "lab" / "history" / "4-phase-features.md").read_text("utf-8")


def test_the_table_of_features_is_that_of_the_program():
    rows = re.findall(r"^\| (\d+), (\d+) \| `(\w+)` \|.*\| (\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == FEATURES // 2
    for own, opponents, name, largest in rows:
        assert FEATURE_NAMES[int(own)] == name
        assert FEATURE_NAMES[int(opponents)] == f"opponent_{name}"
        assert FEATURE_MAXIMA[int(own)] == FEATURE_MAXIMA[int(opponents)] == int(largest)


def test_numbers_are_those_of_the_program():
    text = " ".join(PAGE.split())
    assert (
        f"positive weights of a phase, {MAX_WEIGHTED_SUM:g}, and 0 the largest sum of "
        f"negative ones, {MIN_WEIGHTED_SUM:g}" in text
    )
    settings = HeuristicNetSettings()
    rounds = f"{settings.rounds} rounds of {settings.round_games:,} games"
    assert f"{settings.random_games:,} games of random plays (4,000 in the runs above) and {rounds}" in text
    assert f"Adam in batches of {settings.batch}" in text


def test_what_the_page_says_of_games_of_the_heuristic_is_so():
    heuristic = PhaseHeuristicScorer()
    players = (UniformChoicePlayer("", heuristic, 4, seed) for seed in (1, 2))
    boards = sample_games(*players, 60, seed=3).boards
    scores = heuristic.score_boards(boards)
    assert scores.max() - scores.min() == pytest.approx(0.5, abs=0.15)
    boards = boards[(boards[:, :, OFF] < CHECKERS).all(axis=1)]
    children, _, offsets = expand_rolls(boards, random_rolls(len(boards), seed=4))
    _, phases = compute_phase_features(children)
    lowest, highest = (reduced.reduceat(phases, offsets[:-1]) for reduced in (np.minimum, np.maximum))
    assert (lowest != highest).mean() == pytest.approx(1 / 6, abs=0.04)
