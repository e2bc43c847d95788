import io
import os
import re
import signal
import threading
import time

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from gammond.engine.runtime.compilation import CompilationReport
from gammond.protocol.repl.answers.replies import BoardLine, PreformattedLine
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.terminal import line_work, pages, prompt_loop
from tests.protocol.repl.tables import make_session, make_talk
from tests.protocol.talking import make_info

CTRL_C, CTRL_D, CTRL_E, TAB = "\x03", "\x04", "\x05", "\t"


def typed(keys, talk, history=None):
    """Type keys at a prompt until the session ends; return the lines shown."""
    said = []
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        prompt = prompt_loop.make_prompt(
            talk, history=history or InMemoryHistory(), input_=keyboard, output=DummyOutput()
        )
        prompt_loop.PromptLoop(talk, prompt, said.extend).run()
    return said


def test_a_game_is_played_hinted_and_taken_back_at_the_prompt():
    talk = LineInterpreter(make_session([(3, 1), (5, 2)]))
    said = typed("play\rhint 1\r8/5 6/5\rundo\rquit\r", talk)
    assert said[0] == "You roll 3, gammond 1. You start with 3-1."
    assert "You play 8/5 6/5." in said
    assert any(line.startswith("5-2: gammond plays ") for line in said)
    assert "Undone: you are to play 3-1." in said
    assert said[-1] == "Goodbye."


def test_ctrl_c_cancels_the_line_and_ctrl_d_leaves():
    said = typed(f"newga{CTRL_C}get game.length\r{CTRL_D}", make_talk())
    assert said == ["value game.length 0"]


def test_lines_are_kept_in_the_history_file_and_suggested_from_it(tmp_path):
    file = tmp_path / "state" / "history"
    assert isinstance(prompt_loop.open_history(file), FileHistory)
    typed(f"get game.length\r{CTRL_D}", make_talk(), prompt_loop.open_history(file))
    assert list(prompt_loop.open_history(file).load_history_strings()) == ["get game.length"]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", [""]),
        ("as long as it may", ["as long as it may"]),
        ("some words too long for it", ["some words too", "  long for it"]),
        ("  hint [N] : rank the plays", ["  hint [N] : rank", "    the plays"]),
        ("an-unbroken-word-that-is-too-long for it", ["an-unbroken-word-that-is-too-long", "  for it"]),
        ("[tiny|narrow|normal] filters", ["[tiny|narrow|", "  normal] filters"]),
        (PreformattedLine(" | X   O  |  |  O   X |"), [" | X   O  |  |  O   X |"]),
    ],
)
def test_lines_break_between_words_unless_they_are_drawn(line, parts):
    assert pages.wrap_line(line, 17) == parts


def test_answers_fit_the_terminal_and_errors_are_red():
    written = io.StringIO()
    output = Vt100_Output(written, lambda: Size(rows=24, columns=60), term="xterm")
    talk = make_talk("newgame", "dice 3 1")
    with create_app_session(output=output):
        for line in ("help", "keys", "help go", "board", "eval", "nonsense that is nothing"):
            pages.show(talk.answer(line))
    lines = plain(written.getvalue())
    assert max(len(line.rstrip()) for line in lines if not line.startswith(" |")) <= 60
    assert any(line.startswith("error: expected a command or a play") for line in lines)
    assert "\x1b[0;31merror: expected" in written.getvalue()
    assert "\x1b[0;31m  'nonsense'" in written.getvalue()


def test_the_toolbar_takes_the_width_of_the_terminal(monkeypatch):
    talk, widths = make_talk(), []

    def toolbar(width):
        widths.append(width)
        return ""

    monkeypatch.setattr(talk.talk, "toolbar", toolbar)
    typed(CTRL_D, talk)
    assert set(widths) == {DummyOutput().get_size().columns}


def test_a_history_that_cannot_be_written_is_kept_in_memory(tmp_path, capsys):
    (tmp_path / "state").write_text("a file, no folder")
    assert isinstance(prompt_loop.open_history(tmp_path / "state" / "history"), InMemoryHistory)
    assert "history is not saved" in capsys.readouterr().out


def test_the_history_lies_in_the_data_folder_that_was_set(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    assert prompt_loop.get_history_file() == tmp_path / "history"
    monkeypatch.delenv("GAMMOND_DATA")
    assert "gammond" in prompt_loop.get_history_file().parts


def test_suggestions_become_completions_at_the_cursor():
    completer = prompt_loop.ReplCompleter(make_talk("newgame", "dice 3 1"))
    (found,) = completer.get_completions(Document("play 8/5 6"), None)
    assert (found.text, found.start_position) == ("8/5 6/5", -5)


def screen_of(draw):
    """Draw something on a terminal of 60 columns; return the output."""
    written = io.StringIO()
    draw(Vt100_Output(written, lambda: Size(rows=24, columns=60), term="xterm"))
    return written.getvalue()


def draw_answer(talk, said=None):
    """Answer a line on a terminal of 60 columns; return its output, without what is said."""
    show = ([] if said is None else said).extend
    return screen_of(lambda output: line_work.answer_interruptibly(talk, "", show, pages.StatusLine(output)))


def working(talk, monkeypatch, *texts):
    """Make the interpreter report progress before each answer."""

    def work(line, control):
        for text in texts:
            control.report(make_info(text))
        return ["done"]

    monkeypatch.setattr(talk, "answer", work)


def test_a_line_whose_answer_fails_keeps_nobody_waiting(monkeypatch):
    said = []
    talk = make_talk()
    monkeypatch.setattr(talk, "answer", lambda line, control: {}["nothing"])
    line_work.answer_interruptibly(talk, "hint", said.extend)
    assert said[0].startswith("error: internal error")


def test_progress_is_drawn_over_itself_and_erased_before_the_answer(monkeypatch):
    talk, said = make_talk(), []
    working(talk, monkeypatch, "nodes 7 time_ms 900", "trials 9 of 36 time_ms 950")
    written = draw_answer(talk, said)
    first, second = "thinking: 7 positions, 0.9 s", "rolling out: 9 of 36 trials, 0.9 s"
    assert written == f"\r\x1b[K{first}\r\r\x1b[K{second}\r\r\x1b[K"
    assert said == ["done"]


def test_progress_is_drawn_while_a_kernel_is_compiled_whose_report_comes_seldom(monkeypatch):
    talk, compiling = make_talk(), CompilationReport(io.StringIO())
    compiling.begin("kernel")
    monkeypatch.setattr(line_work, "COMPILATION", compiling)
    working(talk, monkeypatch, "trials 0 of 36 time_ms 950")
    written = draw_answer(talk)
    compiling.end("kernel")
    assert "rolling out: 0 of 36 trials" in written


def test_quick_work_draws_nothing(monkeypatch):
    talk = make_talk()
    working(talk, monkeypatch, "depth 1 nodes 7 time_ms 20")
    assert draw_answer(talk) == ""


def test_progress_is_cut_to_the_width_of_the_terminal():
    written = screen_of(lambda output: pages.StatusLine(output).draw("x" * 100))
    assert written.count("x") == 59


def test_a_stopped_work_erases_its_progress_before_it_says_so(monkeypatch):
    talk, said = make_talk(), []

    def search(line, control):
        control.report(make_info("nodes 7 time_ms 900"))
        os.kill(os.getpid(), signal.SIGINT)
        while not control.is_stopped:
            time.sleep(0.01)
        return ["best so far"]

    monkeypatch.setattr(talk, "answer", search)
    written = draw_answer(talk, said)
    assert written.endswith("\r\x1b[K")
    assert said == ["stopping; press Ctrl-C again to leave", "best so far"]


def test_no_progress_is_drawn_where_the_output_is_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert pages.make_status_line() is None


def test_a_second_ctrl_c_leaves(monkeypatch):
    talk = make_talk()
    has_left = threading.Event()

    def search(line, control):
        os.kill(os.getpid(), signal.SIGINT)
        while not control.is_stopped:
            time.sleep(0.01)
        time.sleep(0.1)  # until the main thread waits again
        os.kill(os.getpid(), signal.SIGINT)
        has_left.wait(60)
        return []

    monkeypatch.setattr(talk, "answer", search)
    with pytest.raises(KeyboardInterrupt):
        line_work.answer_interruptibly(talk, "hint", lambda lines: None)
    has_left.set()


def make_unstoppable(talk, monkeypatch, word="start"):
    """Let the interpreter begin an answer to a word, interrupt itself, and end it when it is told to."""
    may_end, answer = threading.Event(), talk.answer

    def work(line, control=None):
        if line != word:
            return answer(line, control)
        os.kill(os.getpid(), signal.SIGINT)
        may_end.wait(60)
        return ["late"]

    monkeypatch.setattr(talk, "answer", work)
    monkeypatch.setattr(line_work, "STOPPING_S", 0.2)
    return may_end


def test_what_ctrl_c_cannot_end_gives_the_prompt_back_within_a_second_and_its_answer_later(monkeypatch):
    talk, said = make_talk(), []
    may_end = make_unstoppable(talk, monkeypatch)
    with create_pipe_input() as keyboard:
        prompt = prompt_loop.make_prompt(
            talk, history=InMemoryHistory(), input_=keyboard, output=DummyOutput()
        )

        def show(lines):
            said.extend(lines)
            if any("in the background" in line for line in lines):
                keyboard.send_text("get game.le")
                threading.Timer(0.3, may_end.set).start()
            if "late" in lines:
                keyboard.send_text(f"ngth\r{CTRL_D}")

        keyboard.send_text("start\r")
        prompt_loop.PromptLoop(talk, prompt, show).run()
    assert said == [
        "stopping; press Ctrl-C again to leave",
        "It goes on in the background until its answer is there; what you type next waits for it.",
        "late",
        "value game.length 0",
    ]


def test_what_is_typed_before_waits_for_a_late_answer_and_quit_does_not(monkeypatch):
    talk = make_talk()
    may_end = make_unstoppable(talk, monkeypatch)
    wait = line_work.LineWork.wait

    def end_soon(answer, what, *patience_s):
        if what.startswith("waiting"):
            threading.Timer(0.05, may_end.set).start()
        return wait(answer, what, *patience_s)

    monkeypatch.setattr(line_work.LineWork, "wait", end_soon)
    assert typed(f"start\rget game.length\r{CTRL_D}", talk)[2:] == ["late", "value game.length 0"]
    talk = make_talk()
    may_end = make_unstoppable(talk, monkeypatch)
    assert len(typed("start\rquit\r", talk)) == 2
    may_end.set()


def test_ctrl_c_while_a_line_waits_for_a_late_answer_goes_back_to_the_line(monkeypatch):
    talk = make_talk()
    may_end = make_unstoppable(talk, monkeypatch)
    wait, waits = line_work.LineWork.wait, []

    def interrupt(answer, what, *patience_s):
        if what.startswith("waiting"):
            waits.append(what)
            if len(waits) == 1:
                raise KeyboardInterrupt
            may_end.set()
        return wait(answer, what, *patience_s)

    monkeypatch.setattr(line_work.LineWork, "wait", interrupt)
    said = typed(f"start\rget game.length\r\r{CTRL_D}", talk)
    assert said[2:] == ["late", "value game.length 0"]
    assert waits == ["waiting for the answer before: {}; Ctrl-C goes back to the line"] * 2


def test_several_pasted_lines_are_answered_one_by_one():
    paste = "\x1b[200~newgame\ndice 3 1\n8/5 6/5\n\x1b[201~"
    said = typed(f"{paste}\r{CTRL_D}", make_talk())
    assert [line for line in said if line.startswith(prompt_loop.PROMPT)] == [
        *("gammond> newgame", "gammond> dice 3 1", "gammond> 8/5 6/5"),
    ]
    assert "3-1: O plays 8/5 6/5." in said
    assert not any(line.startswith("error") for line in said)


def test_pasted_lines_after_quit_are_not_answered():
    said = typed("\x1b[200~quit\nget game.length\x1b[201~\r", make_talk())
    assert said[-1] == "Goodbye."


def shown(lines, *, rows=24, columns=80, **options):
    written = io.StringIO()
    with create_app_session(
        output=Vt100_Output(written, lambda: Size(rows=rows, columns=columns), term="xterm")
    ):
        pages.show(lines, **options)
    return written.getvalue()


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).splitlines()


def test_an_exchange_fits_a_screen_of_24_rows_with_the_prompt_and_the_line_below():
    talk = make_talk("new 5", "chances", rolls=[(3, 1), (5, 2)])
    assert len(plain(shown(talk.answer("8/5 6/5")))) <= 24 - 2


@pytest.mark.parametrize(("count", "stops"), [(22, 0), (23, 1), (44, 1), (45, 2)])
def test_an_answer_stops_before_its_first_line_leaves_the_screen(monkeypatch, count, stops):
    asked = []
    monkeypatch.setattr(pages, "_ask_for_more", lambda: asked.append(True) or True)
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(getattr(pages.sys, name), "isatty", lambda: True, raising=False)
    assert len(plain(shown([f"line {number}" for number in range(count)], rows=24))) == count
    assert len(asked) == stops


def test_on_a_low_screen_the_sentences_come_after_the_board():
    talk = make_talk("new 5", "chances", rolls=[(3, 1), (5, 2)])
    lines = plain(shown(talk.answer("8/5 6/5"), rows=18))
    assert lines[0].startswith("  12 11 10")
    assert lines[15] == "You play 8/5 6/5."


def test_a_narrow_screen_gets_a_narrow_board():
    talk = make_talk("new 5", rolls=[(3, 1)])
    for columns in (32, 50, 70):
        talk.game.columns = columns
        lines = plain(shown(talk.answer("board"), columns=columns))
        assert max(map(len, lines)) < columns
        assert any("rolled" in line for line in lines)


def test_a_narrow_screen_gets_narrow_tables(monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", "/data")  # whose name `config` shows as it is, however long
    talk = make_talk("new 5", rolls=[(3, 1)])
    plays = plain(shown(talk.answer("hint 2"), columns=40))
    assert plays[0].split() == ["equity", "behind", "play"]
    assert plays[1].split()[0] == "1"
    double = make_talk("set game.length 3", "newgame").answer("hint")
    assert [line[:6] for line in plain(shown(double, columns=40))[1:4]] == ["no dou", "double", "double"]
    for lines in (plays, plain(shown(double, columns=40)), plain(shown(talk.answer("config"), columns=40))):
        assert max(map(len, lines)) <= 40


def test_themes_colour_and_no_color_does_not(monkeypatch):
    board = make_talk("newgame", "dice 3 1").answer("board")
    assert shown(board, theme="terminal") != shown(board, theme="light") != shown(board, theme="plain")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown(board))


def test_work_without_progress_says_after_a_second_that_it_goes_on(monkeypatch):
    monkeypatch.setattr(line_work, "SILENT_S", 0.05)
    talk = make_talk()

    def work(line, control):
        time.sleep(0.3)
        return ["done"]

    monkeypatch.setattr(talk, "answer", work)
    written = draw_answer(talk)
    assert "working: 0 s; Ctrl-C ends it" in written
    assert written.endswith("\r\x1b[K")


def test_the_board_is_lost_when_answers_below_it_push_it_off_and_only_then():
    size = Size(rows=24, columns=80)
    board = [BoardLine("|")] * 15
    sight = pages.Sight()
    assert not sight.loses_board(["one"] * 5, size)
    sight.note([*board, "below"], size)
    assert not sight.loses_board(["one"] * 3, size)
    sight.note(["one"] * 3, size)
    assert sight.loses_board(["one"] * 3, size)
    assert not sight.loses_board(["one"] * 8, size)
    assert not sight.loses_board(board, size)


def test_what_was_rolled_and_played_last_is_said_again_when_an_answer_pushes_it_off():
    size = Size(rows=24, columns=80)
    talk = make_talk("new 5", rolls=[(3, 1), (5, 2), (6, 2)])
    sight = pages.Sight()
    played = talk.answer("8/5 6/5")
    news = talk.game.news
    assert news == played[:2] == ["You play 8/5 6/5.", "5-2: gammond plays 24/22 13/8."]
    assert sight.find_lost(news, played, size) == []
    sight.note(played, size)
    assert sight.find_lost(news, ["short"] * 3, size) == []
    assert sight.find_lost(news, ["long"] * 10, size) == news
    assert sight.find_lost(news, ["too long"] * 30, size) == []
    rolled = talk.answer("roll")
    assert rolled[0] == "You roll 6-2."
    assert sight.find_lost(talk.game.news, rolled, size) == news
    assert sight.find_lost(talk.game.news, rolled, Size(rows=40, columns=80)) == []
    talk.answer("newgame")
    assert talk.game.news == []
