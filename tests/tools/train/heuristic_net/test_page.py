"""docs/history/4-phase-features.md says what the program does."""

import re
from pathlib import Path

import numpy as np
import pytest

from engine.moves import expand_rolls
from engine.position import CHECKERS, OFF
from nets.best_few import BestFewPlayer
from nets.phase_features import FEATURES, MAXIMA, NAMES, phase_features
from nets.phase_heuristic import HIGHEST, LOWEST, PhaseHeuristic
from tests.boards import random_rolls
from tools.train.heuristic_net.samples import sampled
from tools.train.heuristic_net.settings import HeuristicNetSettings

PAGE = (Path(__file__).parents[4] / "docs" / "history" / "4-phase-features.md").read_text("utf-8")


def test_the_table_of_features_is_that_of_the_program():
    rows = re.findall(r"^\| (\d+), (\d+) \| `(\w+)` \|.*\| (\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == FEATURES // 2
    for own, opponents, name, largest in rows:
        assert NAMES[int(own)] == name
        assert NAMES[int(opponents)] == f"opponent_{name}"
        assert MAXIMA[int(own)] == MAXIMA[int(opponents)] == int(largest)


def test_numbers_are_those_of_the_program():
    text = " ".join(PAGE.split())
    assert (
        f"positive weights of a phase, {HIGHEST:g}, and 0 the largest sum of negative ones, {LOWEST:g}"
        in text
    )
    settings = HeuristicNetSettings()
    rounds = f"{settings.rounds} rounds of {settings.round_games:,} games"
    assert f"{settings.random_games:,} games of random plays (4,000 in the runs above) and {rounds}" in text
    assert f"Adam in batches of {settings.batch}" in text


def test_what_the_page_says_of_games_of_the_heuristic_is_so():
    heuristic = PhaseHeuristic()
    players = (BestFewPlayer("", heuristic, 4, seed) for seed in (1, 2))
    boards = sampled(*players, 60, seed=3).boards
    scores = heuristic.scores(boards)
    assert scores.max() - scores.min() == pytest.approx(0.5, abs=0.15)
    boards = boards[(boards[:, :, OFF] < CHECKERS).all(axis=1)]
    children, _, offsets = expand_rolls(boards, random_rolls(len(boards), seed=4))
    _, phases = phase_features(children)
    lowest, highest = (reduced.reduceat(phases, offsets[:-1]) for reduced in (np.minimum, np.maximum))
    assert (lowest != highest).mean() == pytest.approx(1 / 6, abs=0.04)
