"""The terminal as it is on a screen: in tmux, where that is installed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WAIT_S = 60.0

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


class Screen:
    """A terminal of some size in which ``gammond`` runs."""

    def __init__(self, folder, columns, rows, **environment):
        self.socket = str(folder / "tmux")
        settings = {"GAMMOND_DATA": str(folder), "PYTHONPATH": str(ROOT), **environment}
        command = ["env", *(f"{name}={value}" for name, value in settings.items())]
        command += [sys.executable, "-m", "gammond"]
        self.tmux("-f", os.devnull, "new", "-d", "-x", str(columns), "-y", str(rows), shlex.join(command))
        self.wait_for("gammond> ")

    def tmux(self, *arguments, text=None):
        done = subprocess.run(
            ["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=True, input=text
        )
        return done.stdout

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def paste(self, text):
        self.tmux("load-buffer", "-", text=text)
        self.tmux("paste-buffer", "-p")

    def lines(self, *options):
        return self.tmux("capture-pane", "-p", *options).rstrip("\n").split("\n")

    def wait_for(self, text):
        """Wait until a text is on the screen, and a prompt below it; return the screen."""
        end_s = time.monotonic() + WAIT_S
        while time.monotonic() < end_s:
            lines = self.lines()
            found = [place for place, line in enumerate(lines) if text.rstrip() in line]
            prompts = [place for place, line in enumerate(lines) if line.rstrip() == "gammond>"]
            if found and prompts and found[-1] <= prompts[-1] < len(lines) - 1:  # and the line below it
                return lines
            time.sleep(0.1)
        raise AssertionError(f"{text!r} did not come: {self.lines()}")


@pytest.fixture
def open_screen(tmp_path):
    screens = []

    def make(*size, **environment):
        screens.append(Screen(tmp_path, *size, **environment))
        return screens[-1]

    yield make
    for screen in screens:
        subprocess.run(["tmux", "-S", screen.socket, "kill-server"], check=False, capture_output=True)


def test_at_80_by_24_a_play_and_the_whole_board_are_in_sight_and_lines_typed_ahead_leave_no_trace(
    open_screen,
):
    screen = open_screen(80, 24)
    for line in ("newgame", "dice 3 1", "8/5 6/5"):
        screen.type(line, "Enter")
    lines = screen.wait_for("3-1: O plays 8/5 6/5.")
    place = lines.index("3-1: O plays 8/5 6/5.")
    assert lines[place - 1] == "gammond> 8/5 6/5"
    assert lines[place + 1].startswith("  12 11 10")
    assert lines[place + 15].startswith("  13 14 15")
    assert lines[place + 16].rstrip() == "gammond>"
    assert lines[-1].startswith(" X to roll or double | O 163 X 167 ")
    screen.type("24", "Tab")
    assert "X to roll" in screen.lines()[-1]


def test_pasted_lines_run_one_by_one(open_screen):
    screen = open_screen(80, 40)
    screen.paste("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10\npip\n8/5 6/5\n")
    screen.type("Enter")
    lines = screen.wait_for("3-1: X plays 8/5 6/5.")
    asked = [line for line in lines if line.startswith("gammond> ") and line.rstrip() != "gammond>"]
    assert asked[-2:] == ["gammond> pip", "gammond> 8/5 6/5"]
    assert not any(line.startswith("error") for line in lines)


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_a_narrow_window_gets_a_narrow_board_in_colours_unless_they_are_unwanted(open_screen, environment):
    screen = open_screen(40, 30, **environment)
    screen.type("newgame", "Enter")
    lines = screen.wait_for("game, cube 1 centred")
    assert sum("+------------+--+------------+" in line for line in lines) == 2
    colours = re.findall(r"\x1b\[(?:[0-9]+;)*(?:3[1-6]|9[0-7])m", "\n".join(screen.lines("-e")))
    assert bool(colours) == (not environment)
