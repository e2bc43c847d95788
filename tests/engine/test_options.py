"""Options: fields of structs, their texts, values and errors."""

import math
import subprocess
import sys
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.options import (
    CHOICES,
    Bounds,
    Field,
    did_you_mean,
    format_value,
    list_fields,
    parse_fields,
    parse_options,
)


class Sample(Struct, frozen=True, rename={"blot_factor": "bf"}):
    blot_factor: Annotated[float, Meta(ge=0, le=10, description="how bad a blot is")] = 8
    tries: Annotated[int, Meta(gt=0, lt=5, description="how often")] = 1
    bold: Annotated[bool, Meta(description="whether it is bold")] = False
    end: Annotated[Literal["race", "hit"], Meta(description="the end-game")] = "race"
    word: Annotated[str, Meta(extra={CHOICES: ("u", "v")}, description="a word")] = "u"
    free: Annotated[float, Meta(description="any number")] = 0.5
    above: Annotated[int, Meta(gt=3, description="no end")] = 4
    sizes: Annotated[tuple[Annotated[int, Meta(ge=1)], ...], Meta(description="sizes of layers")] = (8, 4)
    file: Annotated[str, Meta(description="any text")] = ""


FIELDS = list_fields(Sample)
BY_NAME = {field.name: field for field in FIELDS}


def test_fields_describe_the_struct():
    described = [
        (each.name, each.kind, each.default_text, each.allowed_values, each.meaning) for each in FIELDS
    ]
    assert described == [
        ("bf", "number", "8", "0..10", "how bad a blot is"),
        ("tries", "int", "1", "above 0, below 5", "how often"),
        ("bold", "bool", "false", "true|false", "whether it is bold"),
        ("end", "enum", "race", "hit|race", "the end-game"),
        ("word", "enum", "u", "u|v", "a word"),
        ("free", "number", "0.5", "", "any number"),
        ("above", "int", "4", "above 3", "no end"),
        ("sizes", "list", "8,4", "1 or more", "sizes of layers"),
        ("file", "string", "", "", "any text"),
    ]


def test_a_struct_may_lack_defaults_and_help():
    class Bare(Struct):
        seed: int

    (field,) = list_fields(Bare)
    assert (field.default, field.default_text, field.meaning, field.allowed_values) == (None, "", "", "")


def test_choices_may_be_listed_when_they_are_needed():
    class Late(Struct):
        word: Annotated[str, Meta(extra={CHOICES: lambda: ["a", "b"]})] = "a"

    assert list_fields(Late)[0].choices == ("a", "b")


def test_fields_may_be_none_and_others_are_left_out_by_name():
    class Optional(Struct):
        depth: Annotated[int, Meta(ge=1, description="plies")] | None = None
        names: dict[str, int] | None = None

    (field,) = list_fields(Optional, "names")
    assert (field.name, field.kind, field.default, field.allowed_values) == (
        "depth",
        "int",
        None,
        "1 or more",
    )
    assert field.meaning == "plies"
    with pytest.raises(TypeError, match="names"):
        list_fields(Optional)


def test_structs_with_other_types_are_refused():
    class Odd(Struct):
        board: dict[str, int] = {}

    with pytest.raises(TypeError, match="the field board is neither"):
        list_fields(Odd)


def test_options_parse_into_the_struct():
    values = parse_options("bf=2.5,bold=true,end=hit,word=v,free=-1e3,above=99", FIELDS, "it")
    assert msgspec.convert(values, Sample) == Sample(2.5, 1, True, "hit", "v", -1000.0, 99)
    assert parse_options("tries=4", FIELDS, "it") == {"tries": 4}


def test_pairs_parse_lists_switches_and_texts():
    pairs = [("sizes", "12, 3"), ("bold", "on"), ("file", "a,b=c")]
    assert parse_fields(pairs, FIELDS, "it") == {"sizes": (12, 3), "bold": True, "file": "a,b=c"}
    assert BY_NAME["sizes"].parse("") == ()


@pytest.mark.parametrize(
    ("text", "error", "field", "message"),
    [
        ("", FormatError, "player", r"expected an option of it \(bf, tries, .*\), got ''"),
        ("trys=2", FormatError, "player", r"got 'trys' \(did you mean 'tries'\?\)"),
        ("blot_factor=2", FormatError, "player", "got 'blot_factor'"),
        ("tries", FormatError, "tries", "expected a whole number above 0, below 5 for tries, got no value"),
        ("tries=", FormatError, "tries", "got no value"),
        ("tries=2,tries=2", FormatError, "tries", "duplicate option 'tries'"),
        ("tries=2.5", FormatError, "tries", "expected a whole number above 0, below 5 for tries, got '2.5'"),
        ("tries=\u0662", FormatError, "tries", "whole number"),
        ("bf=two", FormatError, "bf", "expected a number 0..10 for bf, got 'two'"),
        ("bf=nan", FormatError, "bf", "got 'nan'"),
        ("free=inf", FormatError, "free", "expected a number for free, got 'inf'"),
        ("free=1e999", FormatError, "free", "got '1e999'"),
        ("bold=yes", FormatError, "bold", "expected true or false for bold, got 'yes'"),
        ("sizes=a", FormatError, "sizes", "whole numbers 1 or more, separated by commas for sizes, got 'a'"),
        ("tries=0", ValueRangeError, "tries", "above 0, below 5 for tries, got '0'"),
        ("tries=5", ValueRangeError, "tries", "got '5'"),
        ("above=3", ValueRangeError, "above", "expected a whole number above 3 for above, got '3'"),
        ("bf=10.01", ValueRangeError, "bf", "expected a number 0..10 for bf, got '10.01'"),
        ("bf=-0.5", ValueRangeError, "bf", "got '-0.5'"),
        (
            "end=hitt",
            ValueRangeError,
            "end",
            r"hit\|race for end, got 'hitt' \(did you mean 'hit'\?\)",
        ),
        ("word=w", ValueRangeError, "word", r"one of u\|v for word, got 'w'$"),
        ("sizes=0", ValueRangeError, "sizes", "1 or more, separated by commas for sizes, got '0'"),
    ],
)
def test_texts_of_another_type_or_out_of_range_are_refused_by_field(text, error, field, message):
    with pytest.raises(error, match=message) as caught:
        parse_options(text, FIELDS, "it", error_field="player")
    assert caught.value.field == field


def test_the_ends_of_a_range_belong_to_it_unless_they_are_open():
    assert parse_options("bf=0,tries=1", FIELDS, "it") == {"bf": 0.0, "tries": 1}
    assert parse_options("bf=10,tries=4", FIELDS, "it") == {"bf": 10.0, "tries": 4}
    assert BY_NAME["above"].bounds.high == math.inf


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        (Bounds(), ""),
        (Bounds(0, 1), "0..1"),
        (Bounds(low=2), "2 or more"),
        (Bounds(high=0.5), "0.5 or less"),
        (Bounds(0, 1, is_low_open=True), "above 0, 1 or less"),
        (Bounds(0, 1, is_high_open=True), "0 or more, below 1"),
    ],
)
def test_bounds_format_as_help_shows_them(bounds, text):
    assert str(bounds) == text


@pytest.mark.parametrize(
    ("name", "value", "checked"),
    [("bf", 3, 3.0), ("tries", 2, 2), ("bold", True, True), ("end", "hit", "hit"), ("sizes", [2, 3], (2, 3))],
)
def test_values_of_json_and_toml_are_checked(name, value, checked):
    found = BY_NAME[name].check(value)
    assert found == checked
    assert type(found) is type(checked)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("bf", "3", FormatError),
        ("bf", True, FormatError),
        ("bf", math.nan, FormatError),
        ("tries", 2.0, FormatError),
        ("tries", True, FormatError),
        ("bold", 1, FormatError),
        ("end", None, FormatError),
        ("sizes", 3, FormatError),
        ("sizes", [1, "2"], FormatError),
        ("tries", 9, ValueRangeError),
        ("end", "x", ValueRangeError),
        ("sizes", [1, 0], ValueRangeError),
    ],
)
def test_values_that_do_not_fit_are_refused_by_field(name, value, error):
    with pytest.raises(error, match=f"for {name}, got") as caught:
        BY_NAME[name].check(value)
    assert caught.value.field == name


def test_every_default_parses_from_its_text_and_fits():
    for field in FIELDS:
        if field.kind != "string":
            assert field.parse(field.default_text) == field.check(field.default) == field.default


def test_long_texts_are_cut_in_messages():
    for name in ("x" * 10_000, "tries=" + "1" * 10_000, "end=" + "y" * 10_000):
        with pytest.raises((FormatError, ValueRangeError)) as caught:
            parse_options(name, FIELDS, "it")
        assert len(caught.value.message) < 200
    with pytest.raises(FormatError) as caught:
        BY_NAME["tries"].check(["x"] * 10_000)
    assert len(caught.value.message) < 200


def test_who_has_no_options_says_so():
    with pytest.raises(FormatError, match="expected no option for it, got 'x'"):
        parse_options("x=1", (), "it")


def test_values_format_as_users_write_them():
    assert [format_value(each) for each in (True, 8.0, 0.25, 7, "hit", (1, 2))] == [
        "true", "8", "0.25", "7", "hit", "1,2",
    ]  # fmt: skip


def test_a_field_can_be_made_without_a_struct():
    field = Field("game.length", int, Bounds(0, 25), default=7, meaning="points of the match")
    assert (field.kind, field.allowed_values, field.parse("25")) == ("int", "0..25", 25)
    with pytest.raises(ValueRangeError, match=r"expected a whole number 0\.\.25 for game\.length, got '26'"):
        field.parse("26")


def test_only_near_words_are_suggested():
    assert did_you_mean("Pubevl", ["pubeval", "random"]) == " (did you mean 'pubeval'?)"
    assert did_you_mean("zzz", ["pubeval", "random"]) == ""


_CONVERT_IN_THREADS = """
import sys, threading
from msgspec import Struct
from gammond.engine.options import convert

sys.setswitchinterval(1e-6)
for number in range(200):
    leaf = type("Leaf", (Struct,), {"__annotations__": {"a": str, "b": tuple[int, ...], "c": str | None}})
    node = type("Node", (Struct,), {"__annotations__": {"x": tuple[leaf, ...], "y": leaf | None}})
    root = type("Root", (Struct,), {"__annotations__": {"p": tuple[node, ...], "q": leaf | None, "s": node}})
    end = {"a": "k", "b": [1], "c": None}
    value = {"p": [{"x": [end], "y": end}], "q": end, "s": {"x": [], "y": None}}
    threads = [threading.Thread(target=convert, args=(value, root)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_may_convert_to_a_type_for_the_first_time_at_once():
    ended = subprocess.run([sys.executable, "-c", _CONVERT_IN_THREADS], check=False, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
