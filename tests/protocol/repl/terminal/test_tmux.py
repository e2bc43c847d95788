"""The terminal as it is on a screen: in tmux, where that is installed."""

from __future__ import annotations

import html
import re
import shutil
import time

import pytest

from engine.bearoff.databases import data_folder
from protocol.repl.terminal.prompt_loop import PROMPT
from tests.protocol.repl.dialogue.test_docs import TRANSCRIPTS, exchanges
from tests.protocol.repl.recording import PICTURE, record
from tests.protocol.repl.screen import ENDED, ROOT, WAIT_S, Screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


@pytest.fixture
def open_screen(tmp_path):
    screens = []

    def make(*size, **options):
        screens.append(Screen(tmp_path, *size, **options))
        return screens[-1]

    yield make
    for screen in screens:
        screen.close()


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


@pytest.mark.slow
def test_the_picture_of_the_readme_shows_what_the_program_does():
    pieces = re.findall(r"<text [^>]*>([^<]*)</text>", (ROOT / PICTURE).read_text("utf-8"))
    drawn = "".join("".join(html.unescape(piece) for piece in pieces).split())
    rows = {re.sub(r"\x1b\[[0-9;]*m", "", row) for frame in record() for row in frame.rows}
    assert len(rows) > 40
    assert not [row for row in rows if "".join(row.split()) not in drawn]


def answer_on(screen, typed):
    """Wait for the answer to the line that was typed last, after others; return it with single blanks."""
    end_s = time.monotonic() + WAIT_S
    while True:
        if screen.lines()[-1].startswith("-- more"):
            screen.type("Space")
        lines = screen.lines("-S", "-", "-J")
        places = [place for place, line in enumerate(lines) if line.startswith(PROMPT.rstrip())]
        ends = [*places[typed:], *(place for place, line in enumerate(lines) if ENDED in line)]
        if ends:
            return " ".join(" ".join(lines[places[typed - 1] + 1 : ends[0]]).split())
        assert time.monotonic() < end_s, lines
        time.sleep(0.05)


def without_numbers(text):
    return re.sub(r"[-+]?[0-9]+\.[0-9]+", "NUMBER", text)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0])
def test_a_transcript_of_the_page_is_what_a_terminal_shows(open_screen, transcript, size, tmp_path):
    for database in data_folder().glob("*.bearoff"):
        (tmp_path / database.name).symlink_to(database)
    screen = open_screen(*size, module="tests.protocol.repl.scripted")
    for number, (line, expected) in enumerate(exchanges(transcript), 1):
        screen.type("C-u")
        screen.type("-l", line)
        screen.type("Enter")
        got = answer_on(screen, number)
        pattern = re.escape(without_numbers(" ".join(" ".join(expected).split())))
        pattern = re.sub(r"(\\ )?\\\.\\\.\\\.(\\ )?", ".*", pattern)
        assert re.fullmatch(pattern, without_numbers(got)), f"{line!r}: {got}"
