"""`gammond doctor`: what is there, what is wrong, and the exit status."""

import json
import shutil

import pytest

from gammond.engine.bearoff import databases
from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import data_folder
from gammond.tools import cli, doctor


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


def test_a_folder_that_cannot_be_written_names_its_variable(monkeypatch, tmp_path):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(DataFileError, match="set GAMMOND_DATA to a folder of this user"):
        doctor._check_folder(tmp_path, "GAMMOND_DATA")
