"""Expert moves out of match files that have faults."""

from __future__ import annotations

import zipfile

from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.tools.heritage.gengammon.expert_moves.extraction import extract_moves, iterate_match_files
from tests.engine.match_files.faulty_matches import ILLEGAL


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
