"""Faults of the server are logged once a minute each, with the number that was left out."""

from __future__ import annotations

import logging

from gammond.engine.errors import DataFileError
from gammond.protocol.core import fault_log
from gammond.protocol.core.fault_log import FaultLog
from tests.support.terminals import Clock


def fail(number: int) -> BaseException:
    try:
        if number == 1:
            raise KeyError("one")
        raise IndexError("other")
    except LookupError as error:
        return error


def test_a_fault_that_repeats_is_logged_once_a_minute_with_its_number(caplog):
    clock = Clock(0.0)
    log = FaultLog(clock)
    with caplog.at_level(logging.ERROR):
        for _ in range(1000):
            log.log("a request failed", fail(1))
        log.log("a request failed", fail(2))
        clock.now_s = 61.0
        log.log("a request failed", fail(1))
    assert [record.getMessage() for record in caplog.records] == [
        "a request failed",
        "a request failed",
        "a request failed (999 more like it since the last report)",
    ]
    assert "KeyError" in caplog.text
    assert "IndexError" in caplog.text


def test_an_error_that_hides_a_path_from_clients_is_logged_with_it_and_without_a_traceback(caplog):
    log = FaultLog(Clock())
    with caplog.at_level(logging.ERROR):
        log.log_own("a request failed", DataFileError("/home/x is missing", public_message="x is missing"))
        log.log_own("a request failed", DataFileError("no such position"))
        log.log_own("a request failed", fail(1))
    assert [record.getMessage() for record in caplog.records] == [
        "a request failed: /home/x is missing",
        "a request failed",
    ]
    assert caplog.records[0].exc_info is None


def test_kinds_beyond_a_number_count_as_one(caplog, monkeypatch):
    monkeypatch.setattr(fault_log, "MAX_KINDS", 5)
    log = FaultLog(Clock())
    with caplog.at_level(logging.ERROR):
        for number in range(1000):
            log.log(f"work {number}", fail(1))
    assert len(caplog.records) == 6
    assert len(log._logged_s) == 6
