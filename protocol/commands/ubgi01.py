"""The forms of UBGI 0.1 that its duel tool still sends, on the same session and settings.

Source: UBGI 0.1 draft, bungogood, 2026.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.rules.match import MAX_MATCH_LENGTH, MatchState
from protocol.commands.command import CommandCall
from protocol.core.arguments import MAX_QUOTED_CHARS, error_field, parse_choice, parse_integer, parse_switch
from protocol.core.errors import CommandError
from protocol.core.replies import make_ok_reply
from protocol.core.requests import Answer, Reply
from protocol.state.offers import check_cube_owner
from protocol.state.session import Session
from protocol.state.settings import (
    SETTINGS,
    Setting,
    change_match,
    change_setting,
    find_setting,
    format_seat,
    get_default,
    parse_owner,
    parse_seat,
)

UBGI01_ERROR_CODES = {
    "bad_command": "unknown_command",
    "bad_value": "bad_argument",
    "bad_state": "missing_context",
    "unsupported": "unsupported_feature",
    "busy": "search_in_progress",
}
"""UBGI 0.1's names for our codes; codes that it lacks keep ours."""

OPTION_KEYS = {"Variant": "game.variant", "Seed": "engine.seed"}
"""Options that UBGI 0.1 recommends, and the keys that they are here."""

_OPTION_TYPES = {"int": "spin", "bool": "check", "enum": "combo", "string": "string"}


def make_option_replies(session: Session) -> list[Reply]:
    """Return UBGI 0.1's ``option`` line for each setting."""
    return [Reply("option", _format_option(key, session), is_final=False) for key in SETTINGS.values()]


def _format_option(setting: Setting, session: Session) -> str:
    parts = [
        "name",
        setting.name,
        "type",
        _OPTION_TYPES[setting.kind],
        "default",
        get_default(setting, session),
    ]
    if setting.kind == "int":
        low, _, high = setting.values.partition("..")
        parts += ["min", low, "max", high]
    elif setting.kind == "enum":
        for word in setting.values.split("|"):
            parts += ["var", word]
    return " ".join(parts)


def handle_setoption(call: CommandCall) -> Answer:
    """Change one setting: ``setoption name NAME value VALUE``."""
    text = call.values["option"]
    name, found, value = text.removeprefix("name ").partition(" value ")
    if not text.startswith("name ") or not found or not value.strip():
        raise CommandError(
            f"expected 'name NAME value VALUE', got {text[:MAX_QUOTED_CHARS]!r}", field="option"
        )
    with error_field("option"):
        key = find_setting(OPTION_KEYS.get(name.strip(), name.strip()))
    change_setting(call.session, key, value.strip())
    return make_ok_reply("setoption", {key.name: key.get(call.session)})


def handle_newsession(call: CommandCall) -> Answer:
    """Begin a match or money play: ``newsession type match length 5``."""
    pairs = _parse_pairs("newsession", call.values["terms"].split(), ("type", "length", "jacoby", "crawford"))
    with error_field("terms"):
        if "type" not in pairs:
            raise CommandError("expected 'type money' or 'type match length N'")
        kind = parse_choice("type", pairs["type"], ("money", "match"))
        length = parse_integer("length", pairs.get("length", "0"), 0, MAX_MATCH_LENGTH)
        if (kind == "match") != (length > 0):
            raise CommandError("expected 'type match length N' with N above 0, or 'type money'")
        parse_switch("crawford", pairs.get("crawford", "on"))
        match = MatchState(length=length, jacoby=parse_switch("jacoby", pairs.get("jacoby", "off")))
    call.session.push_state(replace(call.session.game, match=match))
    return make_ok_reply("newsession", {"length": length})


def handle_setscore(call: CommandCall) -> Answer:
    """Set the score of both seats."""
    with error_field("arguments"):
        change_match(call.session, score=(call.values["p0"], call.values["p1"]))
    return make_ok_reply("setscore", {"p0": call.values["p0"], "p1": call.values["p1"]})


def handle_setcube(call: CommandCall) -> Answer:
    """Set value and owner of the cube: ``setcube value 2 owner p0``."""
    pairs = _parse_pairs("setcube", call.values["terms"].split(), ("value", "owner"))
    if len(pairs) != 2:
        raise CommandError("expected 'setcube value N owner center|p0|p1'", field="terms")
    with error_field("terms"):
        owner = parse_owner("owner", pairs["owner"])
        value = parse_integer("value", pairs["value"], 1, 2**31)
        match = replace(call.session.game.match.without_offers(), cube=value, cube_owner=owner)
        check_cube_owner(match)
        change_match(call.session, cube=value, cube_owner=owner)
    return make_ok_reply("setcube", {"value": value, "owner": format_seat(owner)})


def handle_setturn(call: CommandCall) -> Answer:
    """Set the seat on roll."""
    SETTINGS["game.turn"].put(call.session, format_seat(parse_seat("seat", call.values["seat"])))
    return make_ok_reply("setturn", {"seat": call.values["seat"]})


def translate_error_code(code: str) -> str:
    """Return UBGI 0.1's name for an error code."""
    return UBGI01_ERROR_CODES.get(code, code)


def _parse_pairs(command: str, words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    twice = next((name for name in names if words[::2].count(name) > 1), None)
    if twice is not None:
        raise CommandError(f"{twice!r} stands there twice", field="terms")
    if len(words) % 2 or not set(words[::2]) <= set(names):
        raise CommandError(
            f"expected '{command}' with pairs of {'|'.join(names)} and a value, each once", field="terms"
        )
    return dict(zip(words[::2], words[1::2], strict=True))
