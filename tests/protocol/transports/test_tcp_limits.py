from __future__ import annotations

import pytest

from gammond.protocol.transports.tcp_limits import ClientActivity, TcpLimits
from tests.protocol.talking import make_connection

LIMITS = TcpLimits(stuck_writer_s=30.0, read_window_s=120.0, least_read_bytes=60_000, client_bytes=1_000_000)


@pytest.fixture
def times():
    return ClientActivity(LIMITS, make_connection(), 0.0)


def read_on(times, rate, seconds, waiting=10_000_000):
    """Let a client for which much output waits read at a rate; return when and why it is cut off."""
    times.written_bytes = waiting
    for now in range(1, seconds + 1):
        times.look(float(now), waiting - int(rate * now))
        if fault := times.find_reading_fault(float(now), 0):
            return now, fault.message
    return None


def test_a_client_that_reads_enough_is_served_however_long_it_takes(times):
    assert read_on(times, 510, 3600) is None


def test_a_client_that_reads_too_little_is_cut_off_after_the_window(times):
    assert read_on(times, 490, 3600) == (
        121,
        "expected 60000 bytes of answers read in 120 s, got 59290: read answers as they come",
    )


def test_a_client_for_which_nothing_waits_need_not_read(times):
    for now in range(1, 1000):
        times.look(float(now), 0 if now % 100 == 0 else 5)
        assert times.find_reading_fault(float(now), 0) is None


def test_a_client_for_which_too_much_is_held_is_cut_off(times):
    assert times.find_reading_fault(1.0, 1_000_000) is None
    fault = times.find_reading_fault(1.0, 1_000_001)
    assert (fault.code, fault.field) == ("limit", "unread")
    assert "1000000 bytes" in fault.message


def test_a_client_that_is_cut_off_has_so_long_to_read_that_however_it_drips(times):
    times.written_bytes = 1000
    times.mark_cut_off(5.0)
    stuck = []
    for now in range(1, 60):
        times.look(float(now), 1000 - now)
        stuck.append(times.is_stuck(float(now)))
    assert stuck.index(True) == 35


@pytest.mark.parametrize(("piece", "is_cut_off"), [(b"e", True), (b"ts\nsta", False)], ids=["drip", "lines"])
def test_a_line_is_timed_from_its_first_byte_even_where_a_turn_ends_before_a_look_at_it(piece, is_cut_off):
    connection = make_connection()
    times = ClientActivity(LIMITS, connection, 0.0)
    for now in range(1, 40):
        connection.receive_data(piece)
        if now % 10:
            connection.advance()
            connection.data_to_send()
        times.look(float(now), 0)
    fault = times.find_sending_fault(40.0)
    assert (fault and (fault.code, fault.field)) == (("limit", "line") if is_cut_off else None)
