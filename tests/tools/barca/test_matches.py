"""What games count to the vector that is learned: the document's match score."""

import numpy as np
import pytest

from gammond.engine.barca.evaluation import HAND_WEIGHTS, evaluate
from gammond.engine.barca.position import BarcaPosition
from gammond.engine.errors import DataFileError
from gammond.engine.formats.array_file import read_array_file
from gammond.tools import cli
from gammond.tools.barca import matches
from gammond.tools.barca.fit import VectorSamples, fit_vector
from gammond.tools.barca.matches import (
    BarcaMatches,
    VectorAscendSettings,
    VectorBatch,
    compute_lead,
    play_batch,
    reward_game,
)
from gammond.tools.barca.self_play import SelfPlayedGame, draw_opening
from gammond.tools.barca.weights import SPACE, make_evaluation_vector, read_run_weights
from gammond.tools.common.files import write_arrays
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.train.ascent.matches import GameReward

WORSE = SPACE.start * -1.0
EXACT = GameReward(length_share=1.0, evaluation_weight=0.5, evaluation_spread=40.0, typical_length=30.0)


def batch(first, second, pairs=range(4), reward=EXACT):
    return VectorBatch(first, second, 1, 4, (7, 0), pairs, reward)


def make_game(winner, positions=3, plies=60):
    squares = [draw_opening(8, np.random.default_rng(seed)).squares.copy() for seed in range(positions)]
    return SelfPlayedGame(winner, np.array(squares), 0, plies)


def test_a_victory_counts_the_inverse_of_its_length():
    assert reward_game(make_game(0), 0, EXACT, SPACE.start) == pytest.approx(30 / 60)
    assert reward_game(make_game(0), 1, EXACT, SPACE.start) == pytest.approx(-30 / 60)
    assert reward_game(make_game(0, plies=15), 0, EXACT, SPACE.start) == pytest.approx(2.0)


def test_a_share_of_a_victory_may_not_shrink_with_length():
    half = GameReward(length_share=0.5, typical_length=30.0)
    assert reward_game(make_game(1), 1, half, SPACE.start) == pytest.approx(0.5 + 0.25)


def test_a_draw_counts_the_lead_in_the_average_evaluation_of_the_positions_of_each_side():
    game = make_game(None)
    values = [evaluate(BarcaPosition(squares, place % 2)) for place, squares in enumerate(game.squares)]
    lead = (values[0] + values[2]) / 2 - values[1]
    assert compute_lead(game, 0, SPACE.start) == pytest.approx(lead)
    assert compute_lead(game, 1, SPACE.start) == pytest.approx(-lead)
    assert reward_game(game, 0, EXACT, SPACE.start) == pytest.approx(0.5 / 40.0 * lead)


def test_the_opinion_is_the_mean_of_both_players():
    game = make_game(None)
    both = (SPACE.start + WORSE * 0.5) / 2
    apart = [compute_lead(game, 0, opinion) for opinion in (SPACE.start, WORSE * 0.5)]
    assert compute_lead(game, 0, both) == pytest.approx(sum(apart) / 2)


def test_a_vector_against_itself_scores_nothing():
    rewards = play_batch(batch(SPACE.start, SPACE.start))
    assert rewards.reshape(-1, 2).sum(axis=1) == pytest.approx(np.zeros(4))


def test_the_vector_by_hand_beats_its_negative():
    scores = play_batch(batch(SPACE.start, WORSE, reward=GameReward()))
    assert set(scores) <= {-1.0, 0.0, 1.0}
    assert scores.mean() > 0.5


def test_pairs_can_be_played_in_parts():
    parts = [play_batch(batch(SPACE.start, WORSE, pairs)) for pairs in (range(2), range(2, 4))]
    assert np.array_equal(np.concatenate(parts), play_batch(batch(SPACE.start, WORSE)))


def test_the_start_of_a_run_is_the_vector_by_hand():
    assert make_evaluation_vector(SPACE.start) == HAND_WEIGHTS
    assert len(SPACE.names) == len(SPACE.start) == len(SPACE.scales) == 10


def test_a_file_without_weights_is_refused(tmp_path):
    write_arrays(tmp_path / "best.npz", {"vector": np.zeros(3)})
    with pytest.raises(DataFileError, match="expected vector as 10 finite weights of barca"):
        read_run_weights(f"run:{tmp_path}")
    with pytest.raises(DataFileError):
        read_run_weights(f"run:{tmp_path}/nowhere")


def test_the_games_that_a_run_begins_with_are_counted_as_they_end(monkeypatch):
    seen = []

    class Bar(Progress):
        def update(self, done, extra=""):
            seen.append((self.total, done))

    monkeypatch.setattr(matches, "Progress", Bar)
    with ProcessPool(1) as processes:
        BarcaMatches(VectorAscendSettings(), processes)
    assert seen == [(50, done) for done in range(1, 51)]


def test_a_fit_finds_the_weights_that_made_the_results():
    generator = np.random.default_rng(1)
    conditions = generator.integers(-3, 4, (20_000, len(SPACE.names))).astype(np.int16)
    true = SPACE.start / 60.0
    chances = 1.0 / (1.0 + np.exp(-conditions @ true))
    results = (generator.random(len(chances)) < chances).astype(np.float32)
    found = fit_vector(VectorSamples(conditions, results))
    assert found[2] - found[0] == pytest.approx(120.0)
    assert np.abs(found - SPACE.start).max() < 8.0


@pytest.mark.slow
def test_a_fit_beats_the_vector_by_hand(tmp_path):
    options = ["--generations", "1", "--games", "1000", "--reference-games", "400"]
    assert cli.main(["train", "barca-fit", str(tmp_path / "run"), *options]) == 0
    best = read_array_file(tmp_path / "run" / "best.npz")
    assert best["ppg"] > 2 * best["ppg_error"] > 0.0
