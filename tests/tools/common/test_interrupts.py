"""Ctrl-C, SIGTERM and SIGHUP: all stop a tool, once, and do not cut off its last output."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from gammond.engine.runtime.compilation import CompilationReport
from gammond.tools import cli
from gammond.tools.common import interrupts
from gammond.tools.common.interrupts import call_on_interrupt, raise_on_interrupt
from tests.support.processes import ROOT

KINDS = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
ALL = pytest.mark.parametrize("kind", KINDS)


def send(kind):
    os.kill(os.getpid(), kind)


@ALL
def test_each_signal_raises_and_the_handlers_are_put_back(kind):
    before = [signal.getsignal(each) for each in KINDS]
    with pytest.raises(KeyboardInterrupt), raise_on_interrupt():
        send(kind)
    assert [signal.getsignal(each) for each in KINDS] == before


def interrupt_what_cannot_clean_up():
    try:
        send(signal.SIGINT)
    finally:
        fail()


def fail():
    raise RuntimeError("nothing is compiled yet")


@pytest.mark.parametrize(
    ("act", "error"), [(interrupt_what_cannot_clean_up, KeyboardInterrupt), (fail, RuntimeError)]
)
def test_an_error_in_cleaning_up_after_a_signal_is_an_interrupt_and_any_other_is_none(act, error):
    with pytest.raises(error), raise_on_interrupt():
        act()


@ALL
def test_a_second_signal_soon_after_does_not_cut_the_ending_short(kind):
    said = []
    with raise_on_interrupt():
        try:
            send(signal.SIGINT)
        except KeyboardInterrupt:
            send(kind)
            said.append("all there is")
    assert said == ["all there is"]


def test_a_second_signal_much_later_breaks_in(monkeypatch):
    monkeypatch.setattr(interrupts, "GRACE_PERIOD_S", 0.0)
    with raise_on_interrupt():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                send(signal.SIGTERM)


@ALL
def test_a_tool_is_notified_instead_of_raising_and_its_ending_is_safe_too(kind):
    stopped = threading.Event()
    with raise_on_interrupt():
        with call_on_interrupt(stopped.set):
            send(kind)
            assert stopped.is_set()
        send(kind)


def test_ctrl_c_that_a_background_job_ignores_stays_ignored_and_sigterm_ends_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    stopped = threading.Event()
    try:
        with raise_on_interrupt(), call_on_interrupt(stopped.set):
            send(signal.SIGINT)
            assert not stopped.is_set()
            send(signal.SIGTERM)
            assert stopped.is_set()
    finally:
        signal.signal(signal.SIGINT, before)


AMID_COMPILING = """
import hashlib, sys
from gammond.engine.runtime.compilation import COMPILATION
from gammond.tools.common.interrupts import call_on_interrupt
COMPILATION.begin("kernel")
with call_on_interrupt(lambda: None, has_nothing=lambda: True):
    print("compiling", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 1_000_000_000)  # as the compiler, it lets no handler run
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is sent no Ctrl-C")
def test_a_tool_with_nothing_to_keep_ends_while_a_kernel_is_compiled():
    command = [sys.executable, "-c", AMID_COMPILING]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "compiling\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == cli.EXIT_INTERRUPTED
    assert out == ""
    assert err.splitlines()[-1] == "gammond: interrupted"


@pytest.mark.parametrize(("is_compiling", "has_nothing"), [(True, True), (True, False), (False, True)])
def test_a_tool_ends_at_once_only_while_a_kernel_is_compiled_and_nothing_is_kept(
    is_compiling, has_nothing, monkeypatch, capsys
):
    report, ended, is_compiling_over = CompilationReport(), threading.Event(), threading.Event()

    def end(status):
        assert status == cli.EXIT_INTERRUPTED
        ended.set()
        is_compiling_over.wait()

    report.is_silent = True
    monkeypatch.setattr(interrupts, "COMPILATION", report)
    monkeypatch.setattr(interrupts, "end_process", end)
    if is_compiling:
        report.begin("kernel")
    try:
        with call_on_interrupt(lambda: None, has_nothing=lambda: has_nothing):
            assert not ended.wait(0.2)
            send(signal.SIGINT)
            assert ended.wait(10 if is_compiling and has_nothing else 0.5) == (is_compiling and has_nothing)
    finally:
        if is_compiling:
            report.end("kernel")
        is_compiling_over.set()
    assert capsys.readouterr().err == "gammond: interrupted\n" * ended.is_set()
    assert signal.set_wakeup_fd(-1) == -1


def test_sigterm_outside_a_tool_is_left_alone():
    before = signal.getsignal(signal.SIGTERM)
    with call_on_interrupt(lambda: None):
        assert signal.getsignal(signal.SIGTERM) is before


def test_another_thread_changes_no_handler():
    seen = []

    def look():
        with raise_on_interrupt():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="has no SIGHUP")
def test_a_terminal_that_is_closed_ends_a_tool_after_it_has_kept_its_results(tmp_path):
    """The program writes to the lost terminal before and after the signal, as bars and reports do."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    program = """
        import sys, time
        from pathlib import Path
        from gammond.tools.common.interrupts import call_on_interrupt, raise_on_interrupt
        from gammond.tools.common.progress import Progress

        stopped = []
        with raise_on_interrupt(), Progress(None, "work") as bar:
            with call_on_interrupt(lambda: stopped.append(1)):
                while not stopped:
                    bar.repeat()
                    time.sleep(0.01)
            print("a report")
            sys.stdout.flush()
            bar.write_line("the end")
            Path(sys.argv[1]).write_text("kept")
    """
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), tmp_path / "results"],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    assert b"work" in os.read(ours, 1000)
    os.close(ours)
    assert process.wait(60.0) == 0
    assert (tmp_path / "results").read_text() == "kept"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="has no SIGHUP")
def test_a_signal_of_a_terminal_that_is_still_there_silences_nothing(capfd):
    with pytest.raises(KeyboardInterrupt), raise_on_interrupt():
        send(signal.SIGHUP)
    os.write(2, b"said")
    assert capfd.readouterr().err == "said"


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="has no SIGHUP")
def test_a_job_under_nohup_goes_on():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_on_interrupt():
            send(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@ALL
def test_a_signal_that_comes_while_a_tool_is_loaded_ends_it_as_any_other(kind, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_run_tool", lambda name, arguments: send(kind))
    assert cli.main(["batch", "-"]) == cli.EXIT_INTERRUPTED
    assert capsys.readouterr().err == "gammond: interrupted\n"


def test_an_interrupt_in_text_that_is_run_has_the_exit_status_of_any_other(tmp_path):
    """The interpreter notes such a one as not handled, and ends a module by SIGINT; imports run text."""
    program = """
        import sys
        from gammond.tools import cli

        cli._run_tool = lambda name, arguments: exec("raise KeyboardInterrupt")
        sys.argv = ["gammond", "batch"]
        sys.exit(cli.main())
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    words = [sys.executable, "-m", "program"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (cli.EXIT_INTERRUPTED, "gammond: interrupted\n")
