"""Fixtures of all tests."""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import hypothesis
import pytest

from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.garbage import collect_garbage_rarely

collect_garbage_rarely()

# How long an example takes depends on what else the machine does.
hypothesis.settings.register_profile("gammond", deadline=None)
hypothesis.settings.load_profile("gammond")

# Tests search afresh, in the processes that they start too; those of kept analyses name a store of their own.
os.environ["GAMMOND_STORE"] = "off"

# Where the environment has Python write no compiled modules, each process that runs tests would rewrite the
# assertions of all, and each that tests start would compile all modules. Git ignores what is written.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell starts its background jobs with Ctrl-C ignored, and what they start inherits that: tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # the same with nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_REQUIRED = {"peer": "GAMMOND_REQUIRE_PEERS", "training": "GAMMOND_REQUIRE_TRAINING"}
"""Markers, and the environment variables that, set to 1, forbid skipping the tests with them."""


_PREPARING = "GAMMOND_TESTS_PREPARING"
"""The environment variable that names a file which is there while kernels are compiled for all tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Take two processes more than there are cores: much of the time of the tests is waiting for servers."""
    return (os.cpu_count() or 1) + 2


def pytest_sessionstart(session):
    """Compile all kernels on all cores as a run of all tests begins, while its workers collect these.

    A run of a part compiles what its tests use, once, and finds it from then on.
    """
    is_whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    is_worker = hasattr(session.config, "workerinput")
    is_parallel = bool(getattr(session.config.option, "numprocesses", 0))
    if not is_whole or is_worker or not is_parallel or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    descriptor, os.environ[_PREPARING] = tempfile.mkstemp()
    os.close(descriptor)
    threading.Thread(target=_prepare, args=(Path(os.environ[_PREPARING]),), daemon=True).start()


def _prepare(mark):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "gammond", "prepare"]
    try:
        subprocess.run(command, cwd=Path(__file__).parents[1], check=False, **quiet)
    finally:
        mark.unlink()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Wait in each worker until kernels are compiled: tests with a bound of time compile none."""
    mark = os.environ.get(_PREPARING)
    while mark and hasattr(session.config, "workerinput") and os.path.exists(mark):
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def compiling_unheard(monkeypatch):
    """Start and report nothing when a command that runs in this process compiles a kernel.

    Otherwise what such a command writes would depend on how long compiling takes.
    """
    monkeypatch.setattr(COMPILATION, "on_first", None)
    monkeypatch.setattr(COMPILATION, "is_silent", True)


def pytest_runtest_setup(item):
    """Tests that fit nets need the package torch, of some gigabytes: without it they are skipped."""
    if "training" in item.keywords and importlib.util.find_spec("torch") is None:
        pytest.skip("fitting needs the package torch (extra 'train')")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Fail tests that were skipped for want of a package or program that the environment promises."""
    outcome = yield
    report = outcome.get_result()
    for marker, variable in _REQUIRED.items():
        if report.skipped and marker in item.keywords and os.environ.get(variable) == "1":
            report.outcome = "failed"
            report.longrepr = f"{item.nodeid} was skipped, and {variable}=1: {report.longrepr}"


def pytest_terminal_summary(terminalreporter):
    """Say how many tests each area has, and how long they took, set up and taken down, on one core."""
    tests, seconds = Counter(), Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                area = _name_area(report.nodeid)
                tests[area] += report.when == "call"
                seconds[area] += report.duration
    if len(seconds) > 1:
        terminalreporter.section("areas")
        for area in sorted(seconds):
            terminalreporter.write_line(f"{area:32}{tests[area]:7,}{seconds[area]:9,.1f} s")


def _name_area(nodeid):
    """Name the folder of a test: `tests/tools/batch`, never deeper."""
    folders = Path(nodeid.partition("::")[0]).parts[:-1]
    return "/".join(folders[:3])
