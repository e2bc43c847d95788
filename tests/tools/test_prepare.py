"""`gammond prepare`: all kernels and databases once, so that requests of all kinds find them."""

import argparse
import errno
import json
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import pytest

from gammond.engine.bearoff import load_bearoff, save_table
from gammond.engine.bearoff.databases import DEFAULT_ONE_SIDED
from gammond.engine.errors import DataFileError, LimitError, StateError
from gammond.engine.kernels import disk_cache
from gammond.engine.runtime.compilation import CompilationReport
from gammond.engine.runtime.files import data_folder
from gammond.tools import cli, prepare
from gammond.tools.common import background
from gammond.tools.common.interrupts import GOES_ON
from tests.support.processes import ROOT, run_gammond, run_python

PAGE = (ROOT / "docs" / "guide" / "tools.md").read_text("utf-8")
PREPARED = data_folder()
SESSION_KERNELS = disk_cache.cache_root() / "kernels"
REQUESTS = """position startpos
eval plies=3
dice 6 4
moves 3 plies=2
rollout trials=36 truncate=5 candidates=2
newsession type match length 7
position startpos
cube plies=2
matrix away=3
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    disk_cache.find_folders.cache_clear()
    yield tmp_path / "cache"
    disk_cache.find_folders.cache_clear()
    disk_cache._prepare_parents.cache_clear()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with a cache that `gammond prepare` filled, and what it said.

    Compiling all takes minutes: `.ci/run` does it once for all its tests, and names it in `GAMMOND_PREPARED`.
    """
    if given := os.environ.get("GAMMOND_PREPARED"):
        return Path(given)
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "said").write_text(run("prepare", env=environment_of(folder)).stdout)
    return folder


def environment_of(folder):
    return {**os.environ, "GAMMOND_CACHE": str(folder / "cache"), "GAMMOND_DATA": str(folder / "data")}


def run(*words, **options):
    """Run the command, which may compile all there is."""
    ended = run_gammond(*words, timeout=600, **options)
    assert ended.returncode == 0, ended.stderr
    return ended


def find_loops(cache):
    return set(cache.rglob("*.nbc"))


def names_of(files):
    return {file.name.rsplit("-", 1)[0] for file in files}


@pytest.mark.slow
def test_preparing_compiles_nearly_all_kernels_and_then_nothing_is_compiled_or_built(prepared):
    cache, environment, said = prepared / "cache", environment_of(prepared), (prepared / "said").read_text()
    assert "bearoff databases" in said
    assert str(cache) in said
    files = sorted(cache.rglob("*.nbc"))
    names = {file.name.partition(".py")[0] for file in files}
    assert f"{len(names)} kernels" in said
    compiled = {name.rpartition("-")[0] for name in names}
    known = prepare._name_all_kernels()
    assert compiled == known
    answered = run(input=REQUESTS, env=environment)
    run("perft", "barca", "2", env=environment)
    assert "error" not in answered.stdout
    assert sorted(cache.rglob("*.nbc")) == files
    assert answered.stderr == ""
    again = run("prepare", env=environment).stdout
    assert again.startswith("all is prepared\n")
    (shown,) = re.findall(r"\$ gammond prepare\n(.*?)```", PAGE, re.DOTALL)
    assert blank(again) == blank(shown)


def blank(text):
    """Blank numbers and folders."""
    return re.sub(r"[0-9.]+", "NUMBER", re.sub(r" in /.*", " in FOLDER", text))


def test_a_mark_holds_for_one_program_and_only_while_all_is_there(cache, monkeypatch):
    folders = prepare._find_kernel_folders()
    kernel = folders[1] / "kernel.nbc"
    kernel.touch()
    monkeypatch.setattr(prepare, "_list_databases", lambda: [])
    assert not prepare.is_prepared(folders)
    prepare._leave_mark(folders)
    assert prepare.is_prepared(folders)
    (folders[1] / "another.nbc").touch()
    assert prepare.is_prepared(folders)
    with monkeypatch.context() as patch:
        patch.setattr(prepare, "_hash_program", lambda: "another")
        assert not prepare.is_prepared(folders)
    assert prepare.is_prepared(folders)
    (folders[1] / "another.nbc").unlink()
    kernel.unlink()
    assert not prepare.is_prepared(folders)


@pytest.mark.slow
def test_what_surrounds_the_nets_is_compiled_without_them_and_an_evaluation_finds_it(cache):
    begin = "from gammond.tools import prepare; prepare."
    assert run_python(f"{begin}compile_around_nets()", timeout=600).returncode == 0
    around = names_of(find_loops(cache))
    assert {"cubeful.compute_cube_values", "bearoff.number_boards"} <= around
    assert not [name for name in around if name.startswith(("routing.", "packed_nets.", "expert248."))]
    for folder in SESSION_KERNELS.glob("gammond.engine.kernels.nets.*"):
        shutil.copytree(
            folder, cache / "kernels" / folder.name
        )  # else they are compiled too, beside the others
    before = find_loops(cache)
    assert run_python(f"{begin}_ask(('position startpos', 'eval'))", timeout=600).returncode == 0
    later = names_of(find_loops(cache) - before) - around
    assert not [name for name in later if name.startswith(("cubeful.", "search.", "bearoff."))]


def test_what_builds_databases_is_compiled_though_they_are_there(monkeypatch):
    built = []
    monkeypatch.setattr(prepare, "load_bearoff", lambda: None)
    monkeypatch.setattr(prepare, "build_two_sided", lambda *size: built.append(size))
    table = argparse.Namespace(evaluate=lambda board: built.append(board.shape))
    monkeypatch.setattr(prepare, "build_one_sided", lambda *size: built.append(size) or table)
    prepare.run_job("bearoff databases")
    assert built == [(2, 2), (1, 15), (1, 2, 26)]


def test_ctrl_c_says_that_the_same_command_goes_on(cache, monkeypatch, capsys):
    def stop(folders, processes):
        raise KeyboardInterrupt

    monkeypatch.setattr(prepare, "prepare", stop)
    assert cli.main(["prepare", "--threads", "1"]) == cli.EXIT_INTERRUPTED
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"gammond: interrupted, {GOES_ON}\n")


def test_a_damaged_database_is_not_prepared_and_named(cache, monkeypatch, capsys):
    monkeypatch.setattr(prepare, "JOBS", {})
    for table in load_bearoff(PREPARED):
        save_table(table, cache.parent / "data" / table.header.file_name)
    assert cli.main(["prepare", "--threads", "1"]) == 0
    assert prepare.is_prepared(prepare._find_kernel_folders())
    damaged = cache.parent / "data" / DEFAULT_ONE_SIDED.file_name
    content = bytearray(damaged.read_bytes())
    content[5000] ^= 1
    damaged.write_bytes(content)
    assert not prepare.is_prepared(prepare._find_kernel_folders())
    capsys.readouterr()
    assert cli.main(["prepare", "--threads", "1"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"{damaged} cannot be used: its checksum does not match" in said.err
    assert "build it again with `gammond bearoff make" in said.err


def test_a_full_disk_ends_preparing_before_anything_is_compiled(cache, monkeypatch):
    folders = prepare._find_kernel_folders()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: argparse.Namespace(free=1_000_000))
    with pytest.raises(
        LimitError, match=r"expected 36\.6 MB free, got 1\.0 MB; make room there, or set GAMMOND_C"
    ):
        prepare.prepare(folders, 1)


def test_a_disk_that_fills_up_ends_a_job(cache, monkeypatch):
    monkeypatch.setattr(prepare, "load_bearoff", lambda: time.sleep(60))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: argparse.Namespace(free=0))
    started_s = time.monotonic()
    with pytest.raises(LimitError, match="is full"):
        prepare.run_job("bearoff databases")
    assert time.monotonic() - started_s < 40


def test_every_job_is_answered_without_an_error():
    for name in prepare.JOBS:
        assert prepare.run_job(name) == name


def test_a_job_with_a_wrong_line_is_an_error(monkeypatch):
    monkeypatch.setitem(prepare.JOBS, "wrong", ("nonsense",))
    with pytest.raises(StateError, match="preparing wrong: error bad_command"):
        prepare.run_job("wrong")


def test_a_cache_that_cannot_be_written_is_an_error(cache, capsys):
    cache.parent.mkdir(exist_ok=True)
    cache.write_text("a file")
    with pytest.raises(DataFileError, match="set GAMMOND_CACHE to a writable folder"):
        prepare._find_kernel_folders()


def test_what_others_prepared_is_enough_where_nothing_can_be_written(cache, monkeypatch, capsys):
    """As in an image whose files are only read."""
    monkeypatch.setattr(prepare, "_list_databases", lambda: [])
    folders = prepare._find_kernel_folders()
    (folders[1] / "kernel.nbc").touch()
    prepare._leave_mark(folders)
    disk_cache.find_folders.cache_clear()
    disk_cache._prepare_parents.cache_clear()
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse_to_write)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert cli.main(["prepare"]) == 0
    assert capsys.readouterr().out.startswith("all is prepared\n")
    (folders[1] / "kernel.nbc").unlink()
    assert cli.main(["prepare"]) == 2
    assert "cannot be written, so nothing can be kept: set GAMMOND_CACHE" in capsys.readouterr().err


def refuse_to_write(**_):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def test_what_is_prepared_is_reported_with_its_place_and_size(cache, monkeypatch, capsys):
    monkeypatch.setattr(prepare, "JOBS", {})
    monkeypatch.setattr(prepare, "_list_databases", lambda: [])
    assert cli.main(["prepare", "--threads", "1"]) == 0
    out = capsys.readouterr().out
    assert f"0 kernels, 0.0 MB, in {cache / 'kernels'}\n" in out
    assert "0 bearoff databases, 0.0 MB" in out
    assert json.loads((prepare._find_mark(prepare._find_kernel_folders())).read_text())["kernels"] == 0


def test_progress_counts_the_kernels_at_once_and_says_how_long_the_others_take(cache, capsys):
    folders = prepare._find_kernel_folders()
    names = prepare._name_all_kernels()
    assert {"moves.expand", "routing.evaluate_classes", "look_ahead.evaluate_positions"} <= names
    (folders[0] / "moves.expand-1.py311.1.nbc").touch()
    (folders[0] / "moves.expand-1.py311.2.nbc").touch()
    with prepare._show_progress(folders):
        pass
    said = capsys.readouterr().err
    assert said.startswith(
        f"gammond: preparing: 1 of {len(names)} kernels; step 1 of {len(prepare.JOBS)}: bearoff databases\n"
    )
    assert prepare._format_kernels(10, 60, 160, 20.0) == "60 of 160 kernels, about 40 s left"
    assert prepare._format_kernels(10, 10, 160, 20.0) == "10 of 160 kernels"
    assert prepare._format_kernels(10, 160, 160, 20.0) == "160 of 160 kernels"


def test_preparing_in_the_background_ends_with_the_program_that_started_it(tmp_path):
    ended = run_gammond("prepare", "--background", env=environment_of(tmp_path), input="", timeout=60)
    assert ended.returncode == 0


def test_the_background_is_asked_for_only_at_the_first_kernel_and_with_a_core_to_spare(monkeypatch):
    report = CompilationReport()
    monkeypatch.setattr(background, "COMPILATION", report)
    monkeypatch.setattr(background, "count_usable_cores", lambda: 1)
    background.prepare_on_first_compile()
    assert report.on_first is None
    monkeypatch.setattr(background, "count_usable_cores", lambda: 2)
    background.prepare_on_first_compile()
    assert report.on_first is background._start
