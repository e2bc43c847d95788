"""Pages that the site has and the source does not: one for each command, and one for the terminal.

mkdocs calls the functions `on_...` (`hooks` of mkdocs.yml). The pages say what the parsers of the commands
and the table of the terminal say, so that none of their words stands twice.
"""

from __future__ import annotations

import argparse
import importlib
import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from page_parts import make_table

from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.tools.common.command_group import format_description
from gammond.tools.completion import build_parser
from gammond.tools.table import TOOL_GROUPS, TOOLS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

FOLDER = "reference/commands"
"""Where the pages lie in the site."""

INDEX = "reference/commands.md"
"""The page of the source that they stand under."""

TERMINAL = f"{FOLDER}/terminal.md"

_WORD = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\S+")
"""A word of a usage, or what stands in brackets."""
_NO_BREAK = "\xa0"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages into the navigation, under that of the source."""
    for section in config.nav or ():
        for pages in section.values():
            if isinstance(pages, list):
                for place, entry in enumerate(pages):
                    if list(entry.values()) == [INDEX]:
                        pages[place] = {"Commands": [INDEX, *_list_navigation()]}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those of the source."""
    from mkdocs.structure.files import File

    for path, text in make_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def make_pages() -> dict[str, str]:
    """Return the text of each page by its path below `docs`."""
    (tools,) = _list_commands(build_parser())
    pages = {
        f"{FOLDER}/{name}.md": "\n".join(_format_command(name, parser, 1))
        for name, parser in tools.choices.items()
        if name != "help"
    }
    return pages | {TERMINAL: _format_terminal()}


def _list_navigation() -> list[dict[str, str]]:
    names = [name for tools in TOOL_GROUPS.values() for name in tools]
    return [*({name: f"{FOLDER}/{name}.md"} for name in names), {"in the terminal": TERMINAL}]


def _list_commands(parser: argparse.ArgumentParser) -> list[argparse._SubParsersAction]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _format_command(name: str, parser: argparse.ArgumentParser, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} gammond {name}\n"
    for paragraph in _describe(name, parser).split("\n\n"):
        is_drawn = any(line.startswith(" ") for line in paragraph.splitlines())
        yield (f"```text\n{paragraph}\n```" if is_drawn else _escape(paragraph)) + "\n"
    words = _WORD.findall(" ".join(parser.format_usage().partition("[-h]")[2].split()))
    unbroken = " ".join(["gammond", name, *(word.replace(" ", _NO_BREAK) for word in words)])
    usage = textwrap.fill(unbroken, 80, subsequent_indent="    ", break_on_hyphens=False)
    yield f"```text\n{usage.replace(_NO_BREAK, ' ')}\n```\n"
    for group in parser._action_groups:
        rows = [_format_row(action) for action in group._group_actions if _is_shown(action)]
        if rows:
            yield f"**{(group.title or '').capitalize()}**\n"
            yield make_table(("option", "meaning"), rows) + "\n"
    for group in _list_commands(parser):
        for each, child in group.choices.items():
            yield from _format_command(f"{name} {each}", child, depth + 1)


def _describe(name: str, parser: argparse.ArgumentParser) -> str:
    """Return the head of a command's help; the parsers of tools get theirs when they are run."""
    if name in TOOLS:
        module = importlib.import_module(TOOLS[name])
        return format_description(module.SUMMARY, module.__doc__ or "")
    return parser.description or ""


def _is_shown(action: argparse.Action) -> bool:
    is_plain = not isinstance(action, (argparse._HelpAction, argparse._SubParsersAction))
    return is_plain and action.help != argparse.SUPPRESS


def _format_row(action: argparse.Action) -> tuple[str, str]:
    values = "" if action.nargs == 0 else argparse.HelpFormatter("")._format_args(action, _name_value(action))
    named = [f"{option} {values}".strip() for option in action.option_strings] or [values]
    meaning = argparse.HelpFormatter("")._expand_help(action) if action.help else ""
    return ", ".join(f"`{each}`" for each in named), _escape(meaning)


def _name_value(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper() if action.option_strings else action.dest


def _format_terminal() -> str:
    head = "# Commands of the terminal\n\n`help` lists them in groups, `help COMMAND` explains one.\n\n"
    rows = ((f"`{row.usage}`", _escape(row.summary)) for row in REPL_COMMANDS.values())
    return head + make_table(("command", "what it does"), rows) + "\n"


def _escape(text: str) -> str:
    """Return a text that Markdown shows as it is, in one line."""
    return re.sub(r"([\\`*_\[\]<>~#])", r"\\\1", " ".join(text.split()))
