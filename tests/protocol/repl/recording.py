"""Record a session on the terminal as a moving picture (SVG), as the README shows it.

Run from the repository's root as ``python -m tests.protocol.repl.recording [FILE]``. It needs tmux, and rich,
which draws the rows.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.protocol.repl.screen import Screen
from tests.support.data_folders import link_databases

PICTURE = Path("docs/assets/session.svg")
COLUMNS, ROWS = 80, 24

STEPS = (
    ("XGID=-aa--BCCC-B-d----c-db---B-:0:0:-1:62:0:0:0:0:10", "to play 6-2; money", 4.0),
    ("hint", "net strong; cubeful equity", 6.0),
    ("tutor on", "The tutor objects", 2.0),
    ("play", "You play O from here.", 2.0),
    ("13/5", "decide again, or 'keep' it.", 5.0),
    ("24/16", "gammond plays", 7.0),
)
"""What is typed, what its answer has on the screen, and the seconds for which that is shown."""
_PASTED = 20
"""A line longer than this comes at once."""
_KEYS, _KEYS_S, _LINE_S = 2, 0.25, 0.8

_COLOURS = ("#1f2430", "#ff6b6b", "#7fd16b", "#e6c04d", "#6fb3ff", "#cf9bff", "#5fd7d7", "#d0d4de")
"""Black, red, green, yellow, blue, magenta, cyan, white."""
_BRIGHT_BLACK = "#7a8394"
"""Grey; the other bright colours are the plain ones."""


def _read_colour(text: str) -> ColorTriplet:
    return ColorTriplet(*bytes.fromhex(text[1:]))


_THEME = TerminalTheme(
    _read_colour(_COLOURS[0]),
    _read_colour(_COLOURS[-1]),
    [_read_colour(colour) for colour in _COLOURS],
    [_read_colour(colour) for colour in (_BRIGHT_BLACK, *_COLOURS[1:])],
)
_MARK = "\x1f"
_ROW_FORMAT = _MARK.join(("{styles}", "{backgrounds}", "{matrix}", "{char_width}", "{line_height}"))
_WINDOW_FORMAT = f"""<svg viewBox="0 0 {{width}} {{height}}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{{{ font: {{char_height}}px "DejaVu Sans Mono", Menlo, Consolas, monospace }}}}
{_MARK}
</style>
<defs>
{_MARK}
</defs>
{{chrome}}
<g transform="translate({{terminal_x}}, {{terminal_y}})">
{_MARK}
</g>
</svg>
"""


@dataclass(frozen=True)
class Frame:
    """What is on the screen for a while.

    Attributes:
        rows: With the codes of their colours.
        cursor: Its column and row, from 0.
        seconds: For how long.
    """

    rows: Sequence[str]
    cursor: tuple[int, int]
    seconds: float


def record() -> list[Frame]:
    """Type the session into a terminal, and return what is on the screen from key to key."""
    frames: list[Frame] = []
    with tempfile.TemporaryDirectory() as folder:
        link_databases(Path(folder))
        screen = Screen(Path(folder), COLUMNS, ROWS)

        def keep(seconds: float) -> None:
            frames.append(Frame(screen.lines("-e"), screen.find_cursor(), seconds))

        try:
            screen.type("set engine.seed 4", "Enter")
            screen.wait_for("ok set engine.seed=4")
            screen.type("C-l")
            screen.wait_for_input("", row=0)
            keep(_LINE_S)
            for line, answer, seconds in STEPS:
                _type(screen, line, keep)
                screen.type("Enter")
                screen.wait_for(answer)
                keep(seconds)
        finally:
            screen.close()
    return frames


def _type(screen: Screen, line: str, keep: Callable[[float], None]) -> None:
    """Type a line a few keys at a time, and keep what is on the screen after each."""
    step = len(line) if len(line) > _PASTED else _KEYS
    for end in range(step, len(line) + step, step):
        screen.type("-l", line[end - step : end])
        screen.wait_for_input(line[:end])
        keep(_KEYS_S if end < len(line) else _LINE_S)


def draw(frames: Sequence[Frame]) -> str:
    """Return the picture: each row drawn once, shown in its frames."""
    numbers = {row: number for number, row in enumerate(dict.fromkeys(_list_rows(frames)))}
    styles, backgrounds, matrix, width, height = _export(numbers, _ROW_FORMAT).split(_MARK)
    char_width, line_height = float(width), float(height)
    drawn = [""] * len(numbers)
    for place in re.finditer(r'<rect [^>]*y="([0-9.]+)"[^>]*/>', backgrounds):
        drawn[int(float(place[1]) / line_height)] += place[0]
    for place in re.finditer(r'(<text [^>]*) clip-path="url\(#g-line-(\d+)\)">([^<\n]+)</text>', matrix):
        drawn[int(place[2])] += f"{place[1]}>{place[3]}</text>"
    rows = "\n".join(f'<g id="row{number}">{row}</g>' for number, row in enumerate(drawn))
    shown = []
    for number, frame in enumerate(frames):
        uses = [
            f'<use href="#row{numbers[row]}" y="{(place - numbers[row]) * line_height:.1f}"/>'
            for place, row in enumerate(frame.rows)
            if row.strip()
        ]
        x, y = frame.cursor[0] * char_width, frame.cursor[1] * line_height
        size = f'width="{char_width}" height="{line_height}"'
        cursor = f'<rect class="cursor" x="{x:.1f}" y="{y + 1.5:.1f}" {size}/>'
        shown.append(f'<g class="screen" id="screen{number}">{"".join(uses)}{cursor}</g>')
    window = _export([" "] * ROWS, _WINDOW_FORMAT).split(_MARK)
    parts = (f"{styles}\n{_list_moves(frames)}", rows, "\n".join(shown), "")
    return "".join(piece + part for piece, part in zip(window, parts, strict=True))


def _list_rows(frames: Sequence[Frame]) -> Iterable[str]:
    return (row for frame in frames for row in frame.rows)


def _export(rows: Iterable[str], code_format: str) -> str:
    """Let rich draw rows."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    for row in rows:
        console.print(Text.from_ansi(row), no_wrap=True, crop=True)
    return console.export_svg(title="gammond", theme=_THEME, code_format=code_format, unique_id="g").replace(
        "&#160;\n", "\n"
    )


def _list_moves(frames: Sequence[Frame]) -> str:
    """Return the styles that show each frame in its time, again and again; the last if nothing may move."""
    total_s = sum(frame.seconds for frame in frames)
    lines = [
        ".cursor { fill: #d0d4de; opacity: .6 }",
        f".screen {{ visibility: hidden; animation: {total_s:.2f}s step-end infinite }}",
    ]
    start_s = 0.0
    for number, frame in enumerate(frames):
        begin, end = (100 * each / total_s for each in (start_s, start_s + frame.seconds))
        hidden = "" if number == 0 else "0% { visibility: hidden } "
        lines.append(f"#screen{number} {{ animation-name: show{number} }}")
        lines.append(
            f"@keyframes show{number} {{ {hidden}{begin:.3f}% {{ visibility: visible }} "
            f"{end:.3f}% {{ visibility: hidden }} }}"
        )
        start_s += frame.seconds
    lines.append("@media (prefers-reduced-motion: reduce) {")
    lines.append(
        f".screen {{ animation: none !important }} #screen{len(frames) - 1} {{ visibility: visible }} }}"
    )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Record the session, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "file", nargs="?", type=Path, default=PICTURE, help="the picture (default: %(default)s)"
    )
    args = parser.parse_args(arguments)
    frames = record()
    args.file.write_text(draw(frames), "utf-8")
    sys.stdout.write(f"{args.file}: {len(frames)} screens, {args.file.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
