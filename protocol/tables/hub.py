"""All tables of a server and all who are at them: no sockets, threads or clocks here."""

from __future__ import annotations

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from engine.errors import DataFileError, GammondError, LimitError, StateError, ValueRangeError
from engine.runtime.prompt_threads import UncompiledKernel
from protocol.core.errors import BusyError
from protocol.core.fault_log import FAULT_LOG
from protocol.core.replies import describe_error
from protocol.core.requests import AnyReply, Work, WorkControl
from protocol.games import find_entry
from protocol.state.service import Service
from protocol.tables.actions import carry_out
from protocol.tables.archive import Archive, NoArchive
from protocol.tables.events import encode_frame
from protocol.tables.lifetimes import (
    choose_to_end,
    find_lifetime_s,
    find_saved_lifetime_s,
    list_too_long,
    rank_saved_table,
    rank_table,
)
from protocol.tables.limits import HubLimits
from protocol.tables.preparation import prepare_game
from protocol.tables.rebuilding import check_saved_tokens, rebuild_table, write_lost_record
from protocol.tables.requests import (
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
from protocol.tables.seats import PERSON
from protocol.tables.services import TableServices
from protocol.tables.submission import Submit, WorkResult, make_preparation
from protocol.tables.table import Table
from protocol.tables.table_game import check_position, read_spec
from protocol.tables.tokens import make_table_id
from protocol.tables.visitors import NameCheck, Visitor

_LOG = logging.getLogger(__name__)

_MAX_SEED = 2**31
_HOUR_S = 3600.0
_MOST_COUNTED = 10_000
"""Addresses whose finished games are counted."""

_TICK_S = 0.0025
"""How long a tick does what is due; the rest is due in the next, after what others ask for."""


class Hub:
    """All tables of a server. Not for several threads.

    Args:
        service: What all clients share.
        submit: Has work done.
        clock: Seconds of a clock that never goes back.
        archive: Keeps tables and games; nothing is kept if None.
        limits: Caps.
        wall_clock: Seconds of the Unix epoch.

    Attributes:
        tables: The tables by name.
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
        self.limits = limits or HubLimits()
        self.tables: dict[str, Table] = {}
        self._service = service
        self._submit = submit
        self._clock = clock
        self._archive = archive or NoArchive()
        self._services = TableServices(
            *(service, submit, clock, wall_clock, self._archive),
            *(self._count_game, self.run_step, self._note_due),
        )
        self._random = random.SystemRandom()
        self._visitors: set[Visitor] = set()
        self._leaving: list[Visitor] = []
        self._ready_games: set[str] = set()
        self._saved = {saved.table_id: saved for saved in self._archive.load_tables()}
        self._rebuilding: dict[str, list[Visitor]] = {}
        self._games: Counter[str] = Counter()
        self._began_s = self._swept_s = self._counted_s = clock()
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
            frame = visitor.waiting[0]
            try:
                self._answer(visitor, frame, is_prepared=is_prepared)
            except UncompiledKernel as missing:
                self._wait(visitor, missing.compile)
                return
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

    def run_step(self, step: Callable[[], None]) -> None:
        """Do something for a table, now or once the kernels are compiled that it needs. Nothing is raised."""

        def go_on(result: WorkResult) -> None:
            if isinstance(result, Exception):
                FAULT_LOG.log("a step at a table failed", result)
            else:
                self.run_step(step)

        try:
            step()
        except UncompiledKernel as missing:
            self._submit(make_preparation(missing.compile), go_on, self)
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
        if isinstance(request, JoinRequest | LookRequest | RecordRequest) and request.table in self._saved:
            check_saved_tokens(self._saved[request.table], request.tokens)
            self._prepare_tables(visitor, request.table, [request.table])
            return True
        if isinstance(request, ListRequest):
            public = [saved for saved in self._saved.values() if saved.spec.get("public") and not saved.fault]
            newest = sorted(public, key=lambda saved: -saved.active_s)[: self.limits.listed_tables]
            if newest:
                self._prepare_tables(visitor, "", [saved.table_id for saved in newest])
            return bool(newest)
        return False

    def _prepare_game(self, visitor: Visitor, variant: str) -> bool:
        """Have a game loaded and compiled that nobody has played here yet; return whether that is begun."""
        try:
            entry = find_entry(variant)
        except GammondError as error:
            raise error.with_field("variant") from None
        if entry.name in self._ready_games:
            return False
        self._ready_games.add(entry.name)
        self._wait(visitor, partial(prepare_game, self._service, entry))
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
                rebuilt[name] = self._rebuild(name, control)
            return ()

        def go_on(_: object) -> None:
            for name, result in rebuilt.items():
                self._adopt(name, result)
            for each in self._rebuilding.pop(key):
                self._go_on(each)

        self._submit(Work(rebuild), go_on, self)

    def _rebuild(self, name: str, control: WorkControl) -> Table | Exception:
        """Rebuild a table of before the start, or return why it cannot be; in a worker's thread."""
        try:
            saved = self._saved[name]
            entry = find_entry(read_spec(saved.spec).variant)
            if entry.name not in self._ready_games:
                prepare_game(self._service, entry)
            log = self._archive.load_log(name)
            with control.take_interpreter():
                return rebuild_table(saved, log, self._services, self._make_seed())
        except Exception as error:
            return error

    def _adopt(self, name: str, result: Table | Exception) -> None:
        """Take a rebuilt table; one that could not be rebuilt stays as it is kept, with the reason."""
        saved = self._saved.get(name)
        if saved is None:
            return  # it has ended meanwhile, or came another way
        if isinstance(result, Table):
            del self._saved[name]
            self.tables[name] = result
            result.save()
            return
        FAULT_LOG.log("a table could not be rebuilt", result)
        saved.fault = describe_error(result)[2]
        self._archive.save_table(saved)

    def _create(self, visitor: Visitor, request: CreateRequest) -> None:
        spec = check_spec(request.spec)
        owners = self._find_owners(visitor, [seat.name if seat.kind == PERSON else "" for seat in spec.seats])
        if owners is None:
            return
        check_position(self._service, spec)
        table = Table(make_table_id(), spec, self._services, self._make_seed(), visitor.address)
        table.seating.check_engines()
        self._make_room(visitor.address)
        tokens, watch = table.open(owners)
        self.tables[table.table_id] = table
        fair = None if table.game.dice is None else table.game.dice.describe()
        self._send_ok(visitor, request, table=table.table_id, tokens=tokens, watch=watch, fair=fair)

    def _make_room(self, address: str) -> None:
        """End a table that was left, if there are too many, or too many of an address.

        Raises:
            LimitError: There are too many of the address, and somebody is at each, or was just now.
            BusyError: There are too many, and so it is at each.
        """
        limits = self.limits
        own = [table.table_id for table in self.tables.values() if address and table.origin == address]
        if len(own) >= limits.address_tables and not self._end_left(own):
            raise LimitError(
                f"expected at most {limits.address_tables} tables created from one address", field="request"
            )
        everything = [*self.tables, *self._saved]
        if len(everything) >= limits.tables and not self._end_left(everything):
            raise BusyError(f"all {limits.tables} tables are taken: try again later", field="request")

    def _end_left(self, names: Iterable[str]) -> bool:
        """End the table that goes first for want of room; return whether there is one."""
        ranks = {name: rank for name in names if (rank := self._rank_left(name)) is not None}
        chosen = choose_to_end(ranks, self.limits.fresh_s)
        if chosen is not None:
            self._end(chosen)
        return chosen is not None

    def _rank_left(self, name: str) -> tuple[int, float] | None:
        saved = self._saved.get(name)
        if saved is not None:
            return rank_saved_table(saved, self._services.wall_clock())
        return rank_table(self.tables[name], self._clock())

    def _find_table(self, name: str) -> Table:
        if (saved := self._saved.get(name)) is not None:
            if not saved.fault:
                raise ValueRangeError("you are not at this table: join it first", field="table")
            raise DataFileError(
                f"the table cannot be set up again since the server was restarted ({saved.fault}); what was "
                "played is kept: ask for its 'record'",
                field="log",
            )
        table = self.tables.get(name)
        if table is None:
            raise ValueRangeError("there is no such table, or it has ended", field="table")
        return table

    def _tell_record(self, visitor: Visitor, request: RecordRequest) -> None:
        """Tell what was played at a table that could not be rebuilt, once that is written."""
        saved = self._saved.get(request.table)
        if saved is None:
            self._find_table(request.table)
            raise StateError("the table is there: join it", field="table")
        check_saved_tokens(saved, request.tokens)
        texts: list[str] = []

        def write() -> None:
            texts.append(write_lost_record(saved, self._archive.load_log(saved.table_id), self._services))

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

    def _make_seed(self) -> int:
        return self._random.randrange(_MAX_SEED)

    def _join(self, visitor: Visitor, request: JoinRequest) -> None:
        table = self._find_table(request.table)
        if visitor not in table.members:
            if len(visitor.tables) >= self.limits.visitor_seats:
                raise LimitError(
                    f"expected a visitor at {self.limits.visitor_seats} tables at most", field="table"
                )
            if len(table.members) >= self.limits.table_visitors:
                raise BusyError(f"{self.limits.table_visitors} visitors are here already", field="table")
        takes_seat = table.admission.takes_seat(request)
        owners = self._find_owners(visitor, [read_guest_name(request) if takes_seat else ""])
        if owners is None:
            return
        answer, frames = table.join(visitor, request, owners[0])
        table.origin = table.origin or visitor.address
        visitor.tables.add(table.table_id)
        self._send_ok(visitor, request, table=table.table_id, **answer)
        for frame in frames:
            visitor.send(frame)
        self.run_step(table.begin_if_ready)

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
        table = self._find_table(request.table)
        table.admission.check_tokens(request.tokens)
        self._send_ok(visitor, request, **table.describe_offer(request.tokens))

    def _leave(self, visitor: Visitor, request: LeaveRequest) -> None:
        table = self._find_table(request.table)
        visitor.tables.discard(table.table_id)
        table.leave(visitor)
        self._send_ok(visitor, request)

    def _list(self, visitor: Visitor, request: ListRequest) -> None:
        listed = [table for table in self.tables.values() if table.spec.public]
        newest = sorted(listed, key=lambda table: -table.active_s)[: self.limits.listed_tables]
        self._send_ok(visitor, request, tables=[table.describe_listed() for table in newest])

    def _act(self, visitor: Visitor, request: ActRequest) -> None:
        table = self._find_table(request.table)
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
                self.run_step(table.tick)
                due_s = table.due_s
            if due_s is not None:
                self._note_due(due_s)
        if now - self._swept_s > 1.0:
            self._swept_s = now
            self._end_old_tables(now)
            self._limit_logs()
        self._sweep_leaving()

    def _end_old_tables(self, now: float) -> None:
        """End tables at which nothing was done for long, rebuilt or not."""
        for name, table in list(self.tables.items()):
            if now - table.active_s > find_lifetime_s(table, self.limits):
                self._end(name)
        if now - self._began_s < self.limits.restart_s:
            return
        now_s = self._services.wall_clock()
        for name, saved in list(self._saved.items()):
            if now_s - saved.active_s > find_saved_lifetime_s(saved, self.limits):
                self._end(name)

    def _limit_logs(self) -> None:
        """Keep the longest logs no longer while all together take too much; their tables go on."""
        sizes = {name: saved.log_bytes for name, saved in self._saved.items()}
        sizes |= {name: table.log.size_bytes for name, table in self.tables.items() if table.log.is_kept}
        for name in list_too_long(sizes, self.limits.log_bytes):
            _LOG.warning("no room for the log of table %s, the longest: it ends with this server", name)
            if name in self._saved:
                self._end(name)
            else:
                self.tables[name].log.stop_keeping()

    def _end(self, name: str) -> None:
        """End a table, rebuilt or not."""
        self._saved.pop(name, None)
        if (table := self.tables.pop(name, None)) is not None:
            table.emit("ended", None, "")
            for member in list(table.members.values()):
                if isinstance(member.listener, Visitor):
                    member.listener.tables.discard(name)
            table.close()
        self._archive.drop_table(name)
