import pytest

from gammond.nets.catalogue import load_engine


@pytest.fixture(scope="session")
def engine():
    """The shipped engine, without a store."""
    return load_engine()
