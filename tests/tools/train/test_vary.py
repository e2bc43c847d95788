"""The study: a run for each value of a setting, one table; it goes on where it was, and refuses in time."""

import shutil

import msgspec
import pytest

from gammond.engine.errors import GammondError, StateError
from gammond.tools.common.journal import read_records
from gammond.tools.heritage.gengammon.expert_moves.dataset import write_expert_moves
from gammond.tools.heritage.gengammon.settings import MimicSettings
from gammond.tools.train import vary as study
from gammond.tools.train.runs.settings import read_settings
from tests.support.commands import run_tool
from tests.tools.heritage.gengammon.teaching import expert_moves

pytestmark = pytest.mark.slow

SMALL = ["--population", "8", "--games", "0", "--threads", "1", "--generations", "4", "--validate-every", "2"]


def run_study(folder, *arguments, vary=()) -> int:
    varied = [vary] if isinstance(vary, str) else vary
    return run_tool(study, "mimic", folder, *varied, *SMALL, *arguments)


@pytest.fixture(scope="module")
def moves(tmp_path_factory):
    file = tmp_path_factory.mktemp("moves") / "moves.npz"
    write_expert_moves(file, expert_moves(200, seed=1))
    return ["--moves", str(file)]


@pytest.mark.parametrize(
    ("field", "texts", "values"),
    [
        ("learned", "20,100", (20, 100)),
        ("fitness", "1,3-nearness", ("1", "3-nearness")),
        ("crossover", "weights,alternating", ("weights", "alternating")),
        ("mutation-share", "0.5, 1", (0.5, 1.0)),
    ],
)
def test_it_makes_a_run_of_each_value_that_differs_in_nothing_else(
    tmp_path, moves, capsys, field, texts, values
):
    assert run_study(tmp_path, *moves, vary=f"{field}={texts}") == 0
    reported = capsys.readouterr().out
    name = field.replace("-", "_")
    settings = [read_settings(tmp_path / str(value) / "run.toml", MimicSettings) for value in values]
    assert tuple(getattr(each, name) for each in settings) == values
    first, second = (msgspec.structs.replace(each, **{name: values[0]}) for each in settings)
    assert first == second
    assert reported.startswith(f"| {name} | minutes | fitness |")
    assert [line.split(" | ")[0] for line in reported.splitlines()[2:4]] == [f"| {value}" for value in values]
    players = " ".join(f"run:{tmp_path}/{value}" for value in reversed(values))
    assert f"gammond tournament {players} random" in reported


def test_what_differs_decides_what_comes_out(tmp_path, moves):
    run_study(tmp_path, *moves, vary="mutation=swap,bit")
    nets = [(tmp_path / name / "net.txt").read_text() for name in ("swap", "bit")]
    assert nets[0] != nets[1]


def test_a_study_that_is_done_only_prints_its_table_again(tmp_path, moves, capsys):
    options = {"vary": "learned=20,100"}
    run_study(tmp_path, *moves, **options)
    reported, before = capsys.readouterr().out, (tmp_path / "20" / "log.jsonl").read_text()
    run_study(tmp_path, *moves, **options)
    assert capsys.readouterr().out == reported
    assert (tmp_path / "20" / "log.jsonl").read_text() == before


def test_other_settings_are_refused_before_anything_is_run(tmp_path, moves):
    run_study(tmp_path, *moves, vary="learned=20,100")
    shutil.rmtree(tmp_path / "20")
    with pytest.raises(StateError, match=r"100: .* begun with --seed 1, not 7"):
        run_study(tmp_path, *moves, "--seed", "7", vary="learned=20,100")
    assert not (tmp_path / "20").exists()


def test_runs_that_are_there_become_longer(tmp_path, moves):
    run_study(tmp_path, *moves, vary="learned=20,100")
    run_study(tmp_path, *moves, "--generations", "6", vary="learned=20,100")
    for value in ("20", "100"):
        assert [each["generation"] for each in read_records(tmp_path / value / "log.jsonl")] == [2, 4, 6]
        assert read_settings(tmp_path / value / "run.toml", MimicSettings).generations == 6


def test_nets_that_play_without_experts_are_compared_too(tmp_path, capsys):
    play = ["--method", "play", "--positions", "20", "--rounds", "1", "--round-generations", "2"]
    assert run_study(tmp_path, *play, vary="trials=1,2") == 0
    assert capsys.readouterr().out.splitlines()[2].endswith("% |")


def test_several_settings_give_a_run_for_each_combination(tmp_path, moves, capsys):
    assert run_study(tmp_path, *moves, "--runs", "2", vary=("mutation=swap,bit", "elite=0.1,0.2")) == 0
    names = ["swap-0.1", "swap-0.2", "bit-0.1", "bit-0.2"]
    assert sorted(folder.name for folder in tmp_path.iterdir()) == sorted(names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| mutation, elite | minutes |")
    assert [line.split(" | ")[0] for line in lines[2:6]] == [f"| {name}" for name in names]


@pytest.mark.parametrize(
    ("varied", "field"),
    [
        ("learned", "variations"),
        ("learned=", "variations"),
        ("learned=20,", "variations"),
        ("learned=20,20", "variations"),
        ("learned=20,020", "variations"),
        ("learned=20,x", "learned"),
        ("learned=-1,20", "learned"),
        ("fitness=1,4", "fitness"),
        ("crossover=weights,genes", "crossover"),
        ("size=1,2", "size"),
        ("moves=runs/a.npz,runs/b.npz", "variations"),
        ("opponents=random,pubeval", "variations"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_a_run_begins(tmp_path, moves, varied, field):
    with pytest.raises(GammondError) as caught:
        run_study(tmp_path, *moves, vary=varied)
    assert caught.value.field == field
    assert not list(tmp_path.iterdir())


def test_the_agreement_of_all_is_drawn(tmp_path, moves):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "a.svg"
    run_study(tmp_path / "runs", *moves, "--plot", picture, vary="mutation=swap,bit")
    text = picture.read_text()
    assert "swap: ranked first, unseen matches" in text
    assert "bit: ranked first, unseen matches" in text
