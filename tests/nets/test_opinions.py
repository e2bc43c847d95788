"""What players of all kinds think, beside what they do."""

import numpy as np
import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.play.player import form_opinion, rank_by_opinion
from gammond.nets.catalogue import SHIPPED, load_evaluator, load_player
from tests.support.boards import position

CONTACT = position({24: 2, 13: 3, 8: 3, 6: 6, 5: 1}, {1: 2, 12: 5, 17: 3, 19: 5})
RACE = position({7: 3, 5: 5, 3: 5, 2: 2}, {19: 5, 20: 5, 22: 5})
WITHOUT_NUMBERS = {"easy", "medium", "hard", "merit", "random", "star"}


@pytest.mark.parametrize("kind", sorted(set(SHIPPED.list_kind_names()) - WITHOUT_NUMBERS))
@pytest.mark.parametrize("where", [CONTACT, RACE], ids=["contact", "race"])
def test_each_player_plays_what_it_says_to_be_best(kind, where):
    player = load_player(kind)
    form_opinion(player, where)
    ranked = rank_by_opinion(player, where, (4, 1))
    best = [play.result.board for play, opinion in ranked if opinion.score == ranked[0][1].score]
    chosen = player.choose_one(where, (4, 1))
    assert any(np.array_equal(board, chosen) for board in best)


@pytest.mark.parametrize("kind", sorted(WITHOUT_NUMBERS & set(SHIPPED.list_kind_names())))
def test_players_that_draw_or_search_have_no_number_for_a_play(kind):
    with pytest.raises(UnsupportedError, match="without a number for each"):
        form_opinion(load_player(kind), CONTACT)


@pytest.mark.parametrize("name", ["phase-heuristic", "phase-net", "phase-heuristic:among=4"])
def test_phase_players_show_the_phase_and_their_sixteen_features(name):
    features = form_opinion(load_player(name), CONTACT).features
    assert len(features) == 17
    assert features["phase"] == "mid"
    assert features["occupied_points"] == pytest.approx(4 / 7)
    assert features["blot_distance"] == pytest.approx(20 / 270)
    assert features["opponent_total_distance"] == pytest.approx(167 / 360)


def test_features_are_counts_where_the_player_counts():
    features = form_opinion(load_player("phase-heuristic:normalised=false"), CONTACT).features
    assert (features["occupied_points"], features["blots"], features["opponent_blots"]) == (4, 1, 0)


@pytest.mark.parametrize(
    "name", ["classic", "classic:hidden=10,outputs=1,layout=symmetric", "classic:races=bearoff"]
)
def test_a_player_that_follows_an_evaluator_can_be_loaded_as_one(name):
    found, player = load_evaluator(name), load_player(name)
    assert found.name == name
    board = CONTACT.board[None].copy()
    np.testing.assert_array_equal(found.evaluate(board), player.evaluator.evaluate(board))
