"""One question about one position of a game other than backgammon, such as Barca: `--variant barca`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import JsonReply, WorkControl
from gammond.protocol.games import find_entry
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.dialogue.talk import Talk
from gammond.protocol.state.session import Session
from gammond.tools.ask.question import (
    AnyGameOptions,
    BoardOptions,
    call_session,
    count_columns,
    show_answer,
    watch_work,
)
from gammond.tools.common.other_games import load_queries, make_query, refuse_options, run_query
from gammond.tools.common.position_arguments import ScoreOptions, read_text

_OF_BACKGAMMON = (*ScoreOptions.__struct_fields__, "dice", "filter", "cubeless", "net")
"""Options that no other game has."""

HINT_PLIES = 5
"""The look-ahead of ranked moves where none is given."""


def answer_question(
    options: AnyGameOptions | BoardOptions,
    command: str,
    fields: Mapping[str, object],
    depth: int | None = None,
) -> int:
    """Answer a question as the terminal answers a command of the game, or as the wire answers a query.

    Args:
        options: Of the command.
        command: The command of the terminal.
        fields: Of the JSON query, beside the position.
        depth: The look-ahead, in a game that has it; None for none.

    Returns:
        0.

    Raises:
        GammondError: The position or an option is wrong, or there is no answer.
        KeyboardInterrupt: As `gammond.tools.ask.question.show_answer`.
    """
    refuse_options(options, options.variant, _OF_BACKGAMMON)
    weights, has_board = (
        (options.weights, options.board) if isinstance(options, AnyGameOptions) else (None, False)
    )
    is_deep = depth is not None and "depth" in load_queries(options.variant).fields
    text, session = read_text(options.position), options.open_session()
    with watch_work() as control:
        if options.json:
            query = make_query(options.variant, text, {"weights": weights, "depth": depth, **fields})
            lines = call_session(lambda: [_write_json(session, control, query)])
        else:
            setup = [f"set game.variant {options.variant}", f"position {text}"]
            setup += [f"set engine.weights {weights}"] if weights else []
            command += f" depth={depth}" if is_deep else ""
            commands = ["board", command] if has_board else [command]
            lines = call_session(lambda: _talk(session, control, setup, commands))
    show_answer(lines, control, is_plain=options.json)
    return EXIT_OK


def _write_json(session: Session, control: WorkControl, query: Mapping[str, object]) -> str:
    return format_reply(JsonReply(run_query(session, control, query)))


def _talk(session: Session, control: WorkControl, setup: Iterable[str], commands: Iterable[str]) -> list[str]:
    """Return what the terminal answers to commands, after some of the wire."""
    for line in setup:
        send_command(session, line, control)
    talk: Talk = find_entry(session.game_name).load_talk()(session)
    talk.columns = count_columns()
    return [line for command in commands for line in talk.run_line(command, control)]
