"""GNU Backgammon as an opponent: it plays what it evaluates as best."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.play.lockstep import play_games
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Position
from gammond.tools.common.opponents import load_opponent
from gammond.tools.gnubg.nets import GnubgEvaluator, GnubgPlayer
from tests.peers.gnubg_nets import gnubg_nn
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

pytestmark = pytest.mark.peer


@pytest.fixture(autouse=True)
def _gnubg_nn():
    gnubg_nn()


def test_its_opening_position_is_the_published_one():
    outcome = GnubgEvaluator().evaluate(Position.start().board[None])[0]
    assert outcome.tolist() == pytest.approx([0.5215, 0.1542, 0.0076, 0.1297, 0.0075], abs=5e-5)


def test_at_0_ply_it_plays_the_best_by_its_evaluations():
    sample = np.concatenate(
        [boards.played_boards(RacingEvaluator(), 1000, seed=1), boards.random_boards(300, seed=2)]
    )
    dice = boards.random_rolls(len(sample), seed=3)
    evaluator = GnubgEvaluator()
    chosen = GnubgPlayer().choose(sample, dice)
    best, _ = choose_best_children(evaluator, sample, dice)
    loss = cubeless_equity(evaluator.evaluate(chosen)) - cubeless_equity(evaluator.evaluate(best))
    assert np.abs(loss).max() < 1e-5


@pytest.mark.parametrize("plies", [1, 2])
def test_with_look_ahead_it_plays_legally(plies):
    sample = boards.played_boards(RacingEvaluator(), 24, seed=4)
    dice = boards.random_rolls(24, seed=5)
    player = load_opponent(f"gnubg:plies={plies}")
    assert player.is_deep
    assert not load_opponent("gnubg").is_deep
    children, _, offsets = expand_rolls(sample, dice)
    for i, choice in enumerate(player.choose(sample, dice)):
        assert (children[offsets[i] : offsets[i + 1]] == choice).all(axis=(1, 2)).any()


def test_against_itself_it_scores_nothing():
    assert play_games(GnubgPlayer(), GnubgPlayer(), 40, seed=1).kinds.reshape(-1, 2).sum() == 0
