"""What trainers share: the executor of a run, and options of work."""

from __future__ import annotations

import pytest

from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.catalogue import collect_net_hashes
from gammond.tools.common.opponents import list_run_kinds
from gammond.tools.train.fitting.fit import FitSettings
from gammond.tools.train.fitting.refine import RefineSettings
from gammond.tools.train.runs import trainer
from gammond.tools.train.runs.trainer import (
    OneProcessWork,
    ProcessWork,
    ThreadedWork,
    WorkOptions,
    make_run_executor,
)
from tests.tools.train.runs.trainer_cases import TRAINERS


@pytest.mark.parametrize("kind", [FitSettings, RefineSettings])
@pytest.mark.parametrize(
    ("games", "cluster", "players"), [(4, "HOST:1", ["fast:plies=1"]), (0, "HOST:1", []), (4, "", [])]
)
def test_workers_of_a_cluster_must_have_the_nets_of_the_opponents(monkeypatch, kind, games, cluster, players):
    """Tasks hold the nets that are trained, and name those that measure them."""
    monkeypatch.setattr(trainer, "make_executor", lambda *given: given)
    settings = kind(opponents=("fast:plies=1",), games=games)
    nets = {name: collect_net_hashes(name) for name in players}
    assert make_run_executor(cluster, settings, 3) == (3, cluster, nets)


def test_there_is_a_worker_for_each_core_unless_set_otherwise():
    works = WorkOptions(), ThreadedWork(), OneProcessWork(), ProcessWork(), ProcessWork(threads=3)
    assert [work.processes for work in works] == [1, 1, 1, count_usable_cores(), 3]
    assert ThreadedWork().threads == count_usable_cores()


def test_a_trainer_keeps_nets_if_they_play():
    for case in TRAINERS:
        names = case.trainer.work_type.__struct_fields__
        assert ("keep_nets" in names) == (case.command.split()[1] in list_run_kinds())
