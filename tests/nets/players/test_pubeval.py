"""Pubeval as a player."""

import shutil

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Phase, Position
from gammond.nets.players.pubeval import WEIGHTS_FOLDER, PubevalPlayer
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


def test_it_makes_the_point_with_an_opening_3_1():
    chosen = PubevalPlayer().choose(Position.start().board[None], np.array([[3, 1]], np.int8))
    assert chosen[0, 1, [4, 5, 6, 8]].tolist() == [0, 2, 4, 2]


def test_its_score_of_the_opening_position_is_the_published_one():
    # gnubg-nn's pub_eval_score gives 6.84055 for the same position.
    assert PubevalPlayer().score_position(Position.start().board.copy(), is_race=False) == pytest.approx(
        6.84055, abs=1e-5
    )


def test_it_chooses_the_best_score_with_the_weights_of_the_phase_before_the_play():
    player = PubevalPlayer()
    race = boards.position(x={8: 3, 6: 6, 2: 4}, o={20: 5, 15: 3, 14: 2}).board
    sample = np.concatenate([boards.played_boards(RacingEvaluator(), 60, seed=1), np.stack([race] * 20)])
    dice = boards.random_rolls(80, seed=2)
    chosen = player.choose(sample, dice)
    phases_met = set()
    for board, roll, choice in zip(sample, dice, chosen, strict=True):
        position = Position(board)
        is_race = position.phase >= Phase.RACE
        phases_met.add(is_race)
        results = [play.result.board.copy() for play in legal_plays(position, (int(roll[0]), int(roll[1])))]
        scores = [player.score_position(result, is_race=is_race) for result in results]
        assert np.array_equal(choice, results[int(np.argmax(scores))])
    assert phases_met == {True, False}


def test_missing_or_short_weights_are_errors(tmp_path):
    with pytest.raises(DataFileError, match=r"WT\.cntc cannot be read"):
        PubevalPlayer(tmp_path)
    shutil.copytree(WEIGHTS_FOLDER, tmp_path / "short")
    (tmp_path / "short" / "WT.race").write_text("0.5 1.5\n")
    with pytest.raises(DataFileError, match=r"expected 122 pubeval weights in WT\.race, got 2"):
        PubevalPlayer(tmp_path / "short")
    (tmp_path / "short" / "WT.cntc").write_text("five\n")
    with pytest.raises(DataFileError, match="something other than numbers"):
        PubevalPlayer(tmp_path / "short")
