"""Positions as eXtreme Gammon and BGBlitz print them, in any language."""

import re

import pytest

from gammond.engine.errors import FormatError, PositionError
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.match_files.position_report import is_position_report
from gammond.engine.match_files.reading import holds_positions, read_matches, read_positions
from gammond.engine.rules.notation import format_play

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:3:6:0:7:10"
BEFORE_ROLL = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:6:0:7:10"
BOARD = """ +13-14-15-16-17-18------19-20-21-22-23-24-+
 | X           O    |   | O              X |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
"""

XG_PLAYS = f"""{OPENING}

X:Ann Lee   O:Bob
Score is X:3 O:6 7 pt.(s) match.
{BOARD}Pip count  X: 167  O: 167 X-O: 3-6/7
Cube: 1
X to play 31

    1. XG Roller++ 8/5 6/5                      eq:+0.214
      Player:   55.45% (G:17.50% B:1.02%)
      Opponent: 44.55% (G:12.25% B:0.50%)

    2. Rollout\u00b9    24/23 13/10                  eq:-0.006 (-0.220)
      Player:   50.00% (G:14.00% B:0.75%)
      Opponent: 50.00% (G:15.00% B:0.25%)

    3. 4-ply       8/7 6/3                      eq:-0.100 (-0.314)
      Player:   49.00% (G:13.00% B:0.50%)
      Opponent: 51.00% (G:16.00% B:0.25%)

eXtreme Gammon Version: 2.10, MET: Kazaross XG2
"""

_WORDS = {
    "Player:  ": "\u30d7\u30ec\u30fc\u30e4\u30fc:",
    "Opponent:": "\u76f8\u624b\uff1a",
    "Score is": "Punktzahl ist",
    "to play": "zum spielen",
}
XG_PLAYS_ELSEWHERE = re.sub(
    "|".join(_WORDS), lambda found: _WORDS[found[0]], re.sub(r"(\d)\.(\d)", r"\1,\2", XG_PLAYS)
)

XG_CUBE = f"""{BEFORE_ROLL}

X:Spieler 1   O:Spieler 2
{BOARD}Dopplerw\u00fcrfel: 1
X am w\u00fcrfeln, Dopplerw\u00fcrfel Aktion

Analysiert in XG Roller+
Spieler Gewinnchancen:   61.38% (G:24.55% B:1.88%)
Gewinnchancen des Gegners: 38.62% (G:13.14% B:0.46%)

Equities ohne Dopplerw\u00fcrfel: Nicht Doppeln=+0.365, Doppeln=+0.791

Equities mit Dopplerw\u00fcrfel:
       Nicht Doppeln:    +0.580 (-0.109)
       Doppeln/Annehmen: +0.689
       Doppeln/Ablehnen: +1.000 (+0.311)

Beste Dopplerw\u00fcrfel Aktion Doppeln / Annehmen
"""

BGBLITZ_PLAYS = f"""{BOARD.rstrip()}   O: Gr\u00fcn  167
{BOARD.rstrip()}   X: Rot  167

 Position-ID: 4HPwATDgc/ABMA    Match-ID: QYnoAGAAGAAE
 {OPENING}

 Gr\u00fcn - 6 Rot - 3 in a 7 point match.
 Rot to move 3-1

Bewertung  (EMG)
 ==========
  1.   0.424 mwp /   0.214            8/5, 6/5
       0.554  0.175  0.010  -  0.446  0.122  0.005

  2.   0.311 mwp /  -0.006  (-0.220)  24/23, 13/10
       0.500  0.140  0.008  -  0.500  0.150  0.003
"""

BGBLITZ_CUBE = f"""{BOARD.rstrip()}   O: Green  137
{BOARD.rstrip()}   X: Red  147
 {BEFORE_ROLL}

 Green - 2 Red - 1 in a 9 point match.

              Wins  G+BG  BG
 Green        12.9  0.9   0.1
 Red          87.1  6.8   0.2
 Equity Red (cubeless): 0.801  Std.Dev.: 0.072
 Equity (cubeful)    :  0.560

 Cube Action:          :  Redouble / Reject    EMG
 Double / Pass         :  0.560   ( 0.000)      1.000   ( 0.000)
 Double / Take         :  0.639   ( 0.079)      1.680   ( 0.680)
 No Double             :  0.556   (-0.004)      0.969   (-0.031)
"""


def read(text):
    (found,) = read_positions(text.encode())
    return found


def list_plays(found):
    return [format_play(each.play) for each in found.notes.candidates]


@pytest.mark.parametrize("text", [XG_PLAYS, XG_PLAYS_ELSEWHERE])
def test_plays_of_extreme_gammon_are_read_in_any_language(text):
    found = read(text)
    assert (found.position, found.match) == decode_xgid(OPENING)
    assert found.names == ("Bob", "Ann Lee")
    assert list_plays(found) == ["8/5 6/5", "24/23 13/10", "8/7 6/3"]
    evaluations = [each.evaluation for each in found.notes.candidates]
    assert [each.equity for each in evaluations] == [0.214, -0.006, -0.1]
    assert [each.depth for each in evaluations][0::2] == ["XG Roller++", "4-ply"]
    assert evaluations[0].outcome == (0.5545, 0.175, 0.0102, 0.1225, 0.005)
    assert found.notes.cube is None


def test_a_cube_decision_of_extreme_gammon_is_read():
    found = read(XG_CUBE)
    cube = found.notes.cube
    assert cube.equities == (0.58, 0.689, 1.0)
    assert cube.no_double.outcome == (0.6138, 0.2455, 0.0188, 0.1314, 0.0046)
    assert cube.no_double.depth == "XG Roller+"
    assert found.names == ("Spieler 2", "Spieler 1")
    assert found.notes.candidates == ()


def test_plays_of_bgblitz_are_read():
    found = read(BGBLITZ_PLAYS)
    assert (found.position, found.match) == decode_xgid(OPENING)
    assert found.names == ("Gr\u00fcn", "Rot")
    assert list_plays(found) == ["8/5 6/5", "24/23 13/10"]
    evaluations = [each.evaluation for each in found.notes.candidates]
    assert [each.equity for each in evaluations] == [0.214, -0.006]
    assert evaluations[0].outcome == (0.554, 0.175, 0.01, 0.122, 0.005)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_cube_decision_of_bgblitz_is_read_whoever_is_on_roll(turn):
    found = read(BGBLITZ_CUBE.replace(":0:0:1:00:", f":0:0:{turn}:00:"))
    cube = found.notes.cube
    assert cube.equities == (0.969, 1.68, 1.0)
    red, green = (0.871, 0.068, 0.002), (0.129, 0.009, 0.001)
    own, other = (red, green) if turn == 1 else (green, red)
    assert cube.no_double.outcome == (*own, *other[1:])


def test_a_cube_decision_of_bgblitz_for_money_has_one_column():
    text = BGBLITZ_CUBE
    for emg in ("      1.000   ( 0.000)", "      1.680   ( 0.680)", "      0.969   (-0.031)"):
        text = text.replace(emg, "")
    text = text.replace("0.560   ( 0.000)", "1.000   ( 0.000)")
    cube = read(text).notes.cube
    assert cube.equities == (0.556, 0.639, 1.0)


@pytest.mark.parametrize(
    ("letters", "dice", "written", "play"),
    [
        ("------N-------------o----A", "61", "Balken/24/18", "bar/18"),
        ("------O-------------o-----", "66", "6/raus(4)", "6/off(4)"),
    ],
)
def test_words_for_the_bar_and_for_off_may_be_of_any_language(letters, dice, written, play):
    text = f"XGID={letters}:0:0:1:{dice}:0:0:0:0:10\n{BOARD}\n    1. 3-ply       {written}      eq:+0.214\n"
    assert list_plays(read(text)) == [play]


def test_a_play_that_the_rules_forbid_is_left_out():
    assert list_plays(read(XG_PLAYS.replace("24/23 13/10", "24/22 13/9"))) == ["8/5 6/5", "8/7 6/3"]


def test_several_positions_of_a_text_are_all_read():
    found = read_positions((XG_PLAYS + XG_CUBE + BGBLITZ_PLAYS + BGBLITZ_CUBE).encode())
    assert [len(each.notes.candidates) for each in found] == [3, 0, 2, 0]
    assert [each.notes.cube is not None for each in found] == [False, True, False, True]
    assert [each.names[1] for each in found] == ["Ann Lee", "Spieler 1", "Rot", "Red"]


@pytest.mark.parametrize("text", [XG_PLAYS, XG_CUBE, BGBLITZ_PLAYS, BGBLITZ_CUBE])
def test_the_format_is_recognised_by_an_xgid_beside_a_board_or_an_analysis(text):
    assert is_position_report(text)
    assert not is_position_report(text.replace("XGID", "GNUID"))
    assert is_position_report("\n".join(line for line in text.splitlines() if not re.match(r" [+|]", line)))


def test_a_list_of_xgids_is_no_position_text_and_read_all_the_same():
    text = f"My positions:\n{OPENING}\n\n{BEFORE_ROLL}  # a comment\n4HPwATDgc/ABMA\n"
    assert not is_position_report(text)
    assert [found.match.roll for found in read_positions(text.encode())] == [(3, 1), None, None]


NOTE = "\nWhen ahead, race!\n\n1. Or: not?\n\n"
NOTED = f"""{XG_PLAYS_ELSEWHERE.replace("eXtreme", f"{NOTE}eXtreme")}
And what here?

{XG_CUBE}


Take.
"""


@pytest.mark.parametrize("text", [NOTED, NOTED.replace(BOARD, ""), NOTED.replace("\n", "\r\n")])
def test_texts_with_european_decimals_without_a_board_and_with_notes_between_are_read_whole(text):
    plays, cube = read_positions(text.encode())
    assert [each.evaluation.equity for each in plays.notes.candidates] == [0.214, -0.006, -0.1]
    assert plays.notes.candidates[0].evaluation.outcome == (0.5545, 0.175, 0.0102, 0.1225, 0.005)
    assert plays.notes.comment == "When ahead, race!\n\n1. Or: not?"
    assert cube.notes.comment == "Take.\n\nAnd what here?"
    assert cube.notes.cube.double_take.equity == 0.689


@pytest.mark.parametrize("text", [XG_PLAYS, XG_PLAYS_ELSEWHERE, XG_CUBE, BGBLITZ_PLAYS, BGBLITZ_CUBE])
def test_what_the_program_wrote_is_no_note(text):
    assert read(text).notes.comment == ""


@pytest.mark.parametrize("text", [XG_PLAYS, BGBLITZ_PLAYS])
def test_names_are_fit_to_be_shown(text):
    names = read(text.replace("Ann Lee", "A\x1b[2Jn").replace("Rot", "A\x1b[2Jn")).names
    assert names[1] == r"A\x1b[2Jn"


def test_read_as_a_match_a_position_is_called_one():
    with pytest.raises(FormatError, match="got a position: give it to gammond eval"):
        read_matches(XG_CUBE.encode())


def test_an_impossible_position_is_named_with_its_file():
    text = XG_PLAYS.replace("-b----E-C---eE---c-e----B-", "-b----E-C---eE---c-f----B-")
    with pytest.raises(PositionError, match=r"^some file: "):
        read_positions(text.encode(), name="some file")


def test_drawn_boards_of_gnubg_are_positions_and_what_stands_around_them_is_no_bad_line():
    ids = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : {}\n"
    edge = " +13-14-15-16-17-18------19-20-21-22-23-24-+     O: ann\n"
    said = "\n* bob moves 24/23 13/9\n\nRolled 41 (-0.006):\n*    1. Cubeful 0-ply    24/23 13/9\n\n"
    text = "".join(ids.format(match) + edge + said for match in ("cAjmAAAAAAAE", "cAkAAAAAAAAA"))
    assert holds_positions(text.encode())
    first, second = read_positions(text.encode())
    assert (first.match.length, first.match.roll, second.match.length) == (7, (4, 1), 0)
    assert not holds_positions(b"4HPwATDgc/ABMA:cAjmAAAAAAAE\n4HPwATDgc/ABMA\n")
