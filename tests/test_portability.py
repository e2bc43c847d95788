"""What players use works without POSIX: imports, commands and servers where gammond finds what Windows has.

`tests/support/windows` takes the rest away, in these processes and those that they start.
"""

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import gammond
from tests.support.processes import ROOT, run_gammond, run_python

MATCH = """ 1 point match

 Game 1
 Łucja : 0                            bob : 0
  1) 31: 8/5 6/5                      64: 24/14
  2) 52: 13/8 24/22                   21: 13/10
                                      Wins 1 point
"""
CODE_PAGE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"}
"""Where neither the system's encoding nor that of the streams is UTF-8."""

WINDOWS = os.environ | CODE_PAGE | {"PYTHONPATH": str(ROOT / "tests" / "support" / "windows")}

CHECK = """
import importlib, pkgutil

PACKAGES = ("engine", "nets", "protocol", "tools")
EXTRAS = {"gnubg_nn", "h11", "matplotlib", "onnx", "starlette", "torch", "uvicorn", "websockets"}
imported = 0
for package in PACKAGES:
    path = importlib.import_module(f"gammond.{package}").__path__
    for module in pkgutil.walk_packages(path, f"gammond.{package}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if error.name.partition(".")[0] not in EXTRAS:
                raise
        imported += 1
print(imported)
"""


@pytest.mark.slow
def test_every_module_imports_without_posix_modules():
    ended = run_python(CHECK, env=WINDOWS, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 300


def run(folder, *words, **options):
    ended = run_gammond(*words, cwd=folder, env=WINDOWS, timeout=300, encoding="utf-8", **options)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_session_over_pipes_works_as_on_windows(tmp_path):
    answers = run(tmp_path, input="position startpos\neval\ndice 3 1\nmoves 1\nquit\n").splitlines()
    assert [line.split()[0] for line in answers] == ["ok", "eval", "ok", "move", "moves", "ok"]


def test_what_is_written_into_files_and_pipes_is_utf_8_whatever_the_code_page(tmp_path):
    (tmp_path / "match.mat").write_text(MATCH, "utf-8")
    assert "Łucja" in run(tmp_path, "analyse", "match.mat", "--plies", "0")


def test_git_leaves_line_ends_of_files_as_they_are():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    command = ["git", "check-attr", "--stdin", "-z", "text"]
    told = subprocess.run(command, cwd=ROOT, input=listed.stdout, capture_output=True, check=True)
    assert set(told.stdout.split(b"\0")[2::3]) == {b"unset"}


@pytest.mark.slow
def test_commands_work_as_on_windows(tmp_path):
    (tmp_path / "match.mat").write_text(MATCH, "utf-8")
    positions = tmp_path / "positions.txt"
    positions.write_text("4HPwATDgc/ABMA\n" * 500)
    assert "8/5 6/5" in run(tmp_path, "hint", "startpos", "--dice", "31")
    assert "cubeful" in run(tmp_path, "rollout", "startpos", "--trials", "36", "--threads", "2")
    for _ in range(2):  # the second time in the place of the file that the first one wrote
        run(tmp_path, "batch", str(positions), "--threads", "2", "--output", "rows.csv", "--force")
        run(tmp_path, "analyse", "match.mat", "--plies", "0", "--output", "report.txt", "--force")
        run(tmp_path, "convert", "match.mat", "--to", "sgf", "--output", "match.sgf", "--force")
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 501
    games = "--games", "40", "--threads", "2"
    assert "points per game" in run(tmp_path, "tournament", "pubeval", "random", *games)


@pytest.mark.slow
def test_what_was_worked_out_is_kept_beside_a_file_that_another_program_has_open(tmp_path):
    (tmp_path / "match.mat").write_text(MATCH, "utf-8")
    report = tmp_path / "report.txt"
    report.write_text("last week's")
    with report.open():
        command = "analyse", "match.mat", "--plies", "0", "--output", "report.txt", "--force"
        ended = run_gammond(*command, cwd=tmp_path, env=WINDOWS)
    assert ended.returncode == 2
    (beside,) = set(tmp_path.glob("report.*.txt"))
    assert "close the program that has it open" in ended.stderr
    assert beside.name in ended.stderr
    assert "Łucja" in beside.read_text("utf-8")
    assert report.read_text("utf-8") == "last week's"


@pytest.mark.slow
def test_a_server_answers_and_ends_on_ctrl_c_as_on_windows(tmp_path):
    command = [sys.executable, "-m", "gammond", "serve", "--tcp", "0", "--web", "0"]
    server = subprocess.Popen(command, cwd=tmp_path, env=WINDOWS, stderr=subprocess.PIPE, text=True)
    said = ""
    while not ((port := re.search(r"listens on \S+ port (\d+)", said)) and "shows the board" in said):
        said += server.stderr.readline()
    page = re.search(r"http://\S+", said)[0]
    with gammond.Client.connect("127.0.0.1", int(port[1])) as client:
        assert client.evaluate(gammond.Position.start()).outcome.win == pytest.approx(0.526, abs=0.02)
        assert urllib.request.urlopen(page).status == 200
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=60)[1]
    assert server.returncode == 0
    assert "ended" in said
