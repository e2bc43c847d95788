"""The plain text of RTF."""

import pytest

from gammond.engine.match_files.xg.rtf_text import MAX_TEXT_LENGTH, extract_rtf_text

HEAD = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Arial;}}{\*\generator Riched20;}\viewkind4\uc1 "


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (r"\pard\f0\fs16 one\par" + "\r\n" + r"two\par }", "one\ntwo"),
        (r"Sch\'f6n}", "Schön"),
        (r"a \{b\} c\\d}", r"a {b} c\d"),
        (r"caf\u233?, \u8364\'80}", "café, €"),
        (r"\uc2\u233??!}", "é!"),
        (r"\u-10179?\u-8704?}", "\U0001f600"),
        (r"{\b bold} {\i it}}", "bold it"),
        (r"a\tab b\emdash c}", "a\tb\u2014c"),
        (r"a{\pict 0102}b}", "ab"),
        (r"x{\*\unknown y}z}", "xz"),
        (r"\ansicpg932 \'83\'4f}", "グ"),
        (r"\ansicpg77777 \'e9}", "é"),
        (r"unfinished {\b group", "unfinished group"),
        (r"odd \q }}}} text", "odd  text"),
    ],
)
def test_form_is_left_out_and_text_stays(rtf, text):
    assert extract_rtf_text(HEAD + rtf) == text


def test_text_that_is_no_rtf_stays_as_it_is():
    assert extract_rtf_text("a {plain} \\ text ") == "a {plain} \\ text"


def test_no_more_than_a_limit_is_kept():
    assert extract_rtf_text(HEAD + "a" * (MAX_TEXT_LENGTH + 9)) == "a" * MAX_TEXT_LENGTH
