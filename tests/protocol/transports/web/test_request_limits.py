from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

from protocol.transports.web.limits import WebLimits
from protocol.transports.web.request_limits import RequestLimiter, is_loopback

AWAY, OTHER = "192.0.2.1", "192.0.2.2"


def test_an_address_may_ask_again_after_the_time_it_was_told():
    limiter = RequestLimiter(WebLimits(address_rate=2.0, address_burst=3.0), 100.0)
    assert [limiter.take(AWAY, 100.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert limiter.take(OTHER, 100.0) == 0.0
    assert limiter.take(AWAY, 100.4) > 0
    assert limiter.take(AWAY, 100.5) == 0.0


def test_all_addresses_together_have_a_cap():
    limiter = RequestLimiter(WebLimits(rate=1.0, burst=3.0), 0.0)
    assert [limiter.take(f"192.0.2.{number}", 0.0) for number in range(4)] == [0.0, 0.0, 0.0, 1.0]
    assert limiter.take("127.0.0.1", 0.5) == 0.5


def test_addresses_that_were_silent_longest_are_forgotten_first():
    limiter = RequestLimiter(WebLimits(burst=1e9, rate=1e9, address_burst=1.0), 0.0)
    limiter.take(AWAY, 0.0)
    for number in range(10_000):
        limiter.take(f"198.51.{number // 256}.{number % 256}", 0.0)
    assert limiter.take(AWAY, 0.0) == 0.0


@pytest.mark.parametrize(
    ("address", "expected"), [("127.0.0.1", True), ("::1", True), (AWAY, False), ("", True)]
)
def test_an_address_of_this_machine_is_known(address, expected):
    assert is_loopback(address) is expected
