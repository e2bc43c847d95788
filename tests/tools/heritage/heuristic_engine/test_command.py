"""The climb: it learns, it resumes to the same end, it refuses; what it kept can be checked again."""

from functools import partial

import msgspec
import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.play.lockstep import play_games
from gammond.nets.catalogue import load_player
from gammond.nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS, HeuristicConfig
from gammond.tools.common.journal import read_records
from gammond.tools.heritage.heuristic_engine import command
from gammond.tools.heritage.heuristic_engine.trials import ClimbSettings
from gammond.tools.train.runs.run_folder import LOG_FILE
from tests.support.commands import run_tool

pytestmark = pytest.mark.slow

SMALL = ["--threads", "1", "--games", "100", "--trials", "12", "--benchmark-games", "0"]
run_command = partial(run_tool, command)


def _comparable(folder):
    return [{**record, "seconds": 0} for record in read_records(folder / LOG_FILE)]


def _climbed(folder, *options):
    assert run_command(str(folder), *SMALL, *options) == 0
    return folder


@pytest.fixture(scope="module")
def climbed(tmp_path_factory):
    return _climbed(tmp_path_factory.mktemp("climb") / "run", "--trials", "25", "--games", "300")


def _assert_it_learned_far_beyond_noise(folder):
    reached = msgspec.convert(read_records(folder / LOG_FILE)[-1]["factors"], HeuristicConfig)
    result = play_games(
        load_player(command.format_player(reached)), load_player("heuristic:config=untrained"), 600, seed=9
    )
    assert result.score.value - 5 * result.score.error > 0.5


def test_it_learns_far_beyond_noise(climbed):
    _assert_it_learned_far_beyond_noise(climbed)


@pytest.mark.slow
def test_with_a_sequential_test_it_learns_far_beyond_noise_too(tmp_path):
    bounds = ["--high", "70", "--most-games", "1000"]
    _assert_it_learned_far_beyond_noise(
        _climbed(tmp_path / "run", "--test", "sprt", *bounds, "--trials", "20")
    )


def test_what_was_kept_can_be_played_again(climbed, capsys):
    assert run_command(str(climbed), "--recheck", "200", "--threads", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    kept = sum(record["kept"] for record in read_records(climbed / LOG_FILE))
    assert len(lines) == kept + 1
    assert lines[-1].startswith(f"{kept} changes kept: ")


@pytest.mark.slow
def test_with_the_probability_score_it_climbs_and_names_a_player_that_has_it(tmp_path, capsys):
    options = [*SMALL, "--probability", "true", "--trials", "2", "--games", "20"]
    assert run_command(str(tmp_path / "scored"), *options) == 0
    player = load_player(capsys.readouterr().out.splitlines()[-1])
    assert player.is_deep
    assert run_command(str(tmp_path / "plain"), *options, "--probability", "false") == 0
    won = [[record["won"] for record in _comparable(tmp_path / name)] for name in ("scored", "plain")]
    assert won[0] != won[1]


@pytest.mark.parametrize("is_on", [False, True])
def test_all_configurations_play_in_the_manner_of_the_settings(is_on):
    settings = ClimbSettings(probability=is_on)
    assert all(settings.make_player(each).is_deep is is_on for each in HEURISTIC_CONFIGS.values())


def test_strength_is_measured_every_few_trials(tmp_path):
    options = [*SMALL, "--trials", "4", "--measure-every", "2", "--opponents", "random"]
    assert run_command(str(tmp_path / "run"), *options, "--benchmark-games", "40") == 0
    measured = [record for record in read_records(tmp_path / "run" / LOG_FILE) if "ppg" in record]
    assert [(record["trial"], record["opponent"]) for record in measured] == [(2, "random"), (4, "random")]


def test_a_log_without_factors_is_refused(tmp_path):
    assert run_command(str(tmp_path / "run"), *SMALL, "--trials", "1") == 0
    (tmp_path / "run" / LOG_FILE).write_text('{"trial": 1, "kept": true, "games": 100}\n')
    with pytest.raises(DataFileError, match="expected a trial with its factors"):
        run_command(str(tmp_path / "run"), "--resume", "--threads", "1")
