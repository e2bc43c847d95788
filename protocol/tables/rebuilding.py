"""Tables after a restart of the server: rebuilt from their logs, with the same secrets and dice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime

from gammond.engine.errors import ValueRangeError
from gammond.engine.runtime.threads import offer_turn
from gammond.engine.wording import escape_unprintable
from gammond.protocol.state.service import Service
from gammond.protocol.tables.archive import SavedTable, TableAction, TableLog
from gammond.protocol.tables.audience import TableEvent
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.requests import SeatSpec, read_spec
from gammond.protocol.tables.seats import ENGINE, is_token
from gammond.protocol.tables.services import TableServices
from gammond.protocol.tables.table import Table

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


def rebuild_table(saved: SavedTable, log: Sequence[TableAction], services: TableServices, seed: int) -> Table:
    """Make a table anew, and do in its games what was done before.

    It changes nothing but the table, so that any thread may do it; `Table.take_up` goes on.

    Args:
        saved: The table as an archive kept it.
        log: What was done in its games.
        services: What it needs of its hub.
        seed: The seed of the engines' errors from now on.

    Raises:
        GammondError: It cannot be done: the rules have changed since.
        AssertionError: The log is damaged; and so for LookupError, TypeError and ValueError.
    """
    table = Table(saved.table_id, read_spec(saved.spec), services, seed)
    table.seats.restore(saved)
    table.created_s, table.engines.is_paused = saved.created_s, saved.is_paused
    if saved.pace_ms is not None:
        table.engines.pace_s = saved.pace_ms / 1000
    for _ in _do_again(table.game, log):
        pass
    table.log = TableLog(saved.table_id, services.archive, len(log), saved.log_bytes)
    banks_s = next((action.banks_s for action in reversed(log) if action.banks_s is not None), None)
    if table.clock is not None and banks_s is not None:
        table.clock.restore(banks_s)
    table.restarts = saved.restarts + 1
    table.audience.events.number = EVENTS_OF_A_PROCESS * table.restarts
    return table


def _do_again(game: TableGame, log: Sequence[TableAction]) -> Iterator[tuple[TableAction, TableEvent | None]]:
    """Do the actions of a log, and yield each with what it came to."""
    for number, action in enumerate(log, 1):
        yield action, game.act(action)
        if not number % _TURN_ACTIONS:
            offer_turn()


def write_lost_record(saved: SavedTable, log: Sequence[TableAction], service: Service) -> str:
    """Return what was played at a table that cannot be rebuilt, for people.

    It is the record of the games, as far as they can be done again, for which no engine need be there, and
    below it each action. Lines that begin with a semicolon are no moves, as in ``.mat`` files.

    Args:
        saved: The table as an archive kept it.
        log: What was done in its games.
        service: What all clients share.
    """
    created = datetime.fromtimestamp(saved.created_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    head = [f"a table of {created} that could not be set up again", saved.fault]
    actions, record = list[str](), list[str]()
    try:
        game = TableGame(service, read_spec(saved.spec), 0)
        names = _find_name(saved, 0), _find_name(saved, 1)
        for action, event in _do_again(game, log):
            actions.append(_describe(action, event, names))
            if game.end is not None:
                record = game.view.write_record(names)[1].splitlines()
    except Exception as error:  # whatever it is, what can be told is told
        head.append(f"from action {len(actions) + 1} on it cannot be done again: {error}")
    actions += [_describe(action) for action in log[len(actions) :]]
    notes = [f"; {escape_unprintable(line)}" for line in (*head, "all that was done:", *actions)]
    return "\n".join((*notes[: len(head)], "", *record, "", *notes[len(head) :], ""))


def _find_name(saved: SavedTable, place: int) -> str:
    """Return who played a seat."""
    seat: SeatSpec = read_spec(saved.spec).seats[place]
    taken = saved.taken[place]
    if taken is not None:
        return taken.name
    return seat.level or seat.player if seat.kind == ENGINE else seat.name


def _describe(action: TableAction, event: TableEvent | None = None, names: Sequence[str] = ()) -> str:
    """Return an action in words, as it was done again or as it is kept; secrets and seeds are not told."""
    match action.act:
        case "do" if event is not None and event.entry is not None:
            name = "" if event.seat is None else f"{names[event.seat]}: "
            return f"{name}{event.kind} {event.text}"
        case "do":
            return f"do seat {action.seat} line {action.line}"
        case "undo" | "go_back" | "redo":
            return f"{action.act} seat {action.seat} count {action.count}"
        case "forfeit":
            return f"forfeit winner {action.winner} kind {action.kind}"
    return action.act
