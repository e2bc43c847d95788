"""Curves of runs: the logs of each kind, and the axes they are drawn against."""

import pytest

from gammond.engine.errors import DataFileError, UnsupportedError
from gammond.tools.common.journal import Journal
from gammond.tools.train.runs.curves import (
    Curve,
    choose_axis,
    find_best_strength,
    format_run_strength,
    read_curves,
)


def measured(points: float, *others: float) -> dict[str, object]:
    record = {"opponent": "pubeval", "ppg": points, "ppg_error": 0.02, "ppg_games": 100}
    rest = [{**record, "opponent": f"other{n}", "ppg": each} for n, each in enumerate(others)]
    return {**record, "others": rest}


def logged(folder, *records, settings: str = ""):
    folder.mkdir()
    (folder / "run.toml").write_text(settings)
    with Journal(folder / "log.jsonl") as log:
        for record in records:
            log.append(record)
    return folder


@pytest.fixture
def td_run(tmp_path):
    return logged(
        tmp_path / "td",
        {"games": 100, "error_points": 0.25, "seconds": 1800.0, **measured(-0.5)},
        {"games": 200, "error_points": 0.2, "seconds": 3600.0},
        {"games": 300, "error_points": 0.1, "seconds": 1800.0, **measured(0.5)},
    )


@pytest.fixture
def refine_run(tmp_path):
    return logged(
        tmp_path / "refine",
        {"generation": 1, "learned": 100, "fresh_points": 0.3, "seconds": 3600.0},
        {"generation": 2, "learned": 200, "fresh_points": 0.2, "seconds": 3600.0, **measured(0.25, 0.75)},
        settings="epochs = 2.0\n",
    )


@pytest.fixture
def fit_run(tmp_path):
    return logged(
        tmp_path / "fit",
        {"epoch": 1, "learned": 50, "averaged_points": 0.3, "seconds": 360.0},
        {"epoch": 2, "learned": 50, "averaged_points": 0.1, "seconds": 360.0},
        {"epoch": 3, "learned": 50, "averaged_points": None, "seconds": 360.0},
        {"epoch": "best", "best_epoch": 2, **measured(0.4)},
    )


def test_self_play_runs_along_its_games(td_run):
    curves = read_curves(td_run, "games")
    assert curves.strengths == {"pubeval": Curve((100, 300), (-0.5, 0.5), (0.02, 0.02))}
    assert curves.error == Curve((100, 200, 300), (0.25, 0.2, 0.1))
    assert read_curves(td_run, "hours").error.x == (0.5, 1.5, 2.0)


def test_refining_runs_along_the_positions_it_learned_from(refine_run):
    curves = read_curves(refine_run, "positions")
    assert curves.strengths["pubeval"] == Curve((600,), (0.25,), (0.02,))
    assert curves.strengths["other0"] == Curve((600,), (0.75,), (0.02,))
    assert curves.error == Curve((200, 600), (0.3, 0.2))


def test_a_fit_is_as_strong_as_its_best_epoch(fit_run):
    curves = read_curves(fit_run, "positions")
    assert curves.strengths["pubeval"].x == (100,)
    assert curves.error == Curve((50, 100), (0.3, 0.1))
    assert read_curves(fit_run, "hours").strengths["pubeval"].x == (pytest.approx(0.2),)


def test_runs_that_count_the_same_are_drawn_against_it_and_others_against_hours(
    td_run, refine_run, fit_run, tmp_path
):
    assert choose_axis([td_run]) == "games"
    assert choose_axis([refine_run, fit_run]) == "positions"
    assert choose_axis([td_run, fit_run]) == "hours"
    uncounted = logged(tmp_path / "old", {"epoch": 1, "averaged_points": 0.3, "seconds": 360.0})
    assert choose_axis([uncounted]) == "hours"


@pytest.mark.parametrize(("run", "axis"), [("td_run", "positions"), ("fit_run", "games")])
def test_a_run_is_not_drawn_against_what_it_does_not_count(run, axis, request):
    with pytest.raises(UnsupportedError, match="or hours as the axis of") as caught:
        read_curves(request.getfixturevalue(run), axis)
    assert caught.value.field == "against"


def test_a_log_without_records_or_with_wrong_ones_is_named(tmp_path):
    with pytest.raises(DataFileError, match=r"log\.jsonl has no record"):
        choose_axis([tmp_path])
    for number, record in enumerate(({"games": "x"}, {"games": 1, "ppg": 1.0}, {"games": 1, "seconds": []})):
        wrong = logged(tmp_path / str(number), record)
        with pytest.raises(DataFileError, match=r"log\.jsonl has a malformed record"):
            read_curves(wrong, "games" if number < 2 else "hours")


def test_neighbours_are_averaged_evenly_on_both_sides():
    curve = Curve((1, 2, 3, 4, 5), (1.0, 3.0, 8.0, 4.0, 2.0), (1.0,) * 5)
    assert curve.rolling_mean(1).values == curve.values
    assert curve.rolling_mean(3) == Curve(curve.x, (1.0, 4.0, 5.0, pytest.approx(14 / 3), 2.0))
    assert curve.rolling_mean(9).values == (1.0, 4.0, pytest.approx(18 / 5), pytest.approx(14 / 3), 2.0)


def test_a_log_says_how_strong_a_run_is():
    records = [{"games": 1}, measured(0.5, 1.0), measured(0.25, 0.5), {"games": 3}]
    assert find_best_strength(records) == 0.75
    assert format_run_strength(records) == ", strength +0.375 (best +0.750)"
    assert (find_best_strength(records[:1]), format_run_strength(records[:1])) == (float("-inf"), "")
