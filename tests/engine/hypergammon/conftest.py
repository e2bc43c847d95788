import pytest

from gammond.engine.hypergammon.construction import build_table


@pytest.fixture(scope="session")
def one_checker():
    return build_table(1)
