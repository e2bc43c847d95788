"""Tables after a restart of the server: rebuilt from their logs, with the same secrets and dice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

import msgspec

from engine.errors import ValueRangeError
from engine.runtime.thread_turns import offer_turn
from engine.wording import escape_unprintable
from protocol.tables.archive import LogEntry, SavedTable
from protocol.tables.requests import SeatSpec, TableSpec
from protocol.tables.seats import ENGINE
from protocol.tables.services import TableServices
from protocol.tables.table import Table
from protocol.tables.table_game import read_spec
from protocol.tables.tokens import is_token

_TURN_ACTIONS = 16
"""Actions that are done again between two offers of the turn in the interpreter; some 1 ms."""

EVENTS_OF_A_PROCESS = 1_000_000
"""After each restart events are numbered from a multiple of this, so that no number comes twice."""


def check_saved_tokens(saved: SavedTable, tokens: Collection[str]) -> None:
    """Check that whoever has some tokens may come to a table that is not rebuilt.

    Raises:
        ValueRangeError: None of them is of this table, which is not public.
    """
    hashes = {*saved.hashes.seats, saved.hashes.watch}
    hashes |= {each.token_hash for each in saved.taken if each is not None}
    if not saved.spec.get("public") and not any(is_token(token, each) for token in tokens for each in hashes):
        raise ValueRangeError("expected a token of this table", field="token")


def rebuild_table(saved: SavedTable, log: Sequence[LogEntry], services: TableServices, seed: int) -> Table:
    """Make a table anew, and do at it what was done before.

    It changes nothing but the table, so that any thread may do it; `Table.save` keeps that it was rebuilt.

    Args:
        saved: The table as an archive kept it.
        log: What was done at it.
        services: What it needs of its hub.
        seed: The seed of the engines' errors from now on.

    Raises:
        GammondError: It cannot be done: the rules have changed since.
        LookupError: The log is damaged; and so for TypeError and ValueError.
    """
    table = _make_table(saved, read_spec(saved.spec), services, seed)
    for number, entry in enumerate(log, 1):
        _do_again(table, entry)
        if not number % _TURN_ACTIONS:
            offer_turn()
    table.log.is_replaying, table.log.size_bytes = False, saved.log_bytes
    table.switch_clock()
    table.restarts = saved.restarts + 1
    table.audience.events.number = EVENTS_OF_A_PROCESS * table.restarts
    return table


def _make_table(saved: SavedTable, spec: TableSpec, services: TableServices, seed: int) -> Table:
    """Make a table as it was before anything was done at it."""
    table = Table(saved.table_id, spec, services, seed)
    table.log.is_replaying = True
    table.seating.restore(saved)
    table.created_s, table.is_paused = saved.created_s, saved.is_paused
    if saved.pace_ms is not None:
        table.pace_s = saved.pace_ms / 1000
    return table


def _do_again(table: Table, entry: LogEntry) -> None:
    """Do what an entry of the log says."""
    match entry["act"]:
        case "commit" if table.game.dice is not None:
            table.game.dice.commit(bytes.fromhex(entry["secret"]))
            table.record("commit")
        case "start":
            for seat in table.seating.seats:
                seat.has_come = True
            _add_seeds(table, entry)
            table.start_game()
            table.game_started_s = entry["at"]
        case "seeds":
            table.seeds.fix(entry["seeds"])
        case "do":
            table.do(entry["line"], entry["seat"], has_help=entry["help"])
        case "undo" | "go_back" | "redo" as what:
            _add_seeds(table, entry)
            table.take_back(what, entry["seat"], entry["count"])
        case "forfeit":
            table.forfeit(entry["winner"], entry["kind"])
        case _:
            table.record(entry["act"])
    if table.clock is not None and "banks_s" in entry:
        table.clock.begin_turn(None, 0.0)
        table.clock.restore(entry["banks_s"])


def _add_seeds(table: Table, entry: LogEntry) -> None:
    """Add what the players added to the secret that is used from an entry on."""
    seeds, commitments = entry.get("seeds", ()), entry.get("commitments", ("", ""))
    for seat, (seed, commitment) in enumerate(zip(seeds, commitments, strict=False)):
        if table.game.dice is not None:
            table.game.dice.add_seed(seat, commitment, seed)


def write_lost_record(saved: SavedTable, log: Sequence[LogEntry], services: TableServices) -> str:
    """Return what was played at a table that cannot be rebuilt, for people.

    It is the record of the games, as far as they can be done again, for which no engine need be there, and
    below it each action. Lines that begin with a semicolon are no moves, as in ``.mat`` files.

    Args:
        saved: The table as an archive kept it.
        log: What was done at it.
        services: What it needs of its hub.
    """
    created = datetime.fromtimestamp(saved.created_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    head = [f"a table of {created} that could not be set up again", saved.fault]
    actions, record = list[str](), list[str]()
    try:
        for described, table in _do_all_again(saved, log, services):
            actions.append(described)
            if table.game.end is not None:
                record = table.game.view.write_record(table.seating.names)[1].splitlines()
    except Exception as error:  # whatever it is, what can be told is told
        head.append(f"from action {len(actions) + 1} on it cannot be done again: {error}")
    actions += [_describe_entry(entry) for entry in log[len(actions) :]]
    notes = [f"; {escape_unprintable(line)}" for line in (*head, "all that was done:", *actions)]
    return "\n".join((*notes[: len(head)], "", *record, "", *notes[len(head) :], ""))


def _do_all_again(
    saved: SavedTable, log: Sequence[LogEntry], services: TableServices
) -> Iterator[tuple[str, Table]]:
    """Yield each action in words once it is done again, and the table after it."""
    spec = read_spec(saved.spec)
    first, second = map(_seat_person, spec.seats)
    table = _make_table(saved, msgspec.structs.replace(spec, seats=(first, second)), services, 0)
    for entry in log:
        _do_again(table, entry)
        yield _describe_done(table, entry), table


def _seat_person(seat: SeatSpec) -> SeatSpec:
    return SeatSpec("person", seat.level or seat.player) if seat.kind == ENGINE else seat


def _describe_done(table: Table, entry: LogEntry) -> str:
    """Return an action that was done again in words."""
    if entry["act"] != "do":
        return _describe_entry(entry)
    done = table.game.history.entries[-1]
    name = "" if done.seat is None else f"{table.seating.names[done.seat]}: "
    return f"{name}{done.kind} {done.text}"


def _describe_entry(entry: LogEntry) -> str:
    """Return an action in words as the log has it; secrets and seeds are not told."""
    named = ("act", "seat", "line", "count", "winner", "kind")
    return " ".join(
        f"{entry[key]}" if key == "act" else f"{key} {entry[key]}" for key in named if key in entry
    )
