"""The terminal as it is on a screen: in tmux, where that is installed."""

from __future__ import annotations

import html
import re
import shutil
import time

import pytest

from gammond.protocol.repl.terminal.prompt_loop import PROMPT
from tests.engine.match_files.played_games import MAT_GAME
from tests.protocol.repl.dialogue.test_docs import MATCH, TRANSCRIPTS, exchanges
from tests.protocol.repl.recording import PICTURE, record
from tests.protocol.repl.screen import ROOT, WAIT_S, Screen
from tests.support.data_folders import link_databases

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")


@pytest.fixture
def open_screen(tmp_path):
    screens = []
    link_databases(tmp_path)

    def make(*size, **options):
        screens.append(Screen(tmp_path, *size, **options))
        return screens[-1]

    yield make
    for screen in screens:
        screen.close()


@pytest.fixture(scope="module")
def shared_screens(tmp_path_factory):
    """By columns and rows: screens of a size in whose folder is a match, where several tests type."""
    screens = {}

    def find(*size):
        if size not in screens:
            folder = tmp_path_factory.mktemp("screen")
            link_databases(folder)
            (folder / "match.mat").write_text(f" 5 point match\n\n Game 1\n{MAT_GAME}")
            screens[size] = Screen(folder, *size)
        screens[size].type("C-u", "C-l")
        screens[size].wait_for_input("", row=0)
        return screens[size]

    yield find
    for screen in screens.values():
        screen.close()


def test_at_80_by_24_a_play_and_the_whole_board_are_in_sight_and_lines_typed_ahead_leave_no_trace(
    shared_screens,
):
    screen = shared_screens(80, 24)
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


@pytest.mark.slow
def test_the_picture_of_the_readme_shows_what_the_program_does():
    pieces = re.findall(r"<text [^>]*>([^<]*)</text>", (ROOT / PICTURE).read_text("utf-8"))
    drawn = "".join("".join(html.unescape(piece) for piece in pieces).split())
    rows = {re.sub(r"\x1b\[[0-9;]*m", "", row) for frame in record() for row in frame.rows}
    assert len(rows) > 40
    assert not [row for row in rows if "".join(row.split()) not in drawn]


def answer_on(screen, typed):
    """Wait for the answer to the line that was typed last, after others.

    Returns:
        What was on the screen before, and the answer, each with single blanks.
    """
    end_s = time.monotonic() + WAIT_S
    while True:
        if screen.lines()[-1].startswith("-- more"):
            screen.type("Space")
        has_ended = screen.has_ended
        lines = [line for line in screen.lines("-S", "-", "-J") if not line.startswith("Pane is dead")]
        places = [place for place, line in enumerate(lines) if line.startswith(PROMPT.rstrip())]
        if has_ended or len(places) > typed:
            end = None if has_ended else places[typed]
            pieces = lines[: places[typed - 1]], lines[places[typed - 1] + 1 : end]
            return tuple(" ".join(" ".join(piece).split()) for piece in pieces)
        assert time.monotonic() < end_s, lines
        time.sleep(0.05)


BOARD_FIRST = re.compile(r"(12 11 10 .* 19 20 21 22 23 24) (.*)")
"""An answer on a screen that is too low for it."""


def is_answer(pattern, found, earlier):
    """Return whether an answer is the expected one, beside what a low screen says again of the last turns."""
    match = re.fullmatch(rf"(.*?) ?{pattern} ?(.*)", found)
    return match is not None and all(repeated in earlier for repeated in match.groups())


def without_numbers(text):
    return re.sub(r"[-+]?[0-9]+\.[0-9]+", "NUMBER", text)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.splitlines()[0])
def test_a_transcript_of_the_page_is_what_a_terminal_shows(open_screen, transcript, size, tmp_path):
    (tmp_path / "match.mat").write_text(MATCH)
    screen = open_screen(*size, module="tests.protocol.repl.scripted")
    for number, (line, expected) in enumerate(exchanges(transcript), 1):
        screen.type("C-u")
        screen.type("-l", line)
        screen.type("Enter")
        earlier, got = map(without_numbers, answer_on(screen, number))
        pattern = re.escape(without_numbers(" ".join(" ".join(expected).split())))
        pattern = re.sub(r"(\\ )?\\\.\\\.\\\.(\\ )?", ".*", pattern)
        forms = got, BOARD_FIRST.sub(r"\2 \1", got)
        assert any(is_answer(pattern, form, earlier) for form in forms), f"{line!r}: {got}"


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_a_match_file_is_stepped_through_with_its_board_in_sight(shared_screens, columns, rows):
    screen = shared_screens(columns, rows)
    screen.type("open ma", "Tab")
    screen.wait_for_input("open match.mat")
    screen.type("Enter")
    screen.wait_for("Game 1 of 1, move 1 of 7. 6-4: Thomas Low plays 24/18 13/9.")
    screen.type("move 5", "Enter")
    lines = screen.wait_for("Game 1 of 1, move 5 of 7. 5-2: michy plays bar/23 6/1*.")
    place = next(at for at, line in enumerate(lines) if line.startswith("Game 1 of 1, move 5"))
    assert lines[place - 1] == "gammond> move 5"
    assert lines[place + 1].startswith("  12 11 10")
    assert lines[place + 15].startswith("  13 14 15")
    assert lines[place + 2].endswith("X: Thomas Low")
    assert lines[-1].startswith(" O (michy) to play 5-2 | ")
    assert lines[-1].rstrip().endswith("| game 1 move 5")
    screen.type("analyse plies=0", "Enter")
    screen.wait_for("Analysing 20 decisions at 0-ply in the background.")
    screen.type("errors 4", "Enter")
    lines = screen.wait_for("'error N' shows one of them on the board.")
    assert any(re.match(r"michy: [0-9.]+ points lost, PR ", line) for line in lines)
    assert any(line.startswith("  1    ") and " Thomas Low " in line for line in lines)
    screen.type("error 1", "Enter")
    lines = screen.wait_for(" lost 0.")
    place = next(at for at, line in enumerate(lines) if line.startswith("gammond> error 1"))
    assert lines[place + 3].startswith("  12 11 10")
    assert lines[place + 18].rstrip() == "gammond>"


@pytest.mark.slow
def test_the_line_below_the_prompt_follows_an_analysis_until_it_is_done(open_screen, tmp_path):
    (tmp_path / "match.mat").write_text(f" 5 point match\n\n Game 1\n{MAT_GAME}")
    screen = open_screen(100, 30)
    screen.type(f"open {tmp_path}/match.mat", "Enter")
    screen.wait_for("Game 1 of 1, move 1 of 7.")
    screen.type("analyse plies=3", "Enter")
    screen.wait_for("Analysing 20 decisions at 3-ply in the background.")
    turn = " X (Thomas Low) to play 6-4 | "
    screen.wait_until(lambda lines: "analysed 0/20" not in lines[-1], "nothing is analysed")
    screen.wait_until(
        lambda lines: lines[-1].startswith(turn) and "analysed" not in lines[-1], "the analysis does not end"
    )
    screen.type("back", "Enter")
    screen.wait_for("Luck: ")
