"""All tables of a server: which run, which wait since before its start, which end, and their caps."""

from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gammond.engine.errors import DataFileError, GammondError, LimitError, StateError, ValueRangeError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.game_entry import GameEntry
from gammond.protocol.games import find_entry
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.service import Service
from gammond.protocol.tables.archive import SavedTable
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.game_view import TablePhase
from gammond.protocol.tables.rebuilding import rebuild_table
from gammond.protocol.tables.requests import TableSpec, read_spec
from gammond.protocol.tables.seats import ENGINE, make_table_id
from gammond.protocol.tables.services import TableServices
from gammond.protocol.tables.table import Table

_LOG = logging.getLogger(__name__)

_MAX_SEED = 2**31

_IDLE, _AGAINST_ENGINES, _OF_PERSONS, _FAULTY = range(4)
"""The places of tables that end for want of room: those go first at which nothing is lost, those that could
not be rebuilt last."""


@dataclass(frozen=True)
class HubLimits:
    """Caps.

    Attributes:
        tables: Tables at a time.
        address_tables: Tables at a time that were created from one address.
        address_games: Finished games of one address in an hour beyond which they make room for others first.
        log_bytes: What the logs of all tables may take; beyond, the largest are not kept.
        visitor_seats: Tables at which one visitor may be.
        table_visitors: Visitors at one table.
        unread_chars: What may wait for a visitor; one that leaves more unread is dropped.
        waiting_requests: Requests of a visitor that may wait for something to be compiled.
        listed_tables: Tables in an answer to ``list``.
        idle_s: Seconds without an action, or anybody coming or going, after which a table ends.
        finished_s: The same once its match is over.
        empty_s: The same where no game ever began.
        left_s: The same where nobody is and fewer than two persons play.
        fresh_s: Seconds without an action, or anybody coming or going, before which a table makes no room:
            its creator is about to come, or a page is loaded again.
        restart_s: Seconds after a start in which no table of before it ends for its age: the clock of the
            machine may not be right yet.
        fault_s: Seconds after which a table ends that could not be rebuilt.
    """

    tables: int = 1000
    address_tables: int = 200
    address_games: int = 300
    log_bytes: int = 128 << 20
    visitor_seats: int = 20
    table_visitors: int = 200
    unread_chars: int = 1_000_000
    waiting_requests: int = 64
    listed_tables: int = 100
    idle_s: float = 12 * 3600.0
    finished_s: float = 3600.0
    empty_s: float = 2 * 3600.0
    left_s: float = 1800.0
    fresh_s: float = 10.0
    restart_s: float = 1800.0
    fault_s: float = 30 * 24 * 3600.0


class AllTables:
    """The tables of a server. Not for several threads, but for `rebuild`.

    Args:
        services: What tables need of the server.
        limits: Caps.

    Attributes:
        running: The tables by name.
        saved: By name those of before the start to which nobody has come yet, or that cannot be rebuilt.
        limits: As given.
    """

    def __init__(self, services: TableServices, limits: HubLimits) -> None:
        self.limits = limits
        self.running: dict[str, Table] = {}
        self.saved = {saved.table_id: saved for saved in services.archive.load_tables()}
        self._readiness: dict[str, Readiness] = {}
        self._services = services
        self._random = random.SystemRandom()
        self._began_s = services.clock()

    def create(self, spec: TableSpec, address: str) -> Table:
        """Return a new table for which there is room; it runs once it is in `running`.

        Args:
            spec: What it is created with, checked.
            address: From where; empty for one that has no limits of its own.

        Raises:
            GammondError: There cannot be such a table, or there is no room for it.
        """
        _check_position(self._services.service, spec)
        table = Table(make_table_id(), spec, self._services, self._make_seed(), address)
        table.seats.check_engines()
        self._make_room(address)
        return table

    def _make_seed(self) -> int:
        return self._random.randrange(_MAX_SEED)

    def list_public(self) -> list[Table]:
        """List the public tables that run, those used last first."""
        public = [table for table in self.running.values() if table.spec.public]
        return sorted(public, key=lambda table: -table.active_s)[: self.limits.listed_tables]

    def list_saved_public(self) -> list[str]:
        """List the names of public tables of before the start that may be rebuilt, those used last first."""
        public = [saved for saved in self.saved.values() if saved.spec.get("public") and not saved.fault]
        newest = sorted(public, key=lambda saved: -saved.active_s)[: self.limits.listed_tables]
        return [saved.table_id for saved in newest]

    def find_readiness(self, entry: GameEntry) -> Readiness:
        """Return whether all that tables of a game need at once is loaded and compiled."""

        def load() -> None:
            entry.load_view()
            entry.load_commands().readiness.warm()

        return self._readiness.setdefault(entry.name, Readiness(load))

    def rebuild(self, name: str, control: WorkControl) -> Table | Exception:
        """Rebuild a table of before the start, or return why it cannot be; in a worker's thread."""
        try:
            saved = self.saved[name]
            entry = find_entry(read_spec(saved.spec).variant)
            self.find_readiness(entry).warm()
            log = self._services.archive.load_log(name)
            with control.take_interpreter():
                return rebuild_table(saved, log, self._services, self._make_seed())
        except Exception as error:
            return error

    def adopt(self, name: str, result: Table | Exception) -> None:
        """Take a rebuilt table; one that could not be rebuilt stays as it is kept, with the reason."""
        saved = self.saved.get(name)
        if saved is None:
            return  # it has ended meanwhile, or came another way
        if isinstance(result, Table):
            del self.saved[name]
            self.running[name] = result
            result.take_up()
            return
        FAULT_LOG.log("a table could not be rebuilt", result)
        saved.fault = describe_error(result)[2]
        self._services.archive.save_table(saved)

    def _make_room(self, address: str) -> None:
        """End a table that was left, if there are too many, or too many of an address.

        Raises:
            LimitError: There are too many of the address, and somebody is at each, or was just now.
            BusyError: There are too many, and so it is at each.
        """
        limits = self.limits
        own = [table.table_id for table in self.running.values() if address and table.origin == address]
        if len(own) >= limits.address_tables and not self._end_left(own):
            raise LimitError(
                f"expected at most {limits.address_tables} tables created from one address", field="request"
            )
        everything = [*self.running, *self.saved]
        if len(everything) >= limits.tables and not self._end_left(everything):
            raise BusyError(f"all {limits.tables} tables are taken: try again later", field="request")

    def _end_left(self, names: Iterable[str]) -> bool:
        """End the table that goes first for want of room; return whether there is one."""
        ages = {name: age for name in names if not (age := self._find_age(name)).has_visitors}
        chosen = _choose_to_end(ages, self.limits.fresh_s)
        if chosen is not None:
            self._end(chosen)
        return chosen is not None

    def _find_age(self, name: str) -> _Age:
        """Return the age of a table, rebuilt or not."""
        saved = self.saved.get(name)
        if saved is not None:
            return _find_saved_age(saved, self._services.wall_clock(), self.limits)
        return _find_running_age(self.running[name], self._services.clock(), self.limits)

    def find(self, name: str) -> Table:
        """Return a table that runs.

        Raises:
            ValueRangeError: There is none of this name, or nobody has come to it since the start.
            DataFileError: It could not be rebuilt.
        """
        if (saved := self.saved.get(name)) is not None:
            if not saved.fault:
                raise ValueRangeError("you are not at this table: join it first", field="table")
            raise DataFileError(
                f"the table cannot be set up again since the server was restarted ({saved.fault}); what was "
                "played is kept: ask for its 'record'",
                field="log",
            )
        table = self.running.get(name)
        if table is None:
            raise ValueRangeError("there is no such table, or it has ended", field="table")
        return table

    def end_old(self, now: float) -> None:
        """End tables at which nothing was done for long, rebuilt or not."""
        is_clock_right = now - self._began_s >= self.limits.restart_s
        for name in [*self.running, *(self.saved if is_clock_right else ())]:
            age = self._find_age(name)
            if age.idle_s > age.most_s:
                self._end(name)

    def limit_logs(self) -> None:
        """Keep the longest logs no longer while all together take too much; their tables go on."""
        sizes = {name: saved.log_bytes for name, saved in self.saved.items()}
        sizes |= {name: table.log.size_bytes for name, table in self.running.items() if table.log.is_kept}
        for name in _list_too_long(sizes, self.limits.log_bytes):
            _LOG.warning("no room for the log of table %s, the longest: it ends with this server", name)
            if name in self.saved:
                self._end(name)
            else:
                self.running[name].log.stop_keeping()

    def _end(self, name: str) -> None:
        """End a table, rebuilt or not."""
        self.saved.pop(name, None)
        if (table := self.running.pop(name, None)) is not None:
            table.emit("ended", None, "")
            for visitor in table.members:
                visitor.tables.discard(name)
            table.close()
        self._services.archive.drop_table(name)


def _check_position(service: Service, spec: TableSpec) -> None:
    """Refuse a table whose position cannot be set up, or whose game is over there.

    Raises:
        GammondError: It is so.
    """
    if spec.position is None:
        return
    if not spec.position.isprintable():
        raise ValueRangeError("expected a position on one line, got control characters", field="position")
    game = TableGame(service, spec, 0)
    try:
        for line in game.view.list_start_lines(1):
            game.run(line)
    except GammondError as error:
        raise error.with_field("position") from None
    if game.view.phase in (TablePhase.OVER, TablePhase.FINISHED):
        raise StateError("the game is over in this position", field="position")


class _Age(NamedTuple):
    """When a table ends, and before which others.

    Attributes:
        kind: Its place among those that end for want of room, the least first.
        idle_s: Seconds since an action, or since anybody came or went.
        most_s: How many there may be.
        has_visitors: Whether somebody is there.
    """

    kind: int
    idle_s: float
    most_s: float
    has_visitors: bool = False


def _find_running_age(table: Table, now: float, limits: HubLimits) -> _Age:
    persons, has_begun = len(table.seats.persons), bool(table.game.number)
    is_over = table.game.phase is TablePhase.FINISHED
    if is_over:
        most_s = limits.finished_s
    elif persons < 2 and not table.members:
        most_s = limits.left_s
    else:
        most_s = limits.idle_s if has_begun or table.members else limits.empty_s
    kind = _rank_persons(persons) if has_begun and not is_over else _IDLE
    return _Age(kind, now - table.active_s, most_s, bool(table.members))


def _find_saved_age(saved: SavedTable, now_s: float, limits: HubLimits) -> _Age:
    """Return the age of a table of before the start, to which nobody came, at a time of the Unix epoch."""
    persons = sum(seat["kind"] != ENGINE for seat in saved.spec["seats"])
    idle_s = now_s - saved.active_s
    if saved.fault:
        return _Age(_FAULTY, idle_s, limits.fault_s)
    return _Age(_rank_persons(persons), idle_s, limits.idle_s if persons > 1 else limits.left_s)


def _rank_persons(count: int) -> int:
    return _OF_PERSONS if count > 1 else _AGAINST_ENGINES


def _choose_to_end(ages: Mapping[str, _Age], fresh_s: float) -> str | None:
    """Choose the table that ends for want of room, among those where nobody is; None where there is none.

    It makes no room before so many seconds. What was just made and left does not end games of two persons
    either: who makes tables faster than they may end would empty a server of them.
    """
    left = [(age.kind, -age.idle_s, name) for name, age in ages.items() if age.idle_s >= fresh_s]
    kinds_just_left = [age.kind for age in ages.values() if age.idle_s < fresh_s]
    if not left or min(left)[0] >= _OF_PERSONS > min(kinds_just_left, default=_OF_PERSONS):
        return None
    return min(left)[2]


def _list_too_long(sizes: Mapping[str, int], most: int) -> Iterator[str]:
    """List the tables whose logs are not kept since all together take too much: those with the longest.

    Args:
        sizes: What the logs take, in bytes.
        most: What they may take.
    """
    total = sum(sizes.values())
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if total <= most:
            return
        total -= sizes[name]
        yield name
