"""The caps of the web server, besides those that it has as any listening server. No I/O and no clock here."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.transports.tcp_limits import TcpLimits

_NO_ARCHIVE = ArchiveOptions(on=False)


@dataclass(frozen=True)
class WebLimits(TcpLimits):
    """Caps of the web server. Its clients are WebSockets, each of which is one more client.

    What counts as one address says `request_limits.group_address`.

    Attributes:
        connections: Connections at a time beyond one for each client: those that fetch the page or
            ask by POST.
        address_connections: Connections at a time from one address, and WebSockets.
        rate: Requests a second of all addresses.
        burst: Requests that may come at once.
        address_rate: The same of one address.
        address_burst: The same.
        page_share: For how much of a request a file of the page counts; a visit needs some 45.
        works: Requests at a time whose work takes long; as many others may be under way.
        address_works: The same of one address.
        table_rate: Requests a second of one WebSocket of tables; more are read later.
        table_burst: The same at once.
        request_s: Seconds for a request from its first byte to its last, its body included.
        keep_alive_s: Seconds that a connection may wait for its next request.
        header_bytes: The longest head of a request.
        ping_s: Seconds between two pings, and as many until the answer to one must have come.
    """

    clients: int = 1024
    connections: int = 256
    address_connections: int = 64
    rate: float = 500.0
    burst: float = 2000.0
    address_rate: float = 50.0
    address_burst: float = 300.0
    page_share: float = 0.1
    works: int = 128
    address_works: int = 8
    table_rate: float = 50.0
    table_burst: float = 200.0
    request_s: float = 30.0
    keep_alive_s: float = 20.0
    header_bytes: int = 16 * 1024
    ping_s: float = 20.0


@dataclass(frozen=True)
class WebOptions:
    """What a web server is told besides where it listens.

    Attributes:
        hosts: Names under which it may be reached besides those of its address, as ``NAME`` or ``NAME:PORT``.
        archive: Whether and where tables and games are kept.
        accounts: Whether names may have passwords.
        origins: Of pages of other servers that may use what such pages may use at all.
        page_sources: Whether the scripts and styles of the page are served as they are written.
        proxies: The addresses of proxies that are believed when they say where a visitor comes from.
    """

    hosts: tuple[str, ...] = ()
    archive: ArchiveOptions = _NO_ARCHIVE
    accounts: bool = False
    origins: tuple[str, ...] = ()
    page_sources: bool = False
    proxies: tuple[str, ...] = ()
