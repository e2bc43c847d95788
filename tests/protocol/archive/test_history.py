"""What is told of kept matches, and who may remove them."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.analysis import BackgroundAnalysis
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.history import (
    describe_match,
    list_matches,
    make_file,
    remove_match,
    remove_matches_of,
)
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.state.service import make_shipped_catalogue
from tests.protocol.archive.kept_games import make_engine, make_game, make_match_game, make_person


@pytest.fixture
def archive(tmp_path):
    opened = GameArchive(ArchiveOptions(file=str(tmp_path / "games.sqlite")))
    yield opened
    opened.close()


def analyse(archive):
    catalogue = make_shipped_catalogue()
    engine = catalogue.load(catalogue.list_names()[0])
    while BackgroundAnalysis(archive, lambda: engine).analyse_next():
        pass


def remove(archive, number, tokens=(), owner=""):
    """Remove a match as a request does: in one step."""

    def write(database):
        with database.write():
            return remove_match(database, number, tokens, owner)

    archive.flush()
    return archive.read(write)


def describe(archive, number):
    return archive.read(lambda database: describe_match(database, number))


def make(archive, number, wanted):
    return archive.read(lambda database: make_file(database, number, wanted))


def keep(archive, *games):
    for game in games:
        archive.keep_game(game)
    archive.flush()


def test_a_page_of_matches_says_who_played_what_with_what_result_and_where_the_next_page_begins(archive):
    keep(archive, *(make_game(number=number, winner=number % 2) for number in (1, 2, 3)))
    page = archive.read(lambda database: list_matches(database, None, None, None, 2))
    assert [each["id"] for each in page["games"]] == [3, 2]
    assert page["next"] == 2
    assert page["games"][0]["seats"] == [
        {"kind": "person", "name": "Ann", "points": 0, "score": 0.0, "is_owned": False, "rating": None},
        {"kind": "engine", "name": "expert", "points": 1, "score": 1.0, "is_owned": False, "rating": None},
    ]
    last = archive.read(lambda database: list_matches(database, None, None, 2, 2))
    assert (len(last["games"]), last["next"]) == (1, None)


def test_no_answer_has_a_token_or_its_hash(archive):
    keep(archive, make_game(tokens=("secret", None)))
    text = json.dumps([describe(archive, 1), archive.read(lambda d: list_matches(d, None, None, None, 9))])
    assert "token" not in text
    assert archive.read(lambda d: d.list_seats(1))[0]["token"] not in text


def test_an_analysed_match_has_ratings_and_the_whole_analysis(archive):
    keep(archive, make_match_game(1, [0]), make_match_game(2, [0, 0]))
    analyse(archive)
    found = describe(archive, 1)
    assert found["analysis"] == "done"
    assert found["seats"][0]["rating"]["counted"] == found["document"]["players"][0]["counted"]
    assert found["record"]["format"] == "sgf"
    assert describe(archive, 2) is None


def test_a_record_is_written_as_mat_and_sgf_and_not_as_what_it_is_not(archive):
    keep(archive, make_match_game(1, [0]), make_match_game(2, [0, 1]))
    for wanted in ("mat", "sgf", *(["ogxm"] if find_spec("ogxm") else [])):
        file = make(archive, 1, wanted)
        assert file.name == f"gammond-1.{wanted}"
        match = read_matches(file.content)[0]
        assert match.format == wanted
        assert [game.result.winner for game in match.games] == [0, 1]
        assert match.issues == ()
    with pytest.raises(UnsupportedError, match=r"no record as \.text"):
        make(archive, 1, "text")
    assert make(archive, 7, "mat") is None


def test_the_record_of_barca_is_text_and_a_match_without_one_says_so(archive):
    barca = {"game": "barca", "variant": "barca"}
    keep(
        archive,
        make_game("A", text_format="text", text="e2-e5", **barca),
        make_game("B", text_format="", text="", **barca),
    )
    assert make(archive, 1, "text").content == b"e2-e5"
    with pytest.raises(UnsupportedError, match="it has none"):
        make(archive, 2, "mat")
    assert describe(archive, 2)["record"] is None


def test_who_has_the_token_of_a_seat_removes_a_game_against_the_engine(archive):
    keep(archive, make_game())
    with pytest.raises(StateError, match="not yours"):
        remove(archive, 1, ["wrong", ""])
    with pytest.raises(StateError):
        remove(archive, 1)
    assert remove(archive, 1, ["other", "secret"])
    assert describe(archive, 1) is None
    assert not remove(archive, 1, ["secret"])


def test_an_account_owns_what_was_played_while_it_was_logged_in_and_nothing_by_its_name_alone(archive):
    ann, later = "1790000000 ann", "1800000000 ann"
    keep(
        archive,
        make_game("A", owners=(ann, "")),
        make_game("B", seats=(make_person("Ann"), make_engine())),
        make_game("C", seats=(make_person("Guest"), make_engine()), owners=(ann, "")),
    )
    for number, owner in ((2, ann), (1, later), (1, "ann"), (2, "")):
        with pytest.raises(StateError, match="not yours"):
            remove(archive, number, owner=owner)
    assert [seat["is_owned"] for seat in describe(archive, 1)["seats"]] == [True, False]
    assert remove(archive, 1, owner=ann)
    assert remove(archive, 3, owner=ann)
    assert describe(archive, 2) is not None


def test_the_engine_owns_no_game_whatever_marks_its_seat(archive):
    keep(archive, make_game(owners=("", "1 expert")))
    with pytest.raises(StateError):
        remove(archive, 1, owner="1 expert")


def test_a_game_against_another_person_loses_the_name_and_goes_when_both_have_removed_it(archive):
    seats = (make_person("Ann"), make_person("Bob"))
    keep(archive, make_game(seats=seats, tokens=("a", "b")))
    analyse(archive)
    assert remove(archive, 1, ["a"])
    found = describe(archive, 1)
    assert [seat["name"] for seat in found["seats"]] == ["anonymous", "Bob"]
    assert "Ann" not in json.dumps(found)
    assert read_matches(found["record"]["text"].encode())[0].has_analysis
    with pytest.raises(StateError):
        remove(archive, 1, ["a"])
    assert remove(archive, 1, ["b"])
    assert describe(archive, 1) is None


def test_a_game_of_one_person_on_both_sides_goes_at_once(archive):
    keep(archive, make_game(seats=(make_person("Ann"), make_person("Eve")), tokens=("a", "e")))
    assert remove(archive, 1, ["a", "e"])
    assert describe(archive, 1) is None


def test_all_games_of_an_account_are_removed_at_once(archive):
    keep(
        archive,
        make_game("A", owners=("1 ann", "")),
        make_game("B", seats=(make_person("Bob"), make_person("ANN")), owners=("1 bob", "1 ann")),
        make_game("C", seats=(make_person("Bob"), make_engine()), owners=("1 bob", "")),
        make_game("D"),
    )

    def write(database):
        with database.write():
            return remove_matches_of(database, "1 ann")

    assert archive.read(write) == 2
    page = archive.read(lambda database: list_matches(database, None, None, None, 9))
    assert [each["id"] for each in page["games"]] == [4, 3, 2]
    assert page["games"][2]["seats"][1]["name"] == "anonymous"
