"""The forms of UBGI 0.1 that its duel tool still sends, on the same session and settings.

Source: UBGI 0.1 draft, bungogood, 2026.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.match import MAX_LENGTH, MatchState
from protocol.arguments import SHOWN, blaming, parse_choice, parse_integer, parse_switch
from protocol.command import Call
from protocol.errors import CommandError
from protocol.offers import check_cube
from protocol.replies import ok
from protocol.requests import Answer, Reply
from protocol.session import Session
from protocol.settings import (
    KEYS,
    Key,
    change_match,
    find_key,
    key_default,
    parse_owner,
    parse_seat,
    put,
    seat_text,
)

ERROR_CODES_01 = {
    "bad_command": "unknown_command",
    "bad_value": "bad_argument",
    "bad_state": "missing_context",
    "unsupported": "unsupported_feature",
    "busy": "search_in_progress",
}
"""UBGI 0.1's names for our codes; codes that it lacks keep ours."""

OPTION_NAMES = {"Variant": "game.variant", "Seed": "engine.seed"}
"""Options that UBGI 0.1 recommends, and the keys that they are here."""

_OPTION_TYPES = {"int": "spin", "bool": "check", "enum": "combo", "string": "string"}


def option_lines(session: Session) -> list[Reply]:
    """Return UBGI 0.1's ``option`` line for each setting."""
    return [Reply("option", _option(key, session), is_final=False) for key in KEYS.values()]


def _option(key: Key, session: Session) -> str:
    parts = ["name", key.name, "type", _OPTION_TYPES[key.kind], "default", key_default(key, session)]
    if key.kind == "int":
        low, _, high = key.values.partition("..")
        parts += ["min", low, "max", high]
    elif key.kind == "enum":
        for word in key.values.split("|"):
            parts += ["var", word]
    return " ".join(parts)


def handle_setoption(call: Call) -> Answer:
    """Change one setting: ``setoption name NAME value VALUE``."""
    text = call.values["option"]
    name, found, value = text.removeprefix("name ").partition(" value ")
    if not text.startswith("name ") or not found or not value.strip():
        raise CommandError(f"expected 'name NAME value VALUE', got {text[:SHOWN]!r}", field="option")
    with blaming("option"):
        key = find_key(OPTION_NAMES.get(name.strip(), name.strip()))
    put(call.session, key, value.strip())
    return ok("setoption", {key.name: key.get(call.session)})


def handle_newsession(call: Call) -> Answer:
    """Begin a match or money play: ``newsession type match length 5``."""
    pairs = _pairs("newsession", call.values["terms"].split(), ("type", "length", "jacoby", "crawford"))
    with blaming("terms"):
        if "type" not in pairs:
            raise CommandError("expected 'type money' or 'type match length N'")
        kind = parse_choice("type", pairs["type"], ("money", "match"))
        length = parse_integer("length", pairs.get("length", "0"), 0, MAX_LENGTH)
        if (kind == "match") != (length > 0):
            raise CommandError("expected 'type match length N' with N above 0, or 'type money'")
        parse_switch("crawford", pairs.get("crawford", "on"))
        match = MatchState(length=length, jacoby=parse_switch("jacoby", pairs.get("jacoby", "off")))
    call.session.change(replace(call.session.game, match=match))
    return ok("newsession", {"length": length})


def handle_setscore(call: Call) -> Answer:
    """Set the score of both seats."""
    with blaming("arguments"):
        change_match(call.session, score=(call.values["p0"], call.values["p1"]))
    return ok("setscore", {"p0": call.values["p0"], "p1": call.values["p1"]})


def handle_setcube(call: Call) -> Answer:
    """Set value and owner of the cube: ``setcube value 2 owner p0``."""
    pairs = _pairs("setcube", call.values["terms"].split(), ("value", "owner"))
    if len(pairs) != 2:
        raise CommandError("expected 'setcube value N owner center|p0|p1'", field="terms")
    with blaming("terms"):
        owner = parse_owner("owner", pairs["owner"])
        value = parse_integer("value", pairs["value"], 1, 2**31)
        match = replace(call.session.game.match.without_offers(), cube=value, cube_owner=owner)
        check_cube(match)
        change_match(call.session, cube=value, cube_owner=owner)
    return ok("setcube", {"value": value, "owner": seat_text(owner)})


def handle_setturn(call: Call) -> Answer:
    """Set the seat on roll."""
    KEYS["game.turn"].put(call.session, seat_text(parse_seat("seat", call.values["seat"])))
    return ok("setturn", {"seat": call.values["seat"]})


def error_code_01(code: str) -> str:
    """Return UBGI 0.1's name for an error code."""
    return ERROR_CODES_01.get(code, code)


def _pairs(command: str, words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    twice = next((name for name in names if words[::2].count(name) > 1), None)
    if twice is not None:
        raise CommandError(f"{twice!r} stands there twice", field="terms")
    if len(words) % 2 or not set(words[::2]) <= set(names):
        raise CommandError(
            f"expected '{command}' with pairs of {'|'.join(names)} and a value, each once", field="terms"
        )
    return dict(zip(words[::2], words[1::2], strict=True))
