"""Match states to measure cube decisions in are of the kinds that their names say."""

import numpy as np
import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.tools.train.cube_decisions.match_states import MATCH_KIND_WEIGHTS, MATCH_KINDS


def draw(kind: str):
    generator = np.random.Generator(np.random.PCG64(3))
    return [MATCH_KINDS[kind](generator) for _ in range(60)]


@pytest.mark.parametrize("kind", MATCH_KINDS)
def test_the_side_on_roll_is_seat_0_and_the_rules_let_it_double(kind):
    for match in draw(kind):
        game = make_cube_game(match)
        assert match.on_roll == 0
        assert not match.may_beaver
        assert game.state_after_take >= 0
        assert game.may_double == (kind != "dead")


def test_money_is_played_with_the_cube_centred_by_jacoby_and_owned():
    (money, jacoby, redouble) = (draw(kind)[0] for kind in ("money", "jacoby", "redouble"))
    assert money.is_money
    assert not money.jacoby
    assert jacoby.jacoby
    assert (redouble.cube, redouble.cube_owner) == (2, 0)


def test_the_last_cube_is_dead_after_a_take_and_another_is_not():
    for kind, is_dead in (("last-cube", True), ("match-redouble", False)):
        for match in draw(kind):
            game = make_cube_game(match)
            taken = game.state_after_take
            is_live = game.arrays.may_double[taken] or game.other.arrays.may_double[taken]
            assert is_live != is_dead, match


def test_gammons_are_worth_most_to_the_side_that_goes_for_them():
    for match in draw("gammon-go"):
        assert 2 * 2 >= match.away(0) > 2
        assert match.away(1) == 2
    for match in draw("gammon-save"):
        assert match.away(0) == 2
        assert match.away(1) > 2


def test_after_the_crawford_game_the_double_is_free():
    for match in draw("post-crawford"):
        assert match.is_post_crawford
        assert match.away(1) == 1
        assert make_cube_game(match).has_free_double


def test_scores_differ_and_each_kind_has_its_share():
    assert len({match.score for match in draw("match")}) > 10
    assert MATCH_KIND_WEIGHTS.keys() == MATCH_KINDS.keys()
    assert sum(MATCH_KIND_WEIGHTS.values()) == 100
