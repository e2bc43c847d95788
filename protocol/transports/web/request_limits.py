"""How often an address may ask over HTTP, and all together. No I/O and no clock here."""

from __future__ import annotations

import ipaddress

from protocol.transports.web.limits import WebLimits

_MOST_ADDRESSES = 10_000
"""Addresses that are told apart; the one that was silent longest is forgotten first."""


def is_loopback(address: str) -> bool:
    """Return whether an address is of this machine: a proxy there brings the clients of many others."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True


class Bucket:
    """Requests that may come at once; more come with time."""

    def __init__(self, rate: float, most: float, now: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._filled_s = most, now

    def find_wait(self, now: float) -> float:
        """Return how long it takes until a request may come, in seconds."""
        self._left = min(self._most, self._left + (now - self._filled_s) * self._rate)
        self._filled_s = now
        return 0.0 if self._left >= 1.0 else (1.0 - self._left) / self._rate

    def take(self) -> None:
        """Count a request."""
        self._left -= 1.0


class RequestLimiter:
    """Counts requests, of each address and of all.

    Args:
        limits: Caps.
        now: The time, in seconds.
    """

    def __init__(self, limits: WebLimits, now: float) -> None:
        self._limits = limits
        self._all = Bucket(limits.rate, limits.burst, now)
        self._addresses: dict[str, Bucket] = {}

    def take(self, address: str, now: float) -> float:
        """Count a request, unless it comes too soon.

        Args:
            address: Where it comes from.
            now: The time.

        Returns:
            0, or the seconds after which it may come again.
        """
        buckets = [self._all]
        if not is_loopback(address):
            buckets.append(self._find_bucket(address, now))
        wait_s = max(bucket.find_wait(now) for bucket in buckets)
        if not wait_s:
            for bucket in buckets:
                bucket.take()
        return wait_s

    def _find_bucket(self, address: str, now: float) -> Bucket:
        limits, buckets = self._limits, self._addresses
        bucket = buckets.pop(address, None) or Bucket(limits.address_rate, limits.address_burst, now)
        if len(buckets) >= _MOST_ADDRESSES:
            del buckets[next(iter(buckets))]
        buckets[address] = bucket
        return bucket
