"""Rollouts by gnubg's program: what it is asked, and how its answers are read."""

import pytest

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.rollout import RolloutSettings
from gammond.tools import gnubg
from gammond.tools.gnubg import console
from gammond.tools.gnubg.rollouts import roll_out_with_gnubg
from tests.support.boards import random_boards

BOARDS = random_boards(2, seed=1)

RESULTS = """
Current Position:
  0.1 0.0 0.0 - 0.9 0.0 0.0 CL -0.8
 [0.1 0.0 0.0 - 0.1 0.0 0.0 CL  0.2] 1s
30 games, Mersenne Twister dice gen. with seed 1
Rollout done. Printing final results.

Current Position:
  0.534295 0.152608 0.006655 - 0.465705 0.131978 0.007889 CL +0.087986
 [0.007553 0.005923 0.001019 - 0.007553 0.008794 0.000960 CL  0.019873] 1s
Full cubeless rollout (truncated at one-sided bearoff) with variance reduction
89 games, Mersenne Twister dice gen. with seed 7 and quasi-random dice
Rollout done. Printing final results.

Current Position:
  1.000000 0.000000 0.000000 - 0.000000 0.000000 0.000000 CL +1.000000
 [0.000000 0.000000 0.000000 - 0.000000 0.000000 0.000000 CL  0.000000] 1s
36 games, Mersenne Twister dice gen. with seed 8 and quasi-random dice
"""


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """Lets a program in gnubg's place print a text, and returns where it keeps the commands it was given."""

    def use(text):
        program = tmp_path / "gnubg"
        (tmp_path / "answer").write_text(text)
        program.write_text("#!/bin/sh\ncat answer\n")
        program.chmod(0o755)
        monkeypatch.setattr(gnubg, "find_gnubg", lambda: str(program))
        return tmp_path

    return use


def test_the_results_at_the_end_of_each_rollout_are_read(answer):
    settings = RolloutSettings(trials=1296, stop_error=0.02, min_trials=72)
    first, second = roll_out_with_gnubg(BOARDS, 0, settings, [7, 8], answer(RESULTS))
    assert first.outcome == (0.534295, 0.152608, 0.006655, 0.131978, 0.007889)
    assert first.outcome_errors == (0.007553, 0.005923, 0.001019, 0.008794, 0.00096)
    assert (first.equity, first.error, first.trials) == (0.087986, 0.019873, 89)
    assert (second.equity, second.error, second.trials) == (1.0, 0.0, 36)


def test_each_position_is_asked_for_with_its_dice_and_the_settings(answer):
    folder = answer(RESULTS)
    settings = RolloutSettings(trials=144, truncation=11, stop_error=0.01, min_trials=36)
    roll_out_with_gnubg(BOARDS, 1, settings, [5, 2**40 + 6], folder)
    commands = (folder / "commands.gnubg").read_text().splitlines()
    for wanted in (
        "set rollout cubeful off",
        "set jacoby off",
        "set rollout chequerplay plies 1",
        "set rollout trials 144",
        "set rollout truncation enable on",
        "set rollout truncation plies 11",
        "set rollout limit enable on",
        "set rollout limit minimumgames 36",
        "set rollout limit maxerror 0.01",
    ):
        assert wanted in commands
    asked = [line for line in commands if line.startswith(("set rollout seed", "set board", "rollout"))]
    assert asked[::3] == ["set rollout seed 5", "set rollout seed 6"]
    assert all(line.startswith("set board ") for line in asked[1::3])
    assert asked[2::3] == ["rollout", "rollout"]


def test_games_are_played_to_their_end_and_all_of_them_unless_told_otherwise(answer):
    folder = answer(RESULTS)
    roll_out_with_gnubg(BOARDS, 0, RolloutSettings(trials=36), [1, 2], folder)
    commands = (folder / "commands.gnubg").read_text().splitlines()
    assert "set rollout truncation enable off" in commands
    assert "set rollout limit enable off" in commands


def test_a_result_that_is_missing_is_an_error(answer):
    with pytest.raises(FormatError, match="expected 2 rollouts of gnubg, got 1"):
        roll_out_with_gnubg(
            BOARDS, 0, RolloutSettings(trials=36), [1, 2], answer(RESULTS[: RESULTS.rindex("Rollout done")])
        )


def test_without_gnubg_and_without_a_terminal_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(gnubg, "find_gnubg", lambda: None)
    with pytest.raises(UnsupportedError, match="apt-get install gnubg"):
        roll_out_with_gnubg(BOARDS, 0, RolloutSettings(trials=36), [1, 2], tmp_path)
    monkeypatch.setattr(gnubg, "find_gnubg", lambda: "/usr/games/gnubg")
    monkeypatch.setattr(console.shutil, "which", lambda name: None)
    with pytest.raises(UnsupportedError, match="bsdutils"):
        roll_out_with_gnubg(BOARDS, 0, RolloutSettings(trials=36), [1, 2], tmp_path)
