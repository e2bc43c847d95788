"""Match files of folders and archives, and how they were read."""

import zipfile
from pathlib import Path

import pytest

from gammond.engine.errors import LimitError
from gammond.engine.match_files.model import ONE_POSITION_ADVICE
from gammond.engine.match_files.reading import MAX_FILE_BYTES
from gammond.tools.common import match_inputs
from gammond.tools.common.match_inputs import MatchTally, list_match_inputs
from tests.engine.match_files.faulty_matches import CUT, GAP, ILLEGAL, UNFINISHED


@pytest.fixture
def archive(tmp_path):
    """Write an archive of texts by their names."""

    def write(**texts):
        path = tmp_path / "site.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, text in texts.items():
                file.writestr(name, text)
        return path

    return write


def read_all(*names, strict=False):
    said, tally = [], MatchTally()
    found = [
        match
        for each in list_match_inputs(map(str, names))
        for match in each.read(said.append, strict=strict, tally=tally)
    ]
    return found, tally, said


def test_the_files_of_an_archive_are_read_by_name_without_hidden_ones(archive):
    path = archive(**{"b/2.mat": ILLEGAL, "a/1.mat": CUT, "a/.3.mat": CUT, "__MACOSX/a/1.mat": "x", "c/": ""})
    inputs = list_match_inputs([str(path)])
    assert [each.name for each in inputs] == [f"{path}/a/1.mat", f"{path}/b/2.mat"]
    assert [each.place for each in inputs] == [Path("a/1.mat"), Path("b/2.mat")]
    matches, _, said = read_all(path)
    assert [len(match.games) for match in matches] == [2, 2]
    assert said[0].startswith(f"{path}/a/1.mat: line 6, game 1, move 2: illegal play: ")


def test_an_archive_in_a_folder_is_read_too(archive, tmp_path):
    archive(**{"1.mat": ILLEGAL})
    (tmp_path / "2.mat").write_text(GAP)
    places = [each.place for each in list_match_inputs([str(tmp_path)])]
    assert places == [Path("2.mat"), Path("site/1.mat")]


def test_no_name_in_an_archive_leads_out_of_the_folder_that_is_written(archive):
    path = archive(**{"../../x.mat": ILLEGAL, "/etc/y.mat": ILLEGAL, "..\\z.mat": ILLEGAL})
    places = {each.place for each in list_match_inputs([str(path)])}
    assert places == {Path("x.mat"), Path("etc/y.mat"), Path("z.mat")}


def test_files_that_are_too_large_and_archives_of_too_much_are_refused(archive, monkeypatch):
    path = archive(**{"bomb.mat": " " * (MAX_FILE_BYTES + 1), "good.mat": GAP})
    matches, tally, _ = read_all(path)
    assert len(matches) == 1
    assert tally.unreadable == {"too large": 1}
    monkeypatch.setattr(match_inputs, "MAX_ARCHIVE_BYTES", MAX_FILE_BYTES)
    with pytest.raises(LimitError, match="unpack it"):
        list_match_inputs([str(path)])
    monkeypatch.setattr(match_inputs, "MAX_ARCHIVE_FILES", 1)
    with pytest.raises(LimitError, match="expected at most 1 files"):
        list_match_inputs([str(path)])


def test_a_damaged_archive_and_a_damaged_file_in_one_are_unreadable(archive, tmp_path):
    path = archive(**{"1.mat": ILLEGAL, "2.mat": ILLEGAL})
    content = path.read_bytes()
    (tmp_path / "short.zip").write_bytes(content[: len(content) // 2])
    at = content.index(b"1.mat") + 5
    (tmp_path / "wrong.zip").write_bytes(content[:at] + bytes(20) + content[at + 20 :])
    _, tally, _ = read_all(tmp_path / "short.zip")
    assert tally.unreadable.total() == 1
    matches, tally, said = read_all(tmp_path / "wrong.zip")
    assert (len(matches), tally.whole, tally.unreadable) == (1, 1, {"cannot be opened": 1})
    assert said[0].startswith(f"{tmp_path / 'wrong.zip'}/1.mat cannot be read: ")


def test_a_position_in_the_place_of_a_file_is_said_to_be_one():
    _, tally, said = read_all("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
    assert said == [f"expected a match file, got a position: {ONE_POSITION_ADVICE}"]
    assert not tally.is_whole


def test_files_are_counted_as_whole_cut_or_unreadable_by_reason(archive):
    faulty = {"1": ILLEGAL, "2": CUT, "3": "no match", "4": UNFINISHED, "5": GAP, "6": "nothing"}
    _, tally, _ = read_all(archive(**faulty))
    assert tally.summarise() == [
        "6 files: 3 read whole (1 up to a game without its end), 1 cut, 2 unreadable",
        "cut by reason: illegal play 1",
        "unreadable by reason: no match file 2",
    ]
    assert not tally.is_whole


def test_notes_that_lose_nothing_and_an_unfinished_last_game_leave_a_file_whole(archive):
    _, tally, said = read_all(archive(**{"1": ILLEGAL, "2": UNFINISHED, "3": GAP}))
    assert tally.is_whole
    assert len(said) == 3
    assert tally.summarise() == [
        "3 files: 3 read whole (1 up to a game without its end), 0 cut, 0 unreadable"
    ]


def test_a_file_that_is_refused_for_its_faults_is_unreadable(archive):
    _, tally, _ = read_all(archive(**{"1": ILLEGAL}), strict=True)
    assert tally.unreadable == {"refused, or no match file": 1}


def test_a_match_without_a_game_is_unreadable(archive):
    long = ILLEGAL.replace(" 5 point", " 999999 point")
    _, tally, _ = read_all(archive(**{"1": long}))
    assert (tally.whole, tally.unreadable.total()) == (0, 1)
