"""All tables of a server and all who are at them: no sockets, threads or clocks here."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from engine.errors import GammondError, LimitError, StateError, ValueRangeError
from engine.runtime.prompt_threads import UncompiledKernel
from protocol.core.errors import BusyError
from protocol.core.fault_log import FAULT_LOG
from protocol.core.replies import describe_error
from protocol.games import find_entry
from protocol.state.service import Service
from protocol.tables.actions import carry_out
from protocol.tables.archive import Archive, NoArchive
from protocol.tables.events import encode_frame
from protocol.tables.game_view import Phase
from protocol.tables.limits import HubLimits
from protocol.tables.preparation import make_preparation, prepare_game
from protocol.tables.rebuilding import rebuild_table
from protocol.tables.requests import (
    ActRequest,
    AnyRequest,
    CreateRequest,
    JoinRequest,
    LeaveRequest,
    ListRequest,
    LookRequest,
    PingRequest,
    check_spec,
    read_guest_name,
    read_id,
    read_request,
)
from protocol.tables.services import TableServices
from protocol.tables.submission import Submit
from protocol.tables.table import Table
from protocol.tables.table_game import check_position, read_spec
from protocol.tables.tokens import make_table_id
from protocol.tables.visitors import Visitor

_MAX_SEED = 2**31


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
        self._services = TableServices(service, submit, clock, wall_clock, self._archive, self.run_step)
        self._random = random.SystemRandom()
        self._visitors: set[Visitor] = set()
        self._leaving: list[Visitor] = []
        self._ready_games: set[str] = set()
        self._saved = {saved.table_id: saved for saved in self._archive.load_tables()}
        self._swept_s = clock()

    def connect(
        self,
        on_output: Callable[[], object] = lambda: None,
        check_name: Callable[[str], object] = lambda name: None,
    ) -> Visitor:
        """Let a visitor come.

        Args:
            on_output: Called when there is something to send to it, or it is dropped.
            check_name: Raises a GammondError for names by which it may not play.
        """
        visitor = Visitor(self, on_output, check_name)
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

    def _serve(self, visitor: Visitor) -> None:
        while visitor.waiting and not visitor.is_blocked:
            frame = visitor.waiting[0]
            try:
                self._answer(visitor, frame)
            except UncompiledKernel as missing:
                self._wait(visitor, missing.compile)
                return
            if visitor.waiting and not visitor.is_blocked:
                visitor.waiting.popleft()

    def _wait(self, visitor: Visitor, prepare: Callable[[], object]) -> None:
        """Serve a visitor's next request once something is done for it, which may take long."""

        def go_on(_: object) -> None:
            visitor.is_blocked = False
            self._serve(visitor)
            self._sweep_leaving()

        visitor.is_blocked = True
        self._submit(make_preparation(prepare), go_on, self)

    def run_step(self, step: Callable[[], None]) -> None:
        """Do something for a table, now or once the kernels are compiled that it needs. Nothing is raised."""
        try:
            step()
        except UncompiledKernel as missing:
            self._submit(make_preparation(missing.compile), lambda _: self.run_step(step), self)
        except Exception as error:
            FAULT_LOG.log("a step at a table failed", error)

    def _answer(self, visitor: Visitor, frame: str) -> None:
        """Serve one request. Errors are answers too."""
        try:
            request = read_request(frame)
            variant = self._find_variant(request)
            if variant is not None and self._prepare_game(visitor, variant):
                return
            self._carry_out(visitor, request)
        except Exception as error:
            FAULT_LOG.log_own("a request at a table failed", error)
            code, field, message = describe_error(error)
            fault = {"code": code, "field": field, "message": message}
            visitor.send(encode_frame({"id": read_id(frame), "ok": False, "error": fault}))

    def _carry_out(self, visitor: Visitor, request: AnyRequest) -> None:
        match request:
            case CreateRequest():
                self._create(visitor, request)
            case JoinRequest():
                self._join(visitor, request)
            case LookRequest():
                self._look(visitor, request)
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

    def _find_variant(self, request: AnyRequest) -> str | None:
        """Return the variant of the table that a request makes, or that is to be rebuilt for it."""
        if isinstance(request, CreateRequest):
            return request.variant
        saved = self._saved.get(request.table) if isinstance(request, JoinRequest | LookRequest) else None
        return None if saved is None else read_spec(saved.spec).variant

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

    def _create(self, visitor: Visitor, request: CreateRequest) -> None:
        self._make_visitor_room(visitor)
        self._make_room()
        spec = check_spec(request.spec)
        for seat in spec.seats:
            if seat.kind == "person":
                visitor.check_name(seat.name)
        check_position(self._service, spec)
        table = Table(make_table_id(), spec, self._services, self._make_seed())
        if any(seat.is_engine for seat in table.seats):
            table.game.view.check_engines()
        tokens, watch = table.open()
        self.tables[table.table_id] = table
        visitor.created.add(table.table_id)
        fair = None if table.game.dice is None else table.game.dice.describe()
        self._send_ok(visitor, request, table=table.table_id, tokens=tokens, watch=watch, fair=fair)

    def _make_visitor_room(self, visitor: Visitor) -> None:
        """End the table against an engine that a visitor left longest, if it has created too many.

        Raises:
            LimitError: There is none.
        """
        visitor.created &= self.tables.keys()
        running = [self.tables[name] for name in visitor.created]
        running = [table for table in running if table.game.phase is not Phase.FINISHED]
        if len(running) < self.limits.visitor_tables:
            return
        left = [table for table in running if not table.members and len(table.seating.persons) < 2]
        if not left:
            raise LimitError(
                f"expected at most {self.limits.visitor_tables} tables created by one visitor",
                field="request",
            )
        self._end_table(min(left, key=lambda table: table.active_s))

    def _make_room(self) -> None:
        """End the table that was left longest where no game has begun, if there are too many.

        Raises:
            BusyError: There is none.
        """
        if len(self.tables) + len(self._saved) < self.limits.tables:
            return
        unused = [each for each in self.tables.values() if not each.game.number and not each.members]
        if not unused:
            raise BusyError(f"all {self.limits.tables} tables are taken: try again later", field="request")
        self._end_table(min(unused, key=lambda table: table.active_s))

    def _find_table(self, name: str) -> Table:
        if name in self._saved:
            self._rebuild(name)
        table = self.tables.get(name)
        if table is None:
            raise ValueRangeError("there is no such table, or it has ended", field="table")
        return table

    def _rebuild(self, name: str) -> None:
        """Rebuild a table of before the last start; one that cannot be rebuilt is forgotten."""
        try:
            self.tables[name] = rebuild_table(self._saved[name], self._services, self._make_seed())
        except Exception as error:
            FAULT_LOG.log("a table could not be rebuilt", error)
            self._archive.drop_table(name)
        del self._saved[name]

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
        if table.admission.takes_seat(request):
            visitor.check_name(read_guest_name(request))
        answer, frames = table.join(visitor, request)
        visitor.tables.add(table.table_id)
        self._send_ok(visitor, request, table=table.table_id, **answer)
        for frame in frames:
            visitor.send(frame)
        self.run_step(table.begin_if_ready)

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
        for name in [name for name, saved in self._saved.items() if saved.spec.get("public")]:
            self._rebuild(name)
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
        """When `tick` has something to do, by the clock; None for nothing that is known yet."""
        times = [table.due_s for table in self.tables.values()]
        return min((time for time in times if time is not None), default=None)

    def tick(self) -> None:
        """Do what is due at all tables; to be called often."""
        now = self._clock()
        for table in list(self.tables.values()):
            due_s = table.due_s
            if due_s is not None and due_s <= now:
                self.run_step(table.tick)
        if now - self._swept_s > 1.0:
            self._swept_s = now
            self._end_old_tables(now)
        self._sweep_leaving()

    def _end_old_tables(self, now: float) -> None:
        """End tables at which nothing was done for long, rebuilt or not."""
        before_s = self._services.wall_clock() - self.limits.idle_s
        for name, saved in list(self._saved.items()):
            if (saved.log[-1]["at"] if saved.log else saved.created_s) < before_s:
                del self._saved[name]
                self._archive.drop_table(name)
        for table in list(self.tables.values()):
            limit_s = self.limits.idle_s
            if table.game.phase is Phase.FINISHED:
                limit_s = self.limits.finished_s
            elif not table.game.number and not table.members:
                limit_s = self.limits.empty_s
            if now - table.active_s > limit_s:
                self._end_table(table)

    def _end_table(self, table: Table) -> None:
        table.emit("ended", None, "")
        for member in list(table.members.values()):
            if isinstance(member.listener, Visitor):
                member.listener.tables.discard(table.table_id)
        table.close()
        del self.tables[table.table_id]
        self._archive.drop_table(table.table_id)
