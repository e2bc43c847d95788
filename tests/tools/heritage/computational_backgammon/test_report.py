"""Reports on classic nets: runs that are compared, the opening, decided endgames, sizes of tables."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import Outcomes
from gammond.tools import cli
from gammond.tools.heritage.computational_backgammon import report
from gammond.tools.heritage.computational_backgammon.endgames import (
    compute_probe_metrics,
    make_sure_loss,
    make_sure_win,
    measure_endgame_errors,
)
from gammond.tools.heritage.computational_backgammon.net_set import load_bearoff_table
from gammond.tools.heritage.computational_backgammon.report import (
    count_layouts,
    count_positions,
)
from tests.support.commands import run_tool

SHORT = ["--games", "50", "--checkpoint-every", "50", "--benchmark-games", "4", "--hidden", "10"]
run_command = partial(run_tool, report)


def test_varied_runs_are_tabulated_and_play_each_other(tmp_path, capsys):
    vary = ["train", "vary", "classic", str(tmp_path), "layout=normal,symmetric", *SHORT]
    assert cli.main(vary) == 0
    folders = [str(tmp_path / name) for name in ("normal", "symmetric")]
    assert f"gammond heritage classic-report runs {' '.join(folders)}" in capsys.readouterr().out
    run_command("runs", *folders, "--final-games", "4")
    text = capsys.readouterr().out
    for name in ("normal", "symmetric"):
        assert f"\n{text}".count(f"\n{name} ") == 2
    assert "normal against symmetric" in text


def test_classic_nets_with_their_options_can_be_compared_at_the_start(capsys):
    names = ["classic", "classic:hidden=10,outputs=2,races=own"]
    run_command("start", *names)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == names
    assert all(45 < float(row[1]) < 58 for row in rows)


def test_the_start_is_compared_with_the_reference(capsys):
    run_command("start", "default")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[-4:] == ["51.9", "15.1", "13.6", "0.0"]
    win, gammon, lost = map(float, lines[2].split()[1:4])
    assert (win, gammon, lost) == pytest.approx((52.0, 14.0, 13.0), abs=3.0)


def test_the_sizes_of_tables_are_printed(capsys):
    run_command("tables")
    assert "64,112,049" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["runs"], UnsupportedError),
        (["runs", "nowhere"], GammondError),
        (["start", "pubeval"], ValueRangeError),
        (["start", "nobody"], GammondError),
        (["runs", "folder", "--final-games", "-5"], GammondError),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, monkeypatch, arguments, error):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        run_command(*arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("points", "checkers", "count"),
    [(3, 3, 361), (3, 10, 81_225), (3, 15, 664_225), (4, 3, 1_156), (4, 10, 1_000_000), (6, 3, 6_889)],
)
def test_layouts_are_those_that_the_blog_counts(points, checkers, count):
    assert count_layouts(points, checkers) == count


def test_the_large_tables_of_the_blog_are_rounded_right():
    assert [round(count_layouts(6, 10) / 1e6, 1), round(count_layouts(6, 15) / 1e9, 1)] == [64.1, 2.9]
    assert f"{count_layouts(24, 15):.1e}" == "6.3e+20"


def test_positions_are_those_that_enumeration_finds():
    """Three points and two checkers a side; each side is a count on each point, the bar and off."""
    sides = [side for side in product(range(3), repeat=5) if sum(side) == 2]
    found = sum(
        all(not (a and b) for a, b in zip(own[:3], other[2::-1], strict=True)) and own[4] + other[4] < 4
        for own, other in product(sides, sides)
    )
    assert count_positions(3, 2) == found


def test_the_number_of_all_positions_is_the_published_one_without_that_where_all_are_off():
    assert count_positions() == 18_528_584_051_601_162_496 - 1


class Halving:
    """Returns half of the exact winning chance."""

    name = "halving"
    plies = 0

    def evaluate(self, boards) -> Outcomes:
        return load_bearoff_table().evaluate(boards) / 2


def test_the_sure_endgames_are_sure():
    exact = load_bearoff_table().evaluate(np.stack([make_sure_win(), make_sure_loss()]))
    assert exact[:, 0].tolist() == [1.0, 0.0]


def test_an_evaluator_is_compared_with_exact_values():
    perfect_wins, perfect_losses, perfect_rms = measure_endgame_errors(load_bearoff_table())
    assert perfect_rms == 0.0
    assert perfect_wins > 0.995
    assert perfect_losses < 0.005
    halving: Evaluator = Halving()
    wins, _, rms = measure_endgame_errors(halving)
    assert wins == pytest.approx(perfect_wins / 2)
    assert 0.2 < rms < 0.5


def test_a_log_has_the_start_and_the_sure_endgames():
    class Fixed(Halving):
        def evaluate(self, boards):
            return np.array([[0.5, 0.2, 0.1, 0.15, 0.0], [0.9, 0, 0, 0, 0], [0.3, 0, 0, 0, 0]], np.float32)

    reported = compute_probe_metrics(Fixed())
    assert reported["start"] == pytest.approx([0.5, 0.2, 0.15])
    assert (reported["sure_win"], reported["sure_loss"]) == pytest.approx((0.9, 0.3))
