"""Write positions in other forms, and matches in other formats.

    gammond convert "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    gammond convert positions.txt --to xgid > xgids.txt
    gammond convert --to gnubgid,ogid < positions.txt
    gammond convert games.csv --column Position > with-xgids.csv
    gammond convert match.xg --to mat --output match.mat
    gammond convert matches/ --to sgf --output converted/
    gammond convert analysed.sgf --output match.ogxm

Without --to a position is written in all forms, lines of a file or of standard input as XGIDs. One form is
written as lines of text, several as csv with a header. Blank lines and comments ("#") are left out. A table,
of the kinds that 'gammond batch' reads, is written as csv with its columns, then one for each form.
--json writes an object for each position, with its line, what each form leaves out ("lost"), bad lines too.

With --to mat, sgf or ogxm, or an --output that ends so, the files are matches in any format that gammond
reads, recognised by their content; of a folder or a .zip archive, all files in it. Several matches go into
the folder --output, under the names of their files. What exists is not overwritten without --force.

What a form or a format has no place for is said on stderr, and so is each bad line, which is skipped, with
its number, and each fault of a match file, with its line, game and move; of several files in the end how many
were read whole, cut, or not at all, and why. --strict refuses a match file with a fault. The exit status is 1
where a line was bad, or decisions of a match file were lost; an illegal play is written as it was made.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.writing import MATCH_FORMATS
from gammond.engine.options import did_you_mean
from gammond.tools.common.command_options import ToolCommand, argument, list_given, option, spell_option
from gammond.tools.common.position_arguments import STDIN
from gammond.tools.convert.matches import MatchOutputOptions, check_no_matches, convert_matches
from gammond.tools.convert.positions import FORMS, PositionsOptions, convert_positions

SUMMARY = "write positions in other forms, and matches in other formats"

ALL = "all"

*_OTHERS, _LAST = MATCH_FORMATS
_FORMATS = f"{', '.join(_OTHERS)} or {_LAST}"


class ConvertOptions(Struct, frozen=True, kw_only=True):
    """What is read, and what is written of it."""

    source: Annotated[
        tuple[str, ...],
        argument(
            "POSITION|FILE",
            "one position in any form, or files with one on each line; match files, or folders and .zip "
            "archives of them (default standard input)",
            count="*",
        ),
    ] = ()
    to: (
        Annotated[
            str,
            option(
                f"{', '.join(FORMS)} or {ALL} (default {ALL}; for lines xgid); for matches {_FORMATS}",
                "FORM,...",
            ),
        ]
        | None
    ) = None
    positions: PositionsOptions = PositionsOptions()
    matches: MatchOutputOptions = MatchOutputOptions()


def run(options: ConvertOptions) -> int:
    """Run the tool.

    Returns:
        0, or 1 where a line held no position, or a match file could not be read or written whole.

    Raises:
        GammondError: The position or a form is wrong, or a file cannot be read or written.
    """
    positions, matches = options.positions, options.matches
    suffix = "" if matches.output is None else matches.output.suffix[1:].lower()
    to = suffix if options.to is None and suffix in MATCH_FORMATS else options.to
    if to in MATCH_FORMATS:
        if positions != PositionsOptions():
            raise _refuse("positions", positions)
        return convert_matches(options.source, matches, to)
    if matches != MatchOutputOptions():
        raise _refuse("matches", matches)
    files = [Path(word) for word in options.source]
    has_lines = not options.source or options.source == (STDIN,) or all(file.is_file() for file in files)
    names = read_names(("xgid" if has_lines else ALL) if to is None else to)
    check_no_matches(files)
    return convert_positions(options.source, positions, names, has_lines=has_lines)


def read_names(text: str) -> list[str]:
    """Return the forms of ``--to``.

    Raises:
        FormatError: There is none of this name.
    """
    names = list(FORMS) if text == ALL else [name.strip().lower() for name in text.split(",")]
    for name in names:
        if name in MATCH_FORMATS:
            raise FormatError(f"--to: {name} is for matches, and stands alone: --to {name}", field="to")
        if name not in FORMS:
            known = [*FORMS, ALL, *MATCH_FORMATS]
            raise FormatError(
                f"--to: expected {', '.join(known[:-1])} or {known[-1]}, got {name[:40]!r}"
                f"{did_you_mean(name, known)}",
                field="to",
            )
    return names


def _refuse(what: str, given: Struct) -> UnsupportedError:
    """Return the error for options that are for matches, or for positions, alone."""
    name = list_given(given)[0]
    return UnsupportedError(
        f"{spell_option(name)} is for {what}: --to {_FORMATS} writes matches, all else positions", field=name
    )


COMMAND = ToolCommand(ConvertOptions, run)
