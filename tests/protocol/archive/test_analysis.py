"""Matches of the archive are analysed in the background, as `gammond analyse` does it."""

from __future__ import annotations

import json
import sqlite3
import time

import pytest

from gammond.engine.errors import CancelledWork, UnsupportedError
from gammond.engine.match_files.reading import read_matches
from gammond.protocol.archive.analysis import BackgroundAnalysis
from gammond.protocol.archive.database import ArchiveDatabase, unpack, unpack_text
from gammond.protocol.archive.match_analysis import analyse_kept_match
from tests.protocol.archive.kept_games import keep, make_game, make_match_game


def find(archive, number):
    return archive.read(lambda database: database.find_match(number))


def list_seats(archive, number):
    return archive.read(lambda database: database.list_seats(number))


def test_a_finished_match_gets_its_analysis_ratings_and_a_record_with_both(archive, engine):
    keep(archive, make_match_game(1, [0]), make_match_game(2, [0, 0]))
    analysis = BackgroundAnalysis(archive, lambda: engine)
    assert analysis.analyse_next()
    assert not analysis.analyse_next()

    row, seats = find(archive, 1), list_seats(archive, 1)
    document = json.loads(unpack(row["document"]))
    (match,) = read_matches(unpack_text(row["record"]).encode())
    assert row["analysis"] == "done"
    assert row["method"].startswith("gammond")
    assert match.has_analysis
    for seat, player in zip(seats, document["players"], strict=True):
        assert seat["counted"] == player["counted"] > 0
        assert seat["error"] * 500 / seat["counted"] == pytest.approx(player["performance_rating"], abs=1e-4)
        assert seat["luck"] == pytest.approx(player["luck_points"], abs=1e-5)


def test_a_match_of_which_a_game_came_meanwhile_is_analysed_anew(archive, engine):
    keep(archive, make_game(number=1))
    before = unpack_text(find(archive, 1)["record"])
    found = analyse_kept_match(engine, read_matches(before.encode())[0])
    archive.keep_game(make_game(number=1, winner=1))
    archive.write(lambda base: base.put_analysis(1, found, before))
    archive.flush()
    assert find(archive, 1)["analysis"] == "waiting"
    assert list_seats(archive, 1)[0]["counted"] is None


def test_a_match_that_nothing_can_analyse_waits_no_more_and_says_why(archive):
    def refuse():
        raise UnsupportedError("no such game")

    keep(archive, make_game())
    assert BackgroundAnalysis(archive, refuse).analyse_next()
    assert (find(archive, 1)["analysis"], find(archive, 1)["method"]) == ("failed", "no such game")


def test_a_record_that_the_disk_has_changed_keeps_no_other_from_its_analysis(archive, engine):
    keep(archive, make_game(number=1), make_game(number=2))
    archive.write(lambda database: database.execute("UPDATE matches SET record = x'00' WHERE id = 2"))
    archive.flush()
    analysis = BackgroundAnalysis(archive, lambda: engine)
    assert analysis.analyse_next()
    assert analysis.analyse_next()
    assert [find(archive, number)["analysis"] for number in (1, 2)] == ["done", "failed"]


def test_an_analysis_that_is_cancelled_leaves_the_match_waiting(archive):
    keep(archive, make_game())

    def cancel():
        raise CancelledWork("stopped")

    assert not BackgroundAnalysis(archive, cancel).analyse_next()
    assert find(archive, 1)["analysis"] == "waiting"


def test_the_thread_analyses_what_comes_while_it_runs(archive, engine, monkeypatch):
    monkeypatch.setattr("gammond.protocol.archive.analysis.yield_to_other_work", lambda niceness: None)
    with BackgroundAnalysis(archive, lambda: engine).beside():
        keep(archive, make_game())
        for _ in range(600):
            if find(archive, 1)["analysis"] == "done":
                break
            archive.flush()
            time.sleep(0.05)
    assert find(archive, 1)["analysis"] == "done"


def test_an_archive_that_cannot_be_read_has_nothing_to_analyse(archive, engine, monkeypatch):
    def fail(database):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(ArchiveDatabase, "find_waiting", fail)
    assert not BackgroundAnalysis(archive, lambda: engine).analyse_next()
