"""The `gammond` command: a table of tools, each imported only when it is used.

Without arguments: the REPL on a terminal, the line protocol on a pipe.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

from gammond.engine.errors import GammondError, StateError, UnsupportedError
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.exit_codes import (
    EXIT_BROKEN_PIPE,
    EXIT_INTERRUPTED,
    EXIT_USAGE,
    SERVICE_TOOLS,
    find_error_code,
)
from gammond.engine.runtime.garbage import resume_collection
from gammond.engine.runtime.machine import is_disk_full
from gammond.engine.runtime.version import read_version
from gammond.protocol.transports.process_end import end_process
from gammond.tools.common.background import prepare_on_first_compile
from gammond.tools.common.interrupts import raise_on_interrupt
from gammond.tools.common.pulse import PULSE
from gammond.tools.table import OTHER_WORDS, TOOL_GROUPS, TOOLS

if TYPE_CHECKING:
    from gammond.protocol.state.player_registry import FilePlayers

NO_STORE_OPTION = "--no-store"
"""Before the tool, or without one: kept analyses are neither looked up nor written."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments after the command's name; by default those of the process.

    Returns:
        The exit status: the tool's, 2 for an error (one line on stderr), but of `serve` and `prepare` 1 for
        one that may go away by itself, 130 after Ctrl-C, SIGTERM or SIGHUP, 141 when the reader of stdout is
        gone.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    tool = arguments[0] if arguments else ""
    is_output_closed = sys.stdout is None
    _open_closed_streams()
    if argv is None:
        _write_utf8()
    try:
        if is_output_closed and tool not in SERVICE_TOOLS:
            raise StateError(
                "expected an open standard output for the answers, it is closed: redirect it to a file or to "
                f"{os.devnull}",
                field="stdout",
            )
        status = _run(arguments, is_process=argv is None)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return EXIT_BROKEN_PIPE
    except KeyboardInterrupt as interrupt:
        sys.stderr.write(", ".join(("gammond: interrupted", *filter(None, interrupt.args))) + "\n")
        status = EXIT_INTERRUPTED
    except GammondError as error:
        sys.stderr.write(f"gammond: {error.message}\n")
        return find_error_code(error, tool)
    except OSError as error:
        if not is_disk_full(error):
            raise
        _discard_stdout()
        sys.stderr.write(f"gammond: cannot write: {error.strerror}\n")
        return EXIT_USAGE
    if argv is None and (COMPILATION.is_compiling or status == EXIT_INTERRUPTED):
        # The interpreter's own end would wait for the compiler. It would also be by SIGINT, not with the
        # status, where the interrupt came in text that `exec` ran, as imports do.
        end_process(status)
    return status


def _open_closed_streams() -> None:
    """Open those of the three standard streams that are closed, as empty files.

    Otherwise the next file that is opened would get the number of such a stream, and what is for it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (open to the end)


def _write_utf8() -> None:
    """Write UTF-8 to files and pipes on every system, and what a terminal cannot show as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _run(arguments: list[str], *, is_process: bool) -> int:
    if not arguments:
        return _run_without_tool()
    first, rest = arguments[0], arguments[1:]
    if first == NO_STORE_OPTION:
        from gammond.engine.store.options import STORE_VARIABLE

        os.environ[STORE_VARIABLE] = "off"
        return _run(rest, is_process=is_process)
    if first == "help" and rest:
        first, rest = rest[0], [*rest[1:], "--help"]
    if first in ("-h", "--help", "help"):
        sys.stdout.write(_format_help())
        return 0
    if first in ("-V", "--version"):
        sys.stdout.write(f"gammond {read_version()}\n")
        return 0
    if first not in TOOLS:
        raise UnsupportedError(_explain_unknown(first), field="tool")
    is_server_log = first == "serve" and not sys.stderr.isatty()  # which may be of JSON
    beat = PULSE.beat(f"gammond {first}") if is_process and not is_server_log else nullcontext()
    with raise_on_interrupt(), beat:
        return _run_tool(first, rest)


def _explain_unknown(word: str) -> str:
    import difflib

    if word.startswith("-"):
        return f"expected a tool, or --help or --version, got {word[:40]!r} (gammond --help)"
    meant = OTHER_WORDS.get(word.lower())
    if meant == "":
        return (
            f"no tool {word!r}: 'gammond' alone opens the terminal, which has this command (gammond --help)"
        )
    close = [meant] if meant else difflib.get_close_matches(word[:40].lower(), TOOLS, n=1)
    if close:
        return f"unknown tool {word[:40]!r}: did you mean {close[0]!r}? (gammond --help)"
    from gammond.engine.formats.position_text import find_position

    if find_position(word) is not None:
        return f"expected a tool before the position: gammond hint {word}"
    return f"unknown tool {word[:40]!r}: expected one of {', '.join(TOOLS)} (gammond --help)"


def _name_log_lines() -> None:
    """Write warnings and errors in the log as lines of the command, unless a tool sets up its own log."""
    import logging

    if logging.lastResort is not None:
        logging.lastResort.setFormatter(logging.Formatter("gammond: %(levelname)s: %(message)s"))


def _run_without_tool() -> int:
    prepare_on_first_compile()
    _name_log_lines()
    on_terminal = sys.stdin is not None and sys.stdin.isatty()
    if on_terminal:
        from gammond.protocol.repl import main as answer
    else:
        from gammond.protocol.transports.stdio import main as answer
    resume_collection()
    return answer(partial(_make_file_players, is_person=on_terminal))


def _make_file_players(*, is_person: bool) -> FilePlayers:
    """Make the players that name files; code of a file runs only for a person who names it."""
    from gammond.tools.common.file_players import make_file_players

    return make_file_players(is_local=True, runs_code=is_person)


def _run_tool(name: str, arguments: list[str]) -> int:
    import argparse  # the protocol on a pipe starts without it

    from gammond.tools.common.command_group import find_command, format_description
    from gammond.tools.common.tool_parser import ToolParser

    tool = importlib.import_module(TOOLS[name])
    _name_log_lines()
    resume_collection()
    parser = ToolParser(
        prog=f"gammond {name}",
        description=format_description(tool.SUMMARY, tool.__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command = find_command(TOOLS[name])
    command.add_arguments(parser)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as end:  # argparse has written its help or its error
        return int(end.code or 0)
    return int(command.main(parsed))


def _format_help() -> str:
    from gammond.tools.common.command_group import read_summary

    lines = [
        "usage: gammond [--no-store] [TOOL ...] [--help | --version]",
        "",
        "A backgammon engine. Without arguments: games and analysis on a terminal, the",
        "line protocol on a pipe (docs/reference/protocol.md). With the name of a tool:",
    ]
    for heading, tools in TOOL_GROUPS.items():
        lines += [
            "",
            f"{heading}:",
            *(f"  {name:<12} {read_summary(module)}" for name, module in tools.items()),
        ]
    lines += [
        "",
        "'gammond help TOOL' explains each; 'gammond TOOL --help' is the same.",
        "With --no-store kept analyses are neither looked up nor added to.",
    ]
    return "\n".join(lines) + "\n"


def _discard_stdout() -> None:
    """Redirect stdout to nothing, so that the interpreter's last flush meets no closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
