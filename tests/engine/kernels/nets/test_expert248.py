"""The hand-made inputs against a slow twin, written from docs/reference/encoders.md, and stored numbers."""

import functools
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.nets import expert248 as kernel_expert
from gammond.engine.kernels.nets import tesauro196 as kernel_encode
from gammond.engine.kernels.nets.expert248 import ADVANCES, ESCAPES, FEATURE_NAMES, SIDE_FEATURES
from gammond.engine.rules.position import Position
from gammond.nets.encoders import get_encoder
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

DOCS = Path(__file__).parents[4] / "docs" / "reference" / "encoders.md"
ROLLS = list(itertools.product(range(1, 7), repeat=2))


def encode(sample):
    """``float32[n, 2, 26]``: the hand-made inputs of both sides."""
    inputs = np.full((len(sample), kernel_expert.INPUTS), np.nan, np.float32)
    kernel_expert.encode(as_kernel_array(sample, np.int8), inputs)
    return inputs[:, 196:].reshape(-1, 2, SIDE_FEATURES)


def features(position: Position, side: int = 0) -> dict[str, float]:
    """The hand-made inputs of one side, by name."""
    return dict(zip(FEATURE_NAMES, encode(position.board[None])[0, side].tolist(), strict=True))


class Twin:
    """One side of a position, with every feature of the page as a method."""

    def __init__(self, board, side: int) -> None:
        self.own = board[side].tolist()
        self.other = board[1 - side].tolist()
        self.checkers = [point for point in range(1, 26) for _ in range(self.own[point])]
        self.back = max(self.checkers, default=0)
        self.other_back = max((point for point in range(1, 26) if self.other[point]), default=0)
        self.bar = self.own[25]
        self.made = [point for point in range(1, 25) if self.own[point] >= 2]
        self.anchors_made = [point for point in self.made if point >= 19]
        self.hits = [self.hit_by(*roll) for roll in ROLLS]

    def is_open(self, point: int) -> bool:
        return 1 <= point <= 24 and self.other[25 - point] < 2

    def is_blot(self, point: int) -> bool:
        return 1 <= point <= 24 and self.other[25 - point] == 1

    def hit_by(self, one: int, two: int) -> set[int]:
        """The points of the blots that a roll can hit."""
        orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
        stops = set[int]()
        for order in orders:
            stops |= self.stops(list(order))
        return {point for point in stops if self.is_blot(point)}

    def stops(self, dice: list[int]) -> set[int]:
        """Where a checker can stop with dice in this order: those on the bar first, then one checker with all
        that is left or with the last of it."""
        entering, left = dice[: self.bar], dice[self.bar :]
        entered = {25 - die for die in entering if self.is_open(25 - die)}
        if len({25 - die for die in entering}) > len(entered):
            left = []
        stops = set(entered)
        starts = {point for point in self.checkers if point < 25} | entered
        for start in starts:
            at = start
            for die in left:
                at -= die
                if not self.is_open(at):
                    break
                stops.add(at)
        return stops

    def way(self, point: int) -> tuple[bool, ...]:
        """Whether each of the 12 points ahead is open."""
        return tuple(point - d < 1 or point - d > 24 or self.is_open(point - d) for d in range(1, 13))

    def escape(self, point: int) -> float:
        way = self.way(point)
        return sum(farthest(way, *roll) > 6 for roll in ROLLS) / 36

    def advance(self, point: int) -> float:
        way = self.way(point)
        return sum(farthest(way, *roll) for roll in ROLLS) / 36 / (49 / 6)

    def pip_count(self, counts) -> int:
        return sum(point * counts[point] for point in range(1, 26))

    def values(self) -> list[float]:
        return [float(getattr(self, name)()) for name in FEATURE_NAMES]

    def pips(self):
        return self.pip_count(self.own) / 167

    def pip_lead(self):
        return (self.pip_count(self.other) - self.pip_count(self.own)) / 167

    def hit_chance(self):
        return sum(bool(hit) for hit in self.hits) / 36

    def double_hit_chance(self):
        return sum(len(hit) > 1 for hit in self.hits) / 36

    def hit_pips(self):
        return sum(max(hit, default=0) for hit in self.hits) / 36 / 12

    def entry_loss(self):
        return min(self.bar, 2) * sum(self.other[point] >= 2 for point in range(1, 7)) ** 2 / 36

    def escape_rear(self):
        return self.escape(self.back)

    def advance_rear(self):
        return self.advance(self.back)

    def escape_bar(self):
        return self.escape(25)

    def escape_least(self):
        return min(self.escape(point) for point in range(15, 25))

    def mobility(self):
        return sum((point - 6) * self.advance(point) for point in self.checkers if point > 6) / 100

    def prime(self):
        row = "".join("x" if point in self.made else " " for point in range(1, 25))
        return max(map(len, row.split()), default=0) / 6

    def six_point_block(self):
        return max(sum(p in self.made for p in range(low, low + 6)) for low in range(2, 13)) / 6

    def home_points(self):
        return sum(point <= 6 for point in self.made) / 6

    def home_blots(self):
        return sum(self.own[point] == 1 for point in range(1, 7)) / 3

    def anchors(self):
        return len(self.anchors_made) / 3

    def rear_anchor(self):
        return (max(self.anchors_made) - 18) / 6 if self.anchors_made else 0

    def rear(self):
        return self.back / 25

    def overlap(self):
        return max(self.back + self.other_back - 25, 0) / 25

    def contact_pips(self):
        return sum(max(point - (25 - self.other_back), 0) for point in self.checkers) / 167

    def free_pips(self):
        return sum(point for point in self.checkers if point <= 25 - self.other_back) / 100

    def spare_pips(self):
        return sum(point * max(self.own[point] - 2, 0) for point in range(1, 26)) / 100

    def buried(self):
        return (self.own[1] + self.own[2]) / 6

    def spread(self):
        return np.var(self.checkers) / 100 if self.checkers else 0

    def blots(self):
        return sum(self.own[point] == 1 for point in range(1, 25)) / 5

    def backgame(self):
        return sum(self.own[p] for p in self.anchors_made) / 7 if len(self.anchors_made) >= 2 else 0


@functools.cache
def farthest(way: tuple[bool, ...], one: int, two: int) -> int:
    """The most pips that a checker moves with a roll."""
    orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
    best = 0
    for order in orders:
        at = 0
        for die in order:
            at += die
            if at <= 12 and not way[at - 1]:
                break
            best = max(best, at)
    return best


def compared(sample):
    """The kernel's and the twin's values."""
    twins = [[Twin(board, side).values() for side in range(2)] for board in sample]
    return encode(sample), np.array(twins)


def assert_same(sample):
    got, expected = compared(sample)
    worst = np.abs(got - expected).max(axis=(0, 1))
    assert dict(zip(FEATURE_NAMES, worst.tolist(), strict=True)) == pytest.approx(
        dict.fromkeys(FEATURE_NAMES, 0), abs=1e-6
    )


@pytest.mark.nojit
def test_they_are_the_twins_in_random_positions_and_in_games():
    sample = boards.random_boards(250, seed=1), boards.played_boards(RacingEvaluator(), 250, seed=2)
    assert_same(np.concatenate(sample))


def test_they_are_the_twins_with_checkers_on_the_bar():
    sample = np.concatenate(
        [boards.random_boards(1200, seed=3), boards.played_boards(RacingEvaluator(), 1200, seed=4)]
    )
    for checkers in (1, 2, 3, 4):
        on_bar = sample[sample[:, 0, 25] == checkers]
        assert len(on_bar) >= 10
        assert_same(on_bar[:40])


@pytest.mark.nojit
def test_a_finished_game_has_inputs():
    over = np.zeros((1, 2, 26), np.int8)
    over[0, 0, 0], over[0, 1, 3], over[0, 1, 24] = 15, 14, 1
    assert_same(over)


@pytest.mark.nojit
def test_the_first_196_are_tesauros():
    sample = boards.random_boards(50, seed=5)
    both = get_encoder("expert248").encode(sample)
    assert np.array_equal(both[:, :196], get_encoder("tesauro196").encode(sample))


KEPT = {
    "back game": (
        boards.position(
            x={24: 2, 22: 3, 20: 1, 13: 2, 8: 2, 6: 3, 3: 2},
            o={19: 3, 21: 2, 23: 1, 18: 3, 17: 2, 12: 1, 16: 2, 9: 1},
        ),
        {
            "pips": 1.1976048, "pip_lead": -0.5269461, "hit_chance": 0.75,
            "double_hit_chance": 0.3055556, "hit_pips": 0.9467593, "escape_rear": 0.1111111,
            "advance_rear": 0.3401361, "escape_bar": 0.0833333, "escape_least": 0.1111111,
            "mobility": 0.4666667, "prime": 0.1666667, "six_point_block": 0.5, "home_points": 0.3333333,
            "anchors": 0.6666667, "rear_anchor": 1, "rear": 0.96, "overlap": 0.6,
            "contact_pips": 0.5269461, "free_pips": 0.4, "spare_pips": 0.28, "spread": 0.6195555,
            "blots": 0.2, "backgame": 0.7142857,
        },
    ),
    "two on the bar": (
        boards.position(
            x={25: 2, 13: 3, 8: 4, 6: 4, 4: 1, 1: 1}, o={2: 1, 7: 1, 12: 3, 17: 2, 19: 3, 21: 2, 22: 2, 23: 1}
        ),
        {
            "pips": 0.8982036, "pip_lead": -0.1197605, "hit_chance": 0.3333333,
            "double_hit_chance": 0.0555556, "hit_pips": 0.6388889, "entry_loss": 0.5,
            "escape_rear": 0.25, "advance_rear": 0.4965986, "escape_bar": 0.25,
            "escape_least": 0.3055556, "mobility": 0.4758503, "prime": 0.1666667,
            "six_point_block": 0.3333333, "home_points": 0.1666667, "home_blots": 0.6666667, "rear": 1,
            "overlap": 0.92, "contact_pips": 0.7245509, "free_pips": 0.01, "spare_pips": 0.41,
            "buried": 0.1666667, "spread": 0.4493333, "blots": 0.4,
        },
    ),
}  # fmt: skip
"""Positions with the inputs of the player on roll that are not 0: nets were trained on these values."""


@pytest.mark.nojit
@pytest.mark.parametrize(("position", "kept"), KEPT.values(), ids=KEPT)
def test_an_id_means_the_same_values_for_ever(position, kept):
    assert features(position) == pytest.approx(dict.fromkeys(FEATURE_NAMES, 0.0) | kept, abs=1e-6)


@pytest.mark.parametrize(("away", "shots"), [(1, 11), (4, 15), (6, 17), (7, 6), (8, 6), (12, 3), (23, 0)])
def test_shots_at_one_blot_are_those_of_every_textbook(away, shots):
    position = boards.position(x={24: 15}, o={24 - away: 1})
    assert features(position)["hit_chance"] == pytest.approx(shots / 36)


def test_the_page_lists_the_features_in_their_order():
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert [(int(number), name) for number, name in rows] == list(enumerate(FEATURE_NAMES))


def test_the_tables_are_those_of_trying_every_roll():
    for way in [0, 4095, *np.random.default_rng(1).integers(0, 4096, 300).tolist()]:
        is_open = tuple(not way >> ahead & 1 for ahead in range(12))
        pips = [farthest(is_open, *roll) for roll in ROLLS]
        assert ESCAPES[way] == pytest.approx(sum(moved > 6 for moved in pips) / 36)
        assert ADVANCES[way] == pytest.approx(sum(pips) / 36 / (49 / 6))


def _slow_inputs(board) -> list[float]:
    inputs = []
    for side in range(2):
        for point in range(1, 25):
            count = int(board[side, point])
            inputs += [float(count >= 1), float(count >= 2), float(count >= 3), max(count - 3, 0) / 2]
        inputs += [int(board[side, 25]) / 2, int(board[side, 0]) / 15]
    return inputs


@pytest.mark.nojit
def test_inputs_agree_with_the_slow_twin():
    crowded = [boards.position(x={point: 15}, o={25 - point: 15}).board for point in (1, 6, 24)]
    sample = np.concatenate([crowded, boards.random_boards(300, seed=11)])
    inputs = np.full((len(sample), 196), np.nan, np.float32)
    kernel_encode.encode(sample, inputs)
    assert np.array_equal(inputs, np.array([_slow_inputs(board) for board in sample], np.float32))
