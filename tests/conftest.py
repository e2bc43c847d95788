"""What all tests share."""

import os
import signal

import pytest

# A shell starts its background jobs with Ctrl-C ignored, and what they start inherits that: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With GAMMOND_REQUIRE_PEERS=1 a comparison with another engine may not be skipped for want of it."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and "peer" in item.keywords and os.environ.get("GAMMOND_REQUIRE_PEERS") == "1":
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and GAMMOND_REQUIRE_PEERS=1: {report.longrepr}"
