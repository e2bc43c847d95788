"""What is drawn on the terminal: answers with their colours, page by page, and a line that shows progress."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from prompt_toolkit import print_formatted_text
from prompt_toolkit.application import Application, get_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style

from gammond.protocol.repl.answers.replies import (
    ERROR_MARK,
    BoardLine,
    Mark,
    MarkedLine,
    Piece,
    PreformattedLine,
)
from gammond.protocol.repl.game.preferences import DEFAULT_THEME, THEMES

_BELOW_ROWS = 2
"""The prompt and the line below it."""

_ROLL = re.compile(r"(?<![0-9/-])[1-6]-[1-6](?![0-9/-])")
_ROLL_WORDS = ("roll", "start", "play", "move", "Undone", "Redone", "set:")

_BREAKS = re.compile(r"([\t ]+)|(?<=\|)")
"""Where lines break: at blanks, and after the bars between the choices of a usage text."""

_MORE = "-- more: any key goes on, q ends --"


def make_style(theme: str) -> Style:
    """Return a theme as prompt_toolkit takes it; without colours where the environment has ``NO_COLOR``."""
    styles = THEMES[theme]
    if os.environ.get("NO_COLOR"):
        styles = {name: "bold" for name, style in styles.items() if "bold" in style}
    return Style.from_dict(styles)


class StatusLine:
    """A line below the output that is redrawn in place.

    Args:
        output: The terminal.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._is_drawn = False

    def draw(self, text: str) -> None:
        """Redraw the line, cut to the width of the terminal; what others write goes over it."""
        self._begin()
        self._output.write(text[: self._output.get_size().columns - 1])
        self._output.write_raw("\r")
        self._output.flush()
        self._is_drawn = True

    def erase(self) -> None:
        """Leave an empty line, if something was drawn."""
        if self._is_drawn:
            self._begin()
            self._output.flush()
            self._is_drawn = False

    def _begin(self) -> None:
        self._output.write_raw("\r")
        self._output.erase_end_of_line()


def make_status_line() -> StatusLine | None:
    """Return where to draw progress: at the end of a terminal; nowhere if the output goes elsewhere."""
    return StatusLine(get_app_session().output) if sys.stdout.isatty() else None


class Sight:
    """Knows what is still on the screen: the board that was drawn last, and sentences."""

    def __init__(self) -> None:
        self._board_rows = 0
        self._rows_below = 0
        self._rows: list[str] = []

    def note(self, lines: Sequence[str], size: Size) -> None:
        """Note that an answer is shown, after the line that asked for it."""
        board, others = _count_rows(lines, size)
        if board:
            self._board_rows, self._rows_below = board, 0
        self._rows_below += others + 1
        self._rows = [*self._rows, "", *_list_rows(lines, size)][-size.rows :]

    def loses_board(self, lines: Sequence[str], size: Size) -> bool:
        """Return whether an answer pushes the board off the screen, and would fit on it with the board."""
        board, others = _count_rows(lines, size)
        if board or not self._board_rows:
            return False
        room = size.rows - _BELOW_ROWS - self._board_rows
        return self._rows_below + others + 1 > room and others <= room

    def find_lost(self, said: Sequence[str], lines: Sequence[str], size: Size) -> list[str]:
        """Return sentences that an answer pushes off the screen, or leaves off it, if it has room for them.

        Args:
            said: The sentences, the oldest first.
            lines: The answer.
            size: Of the terminal.

        Returns:
            Those from the first one that is lost on, without those that the answer has.
        """
        answer, room = _list_rows(lines, size), size.rows - _BELOW_ROWS
        seen = [*self._rows, "", *answer][-room:]
        first = next((place for place, sentence in enumerate(said) if sentence not in seen), len(said))
        lost = [sentence for sentence in said[first:] if sentence not in lines]
        return lost if len(answer) + len(_list_rows(lost, size)) < room else []


def _list_rows(lines: Sequence[str], size: Size) -> list[str]:
    """Return, for each row that an answer takes, the line that it is of."""
    fitted = fit_tables(lines, size.columns)
    return [line for line in fitted for _ in wrap_line(line, size.columns)]


def _count_rows(lines: Sequence[str], size: Size) -> tuple[int, int]:
    """Return the rows that the board of an answer takes, and those of all else."""
    rows = _list_rows(lines, size)
    board = sum(isinstance(row, BoardLine) for row in rows)
    return board, len(rows) - board


def show(lines: Sequence[str], theme: str = DEFAULT_THEME, *, in_pages: bool = True) -> None:
    """Write an answer to the terminal: wrapped to its width, in colours, and page by page where it is longer.

    Where a board and the sentences before it do not fit, the sentences come last: they are what is new.

    Args:
        lines: The answer.
        theme: The colours.
        in_pages: Whether to wait for a key after each page.
    """
    size = get_app_session().output.get_size()
    parts = [part for line in fit_tables(lines, size.columns) for part in _wrap_and_paint(line, size.columns)]
    board = [part for part in parts if isinstance(part[0], BoardLine)]
    if board and len(parts) > size.rows - _BELOW_ROWS:
        parts = [*board, *(part for part in parts if not isinstance(part[0], BoardLine))]
    style, page = make_style(theme), max(size.rows - _BELOW_ROWS, 1)
    has_pages = in_pages and not board and len(parts) > page and sys.stdin.isatty() and sys.stdout.isatty()
    for number, (_, painted) in enumerate(parts):
        if has_pages and number and number % page == 0 and not _ask_for_more():
            return
        pieces = [(f"class:{name}" if name else "", text) for name, text in painted]
        print_formatted_text(FormattedText(pieces), style=style)


def _wrap_and_paint(line: str, width: int) -> list[tuple[str, list[Piece]]]:
    """Break a line; return its parts, each with its pieces and their marks. An error is one to its end."""
    is_error = line.startswith(ERROR_MARK)
    return [(part, [("failure", part)] if is_error else paint_line(part)) for part in wrap_line(line, width)]


def _ask_for_more() -> bool:
    """Wait for a key; return whether the person wants to see more."""
    bindings = KeyBindings()

    @bindings.add(Keys.Any)
    def leave(event: KeyPressEvent) -> None:
        event.app.exit(result=event.data not in ("q", "Q", "\x03", "\x04", "\x1b"))

    window = Window(FormattedTextControl(_MORE), height=1)
    return bool(Application(Layout(window), key_bindings=bindings, erase_when_done=True).run())


def fit_tables(lines: Sequence[str], width: int) -> list[str]:
    """Return the lines of an answer, in their narrow form if one that has such a form is too wide.

    Args:
        lines: The answer.
        width: Columns of the terminal.
    """
    narrow = [line.narrow if isinstance(line, PreformattedLine) else None for line in lines]
    if all(form is None or len(line) <= width for line, form in zip(lines, narrow, strict=True)):
        return list(lines)
    return [line if form is None else form for line, form in zip(lines, narrow, strict=True) if form != ""]


def wrap_line(line: str, width: int) -> list[str]:
    """Break a line between words and choices, later parts indented by two; what is drawn stays whole.

    Args:
        line: Without its end.
        width: Columns of the terminal.

    Returns:
        Lines of at most ``width`` columns, longer only for a word that is longer itself.
    """
    if isinstance(line, PreformattedLine) or len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    wrapper.wordsep_simple_re = _BREAKS
    return wrapper.wrap(line)


@contextmanager
def hide_typing() -> Iterator[None]:
    """Keep what is typed during an answer from being mixed into it; the prompt reads it afterwards."""
    try:
        import termios
    except ImportError:  # not on Windows, whose console echoes only what is being read
        yield
        return
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    hidden = [*before]
    hidden[3] = before[3] & ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(sys.stdin, termios.TCSANOW, hidden)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def paint_line(line: str) -> list[Piece]:
    """Cut a line of an answer into pieces with their marks."""
    if line.startswith(ERROR_MARK):
        return [("failure", line)]
    marks: Sequence[Mark] = line.marks if isinstance(line, MarkedLine) else ()
    has_roll = any(word in line for word in _ROLL_WORDS) and "the match" not in line
    if has_roll and not marks and not isinstance(line, BoardLine):
        marks = [Mark(found.start(), found.end(), "dice") for found in _ROLL.finditer(line)]
    return _cut(line, marks)


def _cut(line: str, marks: Iterable[Mark]) -> list[Piece]:
    pieces: list[Piece] = []
    place = 0
    for mark in marks:
        pieces += [("", line[place : mark.start]), (mark.name, line[mark.start : mark.end])]
        place = mark.end
    return [piece for piece in (*pieces, ("", line[place:])) if piece[1]]
