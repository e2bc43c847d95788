"""Settings: ``set``, ``get``, ``keys``."""

from __future__ import annotations

from protocol.command import Call
from protocol.replies import ok
from protocol.requests import Answer, Reply
from protocol.session import Session
from protocol.settings import KEYS, find_key, key_default, put


def handle_set(call: Call) -> Answer:
    """Change one setting."""
    key = find_key(call.values["key"])
    put(call.session, key, call.values["value"])
    return ok("set", {key.name: key.get(call.session)})


def handle_get(call: Call) -> Answer:
    """Show one setting."""
    key = find_key(call.values["key"])
    return [Reply("value", f"{key.name} {key.get(call.session)}")]


def handle_keys(call: Call) -> Answer:
    """List all settings."""
    return [*key_lines(call.session), Reply("keysok")]


def key_lines(session: Session) -> list[Reply]:
    """Return UBGI's ``key`` line for each setting."""
    lines = []
    for key in KEYS.values():
        parts = [
            key.name,
            key.kind,
            key.values,
            key_default(key, session),
            "!" if key.is_minor else "",
            key.meaning,
        ]
        lines.append(Reply("key", " ".join(part for part in parts if part), is_final=False))
    return lines
