"""Cubeful values against a slow twin that follows Janowski's pictures, one number at a time."""

import itertools

import numpy as np
import pytest

from gammond.engine.cubeful import DEFAULT_EFFICIENCIES
from gammond.engine.kernels import cubeful as kernel

pytestmark = pytest.mark.nojit

OWNERS = np.array([kernel.CENTRED, kernel.OWN, kernel.OTHER, kernel.DEAD], np.int8)


STATES = np.stack([np.zeros_like(OWNERS), OWNERS, np.full_like(OWNERS, -1)], axis=1)


def make_game(kind: int, **more) -> kernel.GameArrays:
    """A money game in all states of the cube, or what else is given."""
    arrays = {
        "efficiencies": DEFAULT_EFFICIENCIES.tables,
        "jacoby": False,
        "beavers": False,
        "stake_factor": 2.0,
        "states": STATES,
        "exact_columns": np.zeros(len(STATES), np.int64),
        "results": np.zeros((1, 2, 3)),
        "turns": np.zeros((1, 2), np.bool_),
        "may_double": np.zeros(len(STATES), np.bool_),
        "state_after_take": np.full(len(STATES), -1, np.int64),
        "pass_values": np.ones(len(STATES), np.float32),
    }
    return kernel.GameArrays(kind, **arrays | more)


def any_outcomes(count: int, seed: int):
    """``float32[count, 5]``, some of them certain wins and losses."""
    generator = np.random.default_rng(seed)
    win = generator.random(count)
    win[::17], win[5::17] = 0.0, 1.0
    rows = np.zeros((count, 5))
    rows[:, 0] = win
    rows[:, 1] = win * generator.random(count)
    rows[:, 2] = rows[:, 1] * generator.random(count) ** 4
    rows[:, 3] = (1 - win) * generator.random(count)
    rows[:, 4] = rows[:, 3] * generator.random(count) ** 4
    return rows.astype(np.float32)


def mean_worth(every: float, gammon: float, backgammon: float, worth) -> float:
    """The average worth of a side's games of one result."""
    if every <= 0:
        return worth(1)
    shares = every - gammon, gammon - backgammon, backgammon
    return sum(share * worth(n) for n, share in enumerate(shares, start=1)) / every


def on_the_line(corners: list[tuple[float, float]], x: float) -> float:
    """The value at x of straight lines through corners."""
    for (left, low), (right, high) in itertools.pairwise(corners):
        if left <= x <= right and right > left:
            return low + (x - left) / (right - left) * (high - low)
    raise AssertionError(f"{x} is not within {corners}")


def money_twin(outcome, efficiencies, owner: int, jacoby: bool) -> float:
    """The value in a state of the cube, no worse to its owner than that of a centred cube with gammons."""
    value = janowski_twin(outcome, efficiencies, owner, jacoby)
    if owner == kernel.OWN:
        return max(value, janowski_twin(outcome, efficiencies, kernel.CENTRED, False))
    if owner == kernel.OTHER:
        return min(value, janowski_twin(outcome, efficiencies, kernel.CENTRED, False))
    return value


def janowski_twin(outcome, efficiencies, owner: int, jacoby: bool) -> float:
    efficiency = 0.0 if owner == kernel.DEAD else float(efficiencies[owner + 1])
    win, win_g, win_bg, lose_g, lose_bg = map(float, outcome)
    won = mean_worth(win, win_g, win_bg, float)
    lost = mean_worth(1 - win, lose_g, lose_bg, float)
    take = (lost - 0.5) / (won + lost + 0.5)
    cash = (lost + 1) / (won + lost + 0.5)
    if owner == kernel.CENTRED and jacoby:
        won = lost = 1.0
    corners = [(0.0, -lost), (1.0, won)]
    dead = on_the_line(corners, win)
    if owner in (kernel.CENTRED, kernel.OTHER):
        corners.insert(1, (take, -1.0))
    if owner in (kernel.CENTRED, kernel.OWN):
        corners.insert(-1, (cash, 1.0))
    return (1 - efficiency) * dead + efficiency * on_the_line(corners, win)


class MatchTwin:
    """One outcome at one score, both sides symmetrically: side 0 is on roll."""

    def __init__(self, outcome, worths, turns) -> None:
        win, win_g, win_bg, lose_g, lose_bg = map(float, outcome)
        self.games = (win, win_g, win_bg), (1 - win, lose_g, lose_bg)
        self.worths, self.turns = worths, turns

    def worth(self, side: int, level: int, points: int) -> float:
        """A side's chance to win the match after winning (or losing) points cubes."""
        if side == 0:
            return self.worths[level, int(points > 0), abs(points) - 1]
        return 1 - self.worths[level, int(points < 0), abs(points) - 1]

    def won(self, side: int, level: int) -> float:
        return mean_worth(*self.games[side], lambda n: self.worth(side, level, n))

    def lost(self, side: int, level: int) -> float:
        return mean_worth(*self.games[1 - side], lambda n: self.worth(side, level, -n))

    def take_point(self, side: int, level: int) -> float:
        """Where a side's live value as the new owner equals its value after a pass."""
        corners = self.corners(side, level + 1, owner=side)
        dropped = self.worth(side, level, -1)
        if dropped <= corners[0][1]:
            return 0.0
        left, right = corners[:2]
        return left[0] + (dropped - left[1]) / (right[1] - left[1]) * (right[0] - left[0])

    def corners(self, side: int, level: int, owner: int | None) -> list[tuple[float, float]]:
        """The live value as straight lines; no side ends a game that is worth more played on."""
        ends = (0.0, self.lost(side, level)), (1.0, self.won(side, level))
        corners = [ends[0]]
        if owner != side and self.turns[level, 1 - side]:
            take, dropped = self.take_point(side, level), self.worth(side, level, -1)
            if dropped < on_the_line(ends, take):
                corners.append((take, dropped))
        if owner in (side, None) and self.turns[level, side]:
            cash, cashed = 1 - self.take_point(1 - side, level), self.worth(side, level, 1)
            if cashed > on_the_line(ends, cash):
                corners.append((cash, cashed))
        return [*corners, ends[1]]

    def dead(self, level: int) -> float:
        win = self.games[0][0]
        return win * self.won(0, level) + (1 - win) * self.lost(0, level)

    def value(self, efficiency: float, level: int, owner: int | None, free: int) -> float:
        live = on_the_line(self.corners(0, level, owner), self.games[0][0])
        value = (1 - efficiency) * self.dead(level) + efficiency * live
        if free == 0:
            doubled = min(self.dead(level + 1), self.worth(0, level, 1))
            return max(value, doubled - (1 - efficiency) ** 2 * max(doubled - self.dead(level), 0))
        if free == 1:
            return min(value, max(self.dead(level + 1), self.worth(0, level, -1)))
        return value


def any_worths(generator, levels: int):
    """Worths that grow with the points won, as at a made-up score."""
    points = np.concatenate([[-(2**k) * n, 2**k * n] for k in range(levels) for n in (1, 2, 3)])
    points = np.sort(np.unique(points))
    chances = np.sort(generator.random(len(points)))
    worth = dict(zip(points.tolist(), chances.tolist(), strict=True))
    return np.array(
        [[[worth[sign * n * 2**k] for n in (1, 2, 3)] for sign in (-1, 1)] for k in range(levels)]
    )


@pytest.mark.parametrize("jacoby", [False, True])
def test_money_values_are_those_of_the_twin(jacoby):
    outcomes = any_outcomes(200, 1)
    efficiencies = np.random.default_rng(2).random((200, 3)).astype(np.float32)
    values = np.empty((200, 4), np.float32)
    kernel.compute_cube_values(make_game(kernel.MONEY, jacoby=jacoby), outcomes, efficiencies, values)
    for i, s in np.ndindex(*values.shape):
        expected = money_twin(outcomes[i], efficiencies[i], int(OWNERS[s]), jacoby)
        assert values[i, s] == pytest.approx(expected, abs=2e-5), (outcomes[i], OWNERS[s])


@pytest.mark.parametrize(
    "turns",
    [
        [(True, True), (True, True), (False, False)],
        [(True, True), (True, False), (False, False)],
        [(False, True), (False, True), (False, False)],
        [(False, False), (False, False)],
        [(True, True), (True, True), (True, True), (False, True), (False, False)],
    ],
)
def test_match_values_are_those_of_the_twin(turns):
    turns = np.array(turns)
    generator = np.random.default_rng(3)
    owners = [kernel.CENTRED, kernel.OWN, kernel.OTHER]
    states = np.array(
        [(k, o, -1) for k in range(len(turns)) for o in owners] + [(0, 0, 0), (0, 1, 1)], np.int8
    )
    for seed in range(8):
        worths = any_worths(generator, len(turns))
        outcomes = any_outcomes(20, seed)
        efficiencies = generator.random((20, 3)).astype(np.float32)
        values = np.empty((20, len(states)), np.float32)
        game = make_game(kernel.MATCH, states=states, results=worths, turns=turns)
        kernel.compute_cube_values(game, outcomes, efficiencies, values)
        for i, s in np.ndindex(*values.shape):
            level, owner, free = (int(number) for number in states[s])
            twin = MatchTwin(outcomes[i], worths, turns)
            efficiency = float(efficiencies[i, owners.index(owner)])
            expected = twin.value(efficiency, level, None if owner == kernel.CENTRED else owner, free)
            assert values[i, s] == pytest.approx(expected, abs=2e-5), (outcomes[i], states[s])


def test_impossible_outcomes_are_read_as_the_nearest_possible_ones():
    rows = np.array([[1.2, 0.1, 0, 0, 0], [1.0, 0.1, 0, 0, 0], [0.3, 0.5, -0.1, 0, 0], [0.3, 0.3, 0, 0, 0]])
    values = np.empty((4, 4), np.float32)
    efficiencies = np.full((4, 3), 0.7, np.float32)
    kernel.compute_cube_values(make_game(kernel.MONEY), rows.astype(np.float32), efficiencies, values)
    assert values[0] == pytest.approx(values[1])
    assert values[2] == pytest.approx(values[3], abs=1e-6)


@pytest.mark.parametrize("beavers", [False, True])
def test_the_option_to_double_is_that_of_the_twin(beavers):
    generator = np.random.default_rng(1)
    before = generator.uniform(-2.0, 2.0, (40, 5)).astype(np.float32)
    may_double, state_after_take = np.array([True, True, False]), np.array([2, 2, -1])
    pass_values = np.array([1.0, 0.5, 1.0], np.float32)
    values = before.copy()
    game = make_game(
        kernel.MONEY,
        beavers=beavers,
        may_double=may_double,
        state_after_take=state_after_take,
        pass_values=pass_values,
    )
    kernel.add_double_option(game, values, 2)
    for row, old in zip(values.tolist(), before.tolist(), strict=True):
        taken = 2.0 * old[4]
        if beavers:
            taken = min(taken, 2.0 * taken)
        assert row == [*old[:2], max(old[2], min(taken, 1.0)), max(old[3], min(taken, 0.5)), old[4]]
