"""All who are at the tables of a server, and what they ask for: no sockets, threads or clocks here."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from gammond.engine.errors import GammondError, LimitError, StateError, ValueRangeError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import Task
from gammond.protocol.games import find_entry
from gammond.protocol.state.service import Service
from gammond.protocol.tables.actions import carry_out
from gammond.protocol.tables.all_tables import AllTables, HubLimits
from gammond.protocol.tables.archive import Archive
from gammond.protocol.tables.audience import Late, NameCheck, Visitor, encode_frame
from gammond.protocol.tables.rebuilding import check_saved_tokens, write_lost_record
from gammond.protocol.tables.requests import (
    ActRequest,
    AnyRequest,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    ListRequest,
    LookRequest,
    PingRequest,
    RecordRequest,
    check_spec,
    read_guest_name,
    read_id,
    read_request,
)
from gammond.protocol.tables.seats import PERSON
from gammond.protocol.tables.services import Submit, TableServices
from gammond.protocol.tables.table import Table

_HOUR_S = 3600.0
_MOST_COUNTED = 10_000
"""Addresses whose finished games are counted."""

_TICK_S = 0.0025
"""How long a tick does what is due; the rest is due in the next, after what others ask for."""

_Begin = Callable[[Callable[[Any], object]], object]
"""Begins what takes a while, and has a function take what comes of it, or the error, later."""

Serving = Generator[_Begin, Any, None]
"""How a request is served: gives what it waits for, one after the other, and takes what comes of each."""

_ResultT = TypeVar("_ResultT")


class Hub:
    """Serves the visitors of all tables of a server. Not for several threads.

    Args:
        service: What all clients share.
        submit: Has work done.
        clock: Seconds of a clock that never goes back.
        archive: Keeps tables and games; nothing is kept if None.
        limits: Caps.
        wall_clock: Seconds of the Unix epoch.

    Attributes:
        all_tables: The tables.
    """

    def __init__(
        self,
        service: Service,
        submit: Submit,
        clock: Callable[[], float],
        archive: Archive | None = None,
        limits: HubLimits | None = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._submit = submit
        self._clock = clock
        self._limits = limits or HubLimits()
        self._services = TableServices(
            *(service, submit, clock, wall_clock, archive or Archive()), self._count_game, self._note_due
        )
        self.all_tables = AllTables(self._services, self._limits)
        self._leaving: list[Visitor] = []
        self._rebuilding: dict[str, Late[bool]] = {}
        self._games: Counter[str] = Counter()
        self._swept_s = self._counted_s = clock()
        self._next_due_s: float | None = None

    def connect(
        self,
        on_output: Callable[[], object] = lambda: None,
        check_name: NameCheck | None = None,
        address: str = "",
    ) -> Visitor:
        """Let a visitor come.

        Args:
            on_output: Called when there is something to send to it, or it is dropped.
            check_name: As for `Visitor`; it raises a GammondError.
            address: Where it comes from; empty for one that has no limits of its own.
        """
        return Visitor(self._leaving, on_output, self._limits.unread_chars, check_name, address)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables that run, by name."""
        return self.all_tables.running

    def disconnect(self, visitor: Visitor) -> None:
        """Let a visitor go from all its tables: its connection is gone."""
        visitor.end()
        self._forget(visitor)

    def _forget(self, visitor: Visitor) -> None:
        for table_id in sorted(visitor.tables):
            if (table := self.tables.get(table_id)) is not None:
                table.leave(visitor)
        visitor.tables.clear()
        self._sweep_leaving()

    def _sweep_leaving(self) -> None:
        """Let those go that were dropped, once what was under way is done: a table told them something."""
        while self._leaving:
            self._forget(self._leaving.pop())

    # Requests

    def receive(self, visitor: Visitor, frame: str) -> None:
        """Take in a request of a visitor, and serve it as soon as those before it are served."""
        if visitor.is_dropped:
            return
        visitor.waiting.append(frame)
        if len(visitor.waiting) > self._limits.waiting_requests:
            visitor.drop()
        self._serve(visitor)
        self._sweep_leaving()

    def _serve(self, visitor: Visitor) -> None:
        """Serve the requests that wait, until one waits for something itself."""
        while visitor.waiting and not visitor.is_blocked:
            self._go_on(visitor, self._answer(visitor, visitor.waiting[0]))

    def _go_on(self, visitor: Visitor, serving: Serving, result: object = None) -> None:
        """Serve a request, given what it waited for, until it waits again. Errors are answers too."""
        frame = visitor.waiting[0]
        try:
            begin = serving.throw(result) if isinstance(result, Exception) else serving.send(result)
        except StopIteration:
            pass
        except Exception as error:
            self._send_fault(visitor, frame, error)
        else:
            visitor.is_blocked = True
            begin(lambda found: self._take(visitor, serving, found))
            return
        if visitor.waiting:  # else it was dropped
            visitor.waiting.popleft()

    def _take(self, visitor: Visitor, serving: Serving, found: object) -> None:
        """Go on with a request whose wait is over, unless its visitor is gone, and with those behind it."""
        visitor.is_blocked = False
        if not visitor.is_dropped:
            self._go_on(visitor, serving, found)
            self._serve(visitor)
        self._sweep_leaving()

    @staticmethod
    def _run_step(step: Callable[[], None]) -> None:
        """Do something for a table. Nothing is raised."""
        try:
            step()
        except Exception as error:
            FAULT_LOG.log("a step at a table failed", error)

    @staticmethod
    def _send_fault(visitor: Visitor, frame: str, error: Exception) -> None:
        FAULT_LOG.log_own("a request at a table failed", error)
        code, field, message = describe_error(error)
        fault = {"code": code, "field": field, "message": message}
        visitor.send(encode_frame({"id": read_id(frame), "ok": False, "error": fault}))

    @staticmethod
    def _send_ok(visitor: Visitor, request: AnyRequest, **values: Any) -> None:  # noqa: ANN401  (plain values)
        visitor.send(encode_frame({"id": request.id, "ok": True, **values}))

    def _answer(self, visitor: Visitor, frame: str) -> Serving:
        """Answer a request, once all is there that it needs."""
        request = read_request(frame)
        match request:
            case CreateRequest():
                yield from self._create(visitor, request)
            case JoinRequest():
                yield from self._join(visitor, request)
            case LookRequest():
                yield from self._look(visitor, request)
            case RecordRequest():
                yield from self._tell_record(visitor, request)
            case ListRequest():
                yield from self._list(visitor, request)
            case LeaveRequest():
                self._leave(visitor, request)
            case ActRequest():
                self._act(visitor, request)
            case PingRequest():
                self._send_ok(visitor, request)

    def _have_done(self, run: Callable[[], _ResultT]) -> Generator[_Begin, Any, _ResultT]:
        """Have a worker do what takes long; return what comes of it."""
        found: _ResultT = yield lambda take: self._submit(Task(lambda _: run()), take, self)
        return found

    def _prepare_game(self, variant: str) -> Serving:
        """Have a game loaded and compiled that nobody has played here yet."""
        try:
            entry = find_entry(variant)
        except GammondError as error:
            raise error.with_field("variant") from None
        readiness = self.all_tables.find_readiness(entry)
        if not readiness.is_ready:
            yield from self._have_done(readiness.warm)

    def _rebuild(self, key: str, names: Sequence[str]) -> Serving:
        """Have tables of before the start rebuilt, once for all visitors that ask for the same."""
        rebuilding = self._rebuilding.get(key)
        if rebuilding is None:
            rebuilding = self._rebuilding[key] = Late[bool]()
            all_tables, made = self.all_tables, rebuilding

            def adopt(tables: dict[str, Table | Exception] | Exception) -> None:
                for name, table in tables.items() if isinstance(tables, dict) else ():
                    all_tables.adopt(name, table)
                del self._rebuilding[key]
                made.complete(True)

            work = Task(lambda control: {name: all_tables.rebuild(name, control) for name in names})
            self._submit(work, adopt, self)
        yield rebuilding.give

    def _rebuild_asked(self, request: JoinRequest | LookRequest | RecordRequest) -> Serving:
        """Have the table of a request rebuilt, if it is one of before the start."""
        if (saved := self.all_tables.saved.get(request.table)) is not None:
            check_saved_tokens(saved, request.tokens)
            yield from self._rebuild(request.table, [request.table])

    def _create(self, visitor: Visitor, request: CreateRequest) -> Serving:
        yield from self._prepare_game(request.variant)
        spec = check_spec(request.spec)
        names = [seat.name if seat.kind == PERSON else "" for seat in spec.seats]
        owners = yield from self._find_owners(visitor, names)
        table = self.all_tables.create(spec, visitor.address)
        tokens, watch = table.open(owners)
        self.tables[table.table_id] = table
        fair = None if table.game.dice is None else table.game.dice.describe()
        self._send_ok(visitor, request, table=table.table_id, tokens=tokens, watch=watch, fair=fair)

    def _tell_record(self, visitor: Visitor, request: RecordRequest) -> Serving:
        """Tell what was played at a table that could not be rebuilt, once that is written."""
        yield from self._rebuild_asked(request)
        saved = self.all_tables.saved.get(request.table)
        if saved is None:
            self.all_tables.find(request.table)
            raise StateError("the table is there: join it", field="table")
        check_saved_tokens(saved, request.tokens)
        archive, service = self._services.archive, self._services.service
        text = yield from self._have_done(
            lambda: write_lost_record(saved, archive.load_log(saved.table_id), service)
        )
        self._send_ok(visitor, request, text=text)

    def _count_game(self, address: str) -> bool:
        """Count a finished game; return whether its address had more in this hour than people play."""
        if self._clock() - self._counted_s > _HOUR_S or len(self._games) > _MOST_COUNTED:
            self._counted_s = self._clock()
            self._games.clear()
        self._games[address] += 1
        return bool(address) and self._games[address] > self._limits.address_games

    def _join(self, visitor: Visitor, request: JoinRequest) -> Serving:
        yield from self._rebuild_asked(request)
        table, owner = self._find_to_join(visitor, request), ""
        if table.seats.takes_seat(request):
            (owner,) = yield from self._find_owners(visitor, [read_guest_name(request)])
            table = self._find_to_join(visitor, request)  # it may have ended meanwhile, or filled up
        answer, frames = table.join(visitor, request, owner)
        table.origin = table.origin or visitor.address
        visitor.tables.add(table.table_id)
        self._send_ok(visitor, request, table=table.table_id, **answer)
        for frame in frames:
            visitor.send(frame)
        self._run_step(table.begin_if_ready)

    def _find_to_join(self, visitor: Visitor, request: JoinRequest) -> Table:
        """Return the table to which a visitor wants to come, if there is room for it."""
        table, seats = self.all_tables.find(request.table), self._limits.visitor_seats
        if visitor not in table.members:
            if len(visitor.tables) >= seats:
                raise LimitError(f"expected a visitor at {seats} tables at most", field="table")
            if len(table.members) >= (places := self._limits.table_visitors):
                raise BusyError(f"{places} visitors are here already", field="table")
        return table

    def _find_owners(self, visitor: Visitor, names: Sequence[str]) -> Generator[_Begin, Any, list[str]]:
        """Return what marks the accounts that play by some names, empty for empty ones.

        A worker looks them up, since writers may keep the file of accounts for seconds.
        """
        check, owners = visitor.check_name, dict[str, str]()
        if check is not None and any(names):
            owners = yield from self._have_done(lambda: {name: check(name) for name in names if name})
        return [owners.get(name, "") for name in names]

    def _look(self, visitor: Visitor, request: LookRequest) -> Serving:
        yield from self._rebuild_asked(request)
        table = self.all_tables.find(request.table)
        table.seats.check_tokens(request.tokens)
        self._send_ok(visitor, request, **table.describe_offer(request.tokens))

    def _leave(self, visitor: Visitor, request: LeaveRequest) -> None:
        table = self.all_tables.find(request.table)
        visitor.tables.discard(table.table_id)
        table.leave(visitor)
        self._send_ok(visitor, request)

    def _list(self, visitor: Visitor, request: ListRequest) -> Serving:
        if names := self.all_tables.list_saved_public():
            yield from self._rebuild("", names)
        listed = [table.describe_listed() for table in self.all_tables.list_public()]
        self._send_ok(visitor, request, tables=listed)

    def _act(self, visitor: Visitor, request: ActRequest) -> None:
        table = self.all_tables.find(request.table)
        member = table.members.get(visitor)
        if member is None:
            raise ValueRangeError("you are not at this table: join it first", field="table")
        if table.check_time(self._clock()):
            raise StateError("the time is up", field="act")
        carry_out(table, member, request)
        self._send_ok(visitor, request)

    # Time

    @property
    def next_due_s(self) -> float | None:
        """When `tick` has something to do, by the clock, or earlier; None for nothing that is known yet."""
        return self._next_due_s

    def _note_due(self, due_s: float) -> None:
        self._next_due_s = due_s if self._next_due_s is None else min(due_s, self._next_due_s)

    def tick(self) -> None:
        """Do what is due at all tables, as far as a few milliseconds go; to be called often."""
        now = self._clock()
        self._next_due_s = None
        for table in list(self.tables.values()):
            due_s = table.due_s
            if due_s is not None and due_s <= now and self._clock() - now <= _TICK_S:
                self._run_step(table.tick)
                due_s = table.due_s
            if due_s is not None:
                self._note_due(due_s)
        if now - self._swept_s > 1.0:
            self._swept_s = now
            self.all_tables.end_old(now)
            self.all_tables.limit_logs()
        self._sweep_leaving()
