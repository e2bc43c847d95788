"""Two runs against each other while they learn."""

import pytest

from gammond.engine.play.lockstep import play_games
from gammond.tools import cli
from gammond.tools.common.journal import read_records
from gammond.tools.common.opponents import load_opponent
from gammond.tools.train.runs.curves import read_curves
from gammond.tools.train.runs.plot import play_head_to_head
from gammond.tools.train.runs.run_folder import list_kept_nets

TD = [*["--hidden", "6", "--race-hidden", "4", "--threads", "1"], *["--round-games", "20", "--games", "60"]]
TD += ["--benchmark-games", "0"]
CLASSIC = ["--hidden", "6", "--benchmark-games", "0", "--games", "150", "--checkpoint-every", "50"]


def train(folder, *options):
    assert cli.main(["train", "td", str(folder), *TD, *options]) == 0
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Runs of three and of two checkpoints, both of which have those after 40 and 60 games."""
    folder = tmp_path_factory.mktemp("runs")
    first = train(folder / "a", "--checkpoint-every", "20", "--keep-nets")
    return first, train(folder / "b", "--checkpoint-every", "40", "--seed", "2", "--keep-nets")


def test_a_run_keeps_the_nets_of_each_checkpoint_where_it_is_asked_to(two, tmp_path):
    assert list(list_kept_nets(two[0])) == [20, 40, 60]
    assert [each["games"] for each in read_records(two[0] / "log.jsonl")] == [20, 40, 60]
    assert load_opponent(f"run:{two[0] / 'nets-000000020.npz'}").nets
    assert list_kept_nets(train(tmp_path / "none")) == {}


def test_nets_that_learned_as_many_games_meet(two, capsys):
    met = play_head_to_head(*two, 8)
    assert list(met) == [40, 60]
    players = [load_opponent(f"run:{folder / 'nets-000000040.npz'}") for folder in two]
    alone = play_games(*players, 8, 1, may_be_endless=True)
    assert (met[40]["ppg"], met[40]["ppg_games"]) == (alone.score.value, alone.games)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["40", "60"]
    assert read_curves(two[0], "games", met).strengths[str(two[1])].x == (40, 60)


def test_the_curve_is_drawn_with_the_others(two, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "both.svg"
    words = ["train", "plot", *map(str, two), "--output", str(picture)]
    assert cli.main([*words, "--head-to-head", "8"]) == 0
    assert f"{two[0]} against {two[1]}" in picture.read_text()


def test_runs_that_kept_no_nets_at_the_same_points_are_told_how(two, tmp_path, capsys):
    options = ["--output", str(tmp_path / "a.svg"), "--head-to-head", "4"]
    assert cli.main(["train", "plot", str(two[0]), str(tmp_path), *options]) != 0
    assert "--keep-nets" in capsys.readouterr().err
    assert cli.main(["train", "plot", str(two[0]), *options]) == cli.EXIT_USAGE


def test_studies_keep_nets_too(tmp_path):
    words = ["train", "vary", "classic", str(tmp_path), "hidden=4,6", "--keep-nets"]
    assert cli.main([*words, *CLASSIC[2:]]) == 0
    assert [list(list_kept_nets(tmp_path / name)) for name in ("4", "6")] == [[50, 100, 150]] * 2
