"""Self-play as a command: its log, going back to its best nets, and how its nets were made."""

from functools import partial

import numpy as np
import pytest

from gammond.engine.formats.array_file import read_array_file
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.common.files import write_arrays
from gammond.tools.common.journal import read_records
from gammond.tools.train.runs import run as run_module
from gammond.tools.train.runs import strength_games as measuring
from gammond.tools.train.runs.run_folder import read_run_provenance
from gammond.tools.train.td import command as td
from gammond.tools.train.td.self_play import SelfPlay, TdSettings
from tests.support.commands import run_tool

SMALL = {"hidden": 8, "race_hidden": 4, "round_games": 16}
OPTIONS = ["--hidden", "8", "--race-hidden", "4", "--round-games", "16", "--benchmark-games", "4"]
EVERY = ["--games", "320", "--checkpoint-every", "32"]
run_command = partial(run_tool, td)


def strengths_in_turn(*points):
    """Measurements with set results, in points per game of four games."""
    left = [PairedScores(np.array(each, float), np.array(each, np.int8)) for each in points]
    return lambda player, other, games, seed, **how: left.pop(0)


def test_a_record_covers_all_rounds_since_the_last(tmp_path):
    games = ["--games", "64", "--benchmark-games", "0", "--threads", "1"]
    run_command(str(tmp_path), *OPTIONS, *games)
    reports = list(SelfPlay(TdSettings(**SMALL, games=64, threads=1)).play_rounds())
    (record,) = read_records(tmp_path / "log.jsonl")
    plies = sum(report.plies for report in reports)
    assert len(reports) == 4
    assert record["plies"] == plies / sum(report.games_played for report in reports)
    squares = sum(report.squared_error for report in reports)
    assert record["error_points"] == pytest.approx((squares / plies) ** 0.5)
    assert record["seconds"] >= 64 / record["games_per_s"]


def test_nets_that_fall_behind_give_way_to_the_best_at_a_lower_rate(tmp_path, monkeypatch, capsys):
    """Measured 1.5, 1.25 (within the threshold), 0.5 (fallen behind), 2, 0 (fallen behind), then 3."""
    reported = [2, 2, 1, 1], [2, 1, 1, 1], [1, 1, 0, 0], [2, 2, 2, 2], [0, 0, 0, 0]
    monkeypatch.setattr(measuring, "play_games", strengths_in_turn(*reported, *([3, 3, 3, 3],) * 5))
    before_and_after, save_checkpoint = [], run_module.Run._save_checkpoint

    def save_and_watch(self, *arguments):
        before = self._learner.play.nets.contact.layers[0][0].copy()
        text = save_checkpoint(self, *arguments)
        before_and_after.append((before, self._learner.play.nets.contact.layers[0][0].copy()))
        return text

    monkeypatch.setattr(run_module.Run, "_save_checkpoint", save_and_watch)
    back = ["--backtrack", "0.5", "--backtrack-factor", "0.25"]
    run_command(str(tmp_path), *OPTIONS, *EVERY, *back, "--learning-rate", "0.4")
    log = read_records(tmp_path / "log.jsonl")
    assert [record.get("back_to") for record in log] == [None, None, 32, None, 128, *[None] * 5]
    assert [record.get("cuts") for record in log] == [None, None, 1, None, 2, *[None] * 5]
    planned = [
        TdSettings(games=320, learning_rate=0.4).learning_rate_at(games) for games in range(0, 320, 32)
    ]
    cut = [1, 1, 1, 1 / 4, 1 / 4, *[1 / 16] * 5]
    assert [record["rate"] for record in log] == pytest.approx(
        [max(rate * share, 0.001) for rate, share in zip(planned, cut, strict=True)]
    )
    for fallen, best in ((2, 0), (4, 3)):
        np.testing.assert_array_equal(before_and_after[fallen][1], before_and_after[best][0])
        assert not np.array_equal(*before_and_after[fallen])
    lines = [line for line in capsys.readouterr().err.splitlines() if " games, rate " in line]
    printed = [line.partition("; ")[2] for line in lines]
    assert printed[2] == f"fallen behind: back to the nets of 32 games, rate {planned[3] / 4:.4f}"
    assert printed[4] == f"fallen behind: back to the nets of 128 games, rate {planned[5] / 16:.4f}"
    assert not any(printed[:2] + printed[3:4] + printed[5:])


@pytest.mark.parametrize("options", [["--backtrack", "0.5", "--final-rate", "0.02"], []])
def test_a_run_goes_back_only_where_it_may_and_its_rate_can_be_cut(tmp_path, monkeypatch, options):
    monkeypatch.setattr(measuring, "play_games", strengths_in_turn([3, 3, 3, 3], *([-3, -3, -3, -3],) * 3))
    run_command(str(tmp_path), *OPTIONS, "--games", "128", "--checkpoint-every", "32", *options)
    assert all("back_to" not in record for record in read_records(tmp_path / "log.jsonl"))


def test_the_progress_line_says_error_and_strength_last_and_best(tmp_path, monkeypatch):
    monkeypatch.setattr(
        measuring, "play_games", strengths_in_turn([1] * 4, [2, 2, 1, 1], [1, 1, 0, 0], [0] * 4)
    )
    reported = []
    monkeypatch.setattr(run_module.Progress, "update", lambda self, done, extra="": reported.append(extra))
    run_command(str(tmp_path), *OPTIONS, "--games", "128", "--checkpoint-every", "32")
    standing = [text.partition(", ")[2] for text in reported]
    assert standing[0] == ""
    assert standing[2:] == ["strength +1.500 (best +1.500)", "strength +0.500 (best +1.500)"]
    assert reported[0].startswith("error 0.")


def test_a_run_knows_its_command_games_and_hours(tmp_path):
    run = tmp_path / "run"
    run_command(str(run), *OPTIONS, "--games", "96", "--checkpoint-every", "32", "--benchmark-games", "0")
    seconds = [record["seconds"] for record in read_records(run / "log.jsonl")]
    arrays = read_array_file(run / "checkpoint.npz")
    write_arrays(run / "best.npz", {**arrays, "games_done": np.array(64)})
    for file, games in (("checkpoint.npz", 96), ("best.npz", 64)):
        (step,) = read_run_provenance(run, run / file)
        assert step.command.startswith(
            f"gammond train td {run} --games 96 --hidden 8 --race-hidden 4 --round"
        )
        assert step.games == games
        assert step.hours == pytest.approx(sum(seconds[: games // 32]) / 3600)
