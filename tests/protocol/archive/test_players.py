"""What matches say about players, against sums made by hand."""

from __future__ import annotations

import pytest

from gammond.engine.match_analysis.statistics import RatingTotal
from gammond.protocol.archive.players import MOVING_COUNTED, describe_player, list_players
from gammond.protocol.archive.records import ArchivedAnalysis, SeatRating, make_record
from tests.protocol.archive.kept_games import make_engine, make_game, make_match_game, make_person


def rate(counted, loss):
    """A seat that lost the same in each counted decision but the last, which lost twice as much."""
    losses = [loss] * (counted - 1) + [2 * loss]
    total = RatingTotal(counted, sum(losses), sum(losses), sum(each * each for each in losses))
    return SeatRating(total, errors=1, blunders=1, luck_points=0.5, luck_mwc=None)


def put(database, game, rating=None):
    record = make_record(game)
    with database.write():
        number = database.put_game(game, record)
        if rating is not None:
            analysis = ArchivedAnalysis("by hand", record.text, b"{}", (rating, rate(10, 0.001)))
            database.put_analysis(number, analysis, record.text)
    return number


def test_results_and_ratings_of_all_matches_are_added_up(database):
    put(database, make_game(number=1, winner=0), rate(60, 0.01))
    put(database, make_game(number=2, winner=1), rate(40, 0.03))
    put(database, make_match_game(1, [0]))
    found = list_players(database, "backgammon")
    (ann,) = found["players"]
    total = rate(60, 0.01).total + rate(40, 0.03).total
    assert (ann["name"], ann["matches"], ann["won"], ann["lost"], ann["drawn"]) == ("Ann", 3, 1, 1, 0)
    assert (ann["analysed"], ann["counted"]) == (2, 100)
    assert ann["performance_rating"] == pytest.approx(total.performance_rating, abs=1e-5)
    assert ann["performance_rating_95"] == pytest.approx(total.performance_rating_95, abs=1e-5)
    assert [level["name"] for level in found["levels"]] == ["expert"]
    assert list_players(database, "nackgammon")["players"] == []


@pytest.mark.parametrize("changes", [{"has_help": True}, {"is_rated": False}])
def test_matches_with_help_and_made_up_ones_are_results_and_count_for_no_rating(database, changes):
    put(database, make_game(number=1, **changes), rate(60, 0.01))
    (ann,) = list_players(database, "backgammon")["players"]
    assert (ann["won"], ann["counted"], ann["performance_rating"], ann["elo"]) == (1, 0, None, None)
    assert describe_player(database, "Ann", "backgammon")["ratings"] == []


@pytest.mark.parametrize("name", ["You", "Guest", "friend", " ANONYMOUS "])
def test_a_name_that_nobody_gave_himself_is_no_player_of_the_lists(database, name):
    put(database, make_game(number=1, seats=(make_person(name), make_engine())), rate(60, 0.01))
    assert list_players(database, "backgammon")["players"] == []
    assert describe_player(database, name, "backgammon") is None


def test_elo_is_that_of_the_results_with_its_error_and_the_busiest_player_is_0(database):
    for number in range(1, 41):
        put(database, make_game("A", number, winner=0 if number % 4 else 1))
    found = list_players(database, "backgammon")
    (ann,), (expert,) = found["players"], found["levels"]
    assert 0.0 in (ann["elo"], expert["elo"])
    assert ann["elo"] - expert["elo"] == pytest.approx(190.8, abs=0.1)
    assert max(ann["elo_error"], expert["elo_error"]) == pytest.approx(63.4, abs=1.0)
    assert found["elo_of_0"] in ("Ann", "expert")


def test_a_player_whom_no_result_connects_with_the_others_has_no_elo(database):
    put(database, make_game("A", 1))
    put(database, make_game("A", 2))
    put(database, make_game("B", seats=(make_person("Bob"), make_engine("beginner"))))
    elo = {each["name"]: each["elo"] for each in list_players(database, "backgammon")["players"]}
    assert elo["Bob"] is None
    assert elo["Ann"] is not None


def test_who_plays_against_himself_has_no_elo_by_it(database):
    put(database, make_game(seats=(make_person("Ann"), make_person("ann"))))
    (ann,) = list_players(database, "backgammon")["players"]
    assert ann["elo"] is None


def test_a_player_has_the_ratings_of_each_match_in_order_and_of_the_last_decisions(database):
    for number in range(1, 9):
        put(database, make_game("A", number), rate(100, 0.01 * number))
    found = describe_player(database, " ANN", "backgammon")
    ratings = found["ratings"]
    assert [each["id"] for each in ratings] == list(range(1, 9))
    assert ratings[0]["performance_rating"] == pytest.approx(5.05)
    assert ratings[0]["moving_counted"] == 100
    assert [each["moving_counted"] for each in ratings[4:]] == [MOVING_COUNTED] * 4
    last = sum((rate(100, 0.01 * number).total for number in range(4, 9)), RatingTotal())
    assert ratings[-1]["moving_performance_rating"] == pytest.approx(last.performance_rating, abs=1e-5)
    assert ratings[-1]["moving_performance_rating_95"] == pytest.approx(last.performance_rating_95, abs=1e-5)


def test_a_player_has_the_results_against_each_opponent(database):
    put(database, make_game("A", 1, winner=0))
    put(database, make_game("A", 2, winner=1))
    put(database, make_game("B", seats=(make_person("Bob"), make_person("Ann")), winner=1))
    opponents = describe_player(database, "Ann", "backgammon")["opponents"]
    assert opponents == [
        {"kind": "engine", "name": "expert", "matches": 2, "won": 1, "drawn": 0, "lost": 1},
        {"kind": "person", "name": "Bob", "matches": 1, "won": 1, "drawn": 0, "lost": 0},
    ]


def test_a_name_is_shown_as_it_was_written_last_and_its_variants_are_listed(database):
    put(database, make_game("A", seats=(make_person("ann"), make_engine())))
    put(database, make_game("B", variant="nackgammon", seats=(make_person("ANN"), make_engine())))
    found = describe_player(database, "Ann", "backgammon")
    assert found["variants"] == ["nackgammon", "backgammon"]
    assert found["matches"] == 1
    assert describe_player(database, "Bob", "backgammon") is None


def test_a_list_of_some_time_has_the_matches_that_ended_in_it(database):
    ended_s = make_game(number=1).ended_s
    put(database, make_game("A", number=1), rate(60, 0.01))
    put(database, make_game("B", number=2, winner=1), rate(40, 0.03))
    both, last = (list_players(database, "backgammon", since_s)["players"][0] for since_s in (0, ended_s + 1))
    assert (both["matches"], both["won"], both["counted"]) == (2, 1, 100)
    assert (last["matches"], last["won"], last["counted"]) == (1, 0, 40)
    assert list_players(database, "backgammon", ended_s + 2)["players"] == []
