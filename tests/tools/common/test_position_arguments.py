"""The position of a one-shot command: every form, the options beside it, and what is refused."""

from typing import ClassVar

import pytest

from gammond.engine.errors import GammondError
from gammond.engine.formats.fibs_board import encode_fibs_board
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.tools.common.command_options import add_options, read_options
from gammond.tools.common.position_arguments import Dice, PositionOptions, ScoreOptions
from gammond.tools.common.tool_parser import ToolParser
from tests.engine.match_files.sgf.test_positions import SAVED_WITH_DICE
from tests.engine.match_files.test_position_report import BOARD, OPENING, XG_PLAYS
from tests.support.commands import type_in

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
POSITION, MATCH = decode_xgid(XGID)
GNUBG = f"{encode_position_id(POSITION)}:{encode_match_id(MATCH)}"


class Asked(PositionOptions, frozen=True, kw_only=True):
    score: ScoreOptions = ScoreOptions()


class AskedWithDice(Asked, frozen=True, kw_only=True):
    takes_dice: ClassVar[bool] = True
    dice: Dice | None = None


def read(*words, kind=AskedWithDice):
    parser = ToolParser(prog="gammond hint")
    add_options(parser, kind)
    options = read_options(parser.parse_args(words), kind)
    return options.read(options.score)[:2]


@pytest.mark.parametrize(
    "words",
    [
        [XGID],
        [f"'{XGID}'"],
        [GNUBG],
        ["GNUbg", "ID:", GNUBG],
        GNUBG.split(":"),
        [f"My position: {XGID}. What now?"],
        ["(", XGID, ")"],
        [encode_fibs_board(POSITION, MATCH)],
    ],
)
def test_every_form_of_a_position_is_read_quoted_or_not(words):
    position, match = read(*words)
    assert position == POSITION
    assert (match.length, match.score, match.roll) == (5, MATCH.score, (3, 1))


def test_standard_input_may_have_the_board_and_words_around_the_position(monkeypatch):
    position_id, match_id = GNUBG.split(":")
    text = f" GNU Backgammon  Position ID: {position_id}\n   Match ID   : {match_id}\n +13-14-15-16\n"
    type_in(monkeypatch, text)
    assert read("-") == read(GNUBG)


def test_a_position_id_alone_is_money_play_and_the_starting_position_has_a_word():
    assert read("4HPwATDgc/ABMA") == read("startpos") == (Position.start(), MatchState())


def test_checkers_can_be_written_point_by_point():
    text = "X 24:2 13:5 8:3 6:5 O 24:2 13:5 8:3 6:5"
    assert read(text) == read(*text.split()) == (Position.start(), MatchState(on_roll=1))


def test_checkers_on_all_points_are_no_fibs_board_however_many_colons_they_have():
    points = " ".join(f"{point}:1" for point in range(1, 13))
    position, match = read(f"O {points} bar:3 X {points} bar:3")
    assert position.board.tolist() == [[0, *[1] * 12, *[0] * 12, 3]] * 2
    assert match == MatchState(on_roll=0)


def test_dice_are_two_numbers_or_one_word_and_replace_those_of_the_position():
    assert read(XGID, "--dice", "6", "5")[1].roll == (6, 5)
    assert read(XGID, "--dice", "65") == read(XGID, "--dice=6-5") == read("--dice", "6 5", XGID)


def test_score_is_that_of_the_side_on_roll_whichever_seat_it_has():
    own_on_roll = read("4HPwATDgc/ABMA", "--match", "7", "--score", "3", "2")[1]
    assert (own_on_roll.on_roll, own_on_roll.score) == (0, (3, 2))
    seat_1 = read(XGID, "--match", "7", "--score", "3", "2")[1]
    assert (seat_1.on_roll, seat_1.length, seat_1.score) == (1, 7, (2, 3))


def test_a_match_length_begins_at_0_0_and_other_options_keep_what_the_position_says():
    assert read(XGID, "--match", "9")[1].score == (0, 0)
    held = read(XGID, "--cube-value", "2", "--cube-owner", "own")[1]
    assert (held.length, held.score, held.cube, held.cube_owner) == (5, MATCH.score, 2, 1)
    assert read(XGID, "--cube-value", "2", "--cube-owner", "opponent")[1].cube_owner == 0
    money = read("startpos", "--jacoby", "--no-beavers")[1]
    assert money.jacoby
    assert not money.beavers
    assert read("startpos", "--match", "3", "--score", "2", "0", "--crawford")[1].crawford


@pytest.mark.parametrize(
    "content",
    [
        f"{XGID}\n",
        f"# mine\n\n{GNUBG}\n",
        XG_PLAYS.replace(OPENING, XGID),
        XG_PLAYS.replace(OPENING, XGID).replace(BOARD, "").replace(".", ","),
        SAVED_WITH_DICE,
    ],
)
def test_a_file_that_holds_one_position_is_that_position_and_so_is_its_content_piped(
    content, tmp_path, monkeypatch
):
    file = tmp_path / "position"
    file.write_text(content)
    assert read(str(file)) == read(XGID)
    type_in(monkeypatch, "\ufeff" + content.replace("\n", "\r\n"))
    assert read("-") == read(XGID)


@pytest.mark.parametrize("name", FORMATS)
def test_one_position_may_stand_there_in_two_forms(name):
    position, match = read(XGID)
    other = FORMATS[name].encode(position, match)
    assert read(encode_position_id(position), other)[0] == position


def test_nothing_and_several_positions_in_standard_input_are_refused(monkeypatch):
    for text, message in (
        (f"{XGID}\n{XGID}\n", "got 2: 'gammond batch'"),
        (" \n", "in standard input, got nothing"),
    ):
        type_in(monkeypatch, text)
        with pytest.raises(GammondError, match=message):
            read("-")
