"""The file of the archive: matches of games, running tables, what is removed first."""

from __future__ import annotations

import random
from dataclasses import replace

from gammond.engine.runtime.sqlite_file import SqliteFile
from gammond.protocol.archive.database import SCHEMA, ArchiveDatabase, unpack_text
from gammond.protocol.archive.records import MatchRecord, make_record
from tests.protocol.archive.kept_games import make_engine, make_game, make_match_game, make_person


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
    database.evict(1 << 30)
    with database.write():
        removed = database.evict(database.count_match_bytes() * 9 // 10)
    left = list_rows(database, limit=500)
    assert removed in (50, 100)
    assert [row["id"] for row in left] == [*range(200, 100 + removed, -1), *range(100, 0, -1)]
    assert database.execute("SELECT count(*) FROM seats").fetchone()[0] == 2 * len(left)
    with database.write():
        assert database.evict(1) == len(left)


def list_worth(database):
    return [row["id"] for row in database.execute("SELECT id FROM matches ORDER BY worth, id")]


def test_games_of_accounts_go_last_and_trifles_first(database):
    kinds = {
        1: {"owners": ("1 ann", "")},
        2: {},
        3: {"seats": (make_person("Guest"), make_engine())},
        4: {"is_trifle": True},
        5: {"is_trifle": True, "owners": ("1 ann", "")},
    }
    for number, changes in kinds.items():
        put(database, make_game("T", number, **changes))
    assert list_worth(database) == [4, 3, 2, 1, 5]
    for number in (1, 2, 3, 4):
        assert database.find_waiting()[0] == [5, 1, 2, 3][number - 1]
        database.fail_analysis(database.find_waiting()[0], "")


def test_what_is_being_kept_makes_room_for_nothing(database):
    for number in range(1, 101):
        put(database, make_game("OLD", number))
    database.evict(1 << 30)
    nameless = (make_person("Guest"), make_engine())
    fresh = put(database, make_game("NEW", seats=nameless, is_trifle=True))
    with database.write():
        assert database.evict(1) == 100
    assert [row["id"] for row in list_rows(database)] == [fresh]


def test_running_tables_never_make_room_for_themselves_among_the_matches(database):
    for number in range(1, 51):
        put(database, make_game("T", number))
    most = database.count_match_bytes()
    with database.write():
        database.put_table("RUNNING", 0, 1.0, b"head")
        database.add_actions("RUNNING", 0, [b"x" * 1000] * 5000)
        assert database.evict(most) == 0
    assert database.count_used_bytes() > 10 * most


def test_what_matches_take_is_about_what_is_counted_and_never_more(database):
    empty = database.count_used_bytes()
    for number, size in enumerate((10, 500, 3000, 9000, 40_000) * 40):
        record = MatchRecord("text", random.Random(number).randbytes(size).hex())
        with database.write():
            database.put_game(make_game("T", number), record)
    taken, counted = database.count_used_bytes() - empty, database.count_match_bytes()
    assert 0.8 * counted < taken < counted


def test_a_file_of_the_first_version_keeps_its_matches_and_their_order(tmp_path):
    file = tmp_path / "old.sqlite"
    old = SqliteFile(file, replace(SCHEMA, steps=SCHEMA.steps[:1]))
    with old.write():
        for number, is_named in ((1, 1), (2, 0)):
            old.execute(
                "INSERT INTO matches VALUES (?, 'T', ?, 1, 'backgammon', 0, 'single', 1, 2, 1, 0, ?, 'text', "
                "x'', 'none', '', NULL)",
                (number, number, is_named),
            )
            old.execute(
                "INSERT INTO seats (match, seat, kind, name, folded, token, points, score) "
                "VALUES (?, 0, 'person', 'Ann', 'ann', '', 1, 1.0)",
                (number,),
            )
    old.close()
    database = ArchiveDatabase(file)
    assert list_worth(database) == [2, 1]
    assert [
        (row["is_rated"], row["name"], row["owner"])
        for row in database.execute("SELECT * FROM matches JOIN seats ON match = id")
    ] == [(1, "Ann", "")] * 2
    put(database, make_game())
    database.close()
