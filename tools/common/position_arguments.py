"""The position of a command: in any form, from the arguments or standard input, with dice and score."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gammond.engine.errors import (
    DataFileError,
    FormatError,
    GammondError,
    PositionError,
    UnsupportedError,
    ValueRangeError,
)
from gammond.engine.formats.position_text import START, find_position, name_format, split_lines
from gammond.engine.match_files.reading import (
    MAX_FILE_BYTES,
    decode_text,
    holds_positions,
    read_head,
    read_positions,
    recognise_format,
)
from gammond.engine.rules.dice import validate_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON, VARIANTS
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.position_texts import EXPECTED, describe_reading, parse_text
from gammond.tools.common.pulse import PULSE, open_stdin

STDIN = "-"
"""The position that stands for standard input."""

_PATH = re.compile(r"~|\.{0,2}[/\\]|[A-Za-z]:[/\\]|.*\.[A-Za-z]{2,4}\Z", re.DOTALL)
"""A word that stands for a file, whether it is there or not."""

_OWN, _OPPONENT, _CENTRE = "own", "opponent", "centre"
_SCORE_OPTIONS = ("match", "score", "crawford", "cube_value", "cube_owner", "jacoby", "beavers")


def add_position_arguments(
    parser: argparse.ArgumentParser,
    *,
    has_dice: bool = False,
    has_score: bool = True,
    other_games: Sequence[str] = (),
) -> None:
    """Declare POSITION, and options for what its form leaves out.

    Args:
        parser: Of the command.
        has_dice: Whether the command answers for dice.
        has_score: Whether score and cube count.
        other_games: Games other than backgammon whose positions the command takes.
    """
    parser.add_argument(
        "position",
        metavar="POSITION",
        nargs="+",
        help=f"the position in any form, quoted or not: {EXPECTED}; or a file that holds one, or "
        f"{STDIN} for standard input; {START} is the start of a game",
    )
    parser.add_argument(
        "--dice",
        type=int,
        nargs=2,
        metavar=("A", "B"),
        help="the roll to play, in place of the position's" if has_dice else argparse.SUPPRESS,
    )
    add_variant_argument(parser, other_games)
    if has_score:
        _add_score_arguments(parser)


def add_variant_argument(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, other_games: Sequence[str] = ()
) -> None:
    """Declare ``--variant``, of backgammon or one of some other games."""
    names = (*VARIANTS, *other_games)
    parser.add_argument(
        "--variant",
        choices=names,
        default=BACKGAMMON.name,
        metavar="NAME",
        help=f"the game: {', '.join(names)} (default %(default)s)",
    )


def _add_score_arguments(parser: argparse.ArgumentParser) -> None:
    score = parser.add_argument_group(
        "score and cube", "in place of the position's; without either it is money play, cube 1 centred"
    )
    score.add_argument("--match", type=int, metavar="POINTS", help="length of the match, 0 for money play")
    score.add_argument(
        "--score",
        type=int,
        nargs=2,
        metavar=("OWN", "OTHER"),
        help="points of the side on roll and of its opponent (default 0 0)",
    )
    score.add_argument(
        "--crawford", action=argparse.BooleanOptionalAction, help="whether it is the Crawford game"
    )
    score.add_argument("--cube-value", type=int, metavar="VALUE", help="value of the cube")
    score.add_argument(
        "--cube-owner",
        choices=(_OWN, _OPPONENT, _CENTRE),
        help="who holds the cube: the side on roll, its opponent or nobody",
    )
    score.add_argument(
        "--jacoby",
        action=argparse.BooleanOptionalAction,
        help="whether gammons count only once the cube is turned (money play)",
    )
    score.add_argument(
        "--beavers", action=argparse.BooleanOptionalAction, help="whether beavers are allowed (money play)"
    )


def read_position(args: argparse.Namespace, *, has_dice: bool = False) -> tuple[Position, MatchState]:
    """Read the position of the arguments.

    What was assumed of a form that programs write in more than one way is said on stderr.

    Args:
        args: Parsed, with what `add_position_arguments` declares; gets `assumed`, what was assumed, for JSON.
        has_dice: As there.

    Returns:
        The position as the side on roll sees it, and the match state.

    Raises:
        GammondError: The text is no position, or an option does not fit it; the message names the option.
    """
    if args.dice is not None and not has_dice:
        raise UnsupportedError(
            "--dice is for 'hint', 'board' and 'rollout': this command is about the position before the roll",
            field="dice",
        )
    text = find_text(args.position)
    position, match = parse_text(text, VARIANTS[args.variant])
    args.assumed = describe_reading(text)
    if args.assumed:
        sys.stderr.write(f"{PULSE.name}: {args.assumed}\n")
    match = _change_score(match or MatchState(), args)
    if args.dice is not None:
        if match.doubled or match.resigned:
            raise PositionError("--dice: an offer is pending in this position: remove --dice", field="dice")
        with _name_option("dice"):
            match = match.with_roll(validate_roll(*args.dice))
    return position, match


def add_assumed(args: argparse.Namespace, line: str) -> str:
    """Add to a JSON object what `read_position` assumed, if anything.

    Args:
        args: The arguments.
        line: The object, with a key or more.
    """
    return f"{line[:-1]}, {json.dumps({'assumed': args.assumed})[1:]}" if args.assumed else line


def read_text(words: list[str]) -> str:
    """Return what the arguments of a position say, or standard input for `STDIN`, on one line.

    Raises:
        FormatError: There is nothing.
    """
    text = decode_text(open_stdin().read()) if words == [STDIN] else " ".join(words)
    if not text.strip():
        raise FormatError("expected a position in standard input, got nothing", field="position")
    return " ".join(text.split())


def find_text(words: list[str]) -> str:
    """Return the text of the one position that arguments hold, a file, or standard input for `STDIN`.

    Words around a labelled position, such as a whole drawn board with its ID, are left out, and so are IDs of
    the same position in other forms.

    Raises:
        FormatError: There is none, there are several, or it is a match.
        DataFileError: A file is not there, or cannot be read.
        GammondError: Its position is impossible.
    """
    if words == [STDIN]:
        name, content = "standard input", open_stdin().read(MAX_FILE_BYTES + 1)
    elif len(words) == 1 and find_position(words[0]) is None and os.path.isfile(words[0]):
        name, content = words[0], read_head(words[0], MAX_FILE_BYTES + 1)
    elif len(words) == 1 and _PATH.match(words[0]) and find_position(words[0]) is None:
        raise DataFileError(f"{escape_unprintable(words[0])}: no such file", field="position")
    else:
        text = " ".join(words)
        are_several = sum(map(bool, map(find_position, words))) > 1
        return _choose_text(words if are_several else split_lines(text, lambda _: False), text)
    if holds_positions(content) or recognise_format(content) is not None:
        return _choose_text([each.xgid for each in read_positions(content, name=name)], name)
    text = decode_text(content)
    if not text.strip():
        raise FormatError(f"expected a position in {name}, got nothing", field="position")
    return _choose_text(split_lines(text, lambda _: False), text)


def _choose_text(parts: list[str], text: str) -> str:
    """Return the one position among parts of a text, or the text where there is none."""
    found = [position for part in parts if (position := find_position(part))]
    if not found and len(parts) > 1:
        raise FormatError(
            f"expected a position, got {len(parts)} lines without one: a drawn board is read with its ID or "
            "XGID beside it",
            field="position",
        )
    if len(found) > 1 and not _are_forms_of_one(found):
        raise FormatError(
            f"expected one position, got {len(found)}: 'gammond batch' evaluates many", field="position"
        )
    return next((each for each in found if name_format(each) == "xgid"), found[0]) if found else text


def _are_forms_of_one(texts: list[str]) -> bool:
    """Return whether texts are IDs of the same checkers, each in another form."""
    forms = [name_format(text) for text in texts]
    try:
        return len(set(forms)) == len(texts) and len({parse_text(text)[0] for text in texts}) == 1
    except GammondError:
        return False


@contextmanager
def _name_option(option: str) -> Iterator[None]:
    """Put the name of an option before the message of an error."""
    try:
        yield
    except GammondError as error:
        name = "--" + option.replace("_", "-")
        raise type(error)(f"{name}: {error.message}", field=option) from None


def _change_score(match: MatchState, args: argparse.Namespace) -> MatchState:
    given = [name for name in _SCORE_OPTIONS if getattr(args, name, None) is not None]
    if not given or "score" not in args:  # a command whose answer does not depend on the score
        return match
    length = match.length if args.match is None else args.match
    changes: dict[str, Any] = {}
    if args.match is not None:
        changes |= {"length": length, "score": (0, 0), "crawford": False}
    if args.score is not None:
        if not length:
            raise UnsupportedError("--score is for matches: add --match POINTS", field="score")
        changes |= {"score": tuple(args.score[:: 1 - 2 * match.on_roll]), "crawford": False}
    for name in ("jacoby", "beavers"):
        if getattr(args, name) is not None and length:
            raise UnsupportedError(f"--{name} is for money play: remove it, or the match", field=name)
    changes |= {
        name: getattr(args, name)
        for name in ("crawford", "jacoby", "beavers")
        if getattr(args, name) is not None
    }
    changes |= _read_cube(match, args, in_match=length > 0)
    with _name_option(given[-1]):
        return replace(match.without_offers(), **changes)


def _read_cube(match: MatchState, args: argparse.Namespace, *, in_match: bool) -> dict[str, Any]:
    """Return the changes of the cube's value and owner."""
    own = match.on_roll
    cube = match.cube if args.cube_value is None else args.cube_value
    owner = match.cube_owner
    if args.cube_owner is not None:
        owner = {_OWN: own, _OPPONENT: 1 - own, _CENTRE: None}[args.cube_owner]
    if cube == 1 and owner is not None and args.cube_owner is not None:
        raise ValueRangeError(
            "--cube-owner: a cube of 1 is in the centre: add --cube-value 2 or more", field="cube_owner"
        )
    if cube > 1 and in_match and owner is None:
        raise ValueRangeError(
            f"--cube-value: somebody holds a cube of {cube} in a match: --cube-owner {_OWN} or {_OPPONENT}",
            field="cube_value",
        )
    return {"cube": cube, "cube_owner": None if cube == 1 else owner}
