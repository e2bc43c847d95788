from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError
from gammond.protocol.transports.web.limits import (
    Proxies,
    RequestLimiter,
    WebLimits,
    group_address,
)

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
    assert limiter.take("", 0.5) == 0.5


def test_addresses_that_were_silent_longest_are_forgotten_first():
    limiter = RequestLimiter(WebLimits(burst=1e9, rate=1e9, address_burst=1.0), 0.0)
    limiter.take(AWAY, 0.0)
    for number in range(10_000):
        limiter.take(f"198.51.{number // 256}.{number % 256}", 0.0)
    assert limiter.take(AWAY, 0.0) == 0.0


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("127.0.0.1", ""),
        ("127.0.0.9", ""),
        ("::1", ""),
        ("::ffff:127.0.0.1", ""),
        (AWAY, AWAY),
        (f"::ffff:{AWAY}", AWAY),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("x" * 16_000, "unknown"),
        ("127.0.0.1, 10.0.0.1", "unknown"),
    ],
)
def test_what_an_address_counts_as(address, counted):
    assert group_address(address) == counted


def test_a_proxy_is_known_by_its_address_or_network():
    proxies = Proxies(("127.0.0.1", "172.16.0.0/12", "2001:db8::/32", "10.1.2.3/8"))
    assert all(map(proxies.include, ("127.0.0.1", "172.20.1.1", "2001:db8::7", "10.9.9.9")))
    assert not any(map(proxies.include, ("127.0.0.2", AWAY, "", "localhost")))
    with pytest.raises(FormatError, match="expected the address of a proxy for --web-proxy"):
        Proxies(("localhost",))


def test_a_visit_of_every_pupil_of_a_class_at_once_from_one_address_is_served():
    limits, visits, files, others = WebLimits(), 24, 46, 8
    limiter = RequestLimiter(limits, 0.0)
    for _ in range(visits):
        assert not any(limiter.take(AWAY, 0.0, limits.page_share) for _ in range(files))
        assert not any(limiter.take(AWAY, 0.0) for _ in range(others - 1))
