"""The table of exit codes: the codes of the program, and the commands that have them."""

from __future__ import annotations

import re
from pathlib import Path

from gammond.engine.runtime import exit_codes
from gammond.tools.table import TOOLS

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "exit-codes.md").read_text("utf-8")
ROWS = re.findall(r"^\| (\d+) \| `(\w+)` \| [^|]* \| ([^|]*) \|$", PAGE, re.MULTILINE)
CODES = {name: value for name, value in vars(exit_codes).items() if name.startswith("EXIT_")}


def find_sources(tool):
    """Return the sources of a tool: its module, or its room."""
    path = ROOT.joinpath(*TOOLS[tool].split(".")[1:])
    return path.parent.rglob("*.py") if path.name == "command" else [path.with_suffix(".py")]


def list_commands(name):
    (commands,) = [commands for _, row, commands in ROWS if row == name]
    return set(re.findall(r"`([\w-]+)`", commands))


def test_the_table_has_the_codes_of_the_program():
    assert {name: int(code) for code, name, _ in ROWS} == CODES


def test_the_table_names_the_commands_that_report_faults():
    found = {
        tool
        for tool in TOOLS
        if tool not in exit_codes.SERVICE_TOOLS
        and any("EXIT_FAULTS" in source.read_text("utf-8") for source in find_sources(tool))
    }
    assert list_commands("EXIT_FAULTS") == found
    assert list_commands("EXIT_PASSING") == set(exit_codes.SERVICE_TOOLS)


def test_no_command_returns_a_code_that_has_no_name():
    bare = re.compile(
        r"^ +(?:return [1-9]\d* if .* else 0|return 0 if .* else [1-9]\d*|sys\.exit\([1-9]\d*\))$", re.M
    )
    assert [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tools").rglob("*.py"))
        if "kernels" not in path.parts and bare.search(path.read_text("utf-8"))
    ] == []
