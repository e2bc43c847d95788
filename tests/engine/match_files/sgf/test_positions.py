"""SGF files that hold a position and no move."""

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_files.reading import holds_positions, read_matches, read_positions

HEAD = "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]"
BY_HAND = f"""{HEAD}MI[length:7][game:0][ws:3][bs:2]PW[ann]PB[bob]RU[Crawford]
;PL[B]AE[a:x]AW[a][b][c][f][f][f][f][f][h][h][h][m][m][x][x]\
AB[s][s][s][s][s][q][q][q][l][l][l][l][l][d][e]DI[31]CV[2]CP[b])
"""
SAVED = f"""{HEAD}MI[length:5][game:0][ws:1][bs:2]PW[root]PB[gnubg]DT[2026-11-28]RU[Crawford]\
GS[M:0 0 0 0][D:0 0 0.000000]
;PL[B]AE[a:y]AW[f][f][f][f][f][h][h][h][m][m][m][m][m][x][x]AB[s][s][s][s][s][q][q][q][l][l][l][l][l][a][a]
;CV[1]
;CP[c]
"""
SAVED_WITH_DICE, SAVED_BEFORE_ROLL = f"{SAVED};PL[B]DI[31])", f"{SAVED})"
SAVED_FOR_MONEY = f"""{HEAD}MI[length:0][game:0][ws:0][bs:0]PW[root]PB[gnubg]RU[Jacoby]
;PL[B]AE[a:y]AW[c][c][f][f][f][f][f][h][h][m][m][m][m][n][n]AB[u][u][t][t][t][s][s][q][q][l][l][l][l][j][a]
;CV[2]
;CP[w])
"""
BEGUN = f"{HEAD}MI[length:3][game:0][ws:0][bs:0]PW[gnubg]PB[root]RU[Crawford]\n;PL[B]DI[32])"
MATCH = f"{BEGUN[:-1]};B[32xumo])"


@pytest.mark.parametrize(
    ("text", "xgid"),
    [
        (BY_HAND, "XGID=-b----E-C---bE---c-eAAaaa-:1:1:1:31:2:3:0:7:10"),
        (SAVED_WITH_DICE, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"),
        (SAVED_BEFORE_ROLL, "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:1:0:5:10"),
        (SAVED_FOR_MONEY, "XGID=----BCB-B--bdD-A-b-e--b-A-:1:-1:1:00:0:0:3:0:10"),
        (BEGUN, "XGID=-b----E-C---eE---c-e----B-:0:0:1:32:0:0:0:3:10"),
    ],
)
def test_a_file_with_a_position_and_no_move_is_a_position(text, xgid):
    assert holds_positions(text.encode())
    (found,) = read_positions(text.encode())
    assert encode_xgid(found.position, found.match) == xgid
    assert found.format == "sgf"


def test_names_and_comments_of_a_position_are_kept():
    (found,) = read_positions(BY_HAND.replace("DI[31]", "DI[31]C[What now?]").encode())
    assert (found.names, found.notes.comment) == (("ann", "bob"), "What now?")


def test_several_positions_of_a_file_are_all_read():
    assert len(read_positions(f"{BY_HAND}{SAVED_WITH_DICE}\n{SAVED_BEFORE_ROLL}".encode())) == 3


def test_a_position_is_no_match_and_a_match_no_position_and_both_say_what_to_do():
    with pytest.raises(FormatError, match="got a position: give it to gammond eval, hint or cube"):
        read_matches(BY_HAND.encode())
    assert not holds_positions(MATCH.encode())
    assert len(read_matches(MATCH.encode())) == 1
    with pytest.raises(FormatError, match=r"got a match file \(sgf\): gammond analyse rates"):
        read_positions(MATCH.encode())


def test_an_impossible_position_is_refused():
    with pytest.raises(FormatError, match="impossible position"):
        read_positions(BY_HAND.replace("AB[s]", "AB[s][s][s]").encode())
