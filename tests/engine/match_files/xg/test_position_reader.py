"""Reading .xgp files: one position with its analysis."""

import pytest

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.reading import read_positions
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from tests.engine.match_files.xg import xg_files
from tests.support.boards import position

PLACE = position({24: 2, 13: 5, 8: 3, 6: 5}, {20: 4, 12: 5, 17: 3, 19: 3})
MATCH = MatchState(length=7, score=(3, 2), cube=4, cube_owner=1, on_roll=1)


def make_records(*records, match=MATCH):
    board = PLACE.board[::-1] if match.on_roll else PLACE.board
    return [
        xg_files.make_header(("a", "b"), match.length),
        xg_files.make_game_header(1, match, board),
        *records,
    ]


def read(records, comments=()):
    (found,) = read_positions(xg_files.make_file(records, comments))
    return found


def test_a_roll_to_be_played_has_its_candidates():
    play = legal_plays(PLACE, (6, 4))[0]
    record = xg_files.write_play(PLACE, MATCH, PlayAction(1, (6, 4), play), Played=False, CommentMove=0)
    found = read(make_records(record), ["a comment"])
    assert found.position == PLACE
    assert found.match == MATCH.with_roll((6, 4))
    assert found.names == ("a", "b")
    assert play in [candidate.play for candidate in found.notes.candidates]
    assert found.notes.candidates[0].evaluation.equity == 0.5
    assert found.notes.comment == "a comment"
    assert found.format == "xgp"


@pytest.mark.parametrize("on_roll", [0, 1])
def test_a_cube_decision_has_its_equities(on_roll):
    match = MatchState(on_roll=on_roll, jacoby=False)
    found = read(make_records(xg_files.write_cube(PLACE, match, 0), match=match))
    assert (found.position, found.match) == (PLACE, match)
    assert found.notes.cube.equities[:2] == (0.5, 0.75)


@pytest.mark.parametrize(
    ("count", "what"), [(0, "a position in the records"), (9, "a match in 11 records: gammond analyse")]
)
def test_a_file_without_one_position_is_refused(count, what):
    records = make_records(*[xg_files.write_cube(PLACE, MATCH, 0)] * count)
    with pytest.raises(FormatError, match=what):
        read(records)


def test_a_position_of_an_unknown_variant_is_not_taken_for_one_of_backgammon():
    records = make_records(xg_files.write_cube(PLACE, MATCH, 0))
    records[0] = xg_files.make_header(("a", "b"), MATCH.length, Variation=9)
    with pytest.raises(UnsupportedError, match=r"expected a position of backgammon.*, got variation 9"):
        read(records)


def test_a_damaged_file_is_refused():
    data = xg_files.make_file(make_records(xg_files.write_cube(PLACE, MATCH, 0)), end=-5)
    with pytest.raises(FormatError, match="cut short"):
        read_positions(data)
