"""Tables after a restart of the server: rebuilt from their logs, with the same secrets and dice."""

from __future__ import annotations

from protocol.tables.archive import LogEntry, SavedTable
from protocol.tables.seats import PERSON
from protocol.tables.services import TableServices
from protocol.tables.table import Table
from protocol.tables.table_game import read_spec

EVENTS_OF_A_PROCESS = 1_000_000
"""After each restart events are numbered from a multiple of this, so that no number comes twice."""


def rebuild_table(saved: SavedTable, services: TableServices, seed: int) -> Table:
    """Make a table anew, and do at it what was done before.

    Args:
        saved: The table as an archive kept it.
        services: What it needs of its hub.
        seed: The seed of the engines' errors from now on.

    Raises:
        GammondError: It cannot be done: the rules have changed since.
        LookupError: The log is damaged; and so for TypeError and ValueError.
    """
    table = Table(saved.table_id, read_spec(saved.spec), services, seed)
    table.seating.restore(saved.hashes)
    table.created_s = saved.created_s
    table.log.is_replaying = True
    for entry in saved.log:
        _do_again(table, entry)
        if table.clock is not None and "banks_s" in entry:
            table.clock.begin_turn(None, services.clock())
            table.clock.restore(entry["banks_s"])
    table.log.is_replaying = False
    table.switch_clock()
    restarts = sum(entry["act"] == "restart" for entry in saved.log) + 1
    table.record("restart")
    table.audience.events.number = EVENTS_OF_A_PROCESS * restarts
    return table


def _do_again(table: Table, entry: LogEntry) -> None:
    """Do what an entry of the log says."""
    match entry["act"]:
        case "commit" if table.game.dice is not None:
            table.game.dice.commit(bytes.fromhex(entry["secret"]))
            table.record("commit")
        case "take":
            seat = table.seating.seats[entry["seat"]]
            seat.kind, seat.name, seat.has_come = PERSON, entry["name"], True
            seat.token_hash, seat.invitation_hash = entry["hash"], entry["invitation"]
            table.record("take")
        case "start":
            for seat, seed in zip(table.seating.seats, entry["seeds"], strict=True):
                seat.seed, seat.has_come = seed, True
            table.start_game()
            table.game_started_s = entry["at"]
        case "do":
            table.do(entry["line"], entry["seat"], has_help=entry["help"])
        case "undo" | "go_back" | "redo" as what:
            table.take_back(what, entry["seat"], entry["count"])
        case "forfeit":
            table.forfeit(entry["winner"], entry["kind"])
        case "pause" | "resume" as kind:
            table.steer(kind, None)
        case "pace":
            table.steer("pace", None, ms=entry["ms"])
        case _:
            table.record(entry["act"])
