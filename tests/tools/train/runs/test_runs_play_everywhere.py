"""Runs of every kind play wherever players play, and play the same."""

import json

import numpy as np
import pytest

import gammond
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move
from gammond.engine.errors import DataFileError, FormatError, ValueRangeError
from gammond.nets.heritage.gengammon.kernels import INPUTS
from gammond.nets.heritage.gengammon.net import HIDDEN_UNITS, GengammonNet, format_net
from gammond.nets.heritage.heuristic_engine.heuristic import HEURISTIC_CONFIGS
from gammond.nets.heritage.phase_features.net import PhaseNet
from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.player_specs import name_player, split_file_options
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools import cli
from gammond.tools.barca.tournament import load_player as load_barca_player
from gammond.tools.barca.weights import SPACE as BARCA_SPACE
from gammond.tools.common.file_players import load_offered, make_file_players
from gammond.tools.common.files import write_arrays
from gammond.tools.common.opponents import (
    collect_net_hashes,
    load_net_engine,
    load_opponent,
    read_run_weights,
)
from gammond.tools.heritage.astros.families import FAMILIES
from gammond.tools.heritage.computational_backgammon.net_set import ClassicNetSet
from gammond.tools.heritage.heuristic_engine.trials import ClimbSettings
from gammond.tools.tournament.entrants import load_cached_player
from gammond.tools.train.runs.run_folder import begin_run
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet
from gammond.tools.train.weights.td_nets import TdNets, make_untrained_td_net
from tests.protocol.tables.visiting import PERSON, Site
from tests.protocol.talking import talk
from tests.support.processes import run_gammond

POSITION, DICE = "4HPwATDgc/ABMA", (6, 2)
GENERATOR = np.random.default_rng(3)


def write_td(folder):
    nets = TdNets("td", *(make_untrained_td_net(4, GENERATOR) for _ in range(2)))
    write_arrays(folder / "checkpoint.npz", {**nets.to_arrays(), "kind": np.array("td")})


def write_fit(folder):
    names = (*CONTACT_CLASSES, "crashed", "race")
    nets = {name: LayeredNet.make_untrained("expert248", (4, 3), GENERATOR) for name in names}
    write_arrays(folder / "best.npz", {"kind": np.array("fit"), **NetSet("fit", nets).to_arrays()})


def write_refine(folder):
    nets = {name: LayeredNet.make_untrained("tesauro196", (4,), GENERATOR) for name in ("contact", "race")}
    write_arrays(folder / "best.npz", {"kind": np.array("refine"), **NetSet("refine", nets).to_arrays()})


def write_classic(folder):
    nets = ClassicNetSet.untrained("symmetric", 2, {"contact": 4, "race": 3}, "none", seed=1)
    write_arrays(folder / "best.npz", {**nets.to_arrays(), "kind": np.array("classic")})


def write_phase_net(folder):
    nets = PhaseNet.untrained(GENERATOR, (5, 4))
    write_arrays(folder / "best.npz", {**nets.to_arrays(), "kind": np.array("heuristic-net")})


def write_mimic(folder):
    weights = GENERATOR.normal(size=(HIDDEN_UNITS, INPUTS)).astype(np.float32)
    (folder / "net.txt").write_text(format_net(GengammonNet(weights, "softsign")))


def write_ascend(folder, name):
    vector = FAMILIES[name].space.start[::-1].copy()
    low, high = FAMILIES[name].space.low, FAMILIES[name].space.high
    arrays = {"kind": np.array("ascend"), "player": np.array(name), "vector": np.clip(vector, low, high)}
    write_arrays(folder / "best.npz", arrays)


def write_climb(folder):
    begin_run(folder, "heritage climb", ClimbSettings(trials=1), ())
    factors = HEURISTIC_CONFIGS["author-two"]
    record = {"trial": 1, "factors": {name: getattr(factors, name) for name in factors.__struct_fields__}}
    (folder / "log.jsonl").write_text(json.dumps(record) + "\n")


WRITERS = {
    "td": write_td,
    "fit": write_fit,
    "refine": write_refine,
    "classic": write_classic,
    "heuristic-net": write_phase_net,
    "mimic": write_mimic,
    "climb": write_climb,
    **{f"ascend-{name}": lambda folder, name=name: write_ascend(folder, name) for name in FAMILIES},
}
"""What writes the run of each kind as its trainer does."""

EVALUATING = ("td", "fit", "refine", "classic")
"""Those whose nets give outcomes."""


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """The name of each run by its kind, and that of a function."""
    home, found = tmp_path_factory.mktemp("runs"), {}
    for kind, write in WRITERS.items():
        (home / kind).mkdir()
        write(home / kind)
        found[kind] = f"run:{home / kind}"
    file = home / "mine.py"
    file.write_text("def score(own, other):\n    return other[25] - own[8] + own[4] / 2\n")
    return {**found, "function": f"function:{file}"}


def make_service(names, **options):
    return Service(make_shipped_catalogue(file_players=make_file_players(tuple(names.values()), **options)))


def ask(service, *lines):
    connection = connect(Session(service, 1))
    return talk("\n".join(lines), connection)


def find_play(lines):
    """Return the position after the play of ``bestmove``."""
    (best,) = [line.split(maxsplit=1)[1] for line in lines if line.startswith("bestmove")]
    return gammond.Position.from_id(POSITION).play(best, DICE)


def list_lines(name):
    return [f"set engine.player {name}", f"position gnubgid {POSITION}", "dice {} {}".format(*DICE), "go"]


@pytest.mark.parametrize("kind", [*WRITERS, "function"])
def test_a_run_plays_the_same_in_session_table_tournament_and_program(names, kind):
    name, service = names[kind], make_service(names)
    expected = gammond.Player(name).choose(gammond.Position.from_id(POSITION), DICE).result

    assert find_play(ask(service, *list_lines(name))) == expected

    board = gammond.Position.from_id(POSITION).board[None]
    chosen = load_cached_player(name).choose(board.copy(), np.array([DICE], np.int8))
    assert gammond.Position(chosen[0]) == expected

    site = Site(service=service)
    guest = site.visit()
    seats = [{"kind": "engine", "player": name}, PERSON]
    table = guest.create(*seats, dice="typed")["table"]
    guest.get("act", table=table, act="dice", dice=list(DICE))
    site.settle(5.0)
    guest.hear()
    assert guest.states[table]["to_act"] == 1
    assert guest.states[table]["gnubgid"] == expected.id


@pytest.mark.slow
def test_runs_play_over_the_protocol_on_a_pipe_and_functions_do_not(names):
    runs = [name for kind, name in names.items() if kind != "function"]
    lines = "\n".join(line for name in runs for line in list_lines(name))
    answers = run_gammond(input=lines).stdout.splitlines()
    plays = [line.split(maxsplit=1)[1] for line in answers if line.startswith("bestmove")]
    start = gammond.Position.from_id(POSITION)
    chosen = [gammond.Player(name).choose(start, DICE).result for name in runs]
    assert [start.play(play, DICE) for play in plays] == chosen
    refused = run_gammond(input=f"set engine.player {names['function']}").stdout
    assert refused.startswith("error bad_value engine.player: expected a player that this server offers")


@pytest.mark.parametrize("kind", EVALUATING)
def test_the_nets_of_a_run_answer_every_question_and_take_the_options_of_evaluators(names, kind):
    name, service = names[kind], make_service(names)
    start, engine = gammond.Position.start(), gammond.Engine(name)
    expected = engine.evaluate(start, cubeful=False).outcome.win
    evaluated = ask(service, f"set engine.net {name}", f"position gnubgid {POSITION}", "eval cubeful=off")
    found = float(evaluated[-1].partition("win=")[2].partition(" ")[0])
    assert found == pytest.approx(expected, abs=1e-6)
    query = {"id": 1, "position": POSITION, "net": name, "cubeful": False}
    (answer,) = ask(service, json.dumps(query))
    assert json.loads(answer)["results"][0]["eval"]["win"] == pytest.approx(expected, abs=1e-5)

    deep = gammond.Player(f"{name}:plies=1,filter=tiny")
    best = engine.rank(start, DICE, plies=1, cubeful=False, move_filter="tiny").best
    assert deep.choose(start, DICE) == best.play
    assert find_play(ask(service, *list_lines(f"{name}:plies=1,filter=tiny"))) == best.play.result
    assert collect_net_hashes(name).items() < collect_net_hashes(f"{name}:plies=1").items()


@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind not in EVALUATING])
def test_a_run_without_outcomes_takes_no_options_and_is_no_evaluator(names, kind):
    with pytest.raises(ValueRangeError, match="nor has it options"):
        load_opponent(f"{names[kind]}:plies=1")
    with pytest.raises(ValueRangeError, match="gives no values of positions"):
        load_net_engine(names[kind])


def test_a_server_reads_nothing_that_it_does_not_offer(names, tmp_path):
    service = Service(make_shipped_catalogue(file_players=make_file_players((names["td"],))))
    offered, other = names["td"], names["fit"]
    assert ask(service, f"set engine.player {offered}:plies=1")[0].startswith("ok")
    for name in (other, f"{offered}/", f"{offered}:/../fit", f"{offered}/../fit:plies=1", names["function"]):
        for key in ("player", "net"):
            (line,) = ask(service, f"set engine.{key} {name}")
            assert line.startswith(f"error bad_value engine.{key}: expected a player that this server offers")
    guest = Site(service=service).visit()
    seats = [{"kind": "engine", "player": other}, PERSON]
    assert guest.ask("create", seats=seats)["ok"] is False
    names_known = service.players.list_names()
    assert offered in names_known
    assert other not in names_known


def test_whoever_runs_a_process_may_name_any_run_and_is_told_of_one_that_is_not_there(names):
    service = Service(make_shipped_catalogue(file_players=make_file_players(is_local=True)))
    assert find_play(ask(service, *list_lines(names["mimic"])))
    (line,) = ask(service, "set engine.player run:nowhere")
    assert line == "error data_file engine.player: expected a file or folder, got 'nowhere': there is none"


@pytest.fixture
def barca_run(tmp_path):
    """A run of Barca's weights, and what it holds as text."""
    write_arrays(tmp_path / "best.npz", {"kind": np.array("barca-ascend"), "vector": BARCA_SPACE.start + 1})
    return f"run:{tmp_path}", read_run_weights(f"run:{tmp_path}")


def test_weights_of_a_run_of_barca_play_by_their_numbers(barca_run):
    run, numbers = barca_run
    assert numbers == "-59/-19/61/10000/0/6/16/61/7/-11/4/5"
    service = Service(make_shipped_catalogue(file_players=make_file_players((run,))))
    barca = "set game.variant barca"
    assert ask(service, barca, f"set engine.weights {run}")[1] == f"ok set engine.weights={numbers}"
    player = f"search:depth=1,weights={run}"
    lines = ask(service, barca, f"set engine.player {player}", "newgame", "go")
    assert numbers in lines[1]
    best = load_barca_player(player).choose(BarcaGame.start())
    assert lines[-1] == f"bestmove {format_move(best)}"
    assert (
        ask(service, barca, f"set engine.player search:depth=1,weights={numbers}", "newgame", "go") == lines
    )
    query = {"id": 1, "variant": "barca", "position": BarcaGame.start().position.to_text(), "depth": 1}
    answers = [
        json.loads(ask(service, json.dumps({**query, "weights": each}))[0]) for each in (numbers, "1/2")
    ]
    assert answers[0]["results"][0]["eval"]["depth"] == 1
    assert answers[1]["error"]["field"] == "weights"
    load_offered(run)


def test_a_server_reads_no_weights_that_it_does_not_offer(barca_run):
    service = Service(make_shipped_catalogue(file_players=make_file_players()))
    for line in (f"set engine.weights {barca_run[0]}", f"set engine.player hard:weights={barca_run[0]}"):
        refused = ask(service, "set game.variant barca", line)[1]
        assert refused.startswith("error bad_value engine.")
        assert "expected a player that this server offers" in refused


def test_a_run_plays_against_a_person_at_the_terminal(names):
    service = Service(make_shipped_catalogue(file_players=make_file_players(is_local=True, runs_code=True)))
    for kind, name in (("mimic", "mimic"), ("td", "td"), ("function", "mine")):
        talk = LineInterpreter(Session(service, 1))
        assert any(name in line for line in talk.answer(f"play against {names[kind]}")), kind
    assert name_player("run:/a/b/mine:plies=1") == "mine"
    assert name_player("random:seed=1") == "random"
    assert split_file_options(r"run:C:\runs\mine:plies=1") == (r"run:C:\runs\mine", "plies=1")
    assert split_file_options(r"run:C:\runs\a=1") == (r"run:C:\runs\a=1", "")


def test_an_offered_run_is_among_the_players_that_a_server_describes(names):
    service = make_service(names)
    described = json.loads(ask(service, "describe")[-1])
    assert set(names.values()) <= {player["name"] for player in described["players"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def score(own, other): return 1 / 0", "line 1: ZeroDivisionError"),
        ("x = 1", "expected a function score"),
        ("\n\nx =", "line 3: SyntaxError"),
        ("def score(own, other):\n    return float('nan')", "expected a finite number of score, got nan"),
        ("def score(own, other):\n    return 'much'", "line|could not convert"),
    ],
)
def test_a_function_that_fails_is_an_error_with_its_place(tmp_path, text, message):
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(DataFileError, match=message):
        gammond.Player(f"function:{file}").choose(gammond.Position.start(), DICE)


def test_a_function_is_a_python_file_without_options(tmp_path):
    with pytest.raises(FormatError, match=r"expected function:FILE\.py"):
        load_opponent(f"function:{tmp_path}/mine.txt")
    with pytest.raises(DataFileError, match="cannot be read"):
        load_opponent(f"function:{tmp_path}/mine.py")


def test_a_function_plays_a_tournament(names, capsys):
    assert cli.main(["tournament", names["function"], "random", "--games", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["first"]["nets"]
