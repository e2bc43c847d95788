"""What a web server keeps between its starts: tables and games, their analyses, and accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from gammond.protocol.accounts.accounts import Accounts
from gammond.protocol.accounts.browser_session import find_user
from gammond.protocol.archive.analysis import BackgroundAnalysis
from gammond.protocol.archive.archive import GameArchive, open_archive
from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.state.service import Service
from gammond.protocol.tables.audience import NameCheck
from gammond.protocol.transports.web.limits import WebOptions
from gammond.protocol.web.plans import Endpoint


class KeptGames:
    """The archive and the accounts of a server.

    Args:
        options: Whether and where they are.

    Attributes:
        archive: The archive; None if games are not kept.
        endpoints: What is asked about both over HTTP.

    Raises:
        DataFileError: The accounts cannot be used.
        UnsupportedError: A package for them is not installed.
    """

    def __init__(self, options: WebOptions) -> None:
        accounts = Accounts(options.archive.find_accounts_file()) if options.accounts else None
        self._accounts = accounts
        self.archive: GameArchive | None = open_archive(options.archive)
        self.endpoints: tuple[Endpoint, ...] = make_endpoints(self.archive, accounts)

    def make_name_check(self, cookies: Mapping[str, str], host: str) -> NameCheck | None:
        """Return what finds the owner of what a page plays by a name, as for `Visitor`.

        Args:
            cookies: Those of the page's request for a WebSocket.
            host: Its header ``Host``.
        """
        accounts = self._accounts
        if accounts is None:
            return None

        def check(name: str) -> str:
            user = find_user(accounts, cookies, host)
            accounts.check_may_use(name, user)
            return "" if user is None else accounts.find_owner(user)

        return check

    @contextmanager
    def analyse_beside(self, service: Service, is_busy: Callable[[], bool]) -> Iterator[None]:
        """Analyse kept games during the block, while no client searches.

        Args:
            service: Has the engine.
            is_busy: Whether searches of clients are under way.
        """
        if self.archive is None:
            yield
            return
        name = service.catalogue.default
        with BackgroundAnalysis(self.archive, lambda: service.get_engine(name), is_busy).beside():
            yield

    async def close(self) -> None:
        """Write what is still to be written."""
        if self.archive is not None:
            await asyncio.to_thread(self.archive.close)
        if self._accounts is not None:
            await asyncio.to_thread(self._accounts.close)
