"""Fixtures of all tests."""

import atexit
import gc
import importlib.util
import os
import shutil
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

_MARKS = "GAMMOND_TESTS_MARKS"
"""The environment variable that names a folder with a file for each thing that workers wait for, until it is
done: `kernels` while these are compiled, `modules` while the first worker collects the tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Take two processes more than there are cores: much of the time of the tests is waiting for servers."""
    return (os.cpu_count() or 1) + 2


def pytest_sessionstart(session):
    """Compile all kernels on all cores as a run of all tests begins, while its first worker collects these.

    A run of a part compiles what its tests use, once, and finds it from then on.
    """
    is_whole = session.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    is_parallel = bool(getattr(session.config.option, "numprocesses", 0))
    if not is_whole or _is_worker(session) or not is_parallel or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    marks = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, marks, ignore_errors=True)
    os.environ[_MARKS] = str(marks)
    for name in ("kernels", "modules"):
        (marks / name).touch()
    threading.Thread(target=_prepare, args=(marks / "kernels",), daemon=True).start()


def _is_worker(session):
    return hasattr(session.config, "workerinput")


def _prepare(mark):
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "gammond", "prepare"]
    try:
        subprocess.run(command, cwd=Path(__file__).parents[1], check=False, **quiet)
    finally:
        mark.unlink(missing_ok=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_collection(session):
    """Collect in the first worker, then in the others: they find what it compiled and rewrote of all modules.

    What is there then stays, so that no search for garbage walks over it.
    """
    is_first = os.environ.get("PYTEST_XDIST_WORKER") == "gw0"
    if not is_first:
        _wait_for(session, "modules")
    gc.disable()
    yield
    gc.freeze()
    gc.enable()
    if is_first and (marks := os.environ.get(_MARKS)):
        (Path(marks) / "modules").unlink(missing_ok=True)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Have no worker wait for one that is gone."""
    if marks := os.environ.get(_MARKS):
        (Path(marks) / "modules").unlink(missing_ok=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    """Wait in each worker until kernels are compiled: tests with a bound of time compile none."""
    _wait_for(session, "kernels")


def _wait_for(session, name):
    marks = os.environ.get(_MARKS)
    while marks and _is_worker(session) and os.path.exists(os.path.join(marks, name)):
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
