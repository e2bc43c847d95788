"""Requests that every game has: handshake, settings, stop and quit, help, statistics, description."""

from __future__ import annotations

import time

from gammond.engine.errors import CancelledWork, list_error_codes
from gammond.engine.runtime.version import NAME, read_version
from gammond.protocol.commands.command import Command, CommandCall
from gammond.protocol.commands.session_game import find_game, find_setting, make_unknown_error, put_setting
from gammond.protocol.commands.ubgi01 import make_option_replies
from gammond.protocol.core.limits import MAX_MOVETIME_MS, ClientLimits
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import (
    Answer,
    AnyReply,
    JsonReply,
    QuitRequest,
    Reply,
    StopRequest,
    Work,
    WorkControl,
)
from gammond.protocol.state.game_log import MAX_ACTIONS
from gammond.protocol.state.service import AUTHOR
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import Setting


def handle_ubgi(call: CommandCall) -> Answer:
    """Answer the handshake of UBGI 0.2, with the option lines of 0.1 in it."""
    call.session.speaks_ubgi01 = False
    return [
        *(
            Reply("id", f"{key} {value}", is_final=False, fields={key: value})
            for key, value in (("name", f"{NAME} {read_version()}"), ("author", AUTHOR))
        ),
        Reply("proto", "0.2", is_final=False, text_key="version"),
        *make_key_replies(call.session),
        *make_option_replies(call.session),
        Reply("ubgiok"),
    ]


def handle_isready(call: CommandCall) -> Answer:
    """Ask for everything of the game once, in a session of its own, then answer."""
    scratch, game = Session(call.session.service, call.session.initial_seed), find_game(call.session)
    scratch.game_name = call.session.game_name

    def run(control: WorkControl) -> list[Reply]:
        began_s = time.monotonic()
        game.readiness.warm()
        for number, line in enumerate(game.ready_lines):
            if control.is_stopped:
                raise CancelledWork("stopped before all was ready")
            name, _, rest = line.partition(" ")
            command = game.commands[name]
            answer = command.handler(CommandCall(scratch, command.parser.parse(rest), game.commands))
            if isinstance(answer, Work):
                answer.run(WorkControl())
            elapsed_ms = int(1000 * (time.monotonic() - began_s))
            text = f"ready {number + 1} of {len(game.ready_lines)} time_ms {elapsed_ms}"
            control.report(Reply("info", text, is_final=False))
        return [Reply("readyok")]

    return Work(run)


def handle_set(call: CommandCall) -> Answer:
    """Change one setting."""
    key = find_setting(call.session, call.values["key"])
    put_setting(call.session, key, call.values["value"])
    value = find_setting(call.session, key.name).read(call.session)  # of another game, if it changed that
    return make_ok_reply("set", {key.name: value})


def handle_get(call: CommandCall) -> Answer:
    """Show one setting."""
    key = find_setting(call.session, call.values["key"])
    fields = {"key": key.name, "value": key.read(call.session)}
    return [Reply("value", f"{key.name} {key.get(call.session)}", fields=fields)]


def handle_keys(call: CommandCall) -> Answer:
    """List all settings."""
    return [*make_key_replies(call.session), Reply("keysok")]


def describe_setting(key: Setting) -> dict[str, object]:
    """Return a setting as an object."""
    return {
        "name": key.name,
        "type": key.kind,
        "values": key.values,
        "default": key.default,
        "unrated": key.is_unrated,
        "meaning": key.meaning,
    }


def make_key_replies(session: Session) -> list[Reply]:
    """Return UBGI's ``key`` line for each setting."""
    lines = []
    for key in find_game(session).settings.values():
        default = key.get_default(session)
        parts = [key.name, key.kind, key.values, default, "!" if key.is_unrated else "", key.meaning]
        fields = {**describe_setting(key), "default": default}
        text = " ".join(part for part in parts if part)
        lines.append(Reply("key", text, is_final=False, fields=fields))
    return lines


def handle_stop(call: CommandCall) -> Answer:
    """Stop the work of one tag, or all of this client."""

    def answered(count: int) -> Reply:
        return make_ok_reply("stop", {"stopped": count})[0]

    return StopRequest(call.values["tag"], answered)


def handle_quit(call: CommandCall) -> Answer:
    """End the session once everything before it is answered."""
    return QuitRequest(make_ok_reply("quit"))


def handle_stats(call: CommandCall) -> Answer:
    """Show counters of this client and the server."""
    session = call.session
    values = {
        "uptime_s": session.service.uptime_s,
        "clients": session.service.client_count,
        "requests": session.request_count,
        "errors": session.error_count,
        "all_requests": session.service.request_count,
        "all_errors": session.service.error_counts.total(),
    }
    if session.service.cluster is not None:
        values["cluster_workers"] = session.service.cluster.count_workers()
    return [Reply("stats", values=values)]


def handle_help(call: CommandCall) -> Answer:
    """Explain all commands in a line each, or one in full."""
    name = call.values["command"]
    if name is None:
        texts = [f"{command.usage} : {command.summary}" for command in call.table.values()]
    elif name in call.table:
        texts = _explain_command(call.table[name])
    else:
        raise make_unknown_error(name, call.session)
    return [*(Reply("help", text, is_final=False, text_key="text") for text in texts), Reply("helpok")]


def _explain_command(command: Command) -> list[str]:
    texts = [command.usage, command.summary]
    texts += [f"argument {a.name} ({a.metavar}): {a.meaning}" for a in command.arguments]
    texts += [f"line before the last: {line}" for line in command.data_lines]
    texts += [f"last line: {command.final_line}"]
    texts += [f"example: {line}" for line in command.example]
    return texts


def handle_describe(call: CommandCall) -> Answer:
    """Describe the server and the game as one JSON object."""
    service, game = call.session.service, find_game(call.session)
    describe_game = game.describe(call.session)
    commands = [
        {
            "name": c.name,
            "usage": c.usage,
            "summary": c.summary,
            "final": c.final_line,
            "standard": c.standard,
        }
        for c in call.table.values()
    ]

    def run(_: WorkControl) -> list[AnyReply]:
        document: dict[str, object] = {
            "action": "describe",
            "name": NAME,
            "version": read_version(),
            "ubgi": ["0.2", "0.1"],
            **describe_game(),
            "limits": _describe_limits(service.limits),
            "errors": list_error_codes(),
            "keys": [describe_setting(key) for key in game.settings.values()],
            "commands": commands,
        }
        return [JsonReply(document, word="describe")]

    return Work(run)


def _describe_limits(limits: ClientLimits) -> dict[str, object]:
    return {
        "line_bytes": limits.line_bytes,
        "command_chars": limits.command_chars,
        "queued_requests": limits.queued_requests,
        "query_positions": limits.query_positions,
        "query_decisions": limits.query_decisions,
        "query_plays": limits.query_plays,
        "rollout_games": limits.rollout_games,
        "undo_steps": limits.undo_steps,
        "record_actions": MAX_ACTIONS,
        "movetime_ms": MAX_MOVETIME_MS,
    }
