"""The store of a process: what it finds and keeps, and what damage, kills and other processes do to it."""

import logging
import os
import sqlite3
import threading
from functools import partial
from typing import NamedTuple

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.store import store as store_module
from gammond.engine.store.database import BadRow, DepthTiers, StoreDatabase
from gammond.engine.store.entries import StoreQuestion
from gammond.engine.store.options import StoreOptions, check_store_file
from gammond.engine.store.store import AnalysisStore
from tests.engine.store import samples
from tests.engine.store.samples import ENGINE, OTHER_NET, list_rows, make_entry, make_question
from tests.support.waiting import in_time, wait_until


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return a store in a data folder that is not there yet."""
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "store.sqlite"


def fill(file, numbers, plies=2):
    """Keep an entry for each number, in a process's own store that is then closed."""
    with AnalysisStore(file) as store:
        for number in numbers:
            store.keep(make_question(number), ENGINE, make_entry(plies, seed=number))


def find_all(file, numbers, plies=2):
    """Which of the numbers are found by another store, with their own values."""
    with AnalysisStore(file) as store:
        found = {number: store.find(make_question(number), ENGINE, plies) for number in numbers}
    for number, entry in found.items():
        assert entry is None or entry.is_same_as(make_entry(plies, seed=number))
    return [number for number, entry in found.items() if entry]


start = partial(samples.start, "tests.engine.store.test_store")


def test_what_is_kept_is_found_at_once_and_by_the_next_process_to_the_bit(file):
    question, entry = make_question(roll=(3, 1)), make_entry(rows=20)
    with AnalysisStore(file) as store:
        assert store.find(question, ENGINE, 2) is None
        store.keep(question, ENGINE, entry)
        assert store.find(question, ENGINE, 2) is entry
    with AnalysisStore(file) as store:
        assert store.find(question, ENGINE, 2).is_same_as(entry)


def test_nothing_is_given_for_another_question_net_or_depth(file):
    fill(file, [5], plies=2)
    with AnalysisStore(file) as store:
        assert store.find(make_question(6), ENGINE, 2) is None
        assert store.find(make_question(5), OTHER_NET, 2) is None
        assert store.find(make_question(5), ENGINE, 1) is None
        assert store.find(make_question(5), ENGINE, 3) is None
        assert store.find(make_question(5), ENGINE, 3, allow_deeper=True) is None
        assert store.find(make_question(5), ENGINE, 1, allow_deeper=True).plies == 2
        store.keep(make_question(5), OTHER_NET, make_entry(seed=6))
    assert find_all(file, [5]) == [5]
    with AnalysisStore(file) as store:
        assert store.find(make_question(5), OTHER_NET, 2).is_same_as(make_entry(seed=6))


@pytest.mark.parametrize("is_reopened", [False, True])
def test_an_entry_of_each_depth_is_kept_and_the_first_one_stays(file, is_reopened):
    question = make_question()
    entries = {plies: make_entry(plies, seed=plies) for plies in (2, 3, 1)}
    store = AnalysisStore(file)
    for entry in (*entries.values(), make_entry(3, seed=4)):
        store.keep(question, ENGINE, entry)
        if is_reopened:
            store.close()
            store = AnalysisStore(file)
    for plies, entry in entries.items():
        assert store.find(question, ENGINE, plies).is_same_as(entry)
        assert store.find(question, ENGINE, plies, allow_deeper=True).is_same_as(entries[3])
    store.close()
    assert [row.entry.plies for row in list_rows(file)] == [1, 2, 3]
    assert {row.visits for row in list_rows(file)} == {10}


def test_memory_alone_is_asked_by_recall_which_counts_no_visit(file):
    fill(file, [1])
    with AnalysisStore(file) as store:
        assert store.recall(make_question(1), ENGINE, 2) is None
        found = store.find(make_question(1), ENGINE, 2)
        assert store.recall(make_question(1), ENGINE, 2) is found
        assert store.recall(make_question(1), ENGINE, 1, allow_deeper=True) is found
        assert store.recall(make_question(1), ENGINE, 3) is None
    assert [row.visits for row in list_rows(file)] == [2]


def test_visits_and_their_last_time_are_counted_over_processes(file, monkeypatch):
    monkeypatch.setattr(store_module.time, "time", lambda: 1_000)
    fill(file, [1, 2])
    monkeypatch.setattr(store_module.time, "time", lambda: 2_000)
    with AnalysisStore(file) as store:
        for plies in (2, 2, 3):
            store.find(make_question(1), ENGINE, plies)
        store.keep(make_question(3), ENGINE, make_entry(), visits=0)
    rows = {row.question: (row.visits, row.asked, row.created) for row in list_rows(file)}
    assert rows == {
        make_question(1): (3, 2_000, 1_000),
        make_question(2): (1, 1_000, 1_000),
        make_question(3): (0, 2_000, 2_000),
    }


def test_many_threads_find_and_keep_together(file):
    numbers = range(200)
    with AnalysisStore(file) as store:

        def work(first):
            for number in (*numbers[first:], *numbers[:first]):
                if store.find(make_question(number), ENGINE, 2) is None:
                    store.keep(make_question(number), ENGINE, make_entry(seed=number))

        threads = [threading.Thread(target=work, args=(50 * each,)) for each in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert find_all(file, numbers) == list(numbers)


def test_who_takes_deeper_entries_gets_those_that_another_process_adds_later(file, monkeypatch):
    question, deeper = make_question(1), make_entry(3, seed=2)
    with AnalysisStore(file) as store, AnalysisStore(file) as other:
        store.keep(question, ENGINE, make_entry(seed=1))
        assert store.find(question, ENGINE, 2, allow_deeper=True).plies == 2
        other.keep(question, ENGINE, deeper)
        other.flush()
        assert store.find(question, ENGINE, 2, allow_deeper=True).plies == 2
        monkeypatch.setattr(store_module, "READ_AGAIN_S", -1.0)
        assert store.recall(question, ENGINE, 2, allow_deeper=True) is None
        assert store.find(question, ENGINE, 2, allow_deeper=True).is_same_as(deeper)
        assert store.recall(question, ENGINE, 2, allow_deeper=True).is_same_as(deeper)
        assert store.find(question, ENGINE, 2).is_same_as(make_entry(seed=1))


def test_memory_is_bounded_and_the_file_answers_for_the_rest(file, monkeypatch):
    monkeypatch.setattr(store_module, "MAX_REMEMBERED", 10)
    with AnalysisStore(file) as store:
        for number in range(50):
            store.keep(make_question(number), ENGINE, make_entry(seed=number))
        store.flush()
        assert len(store._entries) == 10
        assert all(store.find(make_question(number), ENGINE, 2) for number in range(50))
        assert len(store._entries) == 10


def test_a_file_that_is_full_loses_the_least_asked_and_of_these_the_longest_unasked(file, monkeypatch):
    for time_s, numbers in ((1_000, range(300)), (2_000, range(300, 600))):
        monkeypatch.setattr(store_module.time, "time", lambda now_s=time_s: now_s)
        fill(file, numbers)
    with AnalysisStore(file) as store:
        for number in range(100):
            store.find(make_question(number), ENGINE, 2)
    database = StoreDatabase(file)
    half = database.count_used_bytes() // 2
    database.close()
    with AnalysisStore(file, max_bytes=half) as store:
        store.keep(make_question(600), ENGINE, make_entry(seed=600))
        store.flush()
    questions = {row.question for row in list_rows(file)}
    kept = {number for number in range(601) if make_question(number) in questions}
    assert set(range(100)) <= kept
    assert not kept & set(range(100, 300))
    assert 100 <= len(kept) <= 330
    assert any(number >= 300 for number in kept)


def test_a_kill_loses_nothing_that_was_written(file):
    process = start(
        """
        store = AnalysisStore(Path(sys.argv[1]))
        for number in range(4000):
            store.keep(make_question(number), ENGINE, make_entry(seed=number))
            if number % 20 == 19:
                store.flush()
                print(number + 1, flush=True)
        """,
        file,
    )
    for _ in range(5):
        written = int(process.stdout.readline())
    process.kill()
    process.wait()
    written = int((process.stdout.read().split() or [written])[-1])
    process.stdout.close()
    assert written >= 100
    assert find_all(file, range(written)) == list(range(written))
    assert not any(isinstance(row, BadRow) for row in list_rows(file))


@pytest.mark.slow
def test_two_processes_at_once_find_what_the_other_keeps(file):
    code = """
        file, first = Path(sys.argv[1]), int(sys.argv[2])
        with AnalysisStore(file) as store:
            for number in range(first, first + 100):
                store.keep(make_question(number), ENGINE, make_entry(seed=number))
                if number % 10 == 0:
                    store.flush()
            store.flush()
            print(store._shared.left_out, flush=True)
            sys.stdin.read(1)
        """
    with AnalysisStore(file) as store:
        processes = [start(code, file, first) for first in (0, 100)]
        assert [process.communicate()[0] for process in processes] == ["0\n", "0\n"]
        assert all(store.find(make_question(number), ENGINE, 2) for number in range(200))
    assert find_all(file, range(200)) == list(range(200))


def damage(file, position, content):
    with file.open("r+b") as opened:
        opened.seek(position)
        opened.write(content)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: os.truncate(file, file.stat().st_size // 2),
        lambda file: damage(file, 4096, os.urandom(file.stat().st_size - 4096)),
        lambda file: damage(file, 60, b"\0\0\0\0"),
        lambda file: file.write_bytes(
            file.read_bytes()
            .replace(b"tablequestions", b"tableq\x8cestions")
            .replace(b"CREATE TABLE q", b"CREATE TEBLE q")
        ),
    ],
    ids=["half", "pages", "version", "no text"],
)
def test_a_damaged_file_is_moved_aside_and_a_new_one_begun(file, spoil, caplog):
    fill(file, range(300))
    spoil(file)
    spoiled = file.read_bytes()
    with caplog.at_level(logging.WARNING), AnalysisStore(file) as store:
        assert [store.find(make_question(number), ENGINE, 2) for number in (0, 299)] == [None, None]
        store.keep(make_question(1), ENGINE, make_entry(seed=1))
        store.flush()
        store.keep(make_question(2), ENGINE, make_entry(seed=2))
    assert file.with_name("store.sqlite.damaged").read_bytes() == spoiled
    assert [record.getMessage() for record in caplog.records if ".damaged" in record.getMessage()]
    assert find_all(file, range(300)) == [1, 2]


def write_foreign_database(file, mark=0):
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA application_id = {mark}")
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


@pytest.mark.parametrize(
    "write",
    [
        lambda file: file.write_bytes(b"notes of mine, long enough for a page of a database " * 200),
        lambda file: file.write_bytes(b"SQLite format 3\0"),
        lambda file: file.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000),
        write_foreign_database,
        lambda file: write_foreign_database(file, 77),
        lambda file: (write_foreign_database(file), damage(file, 110, os.urandom(1000))),
        lambda file: damage(fill(file, [1]) or file, 0, b"\0" * 64),
    ],
    ids=["text", "stub", "rest", "database", "marked", "damaged", "header"],
)
def test_a_file_that_does_not_begin_as_a_store_is_refused_and_left_as_it_is(file, write):
    file.parent.mkdir()
    write(file)
    content = file.read_bytes()
    with pytest.raises(DataFileError, match=r"expected a store of analyses, got a.*: name another file"):
        AnalysisStore(file)
    with pytest.raises(DataFileError, match="expected a store of analyses, got a"):
        check_store_file(StoreOptions(file=str(file)))
    with AnalysisStore(file, is_patient=False) as store:  # one who needs an answer has memory
        store.keep(make_question(), ENGINE, make_entry())
        assert store.find(make_question(), ENGINE, 2)
    assert file.read_bytes() == content
    assert not list(file.parent.glob("store.sqlite?*"))


def test_a_file_that_was_moved_aside_is_never_overwritten(file):
    moved = []
    for _ in range(3):
        fill(file, range(300))
        damage(file, 4096, os.urandom(file.stat().st_size - 4096))
        moved.append(file.read_bytes())
        fill(file, range(300))
    names = ("store.sqlite.damaged", "store.sqlite.damaged-2", "store.sqlite.damaged-3")
    assert [file.with_name(name).read_bytes() for name in names] == moved


def test_a_folder_that_was_named_is_not_made(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "data"))
    file = tmp_path / "typo" / "store.sqlite"
    for open_it in (AnalysisStore, lambda file: check_store_file(StoreOptions(file=str(file)))):
        with pytest.raises(DataFileError, match=r"there is no folder .*typo: make it, or correct the name"):
            open_it(file)
    assert not file.parent.exists()


def test_an_empty_file_is_a_new_store(file):
    file.parent.mkdir()
    file.touch()
    fill(file, [1])
    assert find_all(file, [1]) == [1]


def test_no_bit_of_a_file_can_change_an_answer_or_stop_the_program(file, tmp_path):
    fill(file, range(30))
    content = file.read_bytes()
    outcomes = set()
    for place in range(0, len(content) * 8, 797 * 8 + 3):
        copy = tmp_path / f"copy{place}" / "store.sqlite"
        copy.parent.mkdir()
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        copy.write_bytes(flipped)
        try:
            outcomes.add(len(find_all(copy, range(30))))
        except DataFileError:
            outcomes.add("refused")
    assert max(each for each in outcomes if isinstance(each, int)) == 30
    assert len(outcomes) > 1


def test_a_row_that_was_changed_is_removed_and_the_others_stay(file, caplog):
    fill(file, range(10))
    with sqlite3.connect(file) as connection:
        connection.execute(
            "UPDATE answers SET plies = 3 WHERE question = (SELECT id FROM questions WHERE xgid = ?)",
            (make_question(4).xgid,),
        )
    connection.close()
    with AnalysisStore(file) as store:
        assert store.find(make_question(4), ENGINE, 3) is None
    assert "removed" in caplog.text
    assert find_all(file, range(10)) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_a_file_that_is_damaged_while_in_use_is_replaced(file):
    with AnalysisStore(file) as store:
        for number in range(300):
            store.keep(make_question(number), ENGINE, make_entry(seed=number))
        store.flush()
        store._entries.clear()
        for each in (file, file.with_name("store.sqlite-wal")):
            os.truncate(each, 0)
        assert store.find(make_question(1), ENGINE, 2) is None
        store.keep(make_question(400), ENGINE, make_entry(seed=400))
        store.flush()
        wait_until(file.with_name("store.sqlite.damaged").exists)  # a thread of the store moves it
        store.keep(make_question(401), ENGINE, make_entry(seed=401))
    assert 401 in find_all(file, range(402))


def test_a_data_folder_that_cannot_be_made_leaves_the_store_in_memory(tmp_path, caplog, monkeypatch):
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path / "taken"))
    with AnalysisStore(tmp_path / "taken" / "store.sqlite") as store:
        store.keep(make_question(), ENGINE, make_entry())
        store.flush()
        assert store.find(make_question(), ENGINE, 2)
        assert store.find(make_question(1), ENGINE, 2) is None
        assert store._shared.left_out == 1
    assert "cannot be used" in caplog.text


def test_what_comes_after_the_end_is_left_out_and_nobody_waits_for_it(file):
    fill(file, [1])
    store = AnalysisStore(file)
    store.find(make_question(1), ENGINE, 2)
    store.close()
    store.keep(make_question(2), ENGINE, make_entry(2))
    assert store.find(make_question(1), ENGINE, 2) is not None
    in_time(store.flush)
    assert store._shared.left_out == 1
    assert len(list_rows(file)) == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
@pytest.mark.parametrize("is_patient", [False, True])
def test_a_forked_process_reads_and_writes_by_itself(file, is_patient):
    program = f"""
        store = AnalysisStore(Path(sys.argv[1]), is_patient={is_patient})
        store.keep(make_question(1), ENGINE, make_entry(2, seed=1))
        store.flush()
        parents = store._shared._reader
        store.keep(make_question(2), ENGINE, make_entry(2, seed=2))
        fill(Path(sys.argv[1]), [3])
        with store._remembering, store._shared._changed, store._shared._reading:
            child = os.fork()
            if child == 0:
                store._entries.clear()
                found = [number for number in (1, 3) if store.find(make_question(number), ENGINE, 2)]
                store.keep(make_question(4), ENGINE, make_entry(2, seed=4))
                store.flush()
                print(found, store._shared._reader is parents, len(store._shared._writes), flush=True)
                os._exit(0)
        os.waitpid(child, 0)
        store.close()
    """
    process = start(program, file)
    assert process.communicate(timeout=60)[0].split("\n")[0] == "[1, 3] False 0"
    assert find_all(file, range(1, 5)) == [1, 2, 3, 4]


def test_memory_forgets_the_longest_unasked_when_its_values_take_too_much(file, monkeypatch):
    entries = [make_entry(plies, rows=50, seed=plies) for plies in (2, 3)]
    monkeypatch.setattr(store_module, "MAX_REMEMBERED_BYTES", sum(each.size for each in entries) * 3)
    with AnalysisStore(file) as store:
        for number in range(1, 11):
            for entry in entries * 2:
                store.keep(make_question(number), ENGINE, entry)
        recalled = [n for n in range(1, 11) if store.recall(make_question(n), ENGINE, 3)]
        assert recalled == [8, 9, 10]
        store.flush()
        assert store.find(make_question(1), ENGINE, 2).is_same_as(entries[0])
        recalled = [n for n in range(1, 11) if store.recall(make_question(n), ENGINE, 3)]
        assert recalled == [1, 9, 10]


def test_an_entry_is_committed_or_it_is_said_that_it_is_not(file):
    with AnalysisStore(file) as store:
        assert store.commit(make_question(1), ENGINE, make_entry(3))
        assert find_all(file, [1]) == []  # of another depth
        assert [row.entry.plies for row in list_rows(file)] == [3]
        store.close()
        left_out = store._shared.left_out
        assert not store.commit(make_question(2), ENGINE, make_entry(3))
        assert store._shared.left_out == left_out + 1


@pytest.mark.parametrize("is_patient", [False, True])
def test_a_system_without_threads_to_spare_leaves_a_store_that_is_read(file, monkeypatch, caplog, is_patient):
    fill(file, [1])
    with monkeypatch.context() as patched:

        def refuse(self):
            raise RuntimeError("can't start new thread")

        patched.setattr(threading.Thread, "start", refuse)
        store = AnalysisStore(file, is_patient=is_patient)
        assert store.find(make_question(1), ENGINE, 2) is not None
        store.keep(make_question(2), ENGINE, make_entry(2, seed=2))
        assert store.find(make_question(2), ENGINE, 2) is not None
        store.flush()
        assert not store.commit(make_question(2), ENGINE, make_entry(2, seed=2))
    assert in_time(lambda: store.commit(make_question(3), ENGINE, make_entry(2, seed=3)))
    store.close()
    assert "can't start new thread" in caplog.text


class Word(NamedTuple):
    """An entry of another game: a word."""

    plies: int
    text: str

    @property
    def size(self):
        return len(self.text)

    def encode(self):
        return self.text.encode()

    @classmethod
    def decode(cls, plies, payload):
        return cls(plies, payload.decode())


def test_another_game_keeps_entries_of_its_own(tmp_path):
    file, question = tmp_path / "words.sqlite", StoreQuestion("10/10 w", "words", "plain")
    with AnalysisStore(file, read_entry=Word.decode) as store:
        store.keep(question, ENGINE, Word(3, "three"))
        store.keep(question, ENGINE, Word(5, "five"), visits=2)
    with AnalysisStore(file, read_entry=Word.decode) as store:
        assert store.find(question, ENGINE, 3) == Word(3, "three")
        assert store.find(question, ENGINE, 4, allow_deeper=True) == Word(5, "five")
        assert store.find(question, ENGINE, 4) is None
        due = store.list_due(ENGINE, DepthTiers(((5, 9),), max_plies=12), 10)
        assert due == [(question, 6, 5)]
    with AnalysisStore(file) as store:
        assert store.find(question, ENGINE, 3) is None
