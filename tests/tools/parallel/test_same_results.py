"""Commands give with a cluster, byte for byte, what they give without one."""

import json

import pytest

from gammond.engine.analysis.engine_store import make_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine, load_engine
from gammond.tools import cli
from gammond.tools.parallel.cluster import start_local_workers, use_dask_settings
from gammond.tools.parallel.cluster_key import make_key_file

distributed = pytest.importorskip("distributed")
pytest.importorskip("cryptography")

pytestmark = pytest.mark.slow

MATCH = """ 3 point match

 Game 1
 A : 0                               B : 0
  1) 31: 8/5 6/5                      65: 24/18 18/13
  2) 42: 8/4 6/4                      54: 13/8 13/9
  3)  Doubles => 2                     Drops
      Wins 1 point
"""


@pytest.fixture
def inputs(tmp_path):
    (tmp_path / "match.mat").write_text(MATCH)
    lines = ["4HPwATDgc/ABMA", "sGfwATDgc/ABMA", "no position", "4HPiASjgc/ABMA", "2M7IATDgdw8GAA"]
    (tmp_path / "positions.txt").write_text("\n".join(lines * 30) + "\n")
    return tmp_path


COMMANDS = {
    "batch": "batch {folder}/positions.txt --plies 1 --want eval,moves,cube",
    "batch of rollouts": "batch {folder}/positions.txt --rollout --trials 36 --truncate 3",
    "analyse": "analyse {folder}/match.mat --plies 1 --format json",
    "analyse with rollouts": "analyse {folder}/match.mat --plies 0 --rollout --trials 36 --format json",
    "rollout of a cube decision": "rollout 2M7IATDgdw8GAA --what cube --trials 72 --truncate 5 --json",
    "tournament": "tournament pubeval random --games 9000 --json",
    "tournament of Barca": "tournament easy random --variant barca --games 32 --json",
}


@pytest.fixture(scope="module")
def cluster():
    """The address of a cluster of two workers for all tests here."""
    with (
        use_dask_settings(make_key_file()),
        start_local_workers(2, distributed.Security()) as started,
    ):
        yield started.scheduler_address


def run(command, capfd):
    status = cli.main(command.split())
    printed = capfd.readouterr().out
    report = json.loads(printed) if printed.startswith("{") else printed
    if isinstance(report, dict):
        report.pop("seconds", None)
    return status, report


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_cluster_changes_no_byte(command, inputs, cluster, capfd):
    command = command.format(folder=inputs)
    assert run(f"{command} --cluster {cluster}", capfd) == run(command, capfd)


def test_a_store_is_deepened_to_the_same_entries(tmp_path, cluster):
    question = make_question(STANDARD_RULES.starting_position, MatchState(), EvalSettings(1), (3, 1))
    entry, found = load_engine().search_entry(question, 1), []
    for name, more in (("here", []), ("there", ["--cluster", cluster])):
        file = tmp_path / name
        with AnalysisStore(file) as store:
            store.keep(question, identify_engine(), entry)
        assert cli.main(["store", "deepen", "--file", str(file), "--tiers", "1:3", *more]) == 0
        with AnalysisStore(file) as store:
            found.append([store.find(question, identify_engine(), plies) for plies in (1, 2, 3)])
    assert all(one.is_same_as(other) for one, other in zip(*found, strict=True))
