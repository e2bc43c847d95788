"""Positions set up on purpose are as named, and can come up in a game."""

import numpy as np
import pytest

from gammond.engine.rules.position import BAR, OFF, Phase, Position, classify_phases, swap_sides
from gammond.tools.train.labels.sampling import RACE_SOURCES
from gammond.tools.train.labels.setups import SETUPS, draw_setups


def drawn(kind: str, count: int = 200, seed: int = 1) -> np.ndarray:
    return draw_setups(kind, np.random.Generator(np.random.PCG64(seed)), count)


def either_side(boards: np.ndarray) -> np.ndarray:
    """Both views of each board: ``[2, n, 2, 26]``."""
    return np.stack([boards, swap_sides(boards)])


@pytest.mark.parametrize("kind", SETUPS)
def test_positions_are_valid_varied_and_mostly_of_contact_or_all_races(kind):
    boards = drawn(kind)
    for board in boards:
        Position(board)
    assert len(np.unique(boards, axis=0)) > 180
    if kind in RACE_SOURCES:
        assert (classify_phases(boards) == Phase.RACE).all()
    else:
        assert (classify_phases(boards) <= Phase.CRASHED).mean() > 0.9


def test_races_are_short_and_long_even_and_lopsided():
    boards = drawn("race", 400)
    pips = boards.astype(int) @ np.arange(26)
    rear = 25 - np.argmax(boards[:, :, :0:-1] > 0, axis=2)
    assert (rear.max(axis=1) > 18).any()
    assert (rear.max(axis=1) <= 10).mean() > 0.3
    assert (np.abs(pips[:, 0] - pips[:, 1]) < 12).mean() > 0.2
    assert (boards[:, :, OFF].max(axis=1) >= 8).any()


def test_gammon_races_are_between_a_side_that_bears_off_and_one_that_is_on_its_way():
    boards = either_side(drawn("gammon-race", 300))
    bears_off = boards[..., 0, 9:].sum(axis=-1) == 0
    on_its_way = (boards[..., 1, 7:].sum(axis=-1) > 0) & (boards[..., 1, OFF] == 0)
    assert (bears_off & on_its_way).any(axis=0).all()
    assert 0.05 < (boards[0][..., 19:].sum(axis=(1, 2)) > 0).mean() < 0.6


@pytest.mark.parametrize("kind", SETUPS)
def test_the_same_seed_draws_the_same_positions(kind):
    np.testing.assert_array_equal(drawn(kind, 30, seed=4), drawn(kind, 30, seed=4))
    assert not np.array_equal(drawn(kind, 30, seed=4), drawn(kind, 30, seed=5))


def is_backgame(boards: np.ndarray) -> np.ndarray:
    return (boards[..., 0, 20:25] >= 2).sum(axis=-1) >= 2


def is_containment(boards: np.ndarray) -> np.ndarray:
    behind = boards[..., 1, 17 : BAR + 1].sum(axis=-1)
    return (behind >= 1) & (behind <= 2) & ((boards[..., 0, 2:11] >= 2).sum(axis=-1) >= 3)


def is_priming(boards: np.ndarray) -> np.ndarray:
    both = np.ones(boards.shape[:-2], np.bool_)
    for side in range(2):
        made = boards[..., side, 3:11] >= 2
        row_of_four = made[..., :-3] & made[..., 1:-2] & made[..., 2:-1] & made[..., 3:]
        both &= row_of_four.any(axis=-1) & (boards[..., side, 20:25].sum(axis=-1) >= 1)
    return both


def is_crashed(boards: np.ndarray) -> np.ndarray:
    return (boards[..., 0, 1:4].sum(axis=-1) >= 8) & (boards[..., 0, 18:25] >= 2).any(axis=-1)


def is_late_hit(boards: np.ndarray) -> np.ndarray:
    own_back = boards[..., 1, 16 : BAR + 1].sum(axis=-1) >= 1
    other_waits = boards[..., 0, 20 : BAR + 1].sum(axis=-1) >= 1
    return (boards[..., 1, OFF] >= 3) & (own_back | other_waits)


def is_anchor_pair(boards: np.ndarray) -> np.ndarray:
    back = boards[..., 0, 20 : BAR + 1].sum(axis=-1)
    return is_backgame(boards) & (back >= 4) & (boards[..., 1, 13:].sum(axis=-1) == 0)


def is_late_containment(boards: np.ndarray) -> np.ndarray:
    return (boards[..., 1, OFF] >= 8) & (boards[..., 1, 13 : BAR + 1].sum(axis=-1) >= 1)


def is_ace_point(boards: np.ndarray) -> np.ndarray:
    return (boards[..., 0, 24] >= 2) & (boards[..., 1, 11:].sum(axis=-1) == 0)


def is_bear_in(boards: np.ndarray) -> np.ndarray:
    waiting = boards[..., 0, 20 : BAR + 1].sum(axis=-1)
    return (waiting >= 1) & (waiting <= 4) & (boards[..., 1, 13:].sum(axis=-1) == 0)


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("anchor-pair", is_anchor_pair),
        ("late-containment", is_late_containment),
        ("ace-point", is_ace_point),
        ("bear-in", is_bear_in),
        ("backgame", is_backgame),
        ("containment", is_containment),
        ("priming", is_priming),
        ("crashed", is_crashed),
        ("late-hit", is_late_hit),
    ],
)
def test_positions_are_of_their_kind_for_either_side(kind, holds):
    own, other = holds(either_side(drawn(kind)))
    assert (own | other).all()
    if kind != "priming":  # there both sides are in the same place
        assert (own & ~other).any()
        assert (other & ~own).any()


def test_backgames_have_every_pair_of_anchors_and_every_timing():
    boards = drawn("anchor-pair", 600)
    own = np.where(is_anchor_pair(boards)[:, None], boards[:, 0], boards[:, 1])
    pairs = {tuple(np.flatnonzero(row[20:25] >= 2)) for row in own}
    assert {pair for pair in pairs if len(pair) == 2} == {
        (low, high) for high in range(5) for low in range(high)
    }
    outside = own[:, 7:19] @ np.arange(1, 13)
    assert (outside >= 24).mean() > 0.3
    assert (outside <= 8).mean() > 0.1
