"""Slow, obvious twins of the engine's rules, written from the rules of the game with lists and tuples alone.

A state is 28 whole numbers, all seen by the player to move: place 0 its checkers off, 1..24 the points in its
own numbering (its checkers positive, the opponent's negative), 25 its bar, 26 the opponent's bar, 27 the
opponent's checkers off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from gammond.engine.rules.position import Board, Position

State = tuple[int, ...]

OFF, BAR, OPPONENT_BAR, OPPONENT_OFF = 0, 25, 26, 27


def states(boards) -> list[State]:
    """Convert ``int8[n, 2, 26]`` boards, row 0 the player to move."""
    own, opponent = boards[:, 0], boards[:, 1]
    points = own[:, 1:25] - opponent[:, 24:0:-1]
    columns = own[:, :1], points, own[:, 25:], opponent[:, 25:], opponent[:, :1]
    return [tuple(row) for row in np.concatenate(columns, axis=1).tolist()]


def turned(state: State) -> State:
    """The same checkers, seen by the other player."""
    points = [-state[25 - point] for point in range(1, 25)]
    return (state[OPPONENT_OFF], *points, state[OPPONENT_BAR], state[BAR], state[OFF])


def checker_moves(state: State, die: int) -> Iterator[State]:
    """Every state that one checker moved by one die leads to."""
    sources = [BAR] if state[BAR] else [point for point in range(1, 25) if state[point] > 0]
    highest = max(sources, default=0)
    for source in sources:
        target = source - die
        if target >= 1:
            if state[target] >= -1:
                yield _apply_moves(state, source, target)
        elif highest <= 6 and (target == 0 or source == highest):
            yield _apply_moves(state, source, OFF)


def _apply_moves(state: State, source: int, target: int) -> State:
    after = list(state)
    after[source] -= 1
    if target != OFF and after[target] == -1:
        after[target] = 0
        after[OPPONENT_BAR] += 1
    after[target] += 1
    return tuple(after)


def _after_each_die(state: State, dice: Sequence[int]) -> list[set[State]]:
    """The states after 0, 1, 2, ... of the dice, played in this order, for as long as any can be played."""
    levels = [{state}]
    for die in dice:
        reached = {after for before in levels[-1] for after in checker_moves(before, die)}
        if not reached:
            break
        levels.append(reached)
    return levels


def results(state: State, roll: tuple[int, int]) -> set[State]:
    """All states that legal plays of a roll lead to, still seen by the player who moved.

    As many dice as possible must be played; if only one of two can be, the larger one where either can.
    """
    larger, smaller = max(roll), min(roll)
    if larger == smaller:
        return _after_each_die(state, [larger] * 4)[-1]
    larger_first = _after_each_die(state, [larger, smaller])
    smaller_first = _after_each_die(state, [smaller, larger])
    if len(larger_first) == 3 or len(smaller_first) == 3:
        return {end for levels in (larger_first, smaller_first) if len(levels) == 3 for end in levels[2]}
    if len(larger_first) == 2:
        return larger_first[1]
    return smaller_first[-1]


def points_won(state: State) -> int:
    """Return the value of a finished game to the player to move: 1, 2 or 3 points, negative if lost."""
    if any(state[point] > 0 for point in range(1, 26)):
        return -points_won(turned(state))
    if state[OPPONENT_OFF] > 0:
        return 1
    in_winners_home = state[OPPONENT_BAR] > 0 or any(state[point] < 0 for point in range(1, 7))
    return 3 if in_winners_home else 2


def has_contact(state: State) -> bool:
    """Whether some checker still has to pass an opposing one."""
    own = [point for point in range(1, 26) if state[point] > 0]
    opponent = [point for point in range(1, 25) if state[point] < 0]
    if state[OPPONENT_BAR]:
        opponent.append(0)
    return bool(own) and bool(opponent) and max(own) > min(opponent)


def has_crashed(state: State) -> bool:
    """Whether the player to move has six checkers or fewer to hold its board with, as gnubg counts them.

    Checkers off do not count, nor those on the ace point unless there is just one, nor more than one on the
    deuce point.
    """
    counted = [max(state[point], 0) for point in range(26)]
    counted[0] = 0
    if counted[1] >= 2:
        counted[1] = 0
    counted[2] = min(counted[2], 1)
    return sum(counted) <= 6


def pips(state: State) -> tuple[int, int]:
    """Pip counts of the player to move and of the opponent."""
    own = sum(point * state[point] for point in range(1, 26) if state[point] > 0)
    opponent = sum((25 - point) * -state[point] for point in range(1, 25) if state[point] < 0)
    return own, opponent + 25 * state[OPPONENT_BAR]


def disagreements(sample, dice) -> list[str]:
    """The positions and rolls whose compiled results differ from `results`, or hold a result twice."""
    children, _, offsets = expand_rolls(sample, dice)
    reached = states(children[:, ::-1])
    wrong = []
    for i, state in enumerate(states(sample)):
        found = reached[offsets[i] : offsets[i + 1]]
        expected = results(state, (int(dice[i, 0]), int(dice[i, 1])))
        if len(found) != len(expected) or set(found) != expected:
            wrong.append(f"{Position(sample[i])} {dice[i]}: {len(found)} results, not {len(expected)}")
    return wrong


def sanitise(outcomes: Outcomes, boards: Board) -> Outcomes:
    """Return consistent estimates: probabilities, monotone, no gammon once the loser has a checker off."""
    made = np.clip(outcomes, 0, 1)
    made[:, WIN_G] = np.minimum(made[:, WIN_G], made[:, WIN])
    made[:, LOSE_G] = np.minimum(made[:, LOSE_G], 1 - made[:, WIN])
    made[boards[:, 1, 0] > 0, WIN_G] = 0
    made[boards[:, 0, 0] > 0, LOSE_G] = 0
    made[:, WIN_BG] = np.minimum(made[:, WIN_BG], made[:, WIN_G])
    made[:, LOSE_BG] = np.minimum(made[:, LOSE_BG], made[:, LOSE_G])
    return made
