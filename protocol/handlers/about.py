"""What the server says about itself: handshake, readiness, help, statistics."""

from __future__ import annotations

from dataclasses import asdict

from engine.levels import LEVELS, Depth
from engine.match import MatchState
from engine.moves import legal_plays
from engine.position import Position
from engine.search import FILTERS, MAX_PLIES
from engine.version import NAME, version
from nets.options import Parameter
from nets.player_kinds import player_kinds
from nets.player_specs import PARAMETERS
from protocol.arguments import SHOWN
from protocol.command import Call, Command
from protocol.errors import ERROR_CODES, INTERNAL_ERROR, CommandError
from protocol.handlers.go_limits import MAX_MOVETIME_MS
from protocol.handlers.setting import key_lines
from protocol.players import AT_THE_TABLE
from protocol.replies import DECIMALS
from protocol.requests import Answer, AnyReply, Control, JsonReply, Reply, Work
from protocol.service import AUTHOR, Service
from protocol.settings import KEYS
from protocol.ubgi01 import option_lines

CONVENTIONS = {
    "view": "numbers are for the player on roll, before the roll; after a play, for the player who made it",
    "outcome": "cumulative: win, win_g gammon or more, win_bg backgammon, lose_g and lose_bg likewise",
    "equity": "cubeless money points: 2 win - 1 + win_g + win_bg - lose_g - lose_bg",
    "cubeful": "equity with the cube, 1 is a game won singly at the present cube; only where the cube counts",
    "mwc": "chance to win the match; left out in money play",
    "plies": "look-ahead after the play; 0 is the net alone (UBGI's engine.ply is plies + 1)",
    "points": "each player counts from the own ace point: 1..24, 25 or bar, 0 or off",
}

_WARM_PLIES = 2
"""A search of so many plies has used every part of it once."""


def handle_ubgi(call: Call) -> Answer:
    """Answer the handshake of UBGI 0.2, with the option lines of 0.1 in it."""
    call.session.speaks_ubgi01 = False
    return [
        Reply("id", f"name {NAME} {version()}", is_final=False),
        Reply("id", f"author {AUTHOR}", is_final=False),
        Reply("proto", "0.2", is_final=False),
        *key_lines(call.session),
        *option_lines(call.session),
        Reply("ubgiok"),
    ]


def handle_isready(call: Call) -> Answer:
    """Load the evaluator and the player, make ready what searches, then say so."""
    find_chooser, doubles = call.session.chooser_source(), call.session.game.doubles

    def run(_: Control) -> list[Reply]:
        legal_plays(Position.start(), (1, 1), doubles)
        find_chooser().analyst.judge(Position.start(), MatchState(), Depth(_WARM_PLIES))
        return [Reply("readyok")]

    return Work(run)


def handle_stats(call: Call) -> Answer:
    """Count what this client and the server did."""
    session = call.session
    values = {
        "uptime_s": session.service.uptime_s,
        "clients": session.service.clients,
        "requests": session.requests,
        "errors": session.errors,
    }
    return [Reply("stats", values=values)]


def handle_help(call: Call) -> Answer:
    """Explain all commands in a line each, or one in full."""
    name = call.values["command"]
    if name is None:
        texts = [f"{command.usage} : {command.summary}" for command in call.table.values()]
    elif name in call.table:
        texts = _explained(call.table[name])
    else:
        raise CommandError(f"no command {name[:SHOWN]!r}: 'help' lists them", field="command")
    return [*(Reply("help", text, is_final=False) for text in texts), Reply("helpok")]


def _explained(command: Command) -> list[str]:
    texts = [command.usage, command.summary]
    texts += [f"argument {a.name} ({a.shape}): {a.meaning}" for a in command.arguments]
    texts += [f"line before the last: {line}" for line in command.data]
    texts += [f"last line: {command.final}"]
    texts += [f"example: {line}" for line in command.example]
    return texts


def handle_describe(call: Call) -> Answer:
    """Describe the server as one JSON object."""
    service, net = call.session.service, call.session.engine.net
    commands = [
        {"name": c.name, "usage": c.usage, "summary": c.summary, "final": c.final, "standard": c.standard}
        for c in call.table.values()
    ]

    def run(_: Control) -> list[AnyReply]:
        return [JsonReply(_description(service, net) | {"commands": commands})]

    return Work(run)


def _description(service: Service, net: str) -> dict[str, object]:
    limits = service.limits
    return {
        "action": "describe",
        "name": NAME,
        "version": version(),
        "ubgi": ["0.2", "0.1"],
        "net": net,
        "evaluators": list(service.judges.names()),
        "nets": list(service.judges.nets()),
        "players": _players(),
        "evaluator_parameters": [_parameter(each) for each in PARAMETERS],
        "max_plies": MAX_PLIES,
        "levels": _levels(),
        "filters": _filters(),
        "decimals": DECIMALS,
        "conventions": CONVENTIONS,
        "limits": {
            "line_bytes": limits.line_bytes,
            "queued_requests": limits.queued_requests,
            "query_positions": limits.query_positions,
            "query_plays": limits.query_plays,
            "rollout_games": limits.rollout_games,
            "undo_steps": limits.history,
            "movetime_ms": MAX_MOVETIME_MS,
        },
        "errors": sorted({code for _, code, _ in ERROR_CODES} | {INTERNAL_ERROR}),
        "keys": [
            {"name": k.name, "type": k.kind, "values": k.values, "default": k.default, "meaning": k.meaning}
            for k in KEYS.values()
        ],
    }


def _players() -> list[dict[str, object]]:
    rows: list[tuple[str, str, tuple[Parameter, ...]]]
    rows = [(name, summary, ()) for name, summary in AT_THE_TABLE.items()]
    rows += [(kind.name, kind.summary, kind.parameters) for kind in player_kinds()]
    return [
        {"name": name, "summary": summary, "parameters": [_parameter(each) for each in parameters]}
        for name, summary, parameters in rows
    ]


def _parameter(each: Parameter) -> dict[str, object]:
    """Describe a parameter as keys are described."""
    described = {"name": each.name, "type": each.kind, "values": each.values}
    return {**described, "default": each.default_text, "meaning": each.meaning}


def _levels() -> list[dict[str, object]]:
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


def _filters() -> list[dict[str, object]]:
    return [
        {"name": each.name, "stages": [asdict(stage) for stage in each.stages]} for each in FILTERS.values()
    ]
