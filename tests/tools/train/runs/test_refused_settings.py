"""Settings that cannot be are refused by name, before a run is begun."""

import re
from functools import partial

import pytest

from gammond.engine.options import list_fields
from gammond.tools import cli
from gammond.tools.train.td import command as td
from tests.tools.train.runs.trainer_cases import CASES, COMMANDS, MAY_BE_ZERO, for_each

for_each = partial(for_each, slow=pytest.mark.slow, training=pytest.mark.training)

SPRT_BOUNDS = {"low", "high", "alpha", "beta"}


@for_each(COMMANDS)
def test_no_setting_is_too_small_or_of_another_type(case, tmp_path, capsys):
    folder = tmp_path / "run"
    may_be_zero = {"seed", *MAY_BE_ZERO[case.command].split()}
    for field in list_fields(case.settings_type):
        if field.type in (int, float) and field.name not in SPRT_BOUNDS:
            wrong = ["nan", "-1", *([] if field.name in may_be_zero else ["0"])]
        else:
            wrong = ["x"] * (field.type is not str or bool(field.choices))
        option = "from" if field.name == "parent" else field.name.replace("_", "-")
        for value in wrong:
            assert case.run(folder, *case.options.split(), f"--{option}={value}") == cli.EXIT_USAGE
            assert f"--{option}: expected " in capsys.readouterr().err
            assert not folder.exists()


@for_each({case.command: case for case in CASES if case.trainer}.values())
def test_measurements_and_pictures_that_cannot_be_are_refused_by_every_trainer(case, tmp_path):
    folder, names = tmp_path / "run", {field.name for field in list_fields(case.settings_type)}
    assert case.refuse(folder, "--plot", "strength.gif").field == "plot"
    if "opponents" in names:
        games = "--benchmark-games" if "benchmark_games" in names else "--games"
        assert case.refuse(folder, "--opponents", "nobody", games, "4").field == "player"
        assert [case.refuse(folder, games, odd).field for odd in ("2", "3")] == ["games", "games"]
    if "backtrack" in names:
        for none in (["--benchmark-games", "0"], ["--opponents="]):
            assert case.refuse(folder, "--backtrack", "0.1", *none).field == "backtrack"


REFUSED = [
    ("train td", "--trace 1.5", "trace"),
    ("train td", "--learning-rate 0.001 --final-rate 0.01", "learning_rate"),
    ("train fit", "--labels=", "labels"),
    ("train fit", "--labels nowhere", None),
    ("train fit", "--from nobody", "net"),
    ("train fit", "--from strong --hidden 16", "hidden"),
    ("train fit", "--encoder unheard-of", "encoder"),
    ("train fit", "--encoder wildbg202 --from fast", "encoder"),
    ("train fit", "--rate 1e-6", "rate"),
    ("train fit", "--phase race", "labels"),
    ("train fit", "--differences 4", "differences"),
    pytest.param("train fit", "--device abacus", "device", marks=pytest.mark.training),
    ("train refine", "--from nobody", "net"),
    ("train refine", "--sources nowhere", "sources"),
    ("train refine", "--plies 4", "plies"),
    ("train refine", "--differences 4", "plays"),
    ("train label", "--net nobody", "net"),
    ("train label", "--sources nowhere", "sources"),
    ("train label", "--finder nobody", "net"),
    ("train label", "--finder pubeval", "net"),
    ("train label", "--trace 1.5", "trace"),
    ("train label", "--trace 0.5 --plies 2", "trace"),
    ("train label", "--trials 36 --plies 2", "trials"),
    ("train label", "--trials 36 --trace 0.5", "trials"),
    ("train label", "--truncate 10", "truncate"),
    ("train label", "--plays 1", "plays"),
    ("train label", "--plays 4 --trace 0.5", "trace"),
    ("train validation-set", "--net nobody", "net"),
    ("train validation-set", "--classes opening=3", "classes"),
    ("train validation-set", "--classes contact", "classes"),
    ("train validation-set", "--trials 1", "trials"),
    ("train validation-set", "--plies 3", "plies"),
    ("train validation-set", "--not-in nowhere", None),
    ("train validation-set", "--net gnubg", "matches"),
    ("train validation-set", "--matches nowhere.mat", "matches"),
    ("train cube-set", "--net nobody", "player"),
    ("train cube-set", "--classes opening=3", "classes"),
    ("train cube-set", "--classes bearoff", "classes"),
    ("train cube-set", "--near 1.5", "near"),
    ("train cube-set", "--trials 35", "trials"),
    ("train barca-ascend", "--games 5", "games"),
    ("train barca-ascend", "--start 1,2", "start"),
    ("heritage classic", "--outputs 3", "outputs"),
    ("heritage classic", "--own race+openings", "own"),
    ("heritage classic", "--own=", "own"),
    ("heritage classic", "--follow-best 2 --benchmark-games 0", "follow_best"),
    ("heritage classic", "--follow-best 2 --backtrack 0.1", "follow_best"),
    ("heritage classic", "--teacher watching --expert nobody", "player"),
    ("heritage classic", "--teacher taught --expert pubeval", "expert"),
    ("heritage classic", "--alpha 0.001", "least_rate"),
    ("heritage mimic", "--population 1", "population"),
    ("heritage mimic", "--elite 1", "elite"),
    ("heritage mimic", "--threads 0", "threads"),
    ("heritage mimic", "--learned 100000", "learned"),
    ("heritage mimic", "--moves=", "moves"),
    ("heritage climb", "--games 101", "games"),
    ("heritage climb", "--test sprt --low 7 --high 0", "sprt"),
    ("heritage heuristic-net", "--random-games 2", "random_games"),
    ("heritage heuristic-net", "--random-games 7", "random_games"),
    ("heritage heuristic-net", "--round-games 5", "round_games"),
    ("heritage heuristic-net", "--epochs 0 --rounds 0", "rounds"),
    ("heritage heuristic-net", "--hidden 8", "hidden"),
    ("heritage heuristic-net", "--hidden 8,0", "hidden"),
    ("heritage heuristic-net", "--rate 1e-6", "rate"),
    ("heritage ascend", "--games 7", "games"),
    ("heritage ascend", "--player bev --start 1,2", "start"),
    ("heritage ascend", "--start 1,1,9,1,1,1,1", "start"),
    ("heritage ascend", "--reference nobody", "player"),
]


@pytest.mark.parametrize(("command", "options", "field"), REFUSED)
def test_what_cannot_be_is_refused_before_a_run_is_begun(command, options, field, material, tmp_path):
    case = next(case for case in CASES if case.command == command).with_material(material)
    error = case.refuse(tmp_path / "run", *options.split())
    assert error.field == field


@pytest.mark.parametrize("command", ["td", "label"])
def test_what_has_a_benchmark_needs_a_folder_without_it(command, capsys):
    assert cli.main(["train", command]) == cli.EXIT_USAGE
    assert "expected a folder for the " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "td --hidden 8 --race-hidden 4 --round-games 16 --games 96",
            "8 and 4 hidden units: .* games/s .96 in ",
        ),
        ("label --net fast --positions 150 --sources selfplay --threads 1", "1-ply labels by fast: .*/s "),
    ],
)
def test_a_benchmark_prints_what_is_done_in_a_second_and_saves_nothing(
    words, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(td, "BENCH_WARM_UP_GAMES", 64)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["train", *words.split(), "--bench"]) == 0
    assert re.search(said, capsys.readouterr().out)
    assert not list(tmp_path.iterdir())
