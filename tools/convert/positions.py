"""Positions in other forms, one or those of files, and what these leave out."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from gammond.engine.errors import GammondError, UnsupportedError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS, list_unkept
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position, swap_sides
from gammond.engine.rules.rules import BACKGAMMON, VARIANTS, Variant
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.protocol.repl.answers.checkers import format_checkers
from gammond.tools.batch.lines import PLAIN_COLUMNS, PositionLine, decode_line
from gammond.tools.batch.tables import PositionInput, open_input
from gammond.tools.common.command_options import option
from gammond.tools.common.files import name_in_errors
from gammond.tools.common.position_arguments import STDIN, VariantName, find_text
from gammond.tools.common.position_texts import describe_reading, parse_text, split_dice
from gammond.tools.common.progress import write_message
from gammond.tools.common.pulse import open_stdin


def _write_checkers(position: Position, match: MatchState) -> str:
    board = position.board if match.on_roll == 0 else swap_sides(position.board)
    return format_checkers(board, match.on_roll)


FORMS: dict[str, Callable[[Position, MatchState], str]] = {
    "xgid": FORMATS["xgid"].encode,
    "gnubgid": lambda position, match: f"{encode_position_id(position)}:{encode_match_id(match)}",
    "positionid": lambda position, _: encode_position_id(position),
    "matchid": lambda _, match: encode_match_id(match),
    **{name: form.encode for name, form in FORMATS.items()},
    "ogid": lambda position, match: f"OGID={FORMATS['ogid'].encode(position, match)}",
    "checkers": _write_checkers,
}
"""Name of a form -> what writes it."""

_PARTS = {
    "length": "length of the match",
    "score": "score",
    "crawford": "Crawford game",
    "cube": "value of the cube",
    "cube_owner": "owner of the cube",
    "on_roll": "turn",
    "roll": "dice",
    "doubled": "pending double",
    "beavered": "pending beaver",
    "resigned": "pending resignation",
    "jacoby": "Jacoby rule",
    "beavers": "rule about beavers",
}
"""Parts of a match state, as messages call them."""

_MAX_REPORTED_LINES = 100
_write_message = partial(write_message, "gammond convert")


@dataclass
class WrittenForms:
    """A position in other forms.

    Attributes:
        forms: Name -> text.
        lost: Name -> what the form leaves out, or why there is none.
    """

    forms: dict[str, str] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)


class PositionsOptions(Struct, frozen=True, kw_only=True):
    """How positions are read and written."""

    TITLE: ClassVar[str] = "positions"

    column: Annotated[str, option("the column of positions, where FILE is a table", "NAME")] | None = None
    variant: VariantName = BACKGAMMON.name
    json: Annotated[bool, option("write one JSON object for each position")] = False


def convert_positions(
    source: Sequence[str], options: PositionsOptions, names: list[str], *, has_lines: bool
) -> int:
    """Write the position of the arguments, or those of files or standard input.

    Args:
        source: A position in words, or files; nothing is standard input.
        options: How it is read and written.
        names: The forms.
        has_lines: Whether the arguments name files, or are none.

    Returns:
        0, or 1 where a line held no position.

    Raises:
        GammondError: The position is wrong, or a file cannot be read.
    """
    if not has_lines:
        return _write_one(source, options, names)
    with ExitStack() as stack:
        files = [] if source in ((), (STDIN,)) else [Path(word) for word in source]
        inputs = _open_inputs(files, options.column, names, stack)
        carried = inputs[0][1].columns if _is_table(inputs[0][1]) else ()
        return _write_lines(
            _read_inputs(inputs), carried, names, VARIANTS[options.variant], as_json=options.json
        )


def convert_position(
    position: Position,
    match: MatchState,
    names: list[str],
    variant: Variant = BACKGAMMON,
    unkept: Sequence[str] = (),
) -> WrittenForms:
    """Write a position in other forms, and find out what each leaves out by reading it again.

    Args:
        position: As the side on roll sees it.
        match: The match state.
        names: The forms.
        variant: The game that it is of.
        unkept: What its text says, and the match state does not.
    """
    converted = WrittenForms()
    for name in names:
        try:
            text = FORMS[name](position, match)
        except UnsupportedError as error:
            converted.lost[name] = [error.message]
            continue
        converted.forms[name] = text
        kept = match if name == "matchid" else parse_text(text, variant)[1] or MatchState()
        lost = [
            part
            for key, part in _PARTS.items()
            if getattr(kept, key) != getattr(match, key)
            and (match.is_money or key not in ("jacoby", "beavers"))
        ]
        if lost or unkept:
            converted.lost[name] = [*lost, *unkept]
    return converted


def _write_one(source: Sequence[str], options: PositionsOptions, names: list[str]) -> int:
    text, variant = find_text(source), VARIANTS[options.variant]
    position, match = parse_text(text, variant)
    converted = convert_position(position, match or MatchState(), names, variant, list_unkept(text))
    assumed = _note_assumed(text)
    if options.json:
        sys.stdout.write(json.dumps({**converted.forms, **assumed, "lost": converted.lost}) + "\n")
        return 0
    width = max(map(len, names)) + 2 if len(names) > 1 else 0
    for name, written in converted.forms.items():
        sys.stdout.write(f"{name:<{width}}{written}\n" if width else f"{written}\n")
    sys.stdout.flush()
    for note in assumed.values():
        _write_message(note)
    for name, lost in converted.lost.items():
        _write_message(_describe_loss(name, lost, name in converted.forms))
    return EXIT_OK if converted.forms else EXIT_FAULTS


def _note_assumed(text: str) -> dict[str, str]:
    """Return what was assumed of a valid position, as a key of JSON; nothing if nothing was."""
    assumed = describe_reading(split_dice(text)[0])
    return {"assumed": assumed} if assumed else {}


def _open_inputs(
    files: list[Path], column: str | None, names: list[str], stack: ExitStack
) -> list[tuple[str, PositionInput]]:
    """Open files, or standard input where there are none; each with how messages call its lines.

    Args:
        files: Of lines, or one table.
        column: The table's column of positions; None for one whose name tells.
        names: The forms, which replace columns of these names.
        stack: Closes the files.

    Raises:
        UnsupportedError: A table is not alone.
        GammondError: As `open_input`, or a file cannot be read.
    """
    if not files:
        return [("line", open_input(open_stdin(), None, column, names))]
    inputs = []
    for file in files:
        with name_in_errors(file, "read", "file"):
            given = open_input(stack.enter_context(file.open("rb")), file, column, names)
        if len(files) > 1 and _is_table(given):
            raise UnsupportedError(f"{file} is a table: convert it by itself", field="file")
        inputs.append((f"{file} line" if len(files) > 1 else "line", given))
    return inputs


def _is_table(given: PositionInput) -> bool:
    """Return whether an input has columns that are carried over; a comment is none of them."""
    return given.count is None and given.columns != PLAIN_COLUMNS


def _read_inputs(inputs: list[tuple[str, PositionInput]]) -> Iterator[tuple[str, PositionLine]]:
    """Yield the lines with a position, each with how messages call it."""
    for place, given in inputs:
        for line in given.lines:
            yield f"{place} {line.number}", line


def _write_lines(
    lines: Iterator[tuple[str, PositionLine]],
    carried: tuple[str, ...],
    names: list[str],
    variant: Variant,
    *,
    as_json: bool,
) -> int:
    """Write each position of some lines; return the exit status.

    Args:
        lines: The lines, each with how messages call it.
        carried: The columns of a table, whose cells the lines have; none for plain lines.
        names: The forms.
        variant: The game that the positions are of.
        as_json: Whether each line becomes an object.
    """
    is_table = len(names) > 1 or bool(carried)
    table = csv.writer(sys.stdout, lineterminator="\n") if is_table and not as_json else None
    if table is not None:
        table.writerow([*carried, *names])
    count, bad = 0, 0
    losses: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    for place, line in lines:
        count += 1
        cells = line.cells if carried else ()
        document: dict[str, object] = {
            **dict(zip(carried, cells, strict=True)),
            "line": line.number,
            "id": line.text,
        }
        try:
            position, match = decode_line(line, variant)
            unkept = list(dict.fromkeys([*list_unkept(split_dice(line.text)[0]), *line.unkept]))
            converted = convert_position(position, match, names, variant, unkept)
        except GammondError as error:
            bad += 1
            if bad <= _MAX_REPORTED_LINES:
                _write_message(f"{place}: {error.message}")
            if as_json:
                sys.stdout.write(json.dumps({**document, "error": error.message}) + "\n")
            continue
        losses.update(
            _describe_loss(name, [part], name in converted.forms)
            for name, lost in converted.lost.items()
            for part in lost
        )
        assumed = _note_assumed(line.text)
        notes.update(assumed.values())
        if as_json:
            comment = {"comment": line.comment} if line.comment else {}
            document |= {**converted.forms, **assumed, **comment, "lost": converted.lost}
            sys.stdout.write(json.dumps(document) + "\n")
        elif table is not None:
            table.writerow([*cells, *(converted.forms.get(name, "") for name in names)])
        else:
            sys.stdout.write(f"{converted.forms.get(names[0], '')}\n")
    sys.stdout.flush()
    if bad > _MAX_REPORTED_LINES:
        _write_message(f"{bad - _MAX_REPORTED_LINES:,} more bad lines")
    for note, number in notes.items():
        _write_message(f"{note} ({number:,} of {count:,} lines)")
    for loss, number in losses.items():
        _write_message(f"{loss} ({number:,} of {count:,} lines)")
    return EXIT_FAULTS if bad else EXIT_OK


def _describe_loss(name: str, lost: list[str], is_written: bool) -> str:
    return f"{name} leaves out: {', '.join(lost)}" if is_written else f"{name}: {', '.join(lost)}"
