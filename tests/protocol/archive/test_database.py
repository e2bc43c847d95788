"""The file of the archive: matches of games, running tables, what is removed first."""

from __future__ import annotations

import pytest

from protocol.archive.database import ArchiveDatabase, unpack_text
from protocol.archive.records import make_record
from tests.protocol.archive.kept_games import make_engine, make_game, make_match_game, make_person


@pytest.fixture
def database(tmp_path):
    opened = ArchiveDatabase(tmp_path / "games.sqlite")
    yield opened
    opened.close()


def put(database, game):
    with database.write():
        return database.put_game(game, make_record(game))


def list_rows(database, player=None, variant=None, before=None, limit=10):
    return database.list_matches(player, variant, before, limit)


def test_the_games_of_a_match_are_one_row_that_waits_for_its_analysis_once_it_is_over(database):
    first = put(database, make_match_game(1, [0]))
    assert [(row["is_over"], row["analysis"], row["games"]) for row in list_rows(database)] == [
        (0, "none", 1)
    ]
    assert put(database, make_match_game(2, [0, 1])) == first
    assert put(database, make_match_game(3, [0, 1, 0])) == first
    (row,) = list_rows(database)
    assert (row["is_over"], row["analysis"], row["games"]) == (1, "waiting", 3)
    assert [(seat["points"], seat["score"]) for seat in database.list_seats(first)] == [(2, 1.0), (1, 0.0)]


def test_the_next_match_at_a_table_is_another_row(database):
    put(database, make_match_game(1, [0]))
    put(database, make_match_game(2, [0, 0]))
    put(database, make_match_game(3, [1]))
    put(database, make_match_game(4, [1, 1]))
    assert [row["games"] for row in list_rows(database)] == [2, 2]


def test_each_game_of_money_play_is_a_row_and_one_that_ended_anew_takes_the_place_of_the_old_one(database):
    put(database, make_game(number=1))
    second = put(database, make_game(number=2))
    assert put(database, make_game(number=2, winner=1, has_help=True)) == second
    assert len(list_rows(database)) == 2
    assert [seat["score"] for seat in database.list_seats(second)] == [0.0, 1.0]
    assert list_rows(database)[0]["has_help"] == 1


def test_a_draw_is_half_a_win_for_both(database):
    number = put(
        database,
        make_game(winner=None, points=0, kind="draw", game="barca", variant="barca", text_format="", text=""),
    )
    assert [seat["score"] for seat in database.list_seats(number)] == [0.5, 0.5]
    assert list_rows(database)[0]["analysis"] == "none"


def test_matches_are_listed_by_player_and_variant_the_newest_first_in_pages(database):
    for number in range(1, 5):
        put(database, make_game("A", number))
    put(database, make_game("B", seats=(make_person("Bob"), make_engine())))
    put(database, make_game("C", variant="nackgammon"))
    assert [row["id"] for row in list_rows(database, "ANN ", limit=2)] == [6, 4]
    assert [row["id"] for row in list_rows(database, "ann", before=4, limit=2)] == [3, 2]
    assert [row["id"] for row in list_rows(database, variant="nackgammon")] == [6]
    assert list_rows(database, "expert") == []  # a level is no person


def test_a_match_that_is_left_is_analysed_as_far_as_it_went(database):
    put(database, make_match_game(1, [0]))
    with database.write():
        database.end_matches("M")
    number, packed = database.find_waiting()
    assert number == 1
    assert "Ann" in unpack_text(packed)


def test_games_of_nobody_go_first_and_then_the_oldest(database):
    for number in range(1, 201):
        seats = (make_person(), make_engine()) if number <= 100 else (make_engine("beginner"), make_engine())
        put(database, make_game("T", number, seats=seats))
    with database.write():
        removed = database.evict(database.count_used_bytes() * 9 // 10)
    left = list_rows(database, limit=500)
    assert removed in (50, 100)
    assert [row["id"] for row in left] == [*range(200, 100 + removed, -1), *range(100, 0, -1)]
    assert database.execute("SELECT count(*) FROM seats").fetchone()[0] == 2 * len(left)
    with database.write():
        assert database.evict(1) == len(left)


def test_tables_are_kept_with_their_actions_and_moved_to_another_slot(database):
    with database.write():
        database.put_table("T", 0, 2.0, b"head")
        database.add_actions("T", 0, [b"1", b"2"])
        database.add_actions("T", 2, [b"3"])
        database.put_table("S", 0, 1.0, b"older")
        database.put_table("U", 1, 3.0, b"other")
    assert database.list_tables(0) == [("S", b"older", []), ("T", b"head", [b"1", b"2", b"3"])]
    assert database.count_actions(0) == {"S": 0, "T": 3}
    with database.write():
        database.move_tables(0, 1)
        database.remove_table("T")
    assert database.list_slots() == [1]
    assert [name for name, _, _ in database.list_tables(1)] == ["S", "U"]


def test_what_fails_in_the_midst_of_a_write_leaves_nothing_of_it(database):
    def write_and_fail():
        with database.write():
            database.put_table("T", 0, 2.0, b"head")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert database.list_tables(0) == []
