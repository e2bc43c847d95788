"""`gammond convert` of match files: all formats, folders, faults, and what is left out."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import NO_NOTES
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf import tree
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.game_record import ResignationAction
from gammond.engine.rules.outcome import Outcome
from gammond.tools.common import match_inputs
from tests.engine.match_files.faulty_matches import CUT, GAP, ILLEGAL, UNFINISHED, WRONG_RESULT
from tests.engine.match_files.played_games import MAT_MATCH as MATCH
from tests.support.commands import make_runner, type_in

OTHER = MATCH.replace("michy", "ann")
BROKEN = MATCH.replace("64: Bar/15", "64: Bar/14")
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
REPORT = f"""{XGID}

X:ann   O:bob
 +13-14-15-16-17-18------19-20-21-22-23-24-+
    1. 4-ply       8/5 6/5                      eq:+0.214
"""


run = make_runner("convert")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "match.mat"
    path.write_text(MATCH)
    return path


def games_of(path):
    (match,) = read_matches(path)
    assert match.issues == ()
    return match.format, match.games


def test_one_match_goes_to_standard_output_or_to_a_file_whose_name_says_the_format(file, capsys, tmp_path):
    text = run(capsys, file, "--to", "sgf").out
    (tmp_path / "new").mkdir()
    assert run(capsys, file, "--output", tmp_path / "new" / "a.sgf").out == ""
    assert (tmp_path / "new" / "a.sgf").read_text() == text
    run(capsys, tmp_path / "new" / "a.sgf", "--to", "mat", "--output", tmp_path)
    assert games_of(tmp_path / "a.mat") == ("mat", games_of(file)[1])


def test_a_file_of_ogxm_is_written_and_read(file, capsys, tmp_path):
    pytest.importorskip("ogxm")
    run(capsys, file, "--output", tmp_path / "a.ogxm")
    name, games = games_of(tmp_path / "a.ogxm")
    assert name == "ogxm"
    assert [len(game.actions) for game in games] == [len(game.actions) for game in games_of(file)[1]]
    run(capsys, tmp_path / "a.ogxm", "--to", "sgf", "--output", tmp_path / "b.sgf")
    assert games_of(tmp_path / "b.sgf")[1] == games


def test_standard_input_is_a_match_too(monkeypatch, capsys):
    for words in ((), ("-",)):
        type_in(monkeypatch, MATCH)
        assert run(capsys, *words, "--to", "sgf").out.startswith("(;FF[4]GM[6]")


def test_files_of_folders_keep_their_places_and_names_that_meet_get_a_number(capsys, tmp_path):
    source, target = tmp_path / "in", tmp_path / "out"
    (source / "deep").mkdir(parents=True)
    (source / "a.mat").write_text(MATCH)
    (source / "a.sgf").write_text(format_sgf(parse_mat(OTHER)[0]))
    (source / "deep" / "b.mat").write_text(MATCH + "\n" + OTHER)
    run(capsys, source, "--to", "sgf", "--output", target)
    written = sorted(str(path.relative_to(target)) for path in target.rglob("*.sgf"))
    assert written == ["a-2.sgf", "a.sgf", str(Path("deep", "b-2.sgf")), str(Path("deep", "b.sgf"))]
    names = [read_matches(target / name)[0].names[0] for name in ("a.sgf", "a-2.sgf")]
    assert names == ["michy", "ann"]


def test_a_match_that_cannot_be_read_stops_no_other(capsys, tmp_path):
    (tmp_path / "a.txt").write_text("no match\n")
    (tmp_path / "b.mat").write_text(BROKEN)
    (tmp_path / "c.mat").write_text(MATCH)
    (tmp_path / "d.mat").write_text('; [Variation "HyperGammon (4)"]\n' + MATCH)
    target = tmp_path / "out"
    said = run(capsys, tmp_path, "--to", "mat", "--output", target, status=1)
    first, second, *others, total, _, unreadable = said.err.splitlines()
    assert first.startswith(f"gammond convert: {tmp_path / 'a.txt'}: expected a match file")
    assert second.startswith(f"gammond convert: {tmp_path / 'b.mat'}: line 7, game 1, move 3: illegal play: ")
    assert any("HyperGammon (4)" in line for line in others)
    assert any(line.endswith("b.mat: mat leaves out: that game 1 is cut") for line in others)
    assert total == "gammond convert: 4 files: 1 read whole, 1 cut, 2 unreadable"
    assert unreadable.startswith("gammond convert: unreadable by reason: no match file 1, unsupported")
    assert sorted(path.name for path in target.iterdir()) == ["b.mat", "c.mat"]
    (game,) = parse_mat((target / "b.mat").read_text())[0].games
    assert (game.result.winner, game.result.points) == (1, 1)


@pytest.mark.parametrize("text", [ILLEGAL, GAP, WRONG_RESULT, UNFINISHED])
def test_faults_by_which_nothing_is_lost_are_said_with_status_0(capsys, tmp_path, text):
    (tmp_path / "a.mat").write_text(text)
    said = run(capsys, tmp_path / "a.mat", "--to", "mat")
    assert len(said.err.splitlines()) == 1
    assert parse_mat(said.out)[0].games[-1].actions == parse_mat(text)[0].games[-1].actions


def test_what_is_lost_gives_status_1_and_what_the_format_cannot_say_is_named(capsys, tmp_path):
    (tmp_path / "a.mat").write_text(CUT)
    said = run(capsys, tmp_path / "a.mat", "--to", "sgf", status=1)
    assert said.err.endswith("a.mat: sgf leaves out: that game 2 is cut\n")


def test_an_archive_is_converted_into_a_folder_with_a_summary(capsys, tmp_path):
    with zipfile.ZipFile(tmp_path / "site.zip", "w") as archive:
        archive.writestr("x/a.mat", MATCH)
        archive.writestr("x/b.mat", ILLEGAL)
    said = run(capsys, tmp_path / "site.zip", "--to", "sgf", "--output", tmp_path / "out")
    assert said.err.splitlines()[-1] == "gammond convert: 2 files: 2 read whole, 0 cut, 0 unreadable"
    assert sorted(path.name for path in (tmp_path / "out" / "x").iterdir()) == ["a.sgf", "b.sgf"]


def test_strict_refuses_a_file_with_a_fault(capsys, tmp_path):
    (tmp_path / "b.mat").write_text(BROKEN)
    said = run(capsys, tmp_path / "b.mat", "--to", "sgf", "--strict", status=1)
    assert said.out == ""
    assert "line 7, game 1, move 3" in said.err


def test_what_exists_is_overwritten_by_force_alone(file, capsys, tmp_path):
    target, folder = tmp_path / "new.sgf", tmp_path / "out"
    target.write_text("mine")
    said = run(capsys, file, "--output", target, status=2)
    assert said.err == f"gammond: {target} already exists, with 4 bytes: --force overwrites it\n"
    run(capsys, file, "--output", target, "--force")
    assert target.read_text().startswith("(;")
    for status in (0, 1):
        said = run(capsys, file, target, "--to", "mat", "--output", folder, status=status)
        assert said.err.count("already exists, with ") == 2 * status


@pytest.mark.parametrize(
    ("name", "losses"),
    [
        ("mat", "3 comments, 1 analysed decision, 1 rejected resignation"),
        ("sgf", "the depths opening book"),
    ],
)
def test_what_a_format_leaves_out_is_said(name, losses, monkeypatch, capsys, tmp_path):
    (match,) = parse_mat(MATCH)
    game = match.games[0]
    candidates = tuple(
        RankedPlay(game.actions[0].play, Evaluation(0.1, Outcome(0.5, 0, 0, 0, 0), depth))
        for depth in ("2-ply", "opening book")
    )
    actions = (*game.actions[:4], ResignationAction(0, 1, False), *game.actions[4:])
    notes = {0: replace(NO_NOTES, comment="two\nlines", candidates=candidates)}
    whole = replace(game, actions=actions, notes=notes, comment="one")
    monkeypatch.setattr(match_inputs, "read_matches", lambda *_, **__: (replace(match, games=(whole,)),))
    said = run(capsys, tmp_path / "any.xg", "--to", name)
    assert said.err == f"gammond convert: {tmp_path / 'any.xg'}: {name} leaves out: {losses}\n"


def test_a_file_that_is_not_there_is_named(capsys, tmp_path):
    said = run(capsys, tmp_path / "no.mat", "--to", "sgf", status=1)
    assert said.err == f"gammond convert: {tmp_path / 'no.mat'} cannot be read: No such file or directory\n"


def test_positions_that_other_programs_print_are_converted(capsys, tmp_path):
    (tmp_path / "position.txt").write_text(f"{REPORT}\n{REPORT}")
    assert run(capsys, tmp_path / "position.txt", "--to", "xgid").out == f"{XGID}\n{XGID}\n"


def test_a_match_that_no_reader_could_take_whole_is_not_written(monkeypatch, capsys, tmp_path):
    games = [f" Game {number}\n ann : 0    bob : 0\n  Wins 1 point\n" for number in range(1, 21)]
    given, target = tmp_path / "long.mat", tmp_path / "long.sgf"
    given.write_text("".join([" 0 point match\n\n", *games]))
    monkeypatch.setattr(tree, "MAX_VALUES", 100)
    said = run(capsys, given, "--output", target, status=2).err
    assert "20 games, of which readers take" in said
    assert not target.exists()
