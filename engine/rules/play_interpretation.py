"""Interpretations of a written play: every order of its moves and every split of a long move into dice."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from engine.rules.dice import format_roll
from engine.rules.position import BAR, OFF, Position, swap_sides
from engine.wording import format_count

Dice = tuple[int, ...]


@dataclass(frozen=True)
class CheckerPath:
    """The path of one checker as written.

    Attributes:
        points: Source, intermediate points and target, falling (25 the bar, 0 off).
        marked_hits: Points marked as hits.
    """

    points: tuple[int, ...]
    marked_hits: tuple[int, ...] = ()


@dataclass(frozen=True)
class PlayInterpretation:
    """One way to play all paths.

    Attributes:
        result: The position afterwards, as the next mover sees it.
        hits: Points hit on, in the mover's numbering.
        dice_used: How many dice it takes.
    """

    result: Position
    hits: tuple[int, ...]
    dice_used: int


def find_interpretations(
    position: Position, dice: Dice, paths: list[CheckerPath]
) -> tuple[list[PlayInterpretation], str]:
    """Play paths in every way that the rules for single checker moves allow.

    The caller checks whether enough dice were used, and the right one.

    Args:
        position: The position, the player on roll to move.
        dice: One for each checker move.
        paths: At least one.

    Returns:
        The interpretations, and if there are none, the rule that stopped the one that went furthest.
    """
    reason = _explain_dice_mismatch(paths, dice)
    if reason:
        return [], reason
    search = _InterpretationSearch()
    own, opponent = position.board.tolist()
    search.explore(_Checkers(own, opponent), dice, tuple(path.points for path in paths), ())
    return search.interpretations, search.reason


def format_move(points: tuple[int, ...]) -> str:
    """Format the ends of a path: ``bar/18``."""
    return "/".join("bar" if p == BAR else "off" if p == OFF else str(p) for p in (points[0], points[-1]))


@dataclass(frozen=True)
class _Checkers:
    """Both sides' checkers during a play, each in its own numbering."""

    own: list[int]
    opponent: list[int]

    def explain_illegal_move(self, source: int, die: int) -> str | None:
        """Return the rule that forbids moving a checker by a die, None if it is legal."""
        if not self.own[source]:
            return f"no checker on {'the bar' if source == BAR else source}"
        if self.own[BAR] and source != BAR:
            return "checkers on the bar must enter first"
        target = source - die
        if target > OFF:
            holders = self.opponent[25 - target]
            if holders < 2:
                return None
            return f"{format_move((source, target))} is blocked by {holders} checkers of the opponent"
        highest = max(point for point in range(1, 26) if self.own[point])
        if highest > 6:
            return f"no bearing off while a checker is on {'the bar' if highest == BAR else highest}"
        if target < OFF and source < highest:
            return f"a {die} bears off from {source} only when no checker is higher, and one is on {highest}"
        return None

    def move_checker(self, source: int, target: int) -> tuple[_Checkers, bool]:
        """Return the checkers after a checker move, and whether it hit."""
        own, opponent = self.own.copy(), self.opponent.copy()
        own[source] -= 1
        own[target] += 1
        is_hit = target > OFF and opponent[25 - target] == 1
        if is_hit:
            opponent[25 - target] = 0
            opponent[BAR] += 1
        return _Checkers(own, opponent), is_hit


class _InterpretationSearch:
    """Depth-first search over which checker moves next and by which die, no state visited twice."""

    def __init__(self) -> None:
        self._seen: set[tuple[object, ...]] = set()
        self.interpretations: list[PlayInterpretation] = []
        self.reason = ""
        self._reason_rank = (5, 5, 1)
        self._dice_count = 0

    def explore(
        self, checkers: _Checkers, dice: Dice, pending: tuple[tuple[int, ...], ...], hits: tuple[int, ...]
    ) -> None:
        """Try every next checker move.

        Args:
            checkers: The checkers.
            dice: Dice not used yet.
            pending: For each unfinished path, the point of its checker and the written points ahead.
            hits: Points hit on so far.
        """
        state = tuple(checkers.own), dice, tuple(sorted(pending)), tuple(sorted(hits))
        if state in self._seen:
            return
        self._seen.add(state)
        self._dice_count = max(self._dice_count, len(dice))
        if not pending:
            board = np.array([checkers.own, checkers.opponent], np.int8)
            result = Position(swap_sides(board), sum(checkers.own))
            self.interpretations.append(PlayInterpretation(result, hits, self._dice_count - len(dice)))
            return
        for points in dict.fromkeys(pending):
            others = list(pending)
            others.remove(points)
            self._move_one(checkers, dice, points, tuple(others), hits)

    def _move_one(
        self,
        checkers: _Checkers,
        dice: Dice,
        points: tuple[int, ...],
        others: tuple[tuple[int, ...], ...],
        hits: tuple[int, ...],
    ) -> None:
        source, goal, *ahead = points
        for die in dict.fromkeys(dice):
            left = list(dice)
            left.remove(die)
            target = max(source - die, OFF)
            if not _is_within_reach(source - die, goal, tuple(left)):
                self._record_reason(
                    (len(others), len(dice), 1),
                    f"{format_move(points)} cannot be played with {_format_dice(dice)} left",
                )
                continue
            refusal = checkers.explain_illegal_move(source, die)
            if refusal:
                self._record_reason((len(others), len(dice), 0), refusal)
                continue
            after, is_hit = checkers.move_checker(source, target)
            rest = tuple(ahead) if target == goal else (goal, *ahead)
            pending = (*others, (target, *rest)) if rest else others
            self.explore(after, tuple(left), pending, (*hits, target) if is_hit else hits)

    def _record_reason(self, rank: tuple[int, int, int], reason: str) -> None:
        """Keep the reason of the attempt that went furthest; rules of the game go before arithmetic."""
        if rank < self._reason_rank:
            self._reason_rank = rank
            self.reason = reason


def _explain_dice_mismatch(paths: list[CheckerPath], dice: Dice) -> str:
    """Return why paths do not fit the dice in any position; empty if they may fit."""
    steps = [step for path in paths for step in pairwise(path.points)]
    if len(steps) > len(dice):
        return f"expected at most {len(dice)} checker moves with {format_roll(dice)}, got {len(steps)}"
    for source, goal in steps:
        if not _is_within_reach(source, goal, dice):
            move = format_move((source, goal))
            pips = source - goal
            return f"{move} is {format_count(pips, 'pip')}, not possible with {format_roll(dice)}"
    return ""


def _is_within_reach(source: int, goal: int, dice: Dice) -> bool:
    """Return whether some of the dice move a checker exactly to its goal, or off if that is the goal."""
    if goal == OFF:
        return source - sum(dice) <= OFF
    sums = {sum(some) for count in range(len(dice) + 1) for some in combinations(dice, count)}
    return source - goal in sums


def _format_dice(dice: Dice) -> str:
    return "-".join(map(str, dice)) or "no dice"
