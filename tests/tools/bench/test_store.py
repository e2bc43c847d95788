"""The benchmark of kept analyses: what it measures is kept, and the same as what was searched."""

import pytest

from gammond.tools.bench import store as bench_store
from gammond.tools.bench.measure import BenchmarkSubject, WrongAnswerError

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    for name, size in (("POSITIONS", 2), ("ROUNDS", 2)):
        monkeypatch.setattr(bench_store, name, size)


def test_kept_answers_are_measured_on_standard_input_and_tcp():
    rows = list(bench_store.bench_store(BenchmarkSubject("strong")))
    assert len(rows) == 41
    assert all(row.unit == "ms" and row.value > 0 for row in rows)
    assert {row.what.rpartition(", ")[2] for row in rows} == {"p50", "p99"}


def test_an_answer_that_is_not_kept_is_wrong(monkeypatch):
    monkeypatch.setattr(bench_store, "_COMMANDS", ("eval",))
    with pytest.raises(WrongAnswerError, match="was answered by 'eval "):
        list(bench_store.bench_store(BenchmarkSubject("strong")))
