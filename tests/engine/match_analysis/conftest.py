"""Fixtures of all tests of match analysis."""

import pytest

from gammond.nets.catalogue import load_engine


@pytest.fixture(scope="session")
def engine():
    """The engine that analyses where nothing else is asked for."""
    return load_engine()
