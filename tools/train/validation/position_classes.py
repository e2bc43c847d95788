"""Classes of positions by name: where they are drawn from, and what makes a position one of them.

A class is of positions in which either side is in the place that its name says, unless it speaks of the own
or the other side. Checkers back are those in the opponent's home board or on the bar, as in
`gammond.nets.manifest.ContactClassEntries`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.position import BAR, OFF, Board, classify_phases, swap_sides
from gammond.tools.train.weights.net_set import PHASES

_COUNT = re.compile("[0-9]{1,7}")

_BACK = slice(19, 26)
_OPPONENT_HOME = slice(19, 25)
_HOME = slice(1, 7)

MOST_BACK = 5
"""Checkers back are counted up to here; the last class has those with more, too."""

_TIMED_PIPS = 24
"""Pips outside the home board for three rolls."""

_CRUNCHED_PIPS = 8
"""Pips outside the home board for less than one roll."""

_LATE_OFF = 8
_LONG_RACE_PIPS = 60
_SHORT_RACE_PIPS = 40

_Mask = NDArray[np.bool_]

Predicate = Callable[[Board], _Mask]
"""Returns which of ``int8[n, 2, 26]`` are of a class: ``bool[n]``."""


@dataclass(frozen=True)
class PositionClass:
    """A class of positions.

    Attributes:
        source: Where they are drawn from, one of `gammond.tools.train.labels.sampling.SOURCES`.
        phase: A key of `gammond.tools.train.weights.net_set.PHASES`.
        is_member: What makes a position one of the class; None for all of the source.
    """

    source: str
    phase: str = "contact"
    is_member: Predicate | None = None

    def find_members(self, boards: Board) -> _Mask:
        """Find positions of the class wherever they come from: ``bool[n]`` for ``int8[n, 2, 26]``."""
        members = np.isin(classify_phases(boards), [int(phase) for phase in PHASES[self.phase]])
        return members if self.is_member is None else members & self.is_member(boards)


def count_back(boards: Board) -> NDArray[np.int64]:
    """Count checkers back of both sides: ``int64[n, 2]`` for ``int8[n, 2, 26]``, at most `MOST_BACK`."""
    counts: NDArray[np.int64] = np.minimum(boards[:, :, _BACK].sum(axis=2, dtype=np.int64), MOST_BACK)
    return counts


def has_back(boards: Board, side: int, count: int) -> _Mask:
    """Find where a side, 0 on roll, has so many checkers back; `MOST_BACK` is that many or more."""
    members: _Mask = count_back(boards)[:, side] == count
    return members


def has_two_anchors(boards: Board) -> _Mask:
    """Find where a side holds two points or more in the other's home board: ``bool[n]``."""
    return _for_either_side(lambda own, _: _count_anchors(own) >= 2, boards)


def holds_anchor_pair(boards: Board, low: int, high: int) -> _Mask:
    """Find where a side holds these two points of the other's home board and no third."""
    return _for_either_side(
        lambda own, _: (_count_anchors(own) == 2) & (own[:, 25 - low] >= 2) & (own[:, 25 - high] >= 2), boards
    )


def is_timed_backgame(boards: Board) -> _Mask:
    """Find sides with two anchors that need not touch their home board for three rolls."""
    return _for_either_side(
        lambda own, _: (_count_anchors(own) >= 2) & (_count_pips_to_home(own) >= _TIMED_PIPS), boards
    )


def is_crunched_backgame(boards: Board) -> _Mask:
    """Find sides with two anchors and less than a roll to play outside their home board."""
    return _for_either_side(
        lambda own, _: (_count_anchors(own) >= 2) & (_count_pips_to_home(own) <= _CRUNCHED_PIPS), boards
    )


def is_massive_backgame(boards: Board) -> _Mask:
    """Find sides with two anchors, six checkers back or more, and three rolls to play elsewhere."""
    return _for_either_side(
        lambda own, _: (
            (_count_anchors(own) >= 2)
            & (own[:, _BACK].sum(axis=1) >= 6)
            & (_count_pips_to_home(own) >= _TIMED_PIPS)
        ),
        boards,
    )


def is_prime_against_prime(boards: Board) -> _Mask:
    """Find where both sides hold four points in a row or more, with a checker of the other side behind."""
    return _has_trapped(boards) & _has_trapped(swap_sides(boards))


def is_containment(boards: Board) -> _Mask:
    """Find where a side holds one to three checkers that are back behind four of its points.

    The rest of the other side is home or off.
    """
    return _for_either_side(lambda own, other: _contains(own, other) & (other[:, OFF] < _LATE_OFF), boards)


def is_late_containment(boards: Board) -> _Mask:
    """Find containments after the other side has borne off 8 checkers or more."""
    return _for_either_side(lambda own, other: _contains(own, other) & (other[:, OFF] >= _LATE_OFF), boards)


def is_crunched(boards: Board) -> _Mask:
    """Find where a side has eight checkers or more on its three lowest points and one back."""
    return _for_either_side(
        lambda own, _: (own[:, 1:4].sum(axis=1) >= 8) & (own[:, _BACK].sum(axis=1) >= 1), boards
    )


def is_ace_point_game(boards: Board) -> _Mask:
    """Find where a side holds the other's ace point alone, against a side whose checkers are all home."""
    return _for_either_side(
        lambda own, other: (
            (own[:, 24] >= 2) & (own[:, 13:24].sum(axis=1) + own[:, BAR] == 0) & _is_home(other)
        ),
        boards,
    )


def is_bear_in(boards: Board) -> _Mask:
    """Find where a side comes home past one to four checkers back, the others' rest having passed it."""
    return _for_either_side(
        lambda own, other: (
            (own[:, 13:].sum(axis=1) == 0)
            & (own[:, 7:13].sum(axis=1) > 0)
            & _is_between(other[:, _BACK].sum(axis=1), 1, 4)
            & (other[:, 13:19].sum(axis=1) == 0)
        ),
        boards,
    )


def has_many_off(boards: Board) -> _Mask:
    """Find where a side has borne off eight checkers or more."""
    return np.asarray((boards[:, :, OFF] >= _LATE_OFF).any(axis=1))


def is_long_race(boards: Board) -> _Mask:
    """Find where both sides have 60 pips or more to go."""
    return np.asarray((_count_pips(boards) >= _LONG_RACE_PIPS).all(axis=1))


def is_short_race(boards: Board) -> _Mask:
    """Find where a side has less than 40 pips to go."""
    return np.asarray((_count_pips(boards) < _SHORT_RACE_PIPS).any(axis=1))


def _for_either_side(holds: Callable[[Board, Board], _Mask], boards: Board) -> _Mask:
    """Find where something holds of either side, given it and the other one as ``int8[n, 26]``."""
    return holds(boards[:, 0], boards[:, 1]) | holds(boards[:, 1], boards[:, 0])


def _count_anchors(own: Board) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = (own[:, _OPPONENT_HOME] >= 2).sum(axis=1)
    return counts


def _count_pips(boards: Board) -> NDArray[np.int64]:
    pips: NDArray[np.int64] = boards.astype(np.int64) @ np.arange(26)
    return pips


def _count_pips_to_home(own: Board) -> NDArray[np.int64]:
    """Pips that the checkers which are not back have to go until they are all home."""
    pips: NDArray[np.int64] = own[:, 7:19].astype(np.int64) @ np.arange(1, 13)
    return pips


def _is_between(counts: NDArray[np.int64], low: int, high: int) -> _Mask:
    return (counts >= low) & (counts <= high)


def _is_home(own: Board) -> _Mask:
    return np.asarray(own[:, 7:].sum(axis=1) == 0)


def _contains(own: Board, other: Board) -> _Mask:
    """Whether one to three checkers of the other side alone are not home, all back behind four points."""
    made = (own[:, 1:13] >= 2).sum(axis=1)
    back = other[:, 13:].sum(axis=1)
    is_held: _Mask = _is_between(back, 1, 3) & (made >= 4) & (other[:, 7:13].sum(axis=1) == 0)
    return is_held


def _has_trapped(boards: Board) -> _Mask:
    """Whether the side on roll holds four points in a row or more, with a checker of the other behind."""
    made = boards[:, 0, :] >= 2
    trapped = np.zeros(len(boards), np.bool_)
    for first in range(2, 10):  # the checker is behind the whole row, lower on the player's side
        row = made[:, first : first + 4].all(axis=1)
        trapped |= row & (boards[:, 1, 26 - first :].sum(axis=1) > 0)
    return trapped


_ANCHOR_PAIRS = {
    f"backgame-{low}-{high}": PositionClass(
        "anchor-pair", is_member=partial(holds_anchor_pair, low=low, high=high)
    )
    for low, high in combinations(range(1, 6), 2)
}

_BACK_COUNTS = {
    f"{name}-back-{count}": PositionClass(
        "selfplay" if count <= 2 else "astray", is_member=partial(has_back, side=side, count=count)
    )
    for side, name in enumerate(("own", "other"))
    for count in range(MOST_BACK + 1)
}

POSITION_CLASSES: dict[str, PositionClass] = {
    "contact": PositionClass("selfplay"),
    "backgame": PositionClass("backgame", is_member=has_two_anchors),
    "containment": PositionClass("containment"),
    "priming": PositionClass("priming"),
    "crashed": PositionClass("crashed", phase="crashed"),
    "late-hit": PositionClass("late-hit"),
    "race": PositionClass("selfplay", phase="race"),
    "timed-backgame": PositionClass("anchor-pair", is_member=is_timed_backgame),
    "massive-backgame": PositionClass("anchor-pair", is_member=is_massive_backgame),
    "crunched-backgame": PositionClass("anchor-pair", is_member=is_crunched_backgame),
    **_ANCHOR_PAIRS,
    "prime-against-prime": PositionClass("priming", is_member=is_prime_against_prime),
    "containing": PositionClass("containment", is_member=is_containment),
    "late-containment": PositionClass("late-containment", is_member=is_late_containment),
    "crunched": PositionClass("crashed", is_member=is_crunched),
    "ace-point": PositionClass("ace-point", is_member=is_ace_point_game),
    "bear-in": PositionClass("bear-in", is_member=is_bear_in),
    "many-off": PositionClass("late-hit", is_member=has_many_off),
    "long-race": PositionClass("selfplay", phase="race", is_member=is_long_race),
    "short-race": PositionClass("selfplay", phase="race", is_member=is_short_race),
    **_BACK_COUNTS,
}
"""Classes by name."""

PLAYED_CLASSES = tuple(
    name
    for name, kind in POSITION_CLASSES.items()
    if kind.is_member is not None or kind.source == "selfplay" or name == "crashed"
)
"""Classes that a position belongs to by what it is, not by where it was set up."""


def parse_classes(texts: Sequence[str], known: Collection[str] = POSITION_CLASSES) -> dict[str, int]:
    """Read classes and their numbers of positions: ``contact=2000``.

    Args:
        texts: One of each class.
        known: The names of classes that there are.

    Raises:
        ValueRangeError: There is none, one is unknown or given twice, or a number is no whole one above 0.
    """
    counts: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        count = int(number) if _COUNT.fullmatch(number) else 0
        if name not in known or name in counts or not count:
            raise ValueRangeError(
                f"expected different classes, each NAME=POSITIONS with a name of "
                f"{', '.join(known)}, got {text!r}",
                field="classes",
            )
        counts[name] = count
    if not counts:
        raise ValueRangeError("expected at least one class of positions, got none", field="classes")
    return counts
