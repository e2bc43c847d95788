"""Journals: gone on from after a kill at any byte, refused where they are of something else."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.tools.common.journal import Journal, LinePlace, read_records

HEAD = {"format": "walk 1", "seed": 3, "nets": {"contact": "ab"}, "dice": (3, 1)}
HEAD_LINE = b'{"format": "walk 1", "seed": 3, "nets": {"contact": "ab"}, "dice": [3, 1]}\n'
STEPS = [{"step": number, "way": "\u00fc"} for number in range(3)]
WHOLE = HEAD_LINE + b"".join(b'{"step": %d, "way": "\\u00fc"}\n' % number for number in range(3))

HOLD = """
import sys
from pathlib import Path
from gammond.tools.common.journal import Journal
with Journal(Path(sys.argv[1]), {"format": "walk 1"}):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "walk.journal"


def walk(file, head=HEAD, **options):
    """Do the steps that are left, as a tool does."""
    found = []
    with Journal(file, head, "keep", take=lambda place, record: found.append(record), **options) as journal:
        for step in STEPS[len(found[1:]) :]:
            journal.append(step)
    return found[1:]


def refuse(file, error, match, **options):
    """Check that a file is refused, and left as it is for other processes."""
    before = file.read_bytes()
    with pytest.raises(error, match=match) as caught:
        walk(file, **options)
    assert caught.value.field == "keep"
    assert file.read_bytes() == before
    with Journal(file, is_new=True):
        pass


def test_a_run_goes_on_from_any_byte_that_a_kill_left(file):
    assert walk(file) == []
    assert file.read_bytes() == WHOLE
    for length in range(len(WHOLE) + 1):
        file.write_bytes(WHOLE[:length])
        assert walk(file) == STEPS[: max(WHOLE[:length].count(b"\n") - 1, 0)]
        assert file.read_bytes() == WHOLE


def test_a_log_has_no_head_and_is_made_with_its_first_record(file):
    with Journal(file):
        assert not file.exists()
        assert read_records(file) == []
    for length in range(len(WHOLE)):
        file.write_bytes(WHOLE[:length])
        found = read_records(file)
        assert len(found) == WHOLE[:length].count(b"\n")
        with Journal(file) as log:
            for record in [HEAD, *STEPS][len(found) :]:
                log.append(record)
        assert file.read_bytes() == WHOLE


@pytest.mark.parametrize(
    "content",
    [
        b"a diary",
        b"a diary\nof two lines\n",
        b'{"format": "walk 2"',
        b'{"format": "gammond rollout"}\n',
        b'{"seed": 3}\n',
        b"\0\xff",
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_a_file_of_something_else_is_left_as_it_is(file, content, is_new):
    file.write_bytes(content)
    with pytest.raises(DataFileError, match=r'of something else: expected \{"format": "walk 1" at its'):
        walk(file, is_new=is_new)
    assert file.read_bytes() == content
    with pytest.raises(DataFileError, match="of something else"):
        Journal(file, {"run": {}})
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 4}, "seed 3, this one has 4: repeat its command to go on with it, or choose another file"),
        ({"nets": {"contact": "cd"}}, "nets {'contact': 'ab'}, this one has {'contact': 'cd'}"),
        ({"threads": 2}, "threads None, this one has 2"),
    ],
)
def test_a_file_of_another_run_is_refused(file, change, words):
    file.write_bytes(WHOLE + b'{"st')
    refuse(file, StateError, words, head=HEAD | change)


def test_a_run_may_begin_anew_and_say_what_identifies_it(file):
    file.write_bytes(WHOLE)
    other = HEAD | {"seed": 4}
    refuse(file, StateError, "or add --force", head=other, restart="add --force")
    file.write_bytes(WHOLE)
    assert walk(file, other, identify=lambda head: {"nets": head["nets"]}) == STEPS
    assert walk(file, other, is_new=True) == []
    assert [record["seed"] for record in read_records(file)[:1]] == [4]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "Expecting property name"),
        (b"\0", "Expecting value"),
        (b"\xff", "utf-8"),
        (b"[1]", r"expected a JSON object, got \[1\]"),
        (b'{"stap": 1}', "it has no 'step'"),
        (b'{"step": "x"}', "invalid literal"),
        (b'{"step": null}', "int"),
    ],
)
def test_a_damaged_line_is_named(file, line, reason):
    lines = WHOLE.splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], line + b"\n", *lines[2:]]))

    def parse(place, record):
        return None if place.number == 1 else int(record["step"])

    with pytest.raises(
        DataFileError, match=rf"walk\.journal line 3 cannot be read: .*{reason}.*: add --force"
    ):
        Journal(file, HEAD, take=parse, restart="add --force")
    if b"st" not in line:
        with pytest.raises(DataFileError, match="line 3 cannot be read"):
            read_records(file)


def test_lines_are_read_again_from_their_places(file):
    places = []
    file.write_bytes(WHOLE)
    found = read_records(file)[0]
    with Journal(file, HEAD, take=lambda place, record: places.append(place)) as journal:
        journal.append({"step": 3})
        for number, place in enumerate(places):
            assert WHOLE[place.start : place.end] == WHOLE.splitlines(keepends=True)[number]
            read = list(journal.read(place))
            assert [place for place, _ in read][:-1] == places[number:]
            assert [record for _, record in read] == [found, *STEPS, {"step": 3}][number:]
        with pytest.raises(DataFileError, match="line 2 cannot be"), journal.name_line(places[1]):
            raise KeyError("x")


def test_a_record_that_a_killed_run_repeats_is_not_written_again(file):
    for numbers in ((1, 1, 2), (2, 3)):
        with Journal(file) as log:
            assert [log.append_new({"epoch": number}, "epoch") for number in numbers][-1]
    assert [record["epoch"] for record in read_records(file)] == [1, 2, 3]


def test_a_journal_is_one_process_s_from_first_to_last(file):
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", HOLD, file], stdin=pipe, stdout=pipe) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StateError, match="another process writes"):
            Journal(file, {"format": "walk 1"}, "keep")
        other.kill()
    with Journal(file, {"format": "walk 1"}), pytest.raises(StateError, match="another process writes"):
        Journal(file, {"format": "walk 1"})


def test_threads_may_append(file):
    def append(journal, number):
        for place in range(50):
            journal.append({"thread": number, "place": place, "text": "x" * 1000})

    with Journal(file, HEAD) as journal:
        threads = [threading.Thread(target=append, args=(journal, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(read_records(file)) == 201


def test_a_full_disk_is_an_error_and_the_line_makes_way_for_the_next(file, monkeypatch):
    class FullDisk:
        """A file with room for one byte in a call, and for ten in all."""

        def __init__(self, out):
            self.out, self.room = out, 10

        def __getattr__(self, name):
            return getattr(self.out, name)

        def write(self, content):
            if not self.room:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.room -= 1
            return self.out.write(content[:1])

    with Journal(file, HEAD, "keep") as journal:
        out = journal._out
        monkeypatch.setattr(journal, "_out", FullDisk(out))
        journal.append({"a": 1})
        with pytest.raises(DataFileError, match=r"walk\.journal cannot be written: No space") as caught:
            journal.append({"b": 2})
        assert caught.value.field == "keep"
        assert file.read_bytes() == HEAD_LINE + b'{"a": 1}\n{'
        monkeypatch.setattr(journal, "_out", out)
        journal.append({"c": 3})
    assert read_records(file)[1:] == [{"a": 1}, {"c": 3}]


def test_a_place_that_cannot_be_read_or_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in ("file", "missing"):
        with pytest.raises(DataFileError, match="there is no folder"):
            Journal(tmp_path / folder / "walk", HEAD)
    assert not (tmp_path / "missing").exists()
    for read in (Journal, read_records):
        with pytest.raises(DataFileError, match="cannot be read: expected a regular file"):
            read(tmp_path)


def test_a_journal_without_a_file_keeps_nothing():
    with Journal(None, HEAD) as journal:
        journal.append({"a": 1})
        assert list(journal.read(LinePlace())) == []
        journal.remove()


def test_a_finished_journal_is_removed(file):
    with Journal(file, HEAD) as journal:
        journal.remove()
        assert not file.exists()
