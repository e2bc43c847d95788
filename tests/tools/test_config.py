"""`gammond config`."""

import errno
from pathlib import Path

import pytest

from gammond.tools.cli import main


@pytest.fixture(autouse=True)
def data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    return tmp_path


def test_preferences_are_listed_set_shown_and_reset(capsys, data_folder):
    def run(*arguments):
        status = main(["config", *arguments])
        return status, capsys.readouterr().out

    assert run("theme", "light") == (0, "theme = light\n")
    assert run("theme") == (0, "light\n")
    _, listed = run()
    assert "theme     light" in listed
    assert listed.endswith(f"File: {data_folder / 'config.toml'}\n")
    assert run("theme", "--reset") == (0, "theme = terminal\n")
    assert run("theme") == (0, "terminal\n")


def test_a_folder_that_cannot_be_written_is_named_with_what_chooses_another(capsys, monkeypatch):
    real = Path.open

    def open_none_anew(self, mode="r", *rest, **more):
        if "x" in mode:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(self, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", open_none_anew)
    assert main(["config", "theme", "light"]) == 2
    said = capsys.readouterr().err
    assert "cannot be written (Permission denied): set GAMMOND_DATA to a folder that you can write" in said
