"""Count all sequences of legal moves, for comparing rules with another program.

    gammond perft barca 4
    gammond perft barca 3 --divide
    gammond perft barca 3 --position "$POSITION"
    gammond perft nackgammon 2

In backgammon and its variants a sequence is of rolls and plays: each of the 21 rolls, and each play of it
that leads to another position.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.errors import UnsupportedError
from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.position import Board, find_finished
from gammond.engine.rules.rules import VARIANTS
from gammond.tools.common.command_options import Json, ToolCommand, argument, option
from gammond.tools.common.wings import SequenceCounter, find_wings

SUMMARY = "count all sequences of legal moves of a length"

MAX_DEPTH = 12
_COUNTERS = {name: make for wing in find_wings() for name, make in wing.counters.items()}
"""Games other than backgammon and its variants -> what makes their counters."""

_OTHERS = ", ".join(_COUNTERS)
_GAMES = (*_COUNTERS, *VARIANTS)
_BLOCK = 512
_DICE = np.array(ROLLS, np.int8)


@dataclass(frozen=True)
class PerftCount:
    """What was counted.

    Attributes:
        name: The number of moves, or the first one.
        sequences: How many sequences there are.
        time_s: How long counting took, in seconds of processor time.
    """

    name: str
    sequences: int
    time_s: float


class PerftOptions(Struct, frozen=True, kw_only=True):
    """What is counted."""

    game: Annotated[str, argument("GAME", f"the game: {', '.join(_GAMES)}", choices=_GAMES)]
    depth: Annotated[int, argument("DEPTH", f"moves in a sequence, 1 to {MAX_DEPTH}", ge=1, le=MAX_DEPTH)]
    position: (
        Annotated[str, option(f"the position of {_OTHERS} to begin with (default the start)", "TEXT")] | None
    ) = None
    divide: Annotated[bool, option(f"a row for each first move of {_OTHERS} instead of each depth")] = False
    json: Json = False


def run(options: PerftOptions) -> int:
    """Run the tool.

    Returns:
        0.

    Raises:
        GammondError: The depth or the position is invalid, or an option is not for this game.
    """
    if options.game in _COUNTERS:
        counter = _COUNTERS[options.game](options.position)
        if options.divide:
            counts = _time_first_moves(counter, options.depth)
        else:
            counts = _time_depths(options.depth, counter.count)
    elif options.position is not None or options.divide:
        raise UnsupportedError(
            f"--position and --divide are for {_OTHERS}, not for {options.game}", field="game"
        )
    else:
        start = VARIANTS[options.game].starting_position.board[None]
        counts = _time_depths(options.depth, partial(count_plays, start))
    if options.json:
        rows = [
            {"moves": count.name, "sequences": count.sequences, "time_s": count.time_s} for count in counts
        ]
        sys.stdout.write(json.dumps({"game": options.game, "depth": options.depth, "counts": rows}) + "\n")
    else:
        _write_table("move" if options.divide else "moves", counts, has_total=options.divide)
    return 0


def count_plays(boards: Board, depth: int) -> int:
    """Count the sequences of rolls and plays of a length in backgammon; a game that is over ends one.

    Args:
        boards: Where they begin, ``int8[n, 2, 26]``.
        depth: How many rolls they have.
    """
    total = 0
    for first in range(0, len(boards), _BLOCK):
        block = boards[first : first + _BLOCK]
        dice = np.tile(_DICE, (len(block), 1))
        children = expand_rolls(np.repeat(block, len(_DICE), axis=0), dice)[0]
        unfinished = children[~find_finished(children)] if depth > 1 else children[:0]
        total += count_plays(unfinished, depth - 1) if depth > 1 else len(children)
    return total


def _time_first_moves(counter: SequenceCounter, depth: int) -> Iterator[PerftCount]:
    counter.count(1)  # loads the kernel
    for name, count in counter.after_moves.items():
        yield _time(name, partial(count, depth - 1))


def _time_depths(depth: int, count: Callable[[int], int]) -> Iterator[PerftCount]:
    count(1)  # loads the kernels
    for moves in range(1, depth + 1):
        yield _time(str(moves), partial(count, moves))


def _time(name: str, count: Callable[[], int]) -> PerftCount:
    began_s = time.process_time()
    sequences = count()
    return PerftCount(name, sequences, time.process_time() - began_s)


def _write_table(title: str, counts: Iterator[PerftCount], has_total: bool) -> None:
    """Write each row as soon as it is counted."""
    sys.stdout.write(f"{title:<8}{'sequences':>20}{'cpu s':>11}{'million/s':>11}\n")
    all_sequences, all_s = 0, 0.0
    for count in counts:
        all_sequences, all_s = all_sequences + count.sequences, all_s + count.time_s
        _write_row(count)
    if has_total:
        _write_row(PerftCount("all", all_sequences, all_s))


def _write_row(count: PerftCount) -> None:
    speed = f"{count.sequences / 1e6 / count.time_s:,.1f}" if count.time_s else "-"
    sys.stdout.write(f"{count.name:<8}{count.sequences:>20,}{count.time_s:>11.3f}{speed:>11}\n")
    sys.stdout.flush()


COMMAND = ToolCommand(PerftOptions, run)
