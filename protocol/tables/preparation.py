"""What is loaded and compiled before the tables of a game can be served."""

from __future__ import annotations

from protocol.commands.dispatch import run_line
from protocol.games import GameEntry, load_part
from protocol.state.service import Service
from protocol.state.session import Session
from protocol.tables.game_view import TableView
from protocol.tables.requests import SeatSpec, TableSpec


def prepare_game(service: Service, entry: GameEntry) -> None:
    """Load and compile what the tables of a game need at once; may take seconds.

    Args:
        service: What all clients share.
        entry: The row of the game.
    """
    make_view: type[TableView] = load_part(entry.view)
    session = Session(service, 0)
    run_line(session, f"set game.variant {next(iter(entry.variants))}")
    view = make_view(session, TableSpec((SeatSpec("open"), SeatSpec("open"))))
    for line in view.ready_lines:
        run_line(session, line)
        view.describe()
        view.describe_choices()
        view.plan_choices()
