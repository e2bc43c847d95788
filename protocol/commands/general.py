"""Requests about the server and the session: handshake, settings, stop and quit, help, statistics."""

from __future__ import annotations

from dataclasses import asdict

from engine.analysis.levels import LEVELS
from engine.errors import list_error_codes
from engine.options import Field
from engine.runtime.version import NAME, read_version
from engine.search import FILTERS, MAX_PLIES
from nets.player_kinds import load_player_kinds
from nets.player_specs import OPTION_FIELDS
from protocol.commands.command import Command, CommandCall, make_unknown_error
from protocol.commands.decisions import MAX_MOVETIME_MS
from protocol.commands.ubgi01 import make_option_replies
from protocol.core.replies import DECIMALS, make_ok_reply
from protocol.core.requests import (
    Answer,
    AnyReply,
    JsonReply,
    QuitRequest,
    Reply,
    StopRequest,
    Work,
    WorkControl,
)
from protocol.state.game_log import MAX_ACTIONS
from protocol.state.player_registry import SESSION_PLAYERS
from protocol.state.service import AUTHOR, Service
from protocol.state.session import Session
from protocol.state.settings import SETTINGS, Setting, change_setting, find_setting, get_default

CONVENTIONS = {
    "view": "numbers are for the player on roll, before the roll; after a play, for the player who made it",
    "outcome": "cumulative: win, win_g gammon or more, win_bg backgammon, lose_g and lose_bg likewise",
    "equity": "cubeless money points: 2 win - 1 + win_g + win_bg - lose_g - lose_bg",
    "cubeful": "equity with the cube in units of the current cube; left out of cubeless evaluations",
    "mwc": "match-winning chance; left out in money play",
    "plies": "look-ahead after the play; 0 is the net alone (UBGI's engine.ply is plies + 1)",
    "points": "each player counts from the own ace point: 1..24, 25 or bar, 0 or off",
}


def handle_ubgi(call: CommandCall) -> Answer:
    """Answer the handshake of UBGI 0.2, with the option lines of 0.1 in it."""
    call.session.speaks_ubgi01 = False
    return [
        *(
            Reply("id", f"{key} {value}", is_final=False, fields={key: value})
            for key, value in (("name", f"{NAME} {read_version()}"), ("author", AUTHOR))
        ),
        Reply("proto", "0.2", is_final=False),
        *make_key_replies(call.session),
        *make_option_replies(call.session),
        Reply("ubgiok"),
    ]


def handle_set(call: CommandCall) -> Answer:
    """Change one setting."""
    key = find_setting(call.values["key"])
    change_setting(call.session, key, call.values["value"])
    return make_ok_reply("set", {key.name: key.read(call.session)})


def handle_get(call: CommandCall) -> Answer:
    """Show one setting."""
    key = find_setting(call.values["key"])
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
    for key in SETTINGS.values():
        default = get_default(key, session)
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
        "all_errors": session.service.error_count,
    }
    return [Reply("stats", values=values)]


def handle_help(call: CommandCall) -> Answer:
    """Explain all commands in a line each, or one in full."""
    name = call.values["command"]
    if name is None:
        texts = [f"{command.usage} : {command.summary}" for command in call.table.values()]
    elif name in call.table:
        texts = _explain_command(call.table[name])
    else:
        raise make_unknown_error(name, call.table)
    return [*(Reply("help", text, is_final=False) for text in texts), Reply("helpok")]


def _explain_command(command: Command) -> list[str]:
    texts = [command.usage, command.summary]
    texts += [f"argument {a.name} ({a.metavar}): {a.meaning}" for a in command.arguments]
    texts += [f"line before the last: {line}" for line in command.data_lines]
    texts += [f"last line: {command.final_line}"]
    texts += [f"example: {line}" for line in command.example]
    return texts


def handle_describe(call: CommandCall) -> Answer:
    """Describe the server as one JSON object."""
    service, net = call.session.service, call.session.engine_settings.net
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
        return [JsonReply(_describe_server(service, net) | {"commands": commands}, word="describe")]

    return Work(run)


def _describe_server(service: Service, net: str) -> dict[str, object]:
    limits = service.limits
    return {
        "action": "describe",
        "name": NAME,
        "version": read_version(),
        "ubgi": ["0.2", "0.1"],
        "net": net,
        "evaluators": list(service.catalogue.list_names()),
        "nets": list(service.catalogue.describe_nets()),
        "players": _describe_players(),
        "evaluator_parameters": [_describe_parameter(each) for each in OPTION_FIELDS],
        "max_plies": MAX_PLIES,
        "levels": _describe_levels(),
        "filters": _describe_filters(),
        "decimals": DECIMALS,
        "conventions": CONVENTIONS,
        "limits": {
            "line_bytes": limits.line_bytes,
            "queued_requests": limits.queued_requests,
            "query_positions": limits.query_positions,
            "query_decisions": limits.query_decisions,
            "query_plays": limits.query_plays,
            "rollout_games": limits.rollout_games,
            "undo_steps": limits.undo_steps,
            "record_actions": MAX_ACTIONS,
            "movetime_ms": MAX_MOVETIME_MS,
        },
        "errors": list_error_codes(),
        "keys": [describe_setting(key) for key in SETTINGS.values()],
    }


def _describe_players() -> list[dict[str, object]]:
    rows: list[tuple[str, str, tuple[Field, ...]]]
    rows = [(name, summary, ()) for name, summary in SESSION_PLAYERS.items()]
    rows += [(kind.name, kind.summary, kind.fields) for kind in load_player_kinds()]
    return [
        {"name": name, "summary": summary, "parameters": [_describe_parameter(each) for each in parameters]}
        for name, summary, parameters in rows
    ]


def _describe_parameter(parameter: Field) -> dict[str, object]:
    """Describe a parameter as keys are described."""
    described = {"name": parameter.name, "type": parameter.kind, "values": parameter.allowed_values}
    return {**described, "default": parameter.default_text, "meaning": parameter.meaning}


def _describe_levels() -> list[dict[str, object]]:
    return [
        {
            "name": level.name,
            "plies": level.plies,
            "filter": level.filter_name,
            "noise_points": level.noise_points,
            "error_rate": level.error_rate,
            "meaning": level.meaning,
        }
        for level in LEVELS.values()
    ]


def _describe_filters() -> list[dict[str, object]]:
    return [
        {"name": each.name, "stages": [asdict(stage) for stage in each.stages]} for each in FILTERS.values()
    ]
