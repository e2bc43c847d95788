"""All who are at the tables of a server, and what they ask for: no sockets, threads or clocks here."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gammond.engine.errors import GammondError, LimitError, StateError, ValueRangeError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.replies import describe_error
from gammond.protocol.core.requests import AnyReply, Work, WorkControl, make_preparation
from gammond.protocol.games import find_entry
from gammond.protocol.state.service import Service
from gammond.protocol.tables.actions import carry_out
from gammond.protocol.tables.all_tables import AllTables, HubLimits
from gammond.protocol.tables.archive import Archive
from gammond.protocol.tables.audience import NameCheck, Visitor, encode_frame
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
from gammond.protocol.tables.services import Submit, TableServices, WorkResult
from gammond.protocol.tables.table import Table

_HOUR_S = 3600.0
_MOST_COUNTED = 10_000
"""Addresses whose finished games are counted."""

_TICK_S = 0.0025
"""How long a tick does what is due; the rest is due in the next, after what others ask for."""


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
        self._service = service
        self._submit = submit
        self._clock = clock
        self._archive = archive or Archive()
        services = TableServices(
            *(service, submit, clock, wall_clock, self._archive), self._count_game, self._note_due
        )
        self.all_tables = AllTables(services, limits or HubLimits())
        self._visitors: set[Visitor] = set()
        self._leaving: list[Visitor] = []
        self._rebuilding: dict[str, list[Visitor]] = {}
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
        visitor = Visitor(self, on_output, check_name, address)
        self._visitors.add(visitor)
        return visitor

    @property
    def tables(self) -> dict[str, Table]:
        """The tables that run, by name."""
        return self.all_tables.running

    @property
    def limits(self) -> HubLimits:
        """The caps."""
        return self.all_tables.limits

    @property
    def unread_limit(self) -> int:
        """How many characters may wait for a visitor."""
        return self.limits.unread_chars

    @property
    def visitor_count(self) -> int:
        """How many visitors there are."""
        return len(self._visitors)

    def forget(self, visitor: Visitor) -> None:
        """Let a visitor go from all its tables."""
        self._visitors.discard(visitor)
        for table_id in sorted(visitor.tables):
            if (table := self.tables.get(table_id)) is not None:
                table.leave(visitor)
        visitor.tables.clear()
        self._sweep_leaving()

    def forget_soon(self, visitor: Visitor) -> None:
        """Let a visitor go once what is under way is done: a table may be telling it something."""
        self._leaving.append(visitor)

    def _sweep_leaving(self) -> None:
        while self._leaving:
            self.forget(self._leaving.pop())

    # Requests

    def receive(self, visitor: Visitor, frame: str) -> None:
        """Take in a request of a visitor, and serve it as soon as those before it are served."""
        if visitor.is_dropped:
            return
        visitor.waiting.append(frame)
        if len(visitor.waiting) > self.limits.waiting_requests:
            visitor.drop()
        self._serve(visitor)
        self._sweep_leaving()

    def _serve(self, visitor: Visitor, *, is_prepared: bool = False) -> None:
        """Serve the requests that wait; the first of them may be prepared already."""
        while visitor.waiting and not visitor.is_blocked:
            self._answer(visitor, visitor.waiting[0], is_prepared=is_prepared)
            is_prepared = False
            if visitor.waiting and not visitor.is_blocked:
                visitor.waiting.popleft()

    def _wait(self, visitor: Visitor, prepare: Callable[[], object]) -> None:
        """Serve a visitor's next request once something is done for it, which may take long."""
        visitor.is_blocked = True
        self._submit(make_preparation(prepare), partial(self._go_on, visitor), self)

    def _go_on(self, visitor: Visitor, result: WorkResult = ()) -> None:
        """Serve a visitor's next request, which is prepared, unless that failed."""
        visitor.is_blocked = False
        if isinstance(result, Exception) and visitor.waiting:
            self._send_fault(visitor, read_id(visitor.waiting.popleft()), result)
        self._serve(visitor, is_prepared=not isinstance(result, Exception))
        self._sweep_leaving()

    @staticmethod
    def _run_step(step: Callable[[], None]) -> None:
        """Do something for a table. Nothing is raised."""
        try:
            step()
        except Exception as error:
            FAULT_LOG.log("a step at a table failed", error)

    def _answer(self, visitor: Visitor, frame: str, *, is_prepared: bool = False) -> None:
        """Serve one request, or have prepared what it needs. Errors are answers too."""
        try:
            request = read_request(frame)
            if not is_prepared:
                visitor.owners = {}
            if is_prepared or not self._prepare(visitor, request):
                self._carry_out(visitor, request)
        except Exception as error:
            self._send_fault(visitor, read_id(frame), error)

    @staticmethod
    def _send_fault(visitor: Visitor, number: int | None, error: Exception) -> None:
        FAULT_LOG.log_own("a request at a table failed", error)
        code, field, message = describe_error(error)
        fault = {"code": code, "field": field, "message": message}
        visitor.send(encode_frame({"id": number, "ok": False, "error": fault}))

    def _carry_out(self, visitor: Visitor, request: AnyRequest) -> None:
        match request:
            case CreateRequest():
                self._create(visitor, request)
            case JoinRequest():
                self._join(visitor, request)
            case LookRequest():
                self._look(visitor, request)
            case RecordRequest():
                self._tell_record(visitor, request)
            case LeaveRequest():
                self._leave(visitor, request)
            case ListRequest():
                self._list(visitor, request)
            case ActRequest():
                self._act(visitor, request)
            case PingRequest():
                self._send_ok(visitor, request)

    @staticmethod
    def _send_ok(visitor: Visitor, request: AnyRequest, **values: Any) -> None:  # noqa: ANN401  (plain values)
        visitor.send(encode_frame({"id": request.id, "ok": True, **values}))

    def _prepare(self, visitor: Visitor, request: AnyRequest) -> bool:
        """Have done what a request needs and takes time; return whether that is begun."""
        if isinstance(request, CreateRequest):
            return self._prepare_game(visitor, request.variant)
        if isinstance(request, JoinRequest | LookRequest | RecordRequest):
            if (saved := self.all_tables.saved.get(request.table)) is None:
                return False
            check_saved_tokens(saved, request.tokens)
            self._prepare_tables(visitor, request.table, [request.table])
            return True
        if isinstance(request, ListRequest):
            names = self.all_tables.list_saved_public()
            if names:
                self._prepare_tables(visitor, "", names)
            return bool(names)
        return False

    def _prepare_game(self, visitor: Visitor, variant: str) -> bool:
        """Have a game loaded and compiled that nobody has played here yet; return whether that is begun."""
        try:
            entry = find_entry(variant)
        except GammondError as error:
            raise error.with_field("variant") from None
        readiness = self.all_tables.find_readiness(entry)
        if readiness.is_ready:
            return False
        self._wait(visitor, readiness.warm)
        return True

    def _prepare_tables(self, visitor: Visitor, key: str, names: Sequence[str]) -> None:
        """Have tables of before the start rebuilt, once for all visitors that ask for the same."""
        visitor.is_blocked = True
        waiting = self._rebuilding.setdefault(key, [])
        waiting.append(visitor)
        if len(waiting) > 1:
            return
        rebuilt: dict[str, Table | Exception] = {}

        def rebuild(control: WorkControl) -> Sequence[AnyReply]:
            for name in names:
                rebuilt[name] = self.all_tables.rebuild(name, control)
            return ()

        def go_on(_: object) -> None:
            for name, result in rebuilt.items():
                self.all_tables.adopt(name, result)
            for each in self._rebuilding.pop(key):
                self._go_on(each)

        self._submit(Work(rebuild), go_on, self)

    def _create(self, visitor: Visitor, request: CreateRequest) -> None:
        spec = check_spec(request.spec)
        owners = self._find_owners(visitor, [seat.name if seat.kind == PERSON else "" for seat in spec.seats])
        if owners is None:
            return
        table = self.all_tables.create(spec, visitor.address)
        tokens, watch = table.open(owners)
        self.tables[table.table_id] = table
        fair = None if table.game.dice is None else table.game.dice.describe()
        self._send_ok(visitor, request, table=table.table_id, tokens=tokens, watch=watch, fair=fair)

    def _tell_record(self, visitor: Visitor, request: RecordRequest) -> None:
        """Tell what was played at a table that could not be rebuilt, once that is written."""
        saved = self.all_tables.saved.get(request.table)
        if saved is None:
            self.all_tables.find(request.table)
            raise StateError("the table is there: join it", field="table")
        check_saved_tokens(saved, request.tokens)
        texts: list[str] = []

        def write() -> None:
            texts.append(write_lost_record(saved, self._archive.load_log(saved.table_id), self._service))

        def tell(result: WorkResult) -> None:
            if isinstance(result, Exception):
                self._send_fault(visitor, request.id, result)
            else:
                self._send_ok(visitor, request, text=texts[0])
            if visitor.waiting:  # else it has gone meanwhile
                visitor.waiting.popleft()
            visitor.is_blocked = False
            self._serve(visitor)
            self._sweep_leaving()

        visitor.is_blocked = True
        self._submit(make_preparation(write), tell, self)

    def _count_game(self, address: str) -> bool:
        """Count a finished game; return whether its address had more in this hour than people play."""
        if self._clock() - self._counted_s > _HOUR_S or len(self._games) > _MOST_COUNTED:
            self._counted_s = self._clock()
            self._games.clear()
        self._games[address] += 1
        return bool(address) and self._games[address] > self.limits.address_games

    def _join(self, visitor: Visitor, request: JoinRequest) -> None:
        table = self.all_tables.find(request.table)
        if visitor not in table.members:
            if len(visitor.tables) >= self.limits.visitor_seats:
                raise LimitError(
                    f"expected a visitor at {self.limits.visitor_seats} tables at most",
                    field="table",
                )
            if len(table.members) >= self.limits.table_visitors:
                raise BusyError(f"{self.limits.table_visitors} visitors are here already", field="table")
        takes_seat = table.seating.takes_seat(request)
        owners = self._find_owners(visitor, [read_guest_name(request) if takes_seat else ""])
        if owners is None:
            return
        answer, frames = table.join(visitor, request, owners[0])
        table.origin = table.origin or visitor.address
        visitor.tables.add(table.table_id)
        self._send_ok(visitor, request, table=table.table_id, **answer)
        for frame in frames:
            visitor.send(frame)
        self._run_step(table.begin_if_ready)

    def _find_owners(self, visitor: Visitor, names: Sequence[str]) -> list[str] | None:
        """Return what marks the accounts that play by some names, empty for empty ones.

        Returns:
            None while a worker looks them up, since writers may keep the file of accounts for seconds: then
            the request comes again.
        """
        check = visitor.check_name
        unknown = [name for name in names if name and name not in visitor.owners]
        if check is None or not unknown:
            owners, visitor.owners = visitor.owners, {}
            return [owners.get(name, "") for name in names]

        def look_up() -> None:
            visitor.owners = {name: check(name) for name in unknown}

        self._wait(visitor, look_up)
        return None

    def _look(self, visitor: Visitor, request: LookRequest) -> None:
        table = self.all_tables.find(request.table)
        table.seating.check_tokens(request.tokens)
        self._send_ok(visitor, request, **table.describe_offer(request.tokens))

    def _leave(self, visitor: Visitor, request: LeaveRequest) -> None:
        table = self.all_tables.find(request.table)
        visitor.tables.discard(table.table_id)
        table.leave(visitor)
        self._send_ok(visitor, request)

    def _list(self, visitor: Visitor, request: ListRequest) -> None:
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
