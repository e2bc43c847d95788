"""``gammond heritage expert-moves`` on small files of matches, whole and broken, in folders and archives."""

import io
import os
import tarfile
import tracemalloc
import zipfile
from functools import partial

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, StateError, ValueRangeError
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.position import Position
from gammond.tools.heritage.gengammon.expert_moves import command as expert_moves
from gammond.tools.heritage.gengammon.expert_moves.dataset import list_candidates, read_expert_moves
from gammond.tools.heritage.gengammon.expert_moves.extraction import (
    MAX_ARCHIVE_BYTES,
    MAX_FILE_BYTES,
    MatchFile,
    extract_moves,
    iterate_match_files,
)
from tests.engine.match_files.faulty_matches import ILLEGAL
from tests.support.commands import run_tool

GOOD = """; [Player 1 "ann"]

 5 point match

 Game 1
 ann : 0                      bob : 0
  1) 31: 8/5 6/5              64: 24/18 13/9
  2) 21: 13/11 6/5             Doubles => 2
  3)  Drops                    Wins 1 point

 Game 2
 ann : 0                      bob : 1
  1)                          31: 8/5 6/5
  2) 64: 24/18 13/9            Losses 1 point
      Wins 1 point
"""
BROKEN = GOOD.replace("ann", "cid").replace("21: 13/11 6/5 ", "21: 13/11 6/4 ")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "b.mat").write_text(GOOD)
    (tmp_path / "in" / "deep" / "a.TXT").write_bytes(BROKEN.replace("\n", "\r\n").encode())
    (tmp_path / "in" / "readme.txt").write_text("no matches here")
    (tmp_path / "in" / ".b.mat").write_text(GOOD.replace("ann", "eve"))
    return tmp_path / "in"


@pytest.fixture
def archive(folder, tmp_path):
    file = tmp_path / "matches.tar.gz"
    with tarfile.open(file, "w:gz") as out:
        out.add(folder, "matches")
    return file


run = partial(run_tool, expert_moves)


@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_the_moves_of_folders_and_archives_come_into_a_file(kind, request, tmp_path, capsys):
    out = tmp_path / "moves.npz"
    source = request.getfixturevalue(kind)
    assert run(source, "--output", out) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[:-1] == [
        "read: 2 files, 2 matches, 4 games, 9 moves",
        "skipped: 1 files",
        "faults: 1 illegal play",
        "moves: 9 (bob 4, ann 3, cid 2)",
        "filtered: 0 homebound",
        "filtered: 0 contradicting",
        "filtered: 0 unmovable",
    ]
    assert said.out.splitlines()[-1].startswith("kept: 9 moves in ")
    assert (
        "a.TXT: line 8, game 1, move 2: illegal play: 2-1 '13/11 6/4': 6/4 cannot be played with 1 left"
        in said.err
    )
    assert "readme.txt: expected a match file (sgf, oldmoves, " in said.err
    moves = read_expert_moves(out)
    first = moves.matches == [name.endswith("b.mat") for name in moves.match_names].index(True)
    assert [moves.player_names[player] for player in moves.players[first]] == [
        "ann",
        "bob",
        "ann",
        "bob",
        "ann",
    ]
    assert moves.games[first].tolist() == [1, 1, 1, 2, 2]
    own = moves.select(first)
    play = parse_play("8/5 6/5", Position.start(), (3, 1))
    assert own.dice[0].tolist() == [3, 1]
    assert (own.boards[0] == Position.start().board).all()
    assert (own.chosen[0] == play.result.board).all()
    assert (own.boards[1] == play.result.board).all()
    assert (own.boards[3] == Position.start().board).all()  # the game before was doubled away
    filters = "--filters homebound,contradicting,unmovable"
    assert moves.command == f"gammond heritage expert-moves {source} --output {out} {filters}"


def test_moves_after_a_position_that_was_set_begin_there():
    letters = "------E------------e------"
    text = GOOD.split("  1)")[0] + f"; Set Pos={letters}/0\n  1) 61: 6/off 6/5             31: 6/3 6/5\n"
    moves, found = extract_moves([MatchFile("set", text.encode())], [])
    assert (found.moves, moves.boards[0, 0, 6]) == (2, 5)
    assert len(list_candidates(moves).chosen) == 2


def test_players_and_filters_can_be_named(folder, tmp_path, capsys):
    out = tmp_path / "moves.npz"
    assert run(folder, "--output", out, "--players", "bob, ann", "--filters", "none") == 0
    assert "moves: 7 (bob 4, ann 3)" in capsys.readouterr().out
    assert read_expert_moves(out).command.endswith("--players bob,ann --filters none")


def test_faults_are_reported_up_to_a_number(folder, tmp_path, capsys):
    run(folder, "--output", tmp_path / "moves.npz", "--faults", 1)
    assert capsys.readouterr().err.splitlines()[-1] == "1 more faults: --faults 2 lists them all"


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        (["b.mat", "--players", "zoe"], ValueRangeError, "no moves by zoe"),
        (
            ["b.mat", "--filters", "home"],
            ValueRangeError,
            "expected filters of homebound, ",
        ),
        (["readme.txt"], DataFileError, "no moves left"),
        (["nowhere.mat"], DataFileError, "no such file or folder"),
    ],
)
def test_what_comes_to_no_moves_leaves_no_file(words, error, message, folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(error, match=message):
        run(*words, "--output", "moves.npz")
    assert not (folder / "moves.npz").exists()


def test_a_file_that_is_there_stays_when_nothing_comes_of_a_run(folder, tmp_path):
    (tmp_path / "moves.npz").write_text("precious")
    with pytest.raises(StateError, match="already exists"):
        run(folder, "--output", tmp_path / "moves.npz")
    with pytest.raises(ValueRangeError):
        run(folder, "--output", tmp_path / "moves.npz", "--players", "zoe", "--force")
    assert (tmp_path / "moves.npz").read_text() == "precious"


def test_an_archive_that_is_cut_gives_what_came_before(tmp_path):
    rng = np.random.default_rng(2)
    file = tmp_path / "matches.tar.gz"
    with tarfile.open(file, "w:gz") as out:
        for number in range(20):
            text = GOOD + "; " + " ".join(map(str, rng.integers(0, 10**9, 400)))
            member = tarfile.TarInfo(f"match{number:02}.mat")
            member.size = len(text)
            out.addfile(member, io.BytesIO(text.encode()))
    assert len(list(iterate_match_files([file]))) == 20
    file.write_bytes(file.read_bytes()[:20_000])
    found = list(iterate_match_files([file]))
    files = [each for each in found if not each.fault]
    unread = [each for each in found if each.fault]
    assert 3 < len(files) < 18
    assert [each.name for each in files] == [f"{file}/match{number:02}.mat" for number in range(len(files))]
    assert len(unread) == 1
    assert "the archive is damaged" in unread[0].fault


def test_names_of_any_code_page_are_read(tmp_path):
    (tmp_path / "a.mat").write_bytes(GOOD.replace("ann", "Jürg").encode("latin-1"))
    (tmp_path / "b.mat").write_bytes(GOOD.replace("ann", "Søren").encode())
    moves, _ = extract_moves(iterate_match_files([tmp_path]), [])
    assert moves.player_names == ("Jürg", "bob", "Søren")


def test_a_file_given_twice_counts_once_and_is_reported():
    files = [MatchFile("a", GOOD.encode()), MatchFile("b", GOOD.encode()), MatchFile("c", BROKEN.encode())]
    done = []
    moves, found = extract_moves(files, [], done.append)
    assert len(moves) == 9
    assert [(each.name, each.fault) for each in found.skipped] == [("b", "same content as an earlier file")]
    assert done == [1, 2, 3]


def test_matches_of_one_file_have_names_of_their_own():
    moves, found = extract_moves([MatchFile("both", (GOOD + BROKEN).encode())], [])
    assert moves.match_names == ("both match 1", "both match 2")
    assert (found.files, found.matches) == (1, 2)


def reasons(source) -> dict[str, str]:
    return {
        each.name.removeprefix(f"{source}").lstrip("/"): each.fault
        for each in iterate_match_files([source])
        if each.fault
    }


def write_archive(file, *members: tuple[str, bytes, bytes, str]) -> None:
    with tarfile.open(file, "w:gz") as out:
        for name, kind, content, target in members:
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(content), target
            out.addfile(member, io.BytesIO(content))


def test_links_and_pipes_of_an_archive_are_skipped(tmp_path):
    file = tmp_path / "a.tar.gz"
    write_archive(
        file,
        ("itself.mat", tarfile.LNKTYPE, b"", "itself.mat"),
        ("outside.mat", tarfile.SYMTYPE, b"", "/etc/passwd"),
        ("pipe.mat", tarfile.FIFOTYPE, b"", ""),
        ("good.mat", tarfile.REGTYPE, GOOD.encode(), ""),
    )
    assert set(reasons(file)) == {"itself.mat", "outside.mat", "pipe.mat"}
    assert set(reasons(file).values()) == {"expected a regular file"}
    assert extract_moves(iterate_match_files([file]), [])[1].matches == 1


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.mat"
    os.mkfifo(pipe)
    assert list(iterate_match_files([tmp_path])) == []
    assert [each.fault for each in iterate_match_files([pipe])] == ["expected a regular file"]


def test_large_files_are_skipped_and_large_archives_cut(tmp_path):
    long = b" " * (MAX_FILE_BYTES + 1)
    (tmp_path / "long.mat").write_bytes(long)
    assert reasons(tmp_path) == {"long.mat": f"expected at most {MAX_FILE_BYTES:,} bytes"}
    file = tmp_path / "a.tar.gz"
    count = MAX_ARCHIVE_BYTES // len(long) + 1
    names = [(f"{number:02}.bin", tarfile.REGTYPE, long, "") for number in range(count)]
    write_archive(file, *names, ("last.mat", tarfile.REGTYPE, GOOD.encode(), ""))
    assert f"the files from {count - 1:02}.bin on are left out" in reasons(file)[""]


def test_an_archive_with_an_endless_name_takes_no_memory(tmp_path):
    file = tmp_path / "a.tar.gz"
    write_archive(file, ("name", tarfile.GNUTYPE_LONGNAME, b"a" * 5_000_000, ""))
    tracemalloc.start()
    assert "a header has 5,000,000 bytes" in reasons(file)[""]
    assert tracemalloc.get_traced_memory()[1] < 2_000_000
    tracemalloc.stop()


def test_names_that_would_command_a_terminal_are_shown_escaped(tmp_path, capsys):
    (tmp_path / "a\x1b[2J.mat").write_text("nothing")
    (tmp_path / "b.mat").write_text(GOOD.replace("ann", "a\x1b[31mnn"))
    assert run(tmp_path, "--output", tmp_path / "moves.npz") == 0
    said = capsys.readouterr()
    assert "\x1b" not in said.err + said.out
    assert "a\\x1b[2J.mat: expected a match file" in said.err
    assert "a\\x1b[31mnn 3" in said.out


def test_illegal_plays_are_no_expert_moves_and_those_after_them_are(tmp_path):
    file = tmp_path / "match.mat"
    file.write_text(ILLEGAL)
    moves, _ = extract_moves(iterate_match_files([file]), ())
    assert len(moves.boards) == ILLEGAL.count(": ") - 5  # names and scores, and the illegal play
    for board, dice, chosen in zip(moves.boards, moves.dice, moves.chosen, strict=True):
        plays = legal_plays(Position(board), tuple(dice))
        assert any((play.result.board == chosen).all() for play in plays)


def test_a_zip_archive_is_read_as_a_folder_is(tmp_path):
    path = tmp_path / "site.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.mat", ILLEGAL)
    (found,) = iterate_match_files([path])
    assert (found.name, found.content.decode()) == (f"{path}/a.mat", ILLEGAL)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Doubles", b"DOUBLES", 1))
    (found,) = iterate_match_files([path])
    assert found.fault
