"""The folders of compiled kernels: shared by processes, dropped when stale, done without if need be."""

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest

from gammond.engine.kernels import disk_cache
from gammond.engine.runtime import version
from gammond.engine.runtime.built_files import build_alone
from gammond.engine.runtime.compilation import COMPILATION

COMPILE = (
    "import numpy; from gammond.engine.kernels.phases import is_any_over; "
    "is_any_over(numpy.zeros((1, 2, 26), 'i1'))"
)
REPORT_SOON = "from gammond.engine.runtime import compilation as c; c.SILENT_S, c._REDRAW_EVERY_S = 0.0, 0.02"

FORK = """
import json, os, sys
from gammond.engine.runtime.garbage import pause_collection, resume_collection
pause_collection()
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numba, numpy
import gammond.engine.kernels.phases
numba.njit(lambda rows: rows[0, 0])(numpy.zeros((1, 1), 'i1'))  # fills the tables of the compiler
resume_collection()
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        os.environ.update(job["environment"])
        os.dup2(os.open(job["said"], os.O_WRONLY | os.O_CREAT), 2)
        exec(job["code"], {})
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""What forks a process for each line, with the compiler loaded: nearly all of a start is loading that."""


def start(cache, code=COMPILE, folder=None, **environment):
    """Run code in a process that starts afresh, and return what it says on stderr."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "GAMMOND_CACHE": str(cache), **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stderr


@pytest.fixture(scope="module")
def fork(tmp_path_factory):
    """Return what runs code in a process where no kernel has been called, and returns what it says."""
    if not hasattr(os, "fork"):
        yield start
        return
    folder = tmp_path_factory.mktemp("said")
    with subprocess.Popen(
        [sys.executable, "-c", FORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as parent:

        def run(cache, code=COMPILE):
            said = folder / uuid.uuid4().hex
            job = {"code": code, "environment": {"GAMMOND_CACHE": str(cache)}, "said": str(said)}
            parent.stdin.write(json.dumps(job) + "\n")
            status = int(parent.stdout.readline())
            if status:
                raise subprocess.CalledProcessError(status, code, stderr=said.read_text())
            return said.read_text()

        yield run
        parent.stdin.close()


@pytest.fixture
def fresh_folders(tmp_path, monkeypatch):
    """Let this process look for its folders anew, in a folder of the test's."""
    found = (disk_cache.find_folders, disk_cache._prepare_parents)
    monkeypatch.setenv("GAMMOND_CACHE", str(tmp_path))
    monkeypatch.setattr(COMPILATION, "keeps_kernels", True)
    for function in found:
        function.cache_clear()
    yield
    for function in found:
        function.cache_clear()


@pytest.fixture(scope="module")
def first_use(fork, tmp_path_factory):
    """A cache folder that a first use made, and what that said."""
    cache = tmp_path_factory.mktemp("cache") / "new" / "cache"
    return cache, fork(cache, f"{REPORT_SOON}; {COMPILE}")


def test_a_first_use_that_takes_long_says_that_it_compiles_and_the_second_does_not(fork, first_use):
    cache, said = first_use
    assert "compiling kernels once" in said
    assert "gammond prepare" in said
    assert fork(cache, f"{REPORT_SOON}; {COMPILE}") == ""


def test_another_installation_of_the_same_sources_finds_what_is_compiled(first_use, tmp_path):
    cache, _ = first_use
    for name in ("gammond", "engine"):
        shutil.copytree(version.ROOT / name, tmp_path / name, copy_function=shutil.copy)
    show = "from gammond import engine; import sys; print(engine.__file__, file=sys.stderr)"
    said = start(cache, f"{REPORT_SOON}; {COMPILE}; {show}", folder=tmp_path, PYTHONPATH="")
    assert said == f"{tmp_path / 'engine' / '__init__.py'}\n"


def test_compiled_kernels_load_without_the_tables_of_the_compiler(first_use):
    tables = "numba.np.npyimpl"
    assert find_spec(tables) is not None
    show = f"import sys; print({tables!r} in sys.modules, file=sys.stderr)"
    cache, _ = first_use
    assert start(cache, f"{COMPILE}; {show}").split() == ["False"]


def test_importing_kernels_writes_nothing(tmp_path):
    modules = "gammond.engine.kernels.moves, gammond.engine.kernels.nets.expert248, gammond.nets.catalogue"
    assert start(tmp_path, f"import {modules}") == ""
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_killed_leaves_what_it_compiled(fork, tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        fork(tmp_path, f"{COMPILE}; import os; os.kill(os.getpid(), 9)")
    assert fork(tmp_path) == ""


def test_a_kernel_that_another_process_compiles_is_waited_for_and_used(first_use, tmp_path):
    cache, _ = first_use
    shutil.copytree(cache, tmp_path / "cache")
    (index,) = (tmp_path / "cache" / "kernels").glob("*/phases.is_any_over-*.nbi")
    finished = index.rename(tmp_path / index.name)
    before = finished.stat().st_mtime_ns
    with build_alone(index, lambda: None):
        process = subprocess.Popen(
            [sys.executable, "-c", f"{REPORT_SOON}; {COMPILE}"],
            env={**os.environ, "GAMMOND_CACHE": str(tmp_path / "cache")},
            stderr=subprocess.PIPE,
            text=True,
        )
        assert "compiling kernels once" in process.stderr.readline()
        finished.rename(index)
    process.communicate()
    assert process.returncode == 0
    assert index.stat().st_mtime_ns == before
    assert not list((tmp_path / "cache").rglob("*.lock"))


@pytest.mark.slow
def test_processes_that_start_at_once_share_a_cache(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: start(tmp_path), range(4)))
    assert start(tmp_path) == ""


def test_a_folder_that_cannot_be_written_is_replaced_for_this_process_alone(fork, tmp_path):
    (tmp_path / "kernels").write_text("a file")
    find = "*d.find_folders('gammond.engine.kernels.phases')"
    show = f"from gammond.engine.kernels import disk_cache as d; print({find}, file=d.sys.stderr)"
    code = f"{COMPILE}; {show}"
    warning, *_, private = fork(tmp_path, code).splitlines()
    assert "cannot use" in warning
    assert "GAMMOND_CACHE" in warning
    assert "gammond-kernels-" in private
    assert not os.path.exists(private)


def test_a_full_disk_is_reported_once_and_kernels_still_run(fork, tmp_path):
    full = "raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))"
    code = (
        "import errno, os; from gammond.engine.kernels import disk_cache as d\n"
        f"def fail(*_): {full}\n"
        f"d._Files.save_overload = fail\n{COMPILE}"
    )
    said = fork(tmp_path, code)
    assert said.count("No space left on device") == 1
    assert "so kernels are compiled at each start; make room for 20 MB there, or set GAMMOND_CACHE" in said


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_only_their_user_can_write_kernels_and_others_read_them_unless_his_umask_forbids(
    fork, tmp_path, umask
):
    cache = tmp_path / "new" / "cache"
    fork(cache, f"import os; os.umask({umask}); {COMPILE}")
    assert cache.parent.stat().st_mode & 0o777 == 0o700
    folders = [cache, *(each for each in cache.rglob("*") if each.is_dir())]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o755 & ~umask}
    files = [each for each in cache.rglob("*") if each.is_file()]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o644 & ~umask}


NO_WRITING = """
import tempfile
make_file, make_folder = tempfile.TemporaryFile, tempfile.mkdtemp
def refuse(**where):
    raise OSError(30, "Read-only file system")
tempfile.TemporaryFile = refuse
"""


def test_prepared_kernels_in_a_folder_that_cannot_be_written_are_used_without_a_word(fork, first_use):
    cache, _ = first_use
    before = {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")}
    assert fork(cache, f"{NO_WRITING}{REPORT_SOON}; {COMPILE}") == ""
    assert {file: file.stat().st_mtime_ns for file in cache.rglob("*.nb?")} == before


def test_kernels_that_such_a_folder_lacks_are_compiled_elsewhere_with_a_message(fork, first_use, tmp_path):
    cache, _ = first_use
    shutil.copytree(cache, tmp_path / "cache")
    for file in (tmp_path / "cache").rglob("*.nbi"):
        file.unlink()
    before = set((tmp_path / "cache").rglob("*"))
    warning, *said = fork(tmp_path / "cache", f"{NO_WRITING}{REPORT_SOON}; {COMPILE}").splitlines()
    assert "lacks kernels and cannot be written, so they are compiled at each start" in warning
    assert "`gammond prepare` as a user who can write it compiles them once" in warning
    assert not [line for line in said if "compiling kernels once" in line]
    assert set((tmp_path / "cache").rglob("*")) == before


@pytest.mark.parametrize("kind", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("size", [0, 40])
def test_files_that_were_cut_short_are_compiled_anew_and_replaced(fork, first_use, tmp_path, kind, size):
    cache, _ = first_use
    shutil.copytree(cache, tmp_path / "cache")
    for file in (tmp_path / "cache").rglob(kind):
        os.truncate(file, size)
    assert "compiling kernels once" in fork(tmp_path / "cache", f"{REPORT_SOON}; {COMPILE}")
    assert fork(tmp_path / "cache", f"{REPORT_SOON}; {COMPILE}") == ""


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
@pytest.mark.parametrize("shared", ["", "kernels"])
def test_kernels_in_a_folder_that_others_can_write_are_not_run(tmp_path, fresh_folders, capsys, shared):
    (tmp_path / "kernels").mkdir(mode=0o700)
    (tmp_path / shared).chmod(0o777)
    (used,) = disk_cache.find_folders("gammond.engine.kernels.phases")
    assert tmp_path not in used.parents
    said = capsys.readouterr().err
    assert "can be written by other users" in said
    assert "so kernels are compiled at each start; set GAMMOND_CACHE" in said


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0, reason="only the administrator can give files away"
)
def test_kernels_of_another_user_are_not_run(fork, tmp_path):
    (tmp_path / "kernels").mkdir(mode=0o700)
    os.chown(tmp_path / "kernels", 12345, 12345)
    assert "belongs to another user" in fork(tmp_path)


def test_without_any_folder_kernels_still_run(fork, tmp_path):
    (tmp_path / "kernels").write_text("a file")
    code = f"import tempfile; tempfile.mkdtemp = lambda **_: open('/no/such/folder'); {COMPILE}"
    assert "cannot use" in fork(tmp_path, code)


def test_folders_unused_for_a_month_are_dropped(tmp_path, fresh_folders):
    stale, used = tmp_path / "kernels" / "stale", tmp_path / "kernels" / "used"
    stale.mkdir(parents=True)
    used.mkdir()
    long_ago = time.time() - 40 * 24 * 3600
    os.utime(stale, (long_ago, long_ago))
    disk_cache.find_folders("gammond.engine.kernels.moves")
    assert not stale.exists()
    assert used.exists()


@pytest.mark.parametrize(
    ("module", "users"),
    [
        (
            "gammond.engine.kernels.nets.tesauro196",
            ["tesauro196", "play_evaluation", "packed_nets", "routing"],
        ),
        ("gammond.engine.kernels.nets.expert248", ["packed_nets", "routing", "look_ahead", "trials"]),
        ("gammond.engine.kernels.nets.patterns", ["packed_nets", "routing", "look_ahead", "trials"]),
    ],
)
def test_the_hash_of_a_module_covers_the_modules_it_imports(monkeypatch, module, users):
    names = [f"gammond.engine.kernels.nets.{user}" for user in users]
    before = [disk_cache.hash_sources(name) for name in names]
    unrelated = disk_cache.hash_sources("gammond.engine.kernels.formats")
    read = version._read_module
    monkeypatch.setattr(
        version, "_read_module", lambda name: (b"", read(name)[1]) if name == module else read(name)
    )
    assert not set(before) & {disk_cache.hash_sources(name) for name in names}
    assert disk_cache.hash_sources("gammond.engine.kernels.formats") == unrelated
