"""The plays of a roll as a graph of single checker moves, for boards where each is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.rules.dice import Roll
from engine.rules.moves import CheckerMove, generate_plays
from engine.rules.notation import format_plays
from engine.rules.position import BAR, OFF, Position
from engine.rules.rules import STANDARD_RULES, Rules

_HOME_POINTS = 6
_Checkers = bytes
_State = tuple[_Checkers, _Checkers, tuple[int, ...]]
"""The mover's checkers, the opponent's in its own numbering, and the dice that are left, ascending."""


@dataclass(frozen=True, slots=True)
class PartialPlay:
    """A point on the way from a roll to one of its plays.

    Attributes:
        moves: The checker moves that lead on to a legal play, highest source first, and where each leads: an
            index into the list of all.
        play: The play in the usual notation, where it is whole; None where checkers are still to be moved.
    """

    moves: tuple[tuple[CheckerMove, int], ...]
    play: str | None


def list_partial_plays(position: Position, roll: Roll, rules: Rules = STANDARD_RULES) -> list[PartialPlay]:
    """List what a player can move, checker by checker, without running into a play that is not legal.

    Partial plays with the same checkers and the same dice used are one, however they came about. A checker
    that either die bears off takes the smaller one, which leaves the same plays. The whole ones have the
    positions of `legal_plays`, each at least once. There are at most some 4,000: the plays of a
    double and their beginnings.

    Args:
        position: The position, the player on roll to move.
        roll: Two dice, in any order.
        rules: The rules of the game.

    Returns:
        The partial plays; the first has moved nothing, and each later one is reached from an earlier one.

    Raises:
        ValueRangeError: A die is not 1..6.
        StateError: The game is over.
    """
    plays = generate_plays(position, roll, rules)
    texts = {board.tobytes(): text for board, text in zip(plays.boards, format_plays(plays), strict=True)}
    own, opponent = (row.tobytes() for row in position.board)
    start: _State = own, opponent, tuple(sorted(rules.dice_of(roll)))
    graph = _Graph(texts)
    graph.explore(start)
    return graph.number(start)


def describe_partial_plays(partial_plays: Sequence[PartialPlay]) -> list[dict[str, object]]:
    """Return partial plays by keys, for JSON; a move is a list of from, to and the place that it leads to.

    Args:
        partial_plays: What `list_partial_plays` returned.
    """
    return [
        {
            "moves": [(source, target, following) for (source, target), following in each.moves],
            "play": each.play,
        }
        for each in partial_plays
    ]


class _Graph:
    """The states from which a legal play can be reached.

    Args:
        texts: The legal plays by their positions, as the next mover sees them.
    """

    def __init__(self, texts: dict[bytes, str]) -> None:
        self._texts = texts
        self._moves: dict[_State, dict[CheckerMove, _State]] = {}

    def explore(self, state: _State) -> bool:
        """Find what follows a state; return whether a legal play does."""
        known = self._moves.get(state)
        if known is None:
            known = self._moves[state] = {}
            for move, following in _list_moves(state):
                if move not in known and self.explore(following):
                    known[move] = following
        return bool(known) or self._find_text(state) is not None

    def _find_text(self, state: _State) -> str | None:
        own, opponent, _ = state
        return self._texts.get(opponent + own)

    def number(self, start: _State) -> list[PartialPlay]:
        """Return the states that can be reached, in the order in which they come up."""
        places = {start: 0}
        found: list[PartialPlay] = []
        for state in (order := [start]):
            moves = []
            for move, following in self._moves[state].items():
                if following not in places:
                    places[following] = len(order)
                    order.append(following)
                moves.append((move, places[following]))
            found.append(PartialPlay(tuple(moves), None if moves else self._find_text(state)))
        return found


def _list_moves(state: _State) -> Iterator[tuple[CheckerMove, _State]]:
    """List the moves of one checker by one of the dice that are left, and what they lead to."""
    own, opponent, dice = state
    highest = max((point for point in range(BAR, OFF, -1) if own[point]), default=OFF)
    sources = [BAR] if highest == BAR else [point for point in range(highest, OFF, -1) if own[point]]
    for source in sources:
        for place, die in enumerate(dice):
            if place and die == dice[place - 1]:
                continue
            target = source - die
            if target > OFF:
                if opponent[BAR - target] > 1:
                    continue
            elif highest > _HOME_POINTS or (target < OFF and source < highest):
                continue
            target = max(target, OFF)
            after = bytearray(own)
            after[source] -= 1
            after[target] += 1
            theirs = opponent
            if target > OFF and opponent[BAR - target]:
                hit = bytearray(opponent)
                hit[BAR - target] = 0
                hit[BAR] += 1
                theirs = bytes(hit)
            yield (source, target), (bytes(after), theirs, dice[:place] + dice[place + 1 :])
