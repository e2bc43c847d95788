"""The position of a command: in any form, from the arguments or standard input, with dice and score."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from msgspec import Meta, Struct

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
from gammond.tools.common.command_options import HIDDEN, argument, option
from gammond.tools.common.position_texts import EXPECTED, describe_reading, parse_text
from gammond.tools.common.pulse import PULSE, open_stdin

STDIN = "-"
"""The position that stands for standard input."""

_PATH = re.compile(r"~|\.{0,2}[/\\]|[A-Za-z]:[/\\]|.*\.[A-Za-z]{2,4}\Z", re.DOTALL)
"""A word that stands for a file, whether it is there or not."""

_OWN, _OPPONENT, _CENTRE = "own", "opponent", "centre"
_POSITION_HELP = (
    f"the position in any form, quoted or not: {EXPECTED}; or a file that holds one, or {STDIN} for standard "
    f"input; {START} is the start of a game"
)


def variant_option(other_games: Sequence[str] = ()) -> Meta:
    """Describe ``--variant``, of backgammon or one of some other games."""

    def list_names() -> tuple[str, ...]:
        return (*VARIANTS, *other_games)

    return option(f"the game: {', '.join(list_names())}", "NAME", choices=list_names)


VariantName = Annotated[str, variant_option()]
"""``--variant`` of a command that knows backgammon alone."""


class ScoreOptions(Struct, frozen=True, kw_only=True):
    """What score and cube are, in place of those of the position."""

    TITLE: ClassVar[str] = "score and cube"
    ABOUT: ClassVar[str] = "in place of the position's; without either it is money play, cube 1 centred"

    match: Annotated[int, option("length of the match, 0 for money play", "POINTS")] | None = None
    score: (
        Annotated[
            tuple[int, int],
            option("points of the side on roll and of its opponent (default 0 0)", ("OWN", "OTHER")),
        ]
        | None
    ) = None
    crawford: Annotated[bool, option("whether it is the Crawford game")] | None = None
    cube_value: Annotated[int, option("value of the cube", "VALUE")] | None = None
    cube_owner: (
        Annotated[
            Literal["own", "opponent", "centre"],
            option("who holds the cube: the side on roll, its opponent or nobody"),
        ]
        | None
    ) = None
    jacoby: (
        Annotated[bool, option("whether gammons count only once the cube is turned (money play)")] | None
    ) = None
    beavers: Annotated[bool, option("whether beavers are allowed (money play)")] | None = None

    def change(self, match: MatchState) -> MatchState:
        """Return a match state with what the options say.

        Raises:
            GammondError: An option does not fit the others or the state; the message names it.
        """
        given = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        if not given:
            return match
        length = match.length if self.match is None else self.match
        changes: dict[str, Any] = {}
        if self.match is not None:
            changes |= {"length": length, "score": (0, 0), "crawford": False}
        if self.score is not None:
            if not length:
                raise UnsupportedError("--score is for matches: add --match POINTS", field="score")
            changes |= {"score": self.score[:: 1 - 2 * match.on_roll], "crawford": False}
        for name in ("jacoby", "beavers"):
            if getattr(self, name) is not None and length:
                raise UnsupportedError(f"--{name} is for money play: remove it, or the match", field=name)
        changes |= {
            name: getattr(self, name)
            for name in ("crawford", "jacoby", "beavers")
            if getattr(self, name) is not None
        }
        changes |= self._read_cube(match, in_match=length > 0)
        with _name_option(given[-1]):
            return replace(match.without_offers(), **changes)

    def _read_cube(self, match: MatchState, *, in_match: bool) -> dict[str, Any]:
        """Return the changes of the cube's value and owner."""
        own = match.on_roll
        cube = match.cube if self.cube_value is None else self.cube_value
        owner = match.cube_owner
        if self.cube_owner is not None:
            owner = {_OWN: own, _OPPONENT: 1 - own, _CENTRE: None}[self.cube_owner]
        if cube == 1 and owner is not None and self.cube_owner is not None:
            raise ValueRangeError(
                "--cube-owner: a cube of 1 is in the centre: add --cube-value 2 or more", field="cube_owner"
            )
        if cube > 1 and in_match and owner is None:
            raise ValueRangeError(
                f"--cube-value: somebody holds a cube of {cube} in a match: --cube-owner {_OWN} or "
                f"{_OPPONENT}",
                field="cube_value",
            )
        return {"cube": cube, "cube_owner": None if cube == 1 else owner}


Dice = Annotated[tuple[int, int], option("the roll to play, in place of the position's", ("A", "B"))]
"""``--dice`` of a command that answers for a roll."""


class AskedPosition(NamedTuple):
    """The position that a command is asked about.

    Attributes:
        position: As the side on roll sees it.
        match: Score, cube and dice.
        assumed: What was assumed of a form that programs write in more than one way; empty for nothing.
    """

    position: Position
    match: MatchState
    assumed: str

    def add_assumed(self, line: str) -> str:
        """Add to a JSON object, with a key or more, what was assumed, if anything."""
        return f"{line[:-1]}, {json.dumps({'assumed': self.assumed})[1:]}" if self.assumed else line


class PositionOptions(Struct, frozen=True, kw_only=True):
    """The position of a command, before the roll; one about a roll sets `takes_dice` and `dice`."""

    takes_dice: ClassVar[bool] = False

    position: Annotated[tuple[str, ...], argument("POSITION", _POSITION_HELP, count="+")]
    dice: Annotated[tuple[int, int], option(HIDDEN, ("A", "B"))] | None = None
    variant: VariantName = BACKGAMMON.name

    def read(self, score: ScoreOptions | None = None) -> AskedPosition:
        """Read the position; what was assumed of its form is said on stderr.

        Args:
            score: What is in place of its score and cube; None for nothing.

        Raises:
            GammondError: The text is no position, or an option does not fit it; the message names the option.
        """
        if self.dice is not None and not self.takes_dice:
            raise UnsupportedError(
                "--dice is for 'hint', 'board' and 'rollout': this command is about the position before the "
                "roll",
                field="dice",
            )
        text = find_text(self.position)
        position, found = parse_text(text, VARIANTS[self.variant])
        assumed = describe_reading(text)
        if assumed:
            sys.stderr.write(f"{PULSE.name}: {assumed}\n")
        match = (score or ScoreOptions()).change(found or MatchState())
        if self.dice is not None:
            if match.doubled or match.resigned:
                raise PositionError(
                    "--dice: an offer is pending in this position: remove --dice", field="dice"
                )
            with _name_option("dice"):
                match = match.with_roll(validate_roll(*self.dice))
        return AskedPosition(position, match, assumed)


def read_text(words: Sequence[str]) -> str:
    """Return what the arguments of a position say, or standard input for `STDIN`, on one line.

    Raises:
        FormatError: There is nothing.
    """
    text = decode_text(open_stdin().read()) if list(words) == [STDIN] else " ".join(words)
    if not text.strip():
        raise FormatError("expected a position in standard input, got nothing", field="position")
    return " ".join(text.split())


def find_text(words: Sequence[str]) -> str:
    """Return the text of the one position that arguments hold, a file, or standard input for `STDIN`.

    Words around a labelled position, such as a whole drawn board with its ID, are left out, and so are IDs of
    the same position in other forms.

    Raises:
        FormatError: There is none, there are several, or it is a match.
        DataFileError: A file is not there, or cannot be read.
        GammondError: Its position is impossible.
    """
    if list(words) == [STDIN]:
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


def _choose_text(parts: Sequence[str], text: str) -> str:
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
