"""What people paste: positions are found in lines, and several lines told apart."""

from urllib.parse import quote

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.formats.position_text import (
    FORMATS,
    find_match_id,
    find_position,
    parse_position,
    split_lines,
)

ID = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
OGID = "OGID=11jjjjjhhhccccc:ooddddd88866666:N0N:31:W:R:2:1:5:0"
GNUBG_ID = f"{ID}:cIkFAAAAAAAE"
WRITTEN = [form.encode(*parse_position(XGID)) for form in FORMATS.values()]
FORMS = (*WRITTEN, XGID.removeprefix("XGID="), OGID.removeprefix("OGID="), ID, GNUBG_ID)
LABELLED = (XGID, OGID, f"GNUbg ID: {GNUBG_ID}", f"Position ID: {ID} Match ID: cIkFAAAAAAAE")


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


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        " {} ",
        "'{}'",
        '"{}".',
        "<{}>",
        "({}).",
        "[{}],",
        "\u201e{}\u201c",
        "\ufeff{}\u00a0",
        "**{}**",
    ],
)
def test_quotes_brackets_full_stops_and_blanks_around_any_form_are_passed_over(form, wrapped):
    text = wrapped.format(form)
    assert parse_position(text) == parse_position(form)
    assert parse_position(find_position(text)) == parse_position(form)


@pytest.mark.parametrize("form", LABELLED)
@pytest.mark.parametrize(
    "around",
    ["What now? {}: X to play.", "see <{}>, please", '<a href="?a=1&{}&b=2#c">x</a>'],
)
def test_words_and_links_around_a_labelled_position_are_passed_over(form, around):
    assert parse_position(around.format(form)) == parse_position(form)


@pytest.mark.parametrize(
    "text",
    [
        XGID.replace("=", "%3D").replace(":", "%3A"),
        XGID.replace("=", "%3d")
        .replace(":", "%3a")
        .lower()
        .replace("-b----e-c---ee---c-e----b-", XGID[5:31]),
        f"https://example.org/board?{XGID}&view=1",
        f"https://example.org/board?{XGID.replace(':', '%3A')}&view=1",
        f"https://example.org/?position={quote(XGID)}",
        f"https://example.org/?next={quote(quote(f'/?{XGID}'))}",
        f"https://example.org/#/analyse/{XGID}",
        f"https://example.org/?p={XGID.removeprefix('XGID=')}",
        f"https://example.org/?ogid={quote(OGID.removeprefix('OGID='))}",
        f"https://example.org/?gnubg_id={quote(GNUBG_ID, safe='')}",
        f"https://example.org/?positionid={quote(ID, safe='')}&matchid=cIkFAAAAAAAE",
        "XGID = " + XGID.removeprefix("XGID="),
        "XGID: " + XGID.removeprefix("XGID="),
    ],
)
def test_links_and_percent_encoded_positions_are_read(text):
    position, match = parse_position(text)
    assert position == parse_position(XGID)[0]
    assert match is not None


def test_wrapped_positions_are_read_in_a_batch_beside_plain_ones():
    found = parse_positions([XGID, f'"{XGID}".', f"<{OGID}>", f"({GNUBG_ID})", quote(XGID)])
    assert found.is_good.all()
    assert len(set(map(bytes, found.boards))) == 1


@pytest.mark.parametrize(
    "text", [f"{XGID} and {XGID.replace(':31:', ':42:')}", f"GNUbg ID: {ID} GNUbg ID: AA{ID[2:]}"]
)
def test_several_positions_where_one_is_expected_are_refused(text):
    with pytest.raises(FormatError, match="expected one position, got 2"):
        parse_position(text)


def test_a_position_that_comes_twice_is_one():
    assert parse_position(f"{XGID} ({XGID})") == parse_position(XGID)


def test_a_wrapped_position_that_is_wrong_is_explained_as_the_bare_one():
    with pytest.raises(FormatError, match="character 24 is 'Z'"):
        parse_position(f"<{XGID.replace('---B-', '--ZB-')}>")
