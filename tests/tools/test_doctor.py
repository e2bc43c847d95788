"""`gammond doctor`: what is there, what is wrong, and the exit status."""

import json
import shutil
import sqlite3
import tomllib

import pytest

from gammond.engine.bearoff import databases
from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import data_folder
from gammond.tools import cli, doctor
from gammond.tools.store import files
from tests.support.processes import ROOT


@pytest.fixture
def data(monkeypatch, tmp_path):
    """A data folder with the default databases, which would take seconds to build."""
    databases.load_bearoff()
    for header in databases.DEFAULT_BYTES:
        shutil.copy(data_folder() / header.file_name, tmp_path)
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    return tmp_path


def read_findings(capsys, *, status):
    assert cli.main(["doctor", "--json"]) == status
    report = json.loads(capsys.readouterr().out)
    assert (report["faults"] > 0) == bool(status)
    return {finding["part"]: finding for finding in report["findings"]}


def test_a_sound_installation_has_nothing_wrong(capsys):
    findings = read_findings(capsys, status=0)
    assert "numpy" in findings["packages"]["text"]
    assert findings["net strong"]["text"].startswith("5 nets as the manifest says")
    assert findings["2-ply"]["text"] == "8/5 6/5 with 3-1, 13/7 8/7 with 6-1"
    assert findings["0-ply"]["took_s"] > 0


def test_text_has_a_line_for_each_part_and_a_verdict(capsys):
    assert cli.main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("gammond: ")
    assert lines[-1] == "nothing is wrong"


def test_a_damaged_database_is_named_with_what_to_do(capsys, data):
    (data / "one-sided-6x15.bearoff").write_bytes(b"nothing of a database")
    found = read_findings(capsys, status=1)["one-sided 6x15"]
    assert found["is_wrong"]
    assert str(data / "one-sided-6x15.bearoff") in found["text"]


def test_what_wings_keep_is_examined_too(capsys, data):
    (data / "hypergammon-2.solution").write_bytes(b"GAMMHYPR")
    findings = read_findings(capsys, status=1)
    found = findings["hypergammon, 2 a side"]
    assert found["is_wrong"]
    assert "build it again with `gammond hypergammon build --checkers 2" in found["text"]
    assert "hypergammon, 3 a side" not in findings


def test_an_altered_net_of_ones_own_is_wrong_and_the_others_are_examined(capsys, data):
    (data / "nets" / "mine").mkdir(parents=True)
    (data / "nets" / "mine" / "manifest.toml").write_text("not a manifest")
    findings = read_findings(capsys, status=1)
    assert findings["net mine"]["is_wrong"]
    assert "is_wrong" not in findings["net strong"]


def test_a_damaged_store_is_wrong(capsys, monkeypatch, data):
    monkeypatch.delenv("GAMMOND_STORE", raising=False)
    (data / "analyses.sqlite").write_bytes(b"no database at all" * 100)
    assert read_findings(capsys, status=1)["store of analyses"]["is_wrong"]


def test_another_best_play_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr(doctor, "_BEST_OPENING_PLAYS", {(3, 1): "24/20"})
    found = read_findings(capsys, status=1)["2-ply"]
    assert found["text"] == "strong plays 8/5 6/5 with 3-1, expected 24/20"


@pytest.mark.parametrize("name", ["", "not/made/yet"])
def test_a_folder_that_cannot_be_written_names_its_variable(monkeypatch, tmp_path, name):
    assert "not made yet" in doctor._check_folder(tmp_path / "new", "GAMMOND_DATA")
    monkeypatch.setattr("os.access", lambda path, mode: path != tmp_path)
    with pytest.raises(DataFileError, match="set GAMMOND_DATA to a folder of this user"):
        doctor._check_folder(tmp_path / name, "GAMMOND_DATA")


def test_a_cache_of_another_user_is_wrong_only_while_kernels_are_missing(monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr(doctor, "count_kernels", lambda: (5, 5))
    assert doctor._check_cache().endswith("with all that another user prepared")
    monkeypatch.setattr(doctor, "count_kernels", lambda: (4, 5))
    with pytest.raises(DataFileError, match="set GAMMOND_CACHE to a folder of this user"):
        doctor._check_cache()


def test_a_store_that_cannot_be_written_says_who_shall_be_let_write_it(monkeypatch, data):
    monkeypatch.delenv("GAMMOND_STORE", raising=False)

    def refuse(file):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    (data / "analyses.sqlite").write_bytes(b"")
    monkeypatch.setattr(files, "StoreDatabase", refuse)
    for is_writable, advice in ((False, "let this user write it"), (True, "try again, or make room")):
        monkeypatch.setattr("os.access", lambda path, mode, is_writable=is_writable: is_writable)
        assert advice in doctor._look("store of analyses", doctor._check_store).text


def test_missing_packages_and_kernels_are_named_with_what_brings_them(monkeypatch):
    def find_none(name):
        raise doctor.PackageNotFoundError(name)

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    monkeypatch.setattr(doctor, "version", find_none)
    said = list(doctor._list_packages())
    assert said[0] == "no numpy"
    for name, extra in list(doctor._PACKAGES.items())[6:]:
        assert f"no {name} (pip install '.[{extra}]' brings it)" in said
        assert any(each.startswith(f"{name}>=") for each in extras[extra])
    monkeypatch.setattr(doctor, "count_kernels", lambda: (3, 5))
    assert doctor._check_kernels().startswith("3 of 5 compiled, so first answers wait: `gammond prepare`")
    monkeypatch.setattr(doctor, "count_kernels", lambda: (5, 5))
    assert doctor._check_kernels() == "all 5 compiled"
