"""What trainers share: the executor of a run, and options."""

from __future__ import annotations

import argparse

import pytest

from gammond.engine.runtime.machine import count_usable_cores
from gammond.nets.catalogue import collect_net_hashes
from gammond.tools.train.fitting.fit import FitSettings
from gammond.tools.train.fitting.refine import RefineSettings
from gammond.tools.train.runs import trainer
from gammond.tools.train.runs.trainer import add_threads_option, add_workers_option, make_run_executor


@pytest.mark.parametrize("kind", [FitSettings, RefineSettings])
@pytest.mark.parametrize(
    ("games", "cluster", "players"), [(4, "HOST:1", ["fast:plies=1"]), (0, "HOST:1", []), (4, "", [])]
)
def test_workers_of_a_cluster_must_have_the_nets_of_the_opponents(monkeypatch, kind, games, cluster, players):
    """Tasks hold the nets that are trained, and name those that measure them."""
    monkeypatch.setattr(trainer, "make_executor", lambda *given: given)
    settings = kind(opponents=("fast:plies=1",), games=games)
    nets = {name: collect_net_hashes(name) for name in players}
    assert make_run_executor(argparse.Namespace(cluster=cluster), settings, 3) == (3, cluster, nets)


def test_there_is_a_worker_for_each_core_unless_set_otherwise():
    for add, expected in (
        (add_workers_option, {"workers": count_usable_cores(), "cluster": ""}),
        (add_threads_option, {"threads": count_usable_cores()}),
    ):
        parser = argparse.ArgumentParser()
        add(parser)
        assert vars(parser.parse_args([])) == expected
    few = argparse.ArgumentParser()
    add_workers_option(few, 1)
    assert few.parse_args([]).workers == 1
    assert "(default 1)" in few.format_help()
