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

import argparse
from pathlib import Path

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.writing import MATCH_FORMATS
from gammond.engine.options import did_you_mean
from gammond.engine.rules.rules import BACKGAMMON
from gammond.tools.common.options import add_force_option, written_path
from gammond.tools.common.position_arguments import STDIN, add_variant_argument
from gammond.tools.convert.matches import check_no_matches, convert_matches
from gammond.tools.convert.positions import FORMS, convert_positions

SUMMARY = "write positions in other forms, and matches in other formats"

ALL = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        metavar="POSITION|FILE",
        nargs="*",
        help="one position in any form, or files with one on each line; match files, or folders and .zip "
        "archives of them (default standard input)",
    )
    parser.add_argument(
        "--to",
        metavar="FORM,...",
        help=f"{', '.join(FORMS)} or {ALL} (default {ALL}; for lines xgid); for matches {_name_formats()}",
    )
    positions = parser.add_argument_group("positions")
    positions.add_argument("--column", metavar="NAME", help="the column of positions, where FILE is a table")
    add_variant_argument(positions)
    positions.add_argument("--json", action="store_true", help="write one JSON object for each position")
    matches = parser.add_argument_group("matches")
    matches.add_argument(
        "--output",
        type=written_path,
        metavar="FILE",
        help="write here, in place of stdout; a folder for many matches",
    )
    add_force_option(matches)
    matches.add_argument("--strict", action="store_true", help="refuse files with a fault")


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0, or 1 where a line held no position, or a match file could not be read or written whole.

    Raises:
        GammondError: The position or a form is wrong, or a file cannot be read or written.
    """
    suffix = "" if args.output is None else args.output.suffix[1:].lower()
    to = suffix if args.to is None and suffix in MATCH_FORMATS else args.to
    if to in MATCH_FORMATS:
        has_variant = args.variant != BACKGAMMON.name
        _refuse("positions", column=args.column is not None, variant=has_variant, json=args.json)
        return convert_matches(args, to)
    _refuse("matches", output=args.output is not None, force=args.force, strict=args.strict)
    files = [Path(word) for word in args.source]
    has_lines = not args.source or args.source == [STDIN] or all(file.is_file() for file in files)
    names = read_names(("xgid" if has_lines else ALL) if args.to is None else args.to)
    check_no_matches(files)
    return convert_positions(args, names, has_lines=has_lines)


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


def _name_formats() -> str:
    *others, last = MATCH_FORMATS
    return f"{', '.join(others)} or {last}"


def _refuse(what: str, **given: bool) -> None:
    """Refuse options that are for matches, or for positions, alone.

    Raises:
        UnsupportedError: One is given.
    """
    for option in (option for option, is_given in given.items() if is_given):
        raise UnsupportedError(
            f"--{option} is for {what}: --to {_name_formats()} writes matches, all else positions",
            field=option,
        )
