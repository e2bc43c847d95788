"""Ctrl-C amid the work of every command: exit status 130, words that say so, and nothing half written."""

import os
import signal

import pytest

from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine
from gammond.tools import cli
from gammond.tools.common.interrupts import GOES_ON, RESUMES
from gammond.tools.common.progress import Progress
from gammond.tools.train.runs.run_folder import CONFIG_FILE
from tests.attacks.jobs import JOBS
from tests.engine.store.samples import make_entry, make_question
from tests.support.data_folders import link_databases
from tests.tools.test_all_commands import ACTIONS
from tests.tools.test_mistakes import FILES

_LONG_JOBS = {
    " ".join(job.command.split()[: 1 + job.command.startswith(("train", "heritage"))]): job
    for job in JOBS.values()
    if not job.inputs and not job.needs
}
"""Those of the attacks that need nothing but time."""

WORK = {
    **{command: job.command.replace("--threads 2", "--threads 1") for command, job in _LONG_JOBS.items()},
    "analyse": "analyse match.mat --plies 0 --threads 1 --output OUT",
    "batch": "batch in.txt --output OUT",
    "convert": "convert match.mat two.mat --to sgf --output OUT",
    "bearoff make": "bearoff make --kind one-sided --points 6 --checkers 8 --output OUT",
    "hypergammon build": "hypergammon build --checkers 1 --output OUT",
    "store verify": "store verify --file store",
    "store deepen": "store deepen --file store --tiers 1:4 --threads 1",
    "store book": "store book --output OUT",
    "train vary": "train vary td OUT hidden=4,6 --games 4000 --round-games 20 --benchmark-games 0",
    "measure levels": "measure levels casual --decisions 4 --reference-plies 0",
    "measure pruning": "measure pruning --decisions 4",
    "measure alphabeta": "measure alphabeta --plies 1 --positions 4",
    "measure frontier": "measure frontier pubeval fast --decisions 4000",
}
"""Command -> what begins work that shows how far it is; OUT is where it writes."""

SAID = {
    **{command: GOES_ON for command, job in _LONG_JOBS.items() if not job.resume},
    **dict.fromkeys(("analyse", "store deepen", "store book", "train vary"), GOES_ON),
    "tournament": "no games to report",
    "batch": f"out has whole rows, {RESUMES}",
}
"""What the last line says of commands that keep what they have done; runs of trainers are another row."""

GOING_ON = {"--keep", "--state", "--resume"}
"""Options of commands that go on after a kill; `train cube-set` does it as `train validation-set` does."""


def test_every_command_that_goes_on_is_interrupted_and_killed():
    going_on = {c for c, action in ACTIONS if GOING_ON.intersection(action.option_strings)}
    jobs = " ".join(job.command for job in JOBS.values())
    missing = [command for command in sorted(going_on - {"train cube-set"}) if f"{command} " not in jobs]
    assert missing == [], "each has a row in _JOBS of attacks/jobs.py"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the inputs of commands, beside a data folder with databases."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "data").mkdir()
    link_databases(tmp_path / "data")
    with AnalysisStore(tmp_path / "store") as store:
        for roll in ((3, 1), (6, 5), (4, 2)):
            store.keep(make_question(roll=roll), identify_engine(), make_entry(1))
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[pytest.mark.slow] * command.startswith(("train", "heritage")))
        for command in WORK
    ],
)
def test_ctrl_c_amid_the_work_of_a_command_ends_it_with_130(command, folder, capsys, monkeypatch):
    update, seen = Progress.update, []

    def interrupt(self, done, extra=""):
        if done not in seen:
            seen.append(done)
            if len(seen) == 2:  # by then there is something to go on from
                os.kill(os.getpid(), signal.SIGINT)
        update(self, done, extra)

    monkeypatch.setattr(Progress, "update", interrupt)
    before = {file.name for file in folder.iterdir()}
    assert cli.main(WORK[command].replace("OUT", "out").split()) == 130
    said = capsys.readouterr()
    resumes = RESUMES if (folder / "out" / CONFIG_FILE).exists() else ""
    assert said.err.splitlines()[-1].startswith("gammond: interrupted")
    assert said.err.splitlines()[-1].endswith(SAID.get(command, resumes))
    left = {file.name for file in folder.iterdir() if not file.name.startswith(".")} - before
    assert left <= {"out", "out.unfinished", "out.part", "out.building"}
