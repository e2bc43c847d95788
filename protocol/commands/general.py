"""Commands that every game has: handshake, settings, stop and quit, help, statistics, description."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from gammond.engine.analysis.levels import StoreUse
from gammond.engine.errors import CancelledWork, list_error_codes
from gammond.engine.runtime.version import NAME, read_version
from gammond.protocol.commands.command import Command, Values
from gammond.protocol.commands.session_game import find_game, find_setting, make_unknown_error, put_setting
from gammond.protocol.commands.ubgi01 import make_option_replies
from gammond.protocol.core.arguments import parse_tag, rest_argument, word_argument
from gammond.protocol.core.limits import MAX_MOVETIME_MS, ClientLimits
from gammond.protocol.core.replies import make_info_reply, make_ok_reply
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
from gammond.protocol.state.player_registry import ENGINE_PLAYER
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.service import AUTHOR
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import Setting

REPORT_EVERY_S = 0.8
"""How often readying that lasts is reported."""

_STOPPED = "stopped before all was ready"


def handle_ubgi(session: Session, _: Values) -> Answer:
    """Answer the handshake of UBGI 0.2, with the option lines of 0.1 in it."""
    session.speaks_ubgi01 = False
    return [
        *(
            Reply("id", f"{key} {value}", is_final=False, fields={key: value})
            for key, value in (("name", f"{NAME} {read_version()}"), ("author", AUTHOR))
        ),
        Reply("proto", "0.2", is_final=False, text_key="version"),
        *make_key_replies(session),
        *make_option_replies(session),
        Reply("ubgiok"),
    ]


def handle_isready(session: Session, _: Values) -> Answer:
    """Load what the game needs, ask for everything of it once, in a session of its own, then answer."""
    scratch, load = Session(session.service, session.initial_seed), find_game(session).load(session)
    scratch.game_name = session.game_name
    scratch.engine_settings = replace(session.engine_settings, player=ENGINE_PLAYER, store=StoreUse.OFF)

    def run(control: WorkControl) -> list[Reply]:
        _Readying(scratch, load).run(control)
        return [Reply("readyok")]

    return Work(run)


class _Readying:
    """Readies a game in a thread, while another one reports.

    Args:
        session: Answers the requests; nobody else's.
        load: Loads what they need, as `SessionGame.load`.
    """

    def __init__(self, session: Session, load: Callable[[], Readiness]) -> None:
        self._session = session
        self._load = load
        self._game = find_game(session)
        self._done_count = 0
        self._error: BaseException | None = None
        self._is_stopped = False

    def run(self, control: WorkControl) -> None:
        """Ready all of it.

        Raises:
            GammondError: Something cannot be loaded.
            CancelledWork: It was stopped; the request under way is still finished.
        """
        thread = threading.Thread(target=self._work, name="isready", daemon=True)
        started_s = time.monotonic()
        thread.start()
        while thread.is_alive():
            thread.join(REPORT_EVERY_S)
            if not thread.is_alive():
                break
            if control.is_stopped:
                self._is_stopped = True
                raise CancelledWork(_STOPPED)
            elapsed_ms = int(1000 * (time.monotonic() - started_s))
            done, total = self._done_count, len(self._game.ready_lines)
            control.report(make_info_reply({"ready": done, "of": total, "time_ms": elapsed_ms}))
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            self._game.readiness.warm()
            self._load().warm(self._ask_everything, lambda: self._is_stopped)
        except BaseException as error:
            self._error = error

    def _ask_everything(self) -> None:
        for line in self._game.ready_lines:
            if self._is_stopped:
                raise CancelledWork(_STOPPED)
            name, _, rest = line.partition(" ")
            answer = self._game.commands[name].answer(self._session, rest)
            if isinstance(answer, Work):
                answer.run(WorkControl())
            self._done_count += 1


def handle_set(session: Session, values: Values) -> Answer:
    """Change one setting."""
    key = find_setting(session, values["key"])
    put_setting(session, key, values["value"])
    value = find_setting(session, key.name).read(session)  # of another game, if it changed that
    return make_ok_reply("set", {key.name: value})


def handle_get(session: Session, values: Values) -> Answer:
    """Show one setting."""
    key = find_setting(session, values["key"])
    fields = {"key": key.name, "value": key.read(session)}
    return [Reply("value", f"{key.name} {key.get(session)}", fields=fields)]


def handle_keys(session: Session, _: Values) -> Answer:
    """List all settings."""
    return [*make_key_replies(session), Reply("keysok")]


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


def handle_stop(_: Session, values: Values) -> Answer:
    """Stop the work of one tag, or all of this client."""

    def answered(count: int) -> Reply:
        return make_ok_reply("stop", {"stopped": count})[0]

    return StopRequest(values["tag"], answered)


def handle_quit(_: Session, __: Values) -> Answer:
    """End the session once everything before it is answered."""
    return QuitRequest(make_ok_reply("quit"))


def handle_stats(session: Session, _: Values) -> Answer:
    """Show counters of this client and the server."""
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


def handle_help(session: Session, values: Values) -> Answer:
    """Explain all commands in a line each, or one in full."""
    name, table = values["command"], find_game(session).commands
    if name is None:
        texts = [f"{command.usage} : {command.summary}" for command in table.values()]
    elif name in table:
        texts = _explain_command(table[name])
    else:
        raise make_unknown_error(name, session)
    return [*(Reply("help", text, is_final=False, text_key="text") for text in texts), Reply("helpok")]


def _explain_command(command: Command) -> list[str]:
    texts = [command.usage, command.summary]
    texts += [f"argument {a.name} ({a.metavar}): {a.meaning}" for a in command.arguments]
    texts += [f"line before the last: {line}" for line in command.data_lines]
    texts += [f"last line: {command.final_line}"]
    texts += [f"example: {line}" for line in command.example]
    return texts


def handle_describe(session: Session, _: Values) -> Answer:
    """Describe the server and the game as one JSON object."""
    service, game = session.service, find_game(session)
    describe_game = game.describe(session)
    commands = [
        {
            "name": c.name,
            "usage": c.usage,
            "summary": c.summary,
            "final": c.final_line,
            "standard": c.standard,
        }
        for c in game.commands.values()
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
    own = {name: getattr(limits, name) for name in _DESCRIBED_LIMITS}
    return {**own, "record_actions": MAX_ACTIONS, "movetime_ms": MAX_MOVETIME_MS}


_DESCRIBED_LIMITS = (
    *("line_bytes", "command_chars", "queued_requests"),
    *("query_positions", "query_decisions", "query_plays", "rollout_games", "undo_steps"),
)
"""The caps that clients are told of."""


UBGI_ROW = Command(
    "ubgi",
    "identify the server and list its settings",
    handle_ubgi,
    "ubgiok",
    data_lines=("id name NAME", "id author AUTHOR", "proto 0.2", "key ...", "option ..."),
    example=("ubgi",),
    standard="UBGI 0.2",
)
"""The first row of every table."""


READY_ROW = Command(
    "isready",
    "load and compile everything that a session can ask for, then answer",
    handle_isready,
    "readyok",
    data_lines=("info ready N of N time_ms T",),
    example=("isready",),
    standard="UBGI 0.2",
)
"""The second."""


_SESSION_ROWS: tuple[Command, ...] = (
    Command(
        "set",
        "change a setting",
        handle_set,
        "ok set KEY=VALUE",
        arguments=(
            word_argument("key", "KEY", "see 'keys'"),
            rest_argument("value", "VALUE", "the new value"),
        ),
        standard="UBGI 0.2",
        help_group="prefer",
    ),
    Command(
        "get",
        "show a setting",
        handle_get,
        "value KEY VALUE",
        arguments=(word_argument("key", "KEY", "see 'keys'"),),
        standard="UBGI 0.2",
        help_group="prefer",
    ),
    Command(
        "keys",
        "list the settings",
        handle_keys,
        "keysok",
        data_lines=("key NAME TYPE VALUES DEFAULT [!] MEANING",),
        standard="UBGI 0.2",
        help_group="prefer",
    ),
    Command(
        "stop",
        "stop the request with a tag, or all of this client; they answer with the best result so far",
        handle_stop,
        "ok stop stopped=N",
        arguments=(
            word_argument(
                "tag", "@TAG", "the tag of the request to stop", is_required=False, parse=parse_tag
            ),
        ),
        standard="UBGI 0.1, tags gammond",
    ),
    Command(
        "stats",
        "show counters of this client and the server",
        handle_stats,
        "stats uptime_s=S clients=N requests=N errors=N all_requests=N all_errors=N",
    ),
    Command(
        "describe",
        "describe the server in one JSON line: levels, nets with hashes, limits, conventions, commands",
        handle_describe,
        '{"action":"describe",...}',
    ),
    Command(
        "help",
        "explain the commands, or one of them",
        handle_help,
        "helpok",
        arguments=(word_argument("command", "COMMAND", "the command to explain", is_required=False),),
        data_lines=("help TEXT",),
        other_names=("h", "?"),
    ),
    Command(
        "quit",
        "end the session after all earlier requests are answered",
        handle_quit,
        "ok quit",
        standard="UBGI 0.2",
        help_group="prefer",
        other_names=("exit", "q"),
    ),
)


def make_session_rows(*, setting: str, command: str) -> tuple[Command, ...]:
    """Return the rows about the session and the server.

    Args:
        setting: A setting of the game with a value, for examples.
        command: A command of the game, likewise.
    """
    words = {"set": setting, "get": setting.split()[0], "help": command}
    return tuple(
        replace(row, example=(f"{row.name} {words.get(row.name, '')}".rstrip(),)) for row in _SESSION_ROWS
    )
