"""What people paste: positions are found in lines, and several lines told apart."""

from __future__ import annotations

import pytest

from engine.formats.pasted_text import find_match_id, find_position, split_lines

ID = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        (ID, ID),
        (f"'{ID}'", ID),
        (f"{ID}:cIkFAAAAAAAE", f"{ID}:cIkFAAAAAAAE"),
        (f"Here it is: {XGID}, X to play", XGID),
        (f"GNU Backgammon  Position ID: {ID}", f"Position ID: {ID}"),
        (ID[:-1], ID[:-1]),
        (f"{ID}x", f"{ID}x"),
        ("intermediate", None),
        ("Grandmasters", None),
        ("24/18/13/10/8", None),
        ("bar/22* 6/off(2)", None),
        ("Match ID: cIkFAAAAAAAE", None),
    ],
)
def test_a_position_is_found_right_or_nearly_right_and_nothing_else(text, position):
    assert find_position(text) == position


def test_a_match_id_alone_is_found_by_its_label():
    assert find_match_id("Match ID   : cIkFAAAAAAAE") == "cIkFAAAAAAAE"
    assert find_match_id(f"Position ID: {ID} Match ID: cIkFAAAAAAAE") is None


def test_of_a_page_positions_and_commands_are_kept():
    page = f"A board\nPosition ID: {ID}\nMatch ID: cIkFAAAAAAAE\nhint 3\nmore words"
    assert split_lines(page, lambda line: line.startswith("hint")) == [
        f"Position ID: {ID} Match ID: cIkFAAAAAAAE",
        "hint 3",
    ]
    assert split_lines("one\n\n two ", lambda _: False) == ["one", "two"]
    assert split_lines(" one line ", lambda _: False) == [" one line "]
