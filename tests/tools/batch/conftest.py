"""`gammond batch` run on a text, by an evaluator of the test."""

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.tools import cli
from gammond.tools.batch import run as batch_run
from tests.tools.batch.pip_evaluator import PipEvaluator


@pytest.fixture
def use_evaluator(monkeypatch):
    """Return a function by which the tool loads an evaluator in place of the shipped ones."""

    def use(evaluator):
        monkeypatch.setattr(
            batch_run, "load_net_engine", lambda name, threads: Engine(evaluator, threads=threads)
        )
        return evaluator

    return use


@pytest.fixture(autouse=True)
def evaluator(use_evaluator):
    """Evaluate by pips, unless a test says otherwise."""
    return use_evaluator(PipEvaluator())


@pytest.fixture
def run(tmp_path, capfdbinary):
    """Run the tool on a text, or on the file that is there; give exit status, stdout and stderr."""

    def run(content, *options, name="positions.txt"):
        file = tmp_path / name
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        status = cli.main(["batch", str(file), *map(str, options)])
        out, err = capfdbinary.readouterr()
        return status, out.decode(), err.decode()

    return run
