"""Names of persons: which there can be, and which are the same."""

from __future__ import annotations

import pytest

from gammond.engine.errors import FormatError
from gammond.protocol.tables.names import MAX_NAME_CHARS, check_name, fold_name
from tests.protocol.tables.visiting import OPEN, PERSON, Site

GOOD = (
    "Ann|  Ann   B.  |Ann-Marie O'Neill 2|Łukasz|Ångström|ﬁona|\uff41nn|K\u0301|Анна|Ἀγάθη|张伟|さくら|"
    "田中タロー|田中Ken|佐々木|김민준|Kim 민준|ㄅㄆㄇ|อนันต์|मोहन|محمد|דוד|Ann 🎲|7|\u02bbIolani"
)
MIXED = "\u0410nn|\u0391nn|Ann\u0430|Ann 田中 Анна|さくら김|Աnn|\u13aann|A\u2c9fn"


@pytest.mark.parametrize("name", GOOD.split("|"))
def test_a_name_in_letters_of_one_script_is_one(name):
    assert check_name(name) == " ".join(name.split())


@pytest.mark.parametrize(
    "unseen",
    [
        *("\u00ad", "\u034f", "\u115f", "\u1160", "\u17b4", "\u180b", "\u180e", "\u200b", "\u200d", "\u202e"),
        *("\u2060", "\u2800", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\U000e0020", "\U000e0100"),
        *("\U0001d159", "\U00013441", "\U00016fe4", "\x00", "\x1b", "\ud800"),
    ],
)
def test_a_name_with_what_nobody_sees_is_refused(unseen):
    for name in (f"Ann{unseen}", f"{unseen}Ann", f"A{unseen}nn", unseen):
        with pytest.raises(FormatError, match="can be seen"):
            check_name(name)


@pytest.mark.parametrize("name", MIXED.split("|"))
def test_a_name_that_mixes_letters_of_two_scripts_is_refused(name):
    with pytest.raises(FormatError, match="one script"):
        check_name(name)


@pytest.mark.parametrize("name", ["\ua4d0\ua4f3\ua4d0", "ᏴᎾᏴ", "𐌀𐌁"])
def test_a_name_in_a_script_that_is_known_by_its_look_of_another_alone_is_refused(name):
    with pytest.raises(FormatError, match="common use"):
        check_name(name)


@pytest.mark.parametrize("name", ["", "  ", "x" * (MAX_NAME_CHARS + 1), "a;b", 'a"b', "a\\b", "[a]"])
def test_an_empty_or_long_name_and_characters_of_records_are_refused(name):
    with pytest.raises(FormatError, match="1 to 40"):
        check_name(name)


def test_names_are_the_same_without_capitals_blanks_and_widths():
    assert fold_name("  Ann  B ") == fold_name("ann b") == fold_name("\uff41nn B")


def test_a_name_that_looks_like_another_is_refused_wherever_one_is_given():
    guest = Site().visit()
    for name in ("Ann\ufe0f", "\u0410nn"):
        seats = [{"kind": "person", "name": name}, OPEN]
        assert guest.refuse("create", seats=seats)[:2] == ("bad_value", "seats")
        made = guest.get("create", seats=[PERSON, OPEN])
        seat = {"table": made["table"], "token": made["tokens"][1], "name": name}
        assert guest.refuse("join", **seat)[:2] == ("bad_value", "name")
