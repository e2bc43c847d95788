"""The caps of the web server, which addresses count as one, who asks too often. No I/O and no clock here."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gammond.engine.errors import FormatError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.transports.tcp_limits import Bucket, TcpLimits

_NO_ARCHIVE = ArchiveOptions(on=False)

_MOST_ADDRESSES = 10_000
"""Addresses that are told apart; the one that was silent longest is forgotten first."""

_UNKNOWN = "unknown"
"""What texts count as that are no address."""


@dataclass(frozen=True)
class WebLimits(TcpLimits):
    """Caps of the web server. Its clients are WebSockets, each of which is one more client.

    What counts as one address says `group_address`.

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


def group_address(address: str) -> str:
    """Return by what the limits of an address count: the address, or the /64 of IPv6, which one person has.

    Args:
        address: Where something comes from, as a connection or a proxy says.

    Returns:
        Empty for this machine itself, whose programs have none of these limits.
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return _UNKNOWN
    found = getattr(found, "ipv4_mapped", None) or found
    if found.is_loopback:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return str(found)


class Proxies:
    """The proxies that are believed when they say where a visitor comes from.

    Args:
        texts: Their addresses, or networks of them such as ``172.16.0.0/12``.

    Attributes:
        networks: The same, as texts.

    Raises:
        FormatError: One is neither.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._networks = [self._parse(text) for text in texts]
        self.networks = [str(network) for network in self._networks]

    def include(self, address: str) -> bool:
        """Return whether an address is that of a proxy."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in self._networks)

    @staticmethod
    def _parse(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        try:
            return ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise FormatError(
                "expected the address of a proxy for --web-proxy, such as 127.0.0.1, or a network such as "
                f"172.16.0.0/12, got {text[:MAX_QUOTED_CHARS]!r}",
                field="web_proxy",
            ) from None


class AddressPlaces:
    """How many of something each address has; this machine itself may have any number.

    Args:
        most: How many one may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """How many all addresses have together."""
        return self._counts.total()

    def has_room(self, address: str) -> bool:
        """Return whether an address, as `group_address` returns it, may have one more."""
        return not address or self._counts[address] < self._most

    def add(self, address: str) -> None:
        """Count one more."""
        self._counts[address] += 1

    def remove(self, address: str) -> None:
        """Count one less."""
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]


class RequestLimiter:
    """Counts requests, of each address and of all.

    Args:
        limits: Caps.
        now: The time, in seconds.

    Attributes:
        limits: As given.
    """

    def __init__(self, limits: WebLimits, now: float) -> None:
        self.limits = limits
        self._all = Bucket(limits.rate, limits.burst, now)
        self._addresses: dict[str, Bucket] = {}

    def take(self, address: str, now: float, share: float = 1.0) -> float:
        """Count a request, unless it comes too soon.

        Args:
            address: Where it comes from, as `group_address` returns it.
            now: The time.
            share: For how much of a request it counts.

        Returns:
            0, or the seconds after which it may come again.
        """
        buckets = [self._all]
        if address:
            buckets.append(self._find_bucket(address, now))
        wait_s = max(bucket.find_wait(now, share) for bucket in buckets)
        if not wait_s:
            for bucket in buckets:
                bucket.take(share)
        return wait_s

    def _find_bucket(self, address: str, now: float) -> Bucket:
        limits, buckets = self.limits, self._addresses
        bucket = buckets.pop(address, None) or Bucket(limits.address_rate, limits.address_burst, now)
        if len(buckets) >= _MOST_ADDRESSES:
            del buckets[next(iter(buckets))]
        buckets[address] = bucket
        return bucket
