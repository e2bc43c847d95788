"""A server for the tests of clients, and clients of both kinds."""

from __future__ import annotations

import pytest

from gammond import AsyncClient, Client
from gammond.engine.kernels.disk_cache import cache_root
from gammond.engine.runtime.files import data_folder
from tests.attacks.server import Home, serve
from tests.gammond.async_client import open_async
from tests.support.waiting import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]


@pytest.fixture(scope="session")
def port(tmp_path_factory):
    """The port of a server of the line protocol that all tests ask."""
    with serve(Home(tmp_path_factory.mktemp("server"), cache_root(), data_folder())) as server:
        yield server.port


@pytest.fixture(params=["Client", "AsyncClient"])
def open_client(request):
    """Open a client of either kind: `open_client("spawn" or "connect", ...)`."""

    def open_(how, *arguments, **options):
        if request.param == "Client":
            return getattr(Client, how)(*arguments, **options)
        return open_async(getattr(AsyncClient, how), *arguments, **options)

    return open_
