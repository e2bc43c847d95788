"""The `gammond` command: a table of tools, each imported only when it is asked for.

Without arguments it talks: the REPL on a terminal, the line protocol on a pipe.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Sequence

from engine.errors import GammondError, UnsupportedError
from engine.runtime.version import read_version
from tools.interrupts import raise_on_interrupt
from tools.summaries import read_summary

TOOLS = {
    "serve": "tools.serve",
    "batch": "tools.batch.command",
    "rollout": "tools.rollout.command",
    "bench": "tools.bench.command",
    "bearoff": "tools.bearoff",
    "train": "tools.train.command",
    "export": "tools.export",
    "players": "tools.players",
    "tournament": "tools.tournament.command",
    "frontier": "tools.measure.frontier.command",
    "error-rate": "tools.measure.levels",
    "search-quality": "tools.measure.pruning",
    "star": "tools.measure.cutoffs",
    "cube-efficiency": "tools.measure.cube.command",
    "gnubg-match": "tools.gnubg.match",
}
"""Subcommand -> the module that has its ``SUMMARY``, ``add_arguments(parser)`` and ``main(args) -> int``."""

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
"""After Ctrl-C or SIGTERM, whichever it was: tools stop on both alike, and keep what they have."""

EXIT_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments after the command's name; None takes those of the process.

    Returns:
        The exit status: 0, what the tool returns, 2 for an error made on the way in (one line on stderr),
        130 after Ctrl-C or SIGTERM, 141 when the reader of stdout went away.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return EXIT_BROKEN_PIPE
    except KeyboardInterrupt:
        sys.stderr.write("gammond: interrupted\n")
        return EXIT_INTERRUPTED
    except GammondError as error:
        sys.stderr.write(f"gammond: {error.message}\n")
        return EXIT_USAGE
    return status


def _run(arguments: list[str]) -> int:
    if not arguments:
        return _run_without_tool()
    first, rest = arguments[0], arguments[1:]
    if first in ("-h", "--help", "help"):
        sys.stdout.write(_format_help())
        return 0
    if first in ("-V", "--version"):
        sys.stdout.write(f"gammond {read_version()}\n")
        return 0
    if first not in TOOLS:
        close = difflib.get_close_matches(first, TOOLS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the tools are {', '.join(TOOLS)}"
        raise UnsupportedError(f"no tool is called {first!r}: {hint} (gammond --help)", field="tool")
    return _run_tool(first, rest)


def _run_without_tool() -> int:
    on_terminal = sys.stdin is not None and sys.stdin.isatty()
    module = importlib.import_module("protocol.repl" if on_terminal else "protocol.transports.stdio")
    return int(module.main())


def _run_tool(name: str, arguments: list[str]) -> int:
    tool = importlib.import_module(TOOLS[name])
    parser = argparse.ArgumentParser(
        prog=f"gammond {name}",
        description=_format_description(tool.SUMMARY, tool.__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tool.add_arguments(parser)
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as end:  # argparse has written its help or its complaint
        return int(end.code or 0)
    with raise_on_interrupt():
        return int(tool.main(parsed))


def _format_description(summary: str, doc: str) -> str:
    """The head of a tool's help: its summary as a sentence, and its docstring without the first paragraph."""
    _, gap, details = doc.replace("`", "").rstrip().partition("\n\n")
    return f"{summary[:1].upper()}{summary[1:].removesuffix('.')}.{gap}{details}"


def _format_help() -> str:
    lines = [
        "usage: gammond [--version | --help | TOOL ...]",
        "",
        "A backgammon engine server. Without arguments: the REPL on a terminal, the line protocol on a pipe",
        "(docs/protocol.md). With a tool's name:",
        "",
        *(f"  {name:<16}{read_tool_summary(name)}" for name in TOOLS),
        "",
        "gammond TOOL --help explains each.",
    ]
    return "\n".join(lines) + "\n"


def read_tool_summary(name: str) -> str:
    """What a tool is for: its ``SUMMARY``, read from its source without importing it.

    Args:
        name: A key of `TOOLS`.

    Returns:
        A phrase in lower case without full stop; empty where the module has none.
    """
    return read_summary(TOOLS[name])


def _discard_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush finds no closed pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
