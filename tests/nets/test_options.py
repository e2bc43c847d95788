"""Options written ``name=value,...``."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from engine.errors import FormatError, ValueRangeError
from nets.options import CHOICES, did_you_mean, list_option_specs, parse_options


class Sample(Struct, frozen=True, rename={"blot_factor": "bf"}):
    blot_factor: Annotated[float, Meta(ge=0, le=10, description="how bad a blot is")] = 8
    tries: Annotated[int, Meta(gt=0, lt=5, description="how often")] = 1
    bold: Annotated[bool, Meta(description="whether it is bold")] = False
    end: Annotated[Literal["race", "hit"], Meta(description="the end-game")] = "race"
    word: Annotated[str, Meta(extra={CHOICES: ("u", "v")}, description="a word")] = "u"
    free: Annotated[float, Meta(description="any number")] = 0.5
    above: Annotated[int, Meta(gt=3, description="no end")] = 4


KNOWN = list_option_specs(Sample)


def test_parameters_say_what_the_fields_are():
    described = [
        (each.name, each.kind, each.default_text, each.allowed_values, each.meaning) for each in KNOWN
    ]
    assert described == [
        ("bf", "number", "8", "0..10", "how bad a blot is"),
        ("tries", "int", "1", "above 0, below 5", "how often"),
        ("bold", "bool", "false", "true|false", "whether it is bold"),
        ("end", "enum", "race", "hit|race", "the end-game"),
        ("word", "enum", "u", "u|v", "a word"),
        ("free", "number", "0.5", "", "any number"),
        ("above", "int", "4", "above 3", "no end"),
    ]


def test_values_are_read_into_the_struct():
    values = parse_options("bf=2.5,bold=true,end=hit,word=v,free=-1e3,above=99", KNOWN, "it")
    assert msgspec.convert(values, Sample) == Sample(2.5, 1, True, "hit", "v", -1000.0, 99)
    assert parse_options("tries=4", KNOWN, "it") == {"tries": 4}


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("", "player", "it has the options bf, tries, bold, end, word, free, above, not ''"),
        ("trys=2", "player", r"not 'trys' \(did you mean 'tries'\?\)"),
        ("blot_factor=2", "player", "not 'blot_factor'"),
        ("tries", "tries", "a value is missing after 'tries', expected tries=VALUE"),
        ("tries=", "tries", "a value is missing"),
        ("tries=2,tries=2", "tries", "'tries' stands twice"),
        ("tries=2.5", "tries", "tries is a whole number above 0, below 5, not '2.5'"),
        ("tries=\u0662", "tries", "whole number"),
        ("bf=two", "bf", "bf is a number 0..10, not 'two'"),
        ("bf=nan", "bf", "not 'nan'"),
        ("free=inf", "free", "free is a number, not 'inf'"),
        ("free=1e999", "free", "not '1e999'"),
        ("bold=yes", "bold", r"bold is true\|false, not 'yes'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_field(text, field, message):
    with pytest.raises(FormatError, match=message) as caught:
        parse_options(text, KNOWN, "it")
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("tries=0", "tries", "above 0, below 5, not '0'"),
        ("tries=5", "tries", "not '5'"),
        ("above=3", "above", "above is a whole number above 3, not '3'"),
        ("bf=10.01", "bf", "bf is a number 0..10, not '10.01'"),
        ("bf=-0.5", "bf", "not '-0.5'"),
        ("end=hitt", "end", r"end is one of hit\|race, not 'hitt' \(did you mean 'hit'\?\)"),
        ("word=w", "word", r"one of u\|v, not 'w'$"),
    ],
)
def test_what_is_out_of_range_is_refused_by_field(text, field, message):
    with pytest.raises(ValueRangeError, match=message) as caught:
        parse_options(text, KNOWN, "it")
    assert caught.value.field == field


def test_the_ends_of_a_range_belong_to_it_unless_they_are_open():
    assert parse_options("bf=0,tries=1", KNOWN, "it") == {"bf": 0.0, "tries": 1}
    assert parse_options("bf=10,tries=4", KNOWN, "it") == {"bf": 10.0, "tries": 4}
    assert KNOWN[-1].high == math.inf


def test_long_texts_are_cut_in_messages():
    with pytest.raises(FormatError) as caught:
        parse_options("x" * 10_000, KNOWN, "it")
    assert len(caught.value.message) < 200


def test_who_has_no_options_says_so():
    with pytest.raises(FormatError, match="it takes no options, not 'x'"):
        parse_options("x=1", (), "it")


def test_only_near_words_are_suggested():
    assert did_you_mean("Pubevl", ["pubeval", "random"]) == " (did you mean 'pubeval'?)"
    assert did_you_mean("zzz", ["pubeval", "random"]) == ""


def test_structs_with_free_texts_or_without_defaults_are_refused():
    class Free(Struct):
        file: str = "a"

    class Bare(Struct):
        seed: int

    with pytest.raises(TypeError, match="the option file is neither"):
        list_option_specs(Free)
    with pytest.raises(TypeError, match="the option seed has no default"):
        list_option_specs(Bare)
