"""The forms of UBGI 0.1 that its duel tool still sends, on the same session and settings.

Source: UBGI 0.1 draft, bungogood, 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gammond.engine.options import MAX_QUOTED_CHARS, Bounds, Field, format_value
from gammond.engine.rules.match import MAX_CUBE, MAX_MATCH_LENGTH, MatchState
from gammond.protocol.commands.command import Command, Values
from gammond.protocol.commands.session_game import find_game, find_setting, put_setting
from gammond.protocol.core.arguments import (
    choice_argument,
    error_field,
    integer_argument,
    parse_pairs,
    rest_argument,
)
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import Answer, Reply
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import (
    OWNER_NAMES,
    SETTINGS,
    Setting,
    change_match,
    change_setting,
    format_seat,
    parse_owner,
)

UBGI01_ERROR_CODES = {
    "bad_command": "unknown_command",
    "bad_value": "bad_argument",
    "bad_state": "missing_context",
    "unsupported": "unsupported_feature",
    "busy": "search_in_progress",
}
"""UBGI 0.1's names for our codes; codes that it lacks keep ours."""


@dataclass(frozen=True)
class RecommendedOption:
    """An option that UBGI 0.1 recommends.

    Attributes:
        key: The key that it is here; None where nothing is to be set.
        values: Its words for values of the key; empty where they are the same.
    """

    key: str | None
    values: Mapping[str, str] = field(default_factory=dict)


OPTIONS = {
    "Variant": RecommendedOption("game.variant"),
    "Seed": RecommendedOption("engine.seed"),
    "Threads": RecommendedOption("engine.threads"),
    "EvalMode": RecommendedOption("engine.cubeful", {"cubeful": "true", "cubeless": "false"}),
    "Deterministic": RecommendedOption(None),
}
"""The options that UBGI 0.1 recommends, by name. Every answer here is deterministic, as that option asks."""

_DETERMINISTIC = Field("Deterministic", bool, default=True)

_SESSION_TERMS = (
    Field("type", str, choices=("money", "match")),
    Field("length", int, Bounds(0, MAX_MATCH_LENGTH)),
    Field("jacoby", bool),
    Field("crawford", bool),
)
_CUBE_TERMS = (Field("value", int, Bounds(1, 2**31)), Field("owner", str, choices=OWNER_NAMES))

_OPTION_TYPES = {"int": "spin", "bool": "check", "enum": "combo", "string": "string"}


def make_option_replies(session: Session) -> list[Reply]:
    """Return UBGI 0.1's ``option`` line for each option that it recommends, and for each setting."""
    settings = find_game(session).settings
    options = [
        _describe_recommended(name, session)
        for name, option in OPTIONS.items()
        if option.key is None or option.key in settings
    ]
    options += [_describe_option(key.name, key, session) for key in settings.values()]
    return [Reply("option", _format_option(each), is_final=False, fields=each) for each in options]


def _describe_recommended(name: str, session: Session) -> dict[str, str | list[str]]:
    option = OPTIONS[name]
    if option.key is None:
        return {"name": name, "type": "check", "default": "true"}
    key = find_setting(session, option.key)
    if not option.values:
        return _describe_option(name, key, session)
    default = next(word for word, value in option.values.items() if value == key.get_default(session))
    return {"name": name, "type": "combo", "default": default, "var": list(option.values)}


def _describe_option(name: str, setting: Setting, session: Session) -> dict[str, str | list[str]]:
    """Return an option as an object, with the words of its line as keys."""
    about: dict[str, str | list[str]] = {"name": name, "type": _OPTION_TYPES[setting.kind]}
    about["default"] = setting.get_default(session)
    if setting.kind == "int":
        about["min"], _, about["max"] = setting.values.partition("..")
    elif setting.kind == "enum":
        about["var"] = setting.values.split("|")
    return about


def _format_option(option: Mapping[str, str | list[str]]) -> str:
    """Write an option as its line; each of several values follows the word again."""
    pairs = ((key, [value] if isinstance(value, str) else value) for key, value in option.items())
    return " ".join(f"{key} {value}" for key, values in pairs for value in values)


def handle_setoption(session: Session, values: Values) -> Answer:
    """Change one setting: ``setoption name NAME value VALUE``."""
    text = values["option"]
    name, found, value = text.removeprefix("name ").partition(" value ")
    if not text.startswith("name ") or not found or not value.strip():
        raise CommandError(
            f"expected 'name NAME value VALUE', got {text[:MAX_QUOTED_CHARS]!r}", field="option"
        )
    name, value = name.strip(), value.strip()
    option = OPTIONS.get(name, RecommendedOption(name))
    if option.key is None:
        with error_field(name):
            _DETERMINISTIC.parse(value)
        return make_ok_reply("setoption", {name: format_value(True)})
    with error_field("option"):
        key = find_setting(session, option.key)
    if option.values:
        with error_field(name):
            value = option.values[Field(name, str, choices=tuple(option.values)).parse(value)]
    put_setting(session, key, value)
    return make_ok_reply("setoption", {key.name: find_setting(session, key.name).get(session)})


def handle_newsession(session: Session, values: Values) -> Answer:
    """Begin a match or money play: ``newsession type match length 5``."""
    with error_field("terms"):
        terms = parse_pairs(values["terms"].split(), _SESSION_TERMS, error_field="terms")
        length = terms.get("length", 0)
        if terms.get("type") != ("match" if length else "money"):
            raise CommandError("expected 'type match length N' with N above 0, or 'type money'")
        match = MatchState(length=length, jacoby=terms.get("jacoby", False))
    session.push_state(replace(session.game, match=match, final_score=None))
    return make_ok_reply("newsession", {"length": length})


def handle_setscore(session: Session, values: Values) -> Answer:
    """Set the score of both seats."""
    with error_field("arguments"):
        change_match(session, score=(values["p0"], values["p1"]))
    return make_ok_reply("setscore", {"p0": values["p0"], "p1": values["p1"]})


def handle_setcube(session: Session, values: Values) -> Answer:
    """Set value and owner of the cube: ``setcube value 2 owner p0``."""
    with error_field("terms"):
        terms = parse_pairs(values["terms"].split(), _CUBE_TERMS, error_field="terms")
        if len(terms) != len(_CUBE_TERMS):
            raise CommandError("expected 'setcube value N owner center|p0|p1'")
        value, owner = terms["value"], parse_owner(terms["owner"])
        match = replace(session.game.match.without_offers(), cube=value, cube_owner=owner)
        check_cube_owner(match)
        change_match(session, cube=value, cube_owner=owner)
    return make_ok_reply("setcube", {"value": value, "owner": format_seat(owner)})


def handle_setturn(session: Session, values: Values) -> Answer:
    """Set the seat on roll."""
    change_setting(session, SETTINGS["game.turn"], values["seat"])
    return make_ok_reply("setturn", {"seat": values["seat"]})


def translate_error_code(code: str) -> str:
    """Return UBGI 0.1's name for an error code."""
    return UBGI01_ERROR_CODES.get(code, code)


SETOPTION_ROW = Command(
    "setoption",
    "change a setting",
    handle_setoption,
    "ok setoption KEY=VALUE",
    arguments=(
        rest_argument("option", "name NAME value VALUE", f"a key of 'keys', or {', '.join(OPTIONS)}"),
    ),
    example=("setoption name Seed value 7",),
    standard="UBGI 0.1",
)
"""The row of every game's table that is of UBGI 0.1."""

UBGI01_COMMANDS = (
    SETOPTION_ROW,
    Command(
        "newsession",
        "begin money play or a match",
        handle_newsession,
        "ok newsession length=N",
        arguments=(
            rest_argument(
                "terms", "type money|match [length N] [jacoby on|off] [crawford on|off]", "the terms"
            ),
        ),
        example=("newsession type match length 5",),
        standard="UBGI 0.1",
    ),
    Command(
        "setscore",
        "set the score",
        handle_setscore,
        "ok setscore p0=N p1=N",
        arguments=(
            integer_argument("p0", 0, MAX_MATCH_LENGTH, "points of seat p0", is_required=True),
            integer_argument("p1", 0, MAX_MATCH_LENGTH, "points of seat p1", is_required=True),
        ),
        example=("newsession type match length 5", "setscore 2 3"),
        standard="UBGI 0.1",
    ),
    Command(
        "setcube",
        "set the cube",
        handle_setcube,
        "ok setcube value=N owner=center|p0|p1",
        arguments=(
            rest_argument(
                "terms", "value N owner center|p0|p1", f"a power of two up to {MAX_CUBE}, and its owner"
            ),
        ),
        example=("setcube value 2 owner p1",),
        standard="UBGI 0.1",
    ),
    Command(
        "setturn",
        "set the seat on roll",
        handle_setturn,
        "ok setturn seat=p0|p1",
        arguments=(choice_argument("seat", ("p0", "p1"), "the seat on roll"),),
        example=("setturn p1",),
        standard="UBGI 0.1",
    ),
)
"""Rows of backgammon's table."""
