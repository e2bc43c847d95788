"""Rules for all tests: which may be skipped, where marks are given, and what is kept between processes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_TESTS = """
import pytest

@pytest.mark.training
def test_a_fit():
    assert False, "torch is missing"

@pytest.mark.peer
def test_a_peer():
    pytest.skip("gnubg is missing")

def test_another():
    pytest.skip("for a reason of its own")
"""

_NO_PLUGINS = ("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest")
_WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))"


def outcomes(folder: Path, **environment: str) -> tuple[set[str], set[str]]:
    """Run the tests above under the rules of this repository; names of those that failed and were skipped."""
    (folder / "conftest.py").write_text((Path(__file__).parent / "conftest.py").read_text())
    (folder / "test_few.py").write_text(_TESTS)
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GAMMOND_REQUIRE")}
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT_TORCH, "-v", *_NO_PLUGINS, str(folder)],
        env={**plain, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    found = dict(re.findall(r"::(test_\w+) (FAILED|ERROR|SKIPPED|PASSED)", ran.stdout))
    assert len(found) == 3, ran.stdout
    failed = {name for name, outcome in found.items() if outcome in ("FAILED", "ERROR")}
    assert bool(failed) == bool(ran.returncode)
    return failed, {name for name, outcome in found.items() if outcome == "SKIPPED"}


def test_marks_are_given_in_files_of_tests():
    """`.ci/run` has pytest collect only the files of tests that name the marks of a stage."""
    marked = {
        file
        for file in Path(__file__).parent.rglob("*.py")
        if re.search(r"mark\.(nojit|peer|slow|training)\b", file.read_text("utf-8"))
    }
    assert len(marked) > 100
    assert [file for file in marked if not file.name.startswith("test_")] == []


def test_compiled_modules_are_kept_for_other_processes():
    assert not sys.dont_write_bytecode
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ


@pytest.mark.slow
def test_without_its_package_a_test_is_skipped(tmp_path):
    assert outcomes(tmp_path) == (set(), {"test_a_fit", "test_a_peer", "test_another"})


@pytest.mark.parametrize(
    ("variable", "test"),
    [("GAMMOND_REQUIRE_TRAINING", "test_a_fit"), ("GAMMOND_REQUIRE_PEERS", "test_a_peer")],
)
@pytest.mark.slow
def test_a_test_that_is_required_fails_when_it_is_skipped(tmp_path, variable, test):
    failed, skipped = outcomes(tmp_path, **{variable: "1"})
    assert failed == {test}
    assert skipped == {"test_a_fit", "test_a_peer", "test_another"} - {test}
