"""The plays of a roll as a graph of single checker moves, for boards where each is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import CheckerMove, generate_plays
from gammond.engine.rules.notation import format_plays
from gammond.engine.rules.position import BAR, OFF, Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from gammond.engine.runtime.threads import offer_turn

_HOME_POINTS = 6
_BITS = 4
_COUNT = (1 << _BITS) - 1
_POINTS = np.arange(1, BAR)

_TURN_STATES = 64
"""Partial plays that are found or numbered between two offers of the turn; some 1 ms."""

_State = tuple[int, int, tuple[int, ...]]
"""The mover's checkers, four bits for each point; a bit for each point on which it hit; and the dice that are
left, ascending."""


class PartialPlay(TypedDict):
    """A point on the way from a roll to one of its plays, by keys, as JSON has it.

    Attributes:
        moves: The checker moves that lead on to a legal play, highest source first: source, target, and where
            it leads, an index into the list of all.
        play: The play in the usual notation, where it is whole; None where checkers are still to be moved.
    """

    moves: list[tuple[int, int, int]]
    play: str | None


def list_partial_plays(position: Position, roll: Roll, rules: Rules = STANDARD_RULES) -> list[PartialPlay]:
    """List what a player can move, checker by checker, without running into a play that is not legal.

    Partial plays with the same checkers and the same dice used are one, however they came about. A checker
    that either die bears off takes the smaller one, which leaves the same plays. The whole ones have the
    positions of `legal_plays`, each at least once. There are at most some 4,000, the plays of a
    double and their beginnings, which take 50 ms: the turn in the interpreter is offered now and then.

    Returns:
        The partial plays; the first has moved nothing, and each later one is reached from an earlier one.

    Raises:
        ValueRangeError: A die is not 1..6.
        StateError: The game is over.
    """
    plays, dice = generate_plays(position, roll, rules), rules.dice_of(roll)
    own, opponent = position.board
    hits = (plays.boards[:, 0, BAR - _POINTS] < opponent[BAR - _POINTS]) @ (1 << _POINTS)
    ends = zip(_pack_checkers(plays.boards[:, 1]), hits.tolist(), strict=True)
    graph = _Graph(opponent.tolist(), dice, dict(zip(ends, format_plays(plays), strict=True)))
    start: _State = _pack_checkers(own[None])[0], 0, tuple(sorted(dice))
    graph.explore(start)
    return graph.number(start)


def _pack_checkers(rows: NDArray[np.int8]) -> list[int]:
    """Return the checkers of a side, ``int8[n, 26]``, as one number each: four bits for each point."""
    counts = rows.astype(np.uint8)
    pairs = counts[:, 0::2] | (counts[:, 1::2] << _BITS)
    text, size = pairs.tobytes(), pairs.shape[1]
    return [int.from_bytes(text[at : at + size], "little") for at in range(0, len(text), size)]


class _Graph:
    """The states from which a legal play can be reached.

    Args:
        opponent: The opponent's checkers on each point, in its own numbering.
        dice: The dice.
        texts: The legal plays by the mover's checkers and hits after them.
    """

    def __init__(
        self, opponent: Sequence[int], dice: tuple[int, ...], texts: Mapping[tuple[int, int], str]
    ) -> None:
        self._texts = texts
        self._moves: dict[_State, dict[CheckerMove, _State]] = {}
        self._steps = {
            (source, die): (
                target,
                (1 << _BITS * target) - (1 << _BITS * source),
                opponent[BAR - target] << target,
            )
            for source in range(BAR, OFF, -1)
            for die in set(dice)
            if (target := source - die) > OFF and opponent[BAR - target] < 2
        }
        """Of each checker move on the board its target, what it adds to the checkers, and what it hits."""

    def explore(self, state: _State) -> bool:
        """Find what follows a state; return whether a legal play does."""
        known = self._moves.get(state)
        if known is None:
            known = self._moves[state] = {}
            if not len(self._moves) % _TURN_STATES:
                offer_turn()
            for move, following in self._list_moves(state):
                if move not in known and self.explore(following):
                    known[move] = following
        return bool(known) or state[:2] in self._texts

    def _list_moves(self, state: _State) -> Iterator[tuple[CheckerMove, _State]]:
        """List the moves of one checker by one of the dice that are left, and what they lead to."""
        own, hits, dice = state
        steps = self._steps
        highest = (own.bit_length() - 1) // _BITS
        rests = {die: dice[:place] + dice[place + 1 :] for place, die in enumerate(dice)}
        for source in (BAR,) if highest == BAR else range(highest, OFF, -1):
            if not own >> _BITS * source & _COUNT:
                continue
            for die, rest in rests.items():
                step = steps.get((source, die))
                if step is not None:
                    target, change, hit = step
                    yield (source, target), (own + change, hits | hit, rest)
                elif highest <= _HOME_POINTS and (source == die or source == highest < die):
                    yield (source, OFF), (own + 1 - (1 << _BITS * source), hits, rest)

    def number(self, start: _State) -> list[PartialPlay]:
        """Return the states that can be reached, in the order in which they come up."""
        places = {start: 0}
        found: list[PartialPlay] = []
        for state in (order := [start]):
            moves = []
            for (source, target), following in self._moves[state].items():
                if following not in places:
                    places[following] = len(order)
                    order.append(following)
                moves.append((source, target, places[following]))
            found.append({"moves": moves, "play": None if moves else self._texts.get(state[:2])})
            if not len(found) % _TURN_STATES:
                offer_turn()
        return found
