"""`gammond store`: what it says of a store, entries in and out, and faults that it finds."""

import argparse
import json
import shutil
import sqlite3
import time
from concurrent.futures import Future
from datetime import datetime, timedelta

import pytest

from gammond.engine.analysis.deepening import Deepening
from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import make_question, read_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.search import SearchLimits, search
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.store.database import DepthTiers, StoreDatabase, StoreRow
from gammond.engine.store.options import STORE_VARIABLE, StoreOptions
from gammond.engine.store.store import AnalysisStore
from gammond.nets.catalogue import identify_engine, load_engine
from gammond.protocol.barca.kept_searches import KeptSearches
from gammond.protocol.games import GAMES
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.tools import cli
from gammond.tools.parallel.cluster import ClusterGoneError
from gammond.tools.parallel.processes import ProcessPool
from gammond.tools.store import book, deepening
from gammond.tools.store.deepening import deepen_by_executor
from gammond.tools.store.exchange import format_rows
from tests.engine.store.samples import ENGINE, list_rows, make_entry
from tests.engine.store.samples import make_question as make_sample
from tests.protocol import noughts

OPENING = STANDARD_RULES.starting_position
POSITION = make_question(OPENING, MatchState(), EvalSettings(1))
PLAYS = make_question(OPENING, MatchState(length=5, score=(1, 3)), EvalSettings(1), (3, 1))


@pytest.fixture(scope="module")
def answers():
    """The default engine's own answers to two questions."""
    engine = load_engine()
    return {question: engine.search_entry(question, 1) for question in (POSITION, PLAYS)}


@pytest.fixture
def file(tmp_path, monkeypatch, answers):
    """A store with the default engine's answers, and one by a net that is not there."""
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("GAMMOND_STORE", f"file={path}")
    with AnalysisStore(path) as store:
        for question, entry in answers.items():
            store.keep(question, identify_engine(), entry)
        store.find(POSITION, identify_engine(), 1)
        store.keep(make_sample(), ENGINE, make_entry(3))
    return path


def change(file, statement, *values):
    with sqlite3.connect(file) as connection:
        connection.execute(statement, values)
    connection.close()


SPOIL = "UPDATE answers SET checksum = 1 WHERE question = (SELECT id FROM questions WHERE xgid = ?)"


def export_rows(capsys):
    """The lines of an export: the header, and the entries as objects."""
    cli.main(["store", "export"])
    header, *lines = capsys.readouterr().out.splitlines()
    return header, [json.loads(line) for line in lines]


def test_status_tells_entries_by_net_kind_and_depth(file, capsys):
    assert cli.main(["store", "status"]) == 0
    said = capsys.readouterr().out
    net = identify_engine()
    assert f"file     {file}\n" in said
    assert "entries  3 for 3 questions, asked 4 times\n" in said
    assert f" 1 plays at 1-ply by {net.net} ({net.program}), asked 1 times\n" in said
    assert f" 1 positions at 1-ply by {net.net} ({net.program}), asked 2 times\n" in said
    assert " 1 positions at 3-ply by test (1.0), asked 1 times, not used: other nets" in said
    assert said.endswith("\ndue      2: 2 to 2-ply\n")
    assert cli.main(["store", "status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert (status["file"], status["due"]) == (str(file), {"2": 2})
    assert sum(kind["entries"] for kind in status["kinds"]) == 3
    assert [kind["net"] for kind in status["kinds"] if not kind["is_usable"]] == ["test"]


@pytest.fixture
def barca_file(file):
    """A store of Barca beside that of backgammon."""
    service = Service(make_shipped_catalogue(StoreOptions(file=str(file), book=False)))
    kept, game = service.share(KeptSearches), BarcaGame.start()
    kept.keep(game, "hand", 1, 4, search(game, SearchLimits(4)))
    for _ in range(2):
        kept.find(game, "hand", 1, 4, allow_deeper=False)
    kept.store.flush()
    return kept.store.file


def test_status_has_the_searches_of_other_games_after_a_blank_line(file, barca_file, capsys, monkeypatch):
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)  # which keeps none
    assert cli.main(["store", "status"]) == 0
    ours, theirs = capsys.readouterr().out.split("\n\n")
    assert ours.splitlines()[0] == f"file     {file}"
    lines = theirs.splitlines()
    assert lines[:2] == ["game     barca", f"file     {barca_file}"]
    assert "1 for 1 questions, asked 3 times" in lines[3]
    assert lines[4].startswith("         1 positions at 4-ply by barca hand (")
    assert "not used" not in lines[4]
    assert lines[5:] == ["due      2: 1 to 5-ply, 1 to 6-ply"]
    cli.main(["store", "status", "--json"])
    status = json.loads(capsys.readouterr().out)
    assert status["file"] == str(file)
    assert status["games"]["barca"]["due"] == {"5": 1, "6": 1}
    cli.main(["store", "status", "--file", str(barca_file), "--json"])
    assert set(json.loads(capsys.readouterr().out)) == {"games"}


@pytest.mark.parametrize("action", [["export"], ["verify", "--repair"], ["deepen"]])
def test_what_is_of_another_game_is_left_alone(action, barca_file, capsys):
    before = barca_file.read_bytes()
    assert cli.main(["store", *action, "--file", str(barca_file)]) == 2
    assert "holds searches of barca: `gammond store status` describes them" in capsys.readouterr().err
    assert barca_file.read_bytes() == before


def test_what_is_exported_is_imported_to_the_bit_and_only_once(file, tmp_path, capsys, answers):
    lines, copy = tmp_path / "kept.jsonl", tmp_path / "copy.sqlite"
    assert cli.main(["store", "export", "--output", str(lines)]) == 0
    assert len(lines.read_text().splitlines()) == 4
    for new in (3, 0):
        assert cli.main(["store", "import", str(lines), "--file", str(copy)]) == 0
        assert capsys.readouterr().out == f"3 entries read, {new} of them new\n"
    assert cli.main(["store", "export", "--file", str(copy)]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(lines.read_text().splitlines())
    with AnalysisStore(copy) as store:
        for question, entry in answers.items():
            assert store.find(question, identify_engine(), 1).is_same_as(entry)


def test_an_import_keeps_to_the_size_of_the_store(tmp_path, monkeypatch):
    monkeypatch.setenv(STORE_VARIABLE, "megabytes=1")
    lines, copy = tmp_path / "kept.jsonl", tmp_path / "copy.sqlite"
    entry = make_entry(rows=1000)
    rows = (StoreRow(make_sample(number, (3, 1)), ENGINE, entry, 1, number, 0) for number in range(50))
    lines.write_bytes(b"".join(format_rows(rows)))
    assert cli.main(["store", "import", str(lines), "--file", str(copy)]) == 0
    asked = [row.asked for row in list_rows(copy)]
    assert asked == list(range(49, 49 - len(asked), -1))
    assert 0.5 < len(asked) * entry.size / (1 << 20) < 1.0


def test_lines_that_are_no_entries_are_named_and_the_others_taken(file, tmp_path, capsys):
    header, (first, *others) = export_rows(capsys)
    lines = tmp_path / "kept.jsonl"
    rows = [header, json.dumps(first | {"rules": "chess"}), "", *map(json.dumps, others)]
    lines.write_text("\n".join(rows) + "\n")
    assert cli.main(["store", "import", str(lines), "--file", str(tmp_path / "copy.sqlite")]) == 1
    said = capsys.readouterr()
    assert said.out == "2 entries read, 2 of them new\n"
    assert f"gammond: {lines}, line 2: expected the rules backgammon, got 'chess'\n" in said.err
    assert f"gammond: {lines}, line 3: expected an entry" in said.err


def test_verify_searches_entries_of_the_present_nets_again(file, capsys):
    assert cli.main(["store", "verify"]) == 0
    assert capsys.readouterr().out == (
        "entries         3\n"
        "not usable now  1 of other nets, tables or versions\n"
        "damaged         0\n"
        "searched again  2, 0 of them different\n"
    )


@pytest.mark.parametrize("sample", [0, 1])
def test_verify_searches_as_many_as_the_sample_says(file, sample, capsys):
    assert cli.main(["store", "verify", "--sample", str(sample), "--seed", "3"]) == 0
    assert f"searched again  {sample}, 0 of them different\n" in capsys.readouterr().out


def test_verify_finds_an_answer_that_is_different_and_repairs(file, tmp_path, capsys):
    header, rows = export_rows(capsys)
    [forged] = [row for row in rows if row["xgid"] == POSITION.xgid]
    forged["values"][0][0] = 0.5
    lines, copy = tmp_path / "kept.jsonl", str(tmp_path / "copy.sqlite")
    lines.write_text("\n".join([header, *map(json.dumps, rows)]) + "\n")
    assert cli.main(["store", "import", str(lines), "--file", copy]) == 0
    assert cli.main(["store", "verify", "--file", copy, "--repair"]) == 1
    said = capsys.readouterr().out
    assert "searched again  2, 1 of them different\n" in said
    assert f"{POSITION.xgid} (cubeful): a fresh search at 1-ply gives other values\n" in said
    assert said.endswith("removed         1\n")
    assert cli.main(["store", "verify", "--file", copy]) == 0


def test_verify_finds_rows_that_were_changed_and_repairs(file, capsys):
    change(file, SPOIL, PLAYS.xgid)
    change(file, "DELETE FROM engines WHERE net = 'test'")
    assert cli.main(["store", "verify", "--repair"]) == 1
    said = capsys.readouterr().out
    assert "damaged         2\n" in said
    assert "does not have its checksum" in said
    assert "does not say by which engine" in said
    assert cli.main(["store", "verify"]) == 0
    assert capsys.readouterr().out.startswith("entries         1\n")


def test_export_leaves_damaged_rows_out_and_says_so(file, capsys):
    change(file, SPOIL, PLAYS.xgid)
    assert cli.main(["store", "export"]) == 1
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    assert said.err == (
        "gammond: 2 entries exported\ngammond: 1 damaged entry left out: see `gammond store verify`\n"
    )


def list_depths(file, question):
    database = StoreDatabase(file)
    depths = [row.entry.plies for row in database.iterate() if row.question == question]
    database.close()
    return depths


def test_deepen_searches_what_is_due_and_verify_finds_it_the_same(file, capsys):
    assert cli.main(["store", "deepen", "--tiers", "1:2/2:3", "--threads", "2"]) == 0
    assert capsys.readouterr().out == "searched   3: 2 to 2-ply, 1 to 3-ply\nstill due  nothing\n"
    assert list_depths(file, POSITION) == [1, 2, 3]
    assert list_depths(file, PLAYS) == [1, 2]
    assert cli.main(["store", "deepen"]) == 0
    assert capsys.readouterr().out == "searched   nothing\nstill due  nothing\n"
    assert cli.main(["store", "verify"]) == 0


def list_entries(file):
    database = StoreDatabase(file)
    rows = list(database.iterate())
    database.close()
    return rows


def search_nowhere(*_):
    """Search in no process but those of an executor."""
    raise AssertionError


def deepen_with(executor, file, tmp_path, is_stopped=lambda: False):
    """Deepen a copy of a store by an executor; return what was searched, and the copy."""
    copy = tmp_path / "copy.sqlite"
    shutil.copyfile(file, copy)
    with AnalysisStore(copy) as store:
        loop = Deepening(store, search_nowhere, identify_engine(), DepthTiers.parse("1:2/2:3"))
        steps = [
            (each.question, each.plies)
            for each in deepen_by_executor(loop, executor, "default", 60.0, is_stopped)
        ]
    return steps, copy


def test_an_executor_finds_what_deepen_finds_to_the_bit(file, tmp_path, capsys):
    with ProcessPool(1) as executor:
        steps, copy = deepen_with(executor, file, tmp_path)
    assert sorted(steps) == sorted([(POSITION, 2), (PLAYS, 2), (POSITION, 3)])
    assert cli.main(["store", "deepen", "--tiers", "1:2/2:3"]) == 0
    assert len(list_entries(file)) == len(list_entries(copy)) == 6
    for row in list_entries(file):
        [other] = [
            each
            for each in list_entries(copy)
            if (each.question, each.engine, each.entry.plies) == (row.question, row.engine, row.entry.plies)
        ]
        assert other.entry.is_same_as(row.entry)


class _HandsBack:
    """An executor whose work is done when the test says so, the last first."""

    count = 2

    def __init__(self):
        self.futures = []

    def submit(self, work, task):
        self.futures.append((Future(), work, task))
        return self.futures[-1][0]


def test_what_an_executor_found_is_kept_when_it_is_gone_and_nothing_is_searched_twice(file, tmp_path):
    executor = _HandsBack()

    def go_on():
        if not executor.futures:
            return False
        future, work, task = executor.futures.pop()
        assert (task.question, task.plies) not in sent
        sent.append((task.question, task.plies))
        if len(sent) == 3:
            future.set_exception(ClusterGoneError("gone"))
        else:
            future.set_result(work(task))
        return False

    sent = []
    with pytest.raises(ClusterGoneError):
        deepen_with(executor, file, tmp_path, go_on)
    assert len(list_entries(tmp_path / "copy.sqlite")) == 3 + 2
    assert all(future.cancelled() for future, _, _ in executor.futures)


def test_an_executor_leaves_what_takes_too_long(file, tmp_path):
    with ProcessPool(1) as executor, AnalysisStore(file) as store:
        loop = Deepening(store, search_nowhere, identify_engine(), DepthTiers.parse("1:3"))
        assert list(deepen_by_executor(loop, executor, "default", 1e-6, lambda: False)) == []
        assert loop.left == 2


def test_while_a_process_deepens_a_store_status_says_so_and_no_other_begins(file, capsys):
    with AnalysisStore(file) as store, Deepening(store, search_nowhere, identify_engine()).alone():
        assert cli.main(["store", "status"]) == 0
        assert capsys.readouterr().out.endswith("due      2: 2 to 2-ply; a process searches now\n")
        assert cli.main(["store", "deepen"]) == 2
        assert f"another process deepens {file}" in capsys.readouterr().err
    assert cli.main(["store", "status"]) == 0
    assert capsys.readouterr().out.endswith("due      2: 2 to 2-ply\n")


def test_deepen_ends_with_its_time_and_leaves_what_takes_too_long(file, capsys):
    assert cli.main(["store", "deepen", "--tiers", "1:4", "--max-search", "0.000001"]) == 0
    assert capsys.readouterr().out == (
        "searched   nothing\nstill due  6: 2 to 2-ply, 2 to 3-ply, 2 to 4-ply\n"
        "left       2 questions whose search takes more than 1e-06 s, or is impossible\n"
    )
    began_s = time.process_time()
    assert cli.main(["store", "deepen", "--tiers", "1:4", "--for", "0.001s"]) == 0
    assert time.process_time() - began_s < 2.0
    assert "still due  6: " in capsys.readouterr().out


@pytest.mark.slow
def test_a_book_has_first_plays_lists_and_replies_and_an_interrupted_one_goes_on(
    tmp_path, monkeypatch, capsys
):
    parts = (
        book.BookPart(MatchState(), False, (1,), (1,), (1,)),
        book.BookPart(MatchState(length=1), True, (1,), list_plies=(1,)),
    )
    monkeypatch.setattr(book, "PARTS", parts[1:])
    output = tmp_path / "book.sqlite"
    assert cli.main(["store", "book", "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"{output}: 43 entries, 0.1 MB\n"
    output.rename(tmp_path / "book.sqlite.part")
    monkeypatch.setattr(book, "PARTS", parts)
    searched, search_entry = [], Engine.search_entry
    monkeypatch.setattr(Engine, "search_entry", lambda *each: searched.append(each[1]) or search_entry(*each))
    assert cli.main(["store", "book", "--output", str(output)]) == 0
    assert list(tmp_path.glob("book.sqlite*")) == [output]
    database = StoreDatabase(output, is_book=True)
    rows = list(database.iterate())
    database.close()
    assert len(rows) == len(searched) + 43
    lists = [each for each in searched if read_question(each)[2].candidates == 5]
    assert len(lists) == 21
    assert (len(searched) - 21) % 22 == 0
    assert 22 * 16 <= len(searched) - 21 <= 22 * 40
    engine = load_engine()
    for row in rows[::97]:
        assert row.entry.is_same_as(engine.search_entry(row.question, 1))
        assert (row.engine, row.visits, row.created) == (identify_engine().of_book, 0, 0)


def test_until_is_the_next_time_that_the_clock_shows_it(file):
    now = datetime.now()
    for minutes, hours in ((2, 0), (-2, 24)):
        until = (now + timedelta(minutes=minutes)).strftime("%H:%M")
        length_s = deepening._read_length(argparse.Namespace(until=until, duration=None))
        assert abs(length_s - (hours * 3600 + minutes * 60)) <= 90
