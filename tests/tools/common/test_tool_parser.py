"""Arguments of tools: errors in a line that name what was meant, and two spellings more."""

import pytest

from gammond.tools.common.tool_parser import ToolParser


def make_parser():
    parser = ToolParser(prog="gammond tool")
    parser.add_argument("position", nargs="*")
    parser.add_argument("--dice", type=int, nargs=2)
    parser.add_argument("--plies", type=int, choices=range(5))
    parser.add_argument("--share", type=float)
    parser.add_argument("--filter", choices=("narrow", "normal"))
    return parser


def test_an_xgid_without_its_label_is_no_option():
    bare = "-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    assert make_parser().parse_args([bare]).position == [f"XGID={bare}"]


@pytest.mark.parametrize("words", [["--dice", "31"], ["--dice", "3-1"], ["--dice=3,1"], ["--dice", "3", "1"]])
def test_dice_are_one_word_or_two(words):
    parsed = make_parser().parse_args([*words, "x"])
    assert (parsed.dice, parsed.position) == ([3, 1], ["x"])
    assert make_parser().parse_args(["31"]).position == ["31"]
