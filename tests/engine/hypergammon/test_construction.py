import tracemalloc

import pytest

from gammond.engine.hypergammon.construction import build_file, estimate_memory


@pytest.mark.slow
def test_building_takes_the_memory_that_is_said(tmp_path):
    build_file(tmp_path / "first", 1)
    tracemalloc.start()
    try:
        build_file(tmp_path / "hypergammon-2.solution", 2, threads=1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.7 < peak / estimate_memory(2) < 1.0
