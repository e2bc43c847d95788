"""What trainers share: the executor of a run."""

from __future__ import annotations

import argparse

import pytest

from gammond.nets.catalogue import collect_net_hashes
from gammond.tools.train.fitting.fit import FitSettings
from gammond.tools.train.fitting.refine import RefineSettings
from gammond.tools.train.runs import trainer
from gammond.tools.train.runs.trainer import make_run_executor


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
