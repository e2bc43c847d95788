"""Pubeval against GNU Backgammon: the same plays as its own pubeval, and the loss that everybody measures."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.play.lockstep import play_games
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.gnubg.nets import GnubgPlayer
from tests.peers.gnubg_nets import as_lists, gnubg_nn
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

pytestmark = pytest.mark.peer


def _played(board, moves):
    """The position after gnubg-nn's moves (points from 0, -1 off), as the next mover sees it."""
    after = board.copy()
    for source, target in zip(moves[::2], moves[1::2], strict=True):
        after[0, source + 1] -= 1
        after[0, max(target + 1, 0)] += 1
        if target >= 0 and after[1, 24 - target] == 1:
            after[1, 24 - target] = 0
            after[1, 25] += 1
    return after[::-1]


def test_3000_plays_are_those_of_gnubgs_pubeval():
    gnubg = gnubg_nn()
    sample = boards.played_boards(RacingEvaluator(), 3000, seed=1)
    dice = boards.random_rolls(3000, seed=2)
    chosen = PubevalPlayer().choose(sample, dice)
    differing = [
        (board.tolist(), roll.tolist())
        for board, roll, choice in zip(sample, dice, chosen, strict=True)
        if not np.array_equal(
            _played(board, gnubg.pub_best_move(as_lists(board), int(roll[0]), int(roll[1]))), choice
        )
    ]
    assert differing == []


def test_pubeval_loses_about_six_tenths_of_a_point_a_game_to_gnubg_0_ply():
    # Published figures are -0.57 to -0.63; 4000 games give a standard error of 0.02.
    gnubg_nn()
    results = play_games(PubevalPlayer(), GnubgPlayer(), 4000, seed=3)
    assert -0.68 < results.score.value < -0.52
