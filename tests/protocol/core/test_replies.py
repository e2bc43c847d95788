from __future__ import annotations

import pytest

from gammond.engine.errors import DataFileError, StateError
from gammond.protocol.core.replies import describe_error, format_reply, format_value, make_error_reply
from gammond.protocol.core.requests import JsonReply, Reply


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500000"),
        (-1.0000004, "-1.000000"),
        (3, "3"),
        (True, "true"),
        (False, "false"),
        ("8/5", "8/5"),
        ("8/5 6/5", '"8/5 6/5"'),
        ("", '""'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("a=b", '"a=b"'),
        ("two\nlines", '"two\\\\nlines"'),
        ("caf\u00e9", "caf\u00e9"),
    ],
)
def test_values_are_plain_words_numbers_or_quoted(value, text):
    assert format_value(value) == text


def test_an_object_is_its_own_line():
    assert format_reply(JsonReply({"id": 1})) == '{"id":1}'


def test_no_text_can_break_a_line():
    for text in ("a\nb", "a\rb", "a\u2028b", "a\x85b", "a\x00b"):
        assert len(format_reply(Reply("help", text)).splitlines()) == 1
        assert len(format_reply(make_error_reply(StateError(text))).splitlines()) == 1


def test_clients_are_not_told_where_the_files_of_a_server_are():
    error = DataFileError("/home/ann/x.net is missing", field="net", public_message="the net x is missing")
    assert describe_error(error.with_field("file")) == ("data_file", "file", "the net x is missing")
