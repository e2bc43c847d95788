"""The command: its files, resuming, refusals, and its nets played and exported."""

import shutil
from functools import partial

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import RandomPlayer
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.common.opponents import load_opponent
from gammond.tools.heritage.gengammon import command
from gammond.tools.heritage.gengammon.expert_moves.dataset import write_expert_moves
from gammond.tools.heritage.gengammon.learners import SelfPlayLearner
from gammond.tools.heritage.gengammon.settings import MimicSettings
from tests.support.commands import run_tool
from tests.tools.heritage.gengammon.teaching import expert_moves

SMALL = ["--population", "8", "--games", "0", "--threads", "1", "--fitness", "2"]


run_command = partial(run_tool, command)


@pytest.fixture(scope="module")
def moves(tmp_path_factory):
    file = tmp_path_factory.mktemp("moves") / "moves.npz"
    write_expert_moves(file, expert_moves(200, seed=1))
    return ["--moves", str(file)]


GENETIC = ["--generations", "6", "--validate-every", "2"]


@pytest.mark.slow
def test_play_without_experts_learns_to_lead_by_home_bound_pips():
    options = {"positions": 80, "trials": 8, "round_generations": 40, "rounds": 1, "population": 32}
    settings = MimicSettings(
        method="play", activation="linear", fitness="2", **options, crossover="weights", seed=2
    )
    learner = SelfPlayLearner(settings, threads=2)
    record = learner.learn()
    assert record["lead"] > 4 * record["lead_error"]


@pytest.mark.slow
def test_a_net_that_mimics_pubeval_beats_random_play(tmp_path):
    file = tmp_path / "moves.npz"
    write_expert_moves(file, expert_moves(3000, seed=5))
    options = ["--method", "backprop", "--epochs", "5", "--games", "0", "--moves", file]
    run_command(tmp_path / "run", *options)
    player = load_opponent(f"run:{tmp_path / 'run'}")
    result = play_games(player, RandomPlayer(1), 400, 3)
    assert result.score.value > 1.0
    assert play_games(PubevalPlayer(), player, 400, 3).score.value > 0


def test_an_empty_set_of_moves_is_a_data_file_error(tmp_path):
    file = tmp_path / "none.npz"
    none = expert_moves(20, seed=1)
    write_expert_moves(file, none.select(np.zeros(20, np.bool_)))
    with pytest.raises(DataFileError):
        run_command(tmp_path / "run", *SMALL, "--moves", file)
    assert not (tmp_path / "run").exists()


def test_a_run_plays_by_its_folder_and_by_its_text(tmp_path, moves):
    run_command(tmp_path / "run", *SMALL, *moves, *GENETIC)
    text = tmp_path / "mine.txt"
    shutil.copy(tmp_path / "run" / "net.txt", text)
    players = [load_opponent(f"run:{path}") for path in (tmp_path / "run", text)]
    assert [player.name for player in players] == ["run", "mine"]
    assert play_games(*players, 40, 1).kinds.reshape(-1, 2).sum() == 0
    (hashed,) = players[1].nets.values()
    assert len(hashed) == 64
    text.write_text("nonsense")
    with pytest.raises(DataFileError, match="line 1"):
        load_opponent(f"run:{text}")
