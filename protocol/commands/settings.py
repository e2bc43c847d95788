"""Settings: ``set``, ``get``, ``keys``."""

from __future__ import annotations

from protocol.commands.command import CommandCall
from protocol.core.replies import make_ok_reply
from protocol.core.requests import Answer, Reply
from protocol.state.session import Session
from protocol.state.settings import SETTINGS, change_setting, find_setting, get_default


def handle_set(call: CommandCall) -> Answer:
    """Change one setting."""
    key = find_setting(call.values["key"])
    change_setting(call.session, key, call.values["value"])
    return make_ok_reply("set", {key.name: key.get(call.session)})


def handle_get(call: CommandCall) -> Answer:
    """Show one setting."""
    key = find_setting(call.values["key"])
    return [Reply("value", f"{key.name} {key.get(call.session)}")]


def handle_keys(call: CommandCall) -> Answer:
    """List all settings."""
    return [*make_key_replies(call.session), Reply("keysok")]


def make_key_replies(session: Session) -> list[Reply]:
    """Return UBGI's ``key`` line for each setting."""
    lines = []
    for key in SETTINGS.values():
        parts = [
            key.name,
            key.kind,
            key.values,
            get_default(key, session),
            "!" if key.is_unrated else "",
            key.meaning,
        ]
        lines.append(Reply("key", " ".join(part for part in parts if part), is_final=False))
    return lines
