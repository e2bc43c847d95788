"""`gammond analyse` goes on where it was stopped: what is kept, and that the output is the same."""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gammond.engine.match_analysis import analysis
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.reading import read_matches
from gammond.tools import cli
from gammond.tools.analyse import analyser
from gammond.tools.analyse.kept_decisions import KeptDecisions
from tests.engine.match_files.played_games import MAT_MATCH as MATCH

ROOT = Path(__file__).parents[3]
OTHER = MATCH.replace("31: Bar/22 23/22", "31: Bar/22 6/5")
ROLLOUTS = ["--rollout", "--trials", "36", "--truncate", "2"]


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "one.mat", tmp_path / "two.mat"]
    for path, text in zip(paths, (MATCH, OTHER), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


@pytest.fixture
def kept(monkeypatch):
    """Keep the file of a run that is finished, as if it had been killed at its end."""
    monkeypatch.setattr(KeptDecisions, "remove", lambda self: None)


def run(*words, status=0):
    assert cli.main(["analyse", *map(str, words), "--threads", "1"]) == status


def find_kept(output):
    return output.with_name(output.name + ".unfinished")


@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_any_beginning_of_a_run_can_be_gone_on_from(form, files, tmp_path, kept):
    output = tmp_path / "out"
    words = [*files, "--plies", "0", *ROLLOUTS, "--format", form, "--output", output]
    run(*words)
    expected, content = output.read_bytes(), find_kept(output).read_bytes()
    lines = content.splitlines(keepends=True)
    searched, rolled = (
        sum(f'"stage":"{stage}"'.encode() in line for line in lines) for stage in ("searched", "rolled out")
    )
    assert searched > 25
    assert rolled > 5
    end = len(content)
    sizes = (end // 3, end - 10, end)
    for size in sizes if form == "json" else sizes[:2]:  # what is kept is the same for each form
        output.unlink()
        find_kept(output).write_bytes(content[:size])
        run(*words)
        assert output.read_bytes() == expected
        again = find_kept(output).read_bytes()
        assert sum(b'"stage"' in line for line in again.splitlines()) == searched + rolled


def test_a_folder_of_reports_has_the_date_of_its_beginning(files, tmp_path, kept):
    output = tmp_path / "reports"
    words = [*files, "--plies", "0", "--format", "html", "--output", output]
    run(*words)
    expected = {file.name: file.read_bytes() for file in output.iterdir()}
    assert sorted(expected) == ["001-one.html", "002-two.html"]
    content = find_kept(output).read_bytes()
    time.sleep(1.1)
    (output / "002-two.html").unlink()
    find_kept(output).write_bytes(content[: len(content) * 2 // 3])
    run(*words)
    assert {file.name: file.read_bytes() for file in output.iterdir()} == expected


def test_what_is_kept_is_not_analysed_again(files, tmp_path, kept, monkeypatch, capsys):
    output = tmp_path / "out.csv"
    words = [*files, "--plies", "0", "--format", "csv", "--output", output]
    run(*words)
    content = find_kept(output).read_bytes()
    lines = content.splitlines(keepends=True)
    find_kept(output).write_bytes(b"".join(lines[:-3]) + lines[-3][:40])
    done = []
    analyse = analysis.analyse_decision
    monkeypatch.setattr(analysis, "analyse_decision", lambda *args: done.append(1) or analyse(*args))
    capsys.readouterr()
    run(*words)
    assert len(done) == 3
    assert f"goes on with {find_kept(output)}, which has decisions of 2 matches" in capsys.readouterr().err


def test_other_settings_are_refused_until_they_are_forced(files, tmp_path, kept, capsys):
    output = tmp_path / "out.csv"
    words = [*files, "--format", "csv", "--output", output]
    run(*words, "--plies", "0")
    before = find_kept(output).read_bytes()
    run(*words, "--plies", "1", status=2)
    said = capsys.readouterr().err
    assert "is of a run with method gammond" in said
    assert "--force" in said
    assert find_kept(output).read_bytes() == before
    run(*words, "--plies", "1", "--force")
    assert output.read_text().count("1-ply") > 20


@pytest.mark.parametrize("what", ["nets", "databases", "program"])
def test_decisions_by_another_pruning_net_database_or_program_are_refused(
    files, tmp_path, kept, capsys, monkeypatch, what
):
    """All of them shape what a search finds."""
    output = tmp_path / "out.csv"
    words = [*files, "--plies", "0", "--format", "csv", "--output", output]
    run(*words)
    if what == "nets":
        pruner = argparse.Namespace(net_hashes={"fast-contact": "0" * 64})
        monkeypatch.setattr(analyser, "find_pruner", lambda: pruner)
    elif what == "databases":
        monkeypatch.setattr(analyser, "defer_bearoff", lambda: [argparse.Namespace(header="one-sided 12x15")])
    else:
        monkeypatch.setattr(analyser, "identify_program", lambda *_: "another")
    run(*words, status=2)
    assert f"is of a run with {what} " in capsys.readouterr().err


def test_damage_in_the_middle_is_said(files, tmp_path, kept, capsys):
    output = tmp_path / "out.csv"
    words = [*files, "--plies", "0", "--format", "csv", "--output", output]
    run(*words)
    lines = find_kept(output).read_bytes().splitlines(keepends=True)
    find_kept(output).write_bytes(b"".join([*lines[:5], b'{"stage":"searched"}\n', *lines[6:]]))
    run(*words, status=2)
    assert "line 6 cannot be read: it has no 'decision': add --force to begin anew" in capsys.readouterr().err


def test_a_decision_is_in_the_file_once_it_is_made(files, tmp_path):
    (match,) = read_matches(Path(files[0]).read_bytes())
    path = tmp_path / "out.unfinished"
    with KeptDecisions(path, {}) as decisions:
        decisions.open_match(match)["searched", 3] = ActionNotes()
        assert path.read_bytes().endswith(b'{"stage":"searched","decision":3}\n')


def test_nothing_is_left_of_a_run_that_ended(files, tmp_path):
    (tmp_path / "out").mkdir()
    run(*files, "--plies", "0", "--format", "csv", "--output", tmp_path / "out" / "new.csv")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["new.csv"]


@pytest.mark.slow
def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path):
    folder = tmp_path / "matches"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.mat").write_text(MATCH.replace("michy", f"ann{number}"))
    words = ["--plies", "1", *ROLLOUTS, "--format", "json"]
    expected, output = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    run(folder, *words, "--output", expected)
    command = [sys.executable, "-m", "gammond", "analyse", str(folder), *words, "--output", str(output)]
    kills = 0
    for wanted in (4, 15, 30):
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        kept = find_kept(output)
        deadline_s = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline_s:
            if kept.exists() and kept.read_bytes().count(b"\n") >= wanted:
                process.kill()
                break
            time.sleep(0.005)
        kills += process.wait(timeout=120) != 0
    assert kills >= 2
    assert not output.exists()
    run(folder, *words, "--output", output)
    assert output.read_bytes() == expected.read_bytes()
    assert len({json.loads(line)["file"] for line in output.read_text().splitlines()}) == 3
    assert not find_kept(output).exists()
