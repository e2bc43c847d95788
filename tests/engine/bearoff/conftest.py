"""The default tables, built once for all tests."""

import pytest

from gammond.engine.bearoff.one_sided import build_one_sided
from gammond.engine.bearoff.two_sided import build_two_sided


@pytest.fixture(scope="session")
def two_sided():
    return build_two_sided(threads=1)


@pytest.fixture(scope="session")
def one_sided():
    return build_one_sided(threads=1)
