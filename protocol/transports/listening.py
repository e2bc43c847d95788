"""A server on a socket: who may reach it, its clients from the first to the last, and its end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import selectors
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from gammond.engine.errors import GammondError, StateError, UnsupportedError, ValueRangeError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.core.event_log import log_event
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.core.interpreter import INTERPRETER
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.service import Service
from gammond.protocol.transports.connection_log import ConnectionLog
from gammond.protocol.transports.idle_deepening import IdleDeepening
from gammond.protocol.transports.process_end import list_ending_signals
from gammond.protocol.transports.rounds import Rounds
from gammond.protocol.transports.shared_work import HeldMemory, SharedWork
from gammond.protocol.transports.systemd import notify
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.protocol.transports.workers import LAST_WORK_S, WorkerPool, hand_over_interpreter_often

_LOG = logging.getLogger(__name__)

_ARRIVALS_AT_ONCE = 16
"""Clients that are taken in before others are served. One that is refused is gone three such times later: of
hundreds at once, no files would be left."""

_LAST_ARRIVALS_S = 0.01
"""How long a server that is to end still turns those away who have connected; then nobody can."""

FIRST_REQUEST_S = 1.0
"""How long a server that is to end waits for the first request of a client that has just come."""

Peer = tuple[str, int]
"""Where a client comes from: address and port, 0 if that is not known."""

ListeningCallback = Callable[[str, int], None]
"""Takes host and port once clients can come."""


@dataclass(frozen=True)
class ServerOptions:
    """Where a server listens, for whom, and how it says so.

    Attributes:
        host: Where to listen; see `check_host`.
        port: Port to listen on; 0 takes a free one.
        limits: Caps.
        threads: Workers for quick work; one for each core if left out.
        on_listening: Called with host and port once clients can come.
        stop_event: Ends the server when it is set.
        sockets: Those on which it listens instead, since a supervisor holds them: clients who come once the
            server is to end wait there for the next one.
    """

    host: str
    port: int
    limits: TcpLimits = field(default_factory=TcpLimits)
    threads: int | None = None
    on_listening: ListeningCallback = lambda host, port: None
    stop_event: asyncio.Event | None = None
    sockets: tuple[socket.socket, ...] = ()


Listener = Callable[[SharedWork], Awaitable[None]]
"""Serves clients until the stop event is set, then drains."""


class _YieldingSelector(selectors.DefaultSelector):
    """The selector of an event loop whose thread has a turn whenever it does not wait here."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for files; a worker may have a turn meanwhile."""
        with INTERPRETER.leave():
            return super().select(timeout)


def run_server(serving: Coroutine[Any, Any, None]) -> None:
    """Run `serve_tcp`, `serve_web` or `serve_gnubg` in an event loop of its own."""
    hand_over_interpreter_often()
    make_loop = partial(asyncio.SelectorEventLoop, _YieldingSelector())
    with INTERPRETER.hold(), asyncio.Runner(loop_factory=make_loop) as runner:
        runner.run(serving)


async def serve_listeners(
    listeners: Sequence[Listener],
    options: ServerOptions,
    *,
    clock: Callable[[], float],
    service: Service | None = None,
    deepening: IdleDeepening | None = None,
) -> None:
    """Serve clients of several listeners until SIGTERM, SIGINT, SIGHUP or the stop event, then drain.

    Args:
        listeners: Serve the clients; where one cannot listen, the others end too.
        options: Those of the first: its threads, its stop event and the cap on what is held are for all.
        clock: Seconds of a clock that never goes back.
        service: What the clients share; None for clients of something else.
        deepening: What is done while no client asks for anything.

    Raises:
        GammondError: As for `WorkerPool`, and what a listener raises.
    """
    loop, ending = asyncio.get_running_loop(), options.stop_event or asyncio.Event()
    limits = ClientLimits() if service is None else service.limits
    pool = WorkerPool(options.threads, started_bytes=limits.started_bytes, clock=clock)
    rounds, memory = Rounds(loop.call_soon, clock), HeldMemory(loop, options.limits.held_bytes)
    shared = SharedWork(pool, rounds, memory, clock, loop, ending, service, listener_count=len(listeners))
    with nullcontext() if deepening is None else deepening.beside(pool.is_busy):
        tasks = [asyncio.ensure_future(listener(shared)) for listener in listeners]
        try:
            await asyncio.gather(*tasks)
        finally:
            ending.set()
            await asyncio.wait(tasks)
    pool.close()
    pool.join(LAST_WORK_S)


class ListenedClient(Protocol):
    """A client of a listening server."""

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection, though it may still send."""
        ...

    def awaits_request(self, *, is_new: bool) -> bool:
        """Return whether a request of it is on its way: begun, not read yet, or its first if it is new."""
        ...

    def check_timeouts(self, now: float) -> None:
        """Disconnect it if it exceeds a cap, or was idle or did not read for too long."""
        ...

    def end(self) -> None:
        """Take no further requests, since the server is to end."""
        ...

    def stop_work(self) -> None:
        """Let unfinished work end with what it has."""
        ...

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error."""
        ...

    def abort(self) -> None:
        """Drop it at once."""
        ...


_ClientT = TypeVar("_ClientT", bound=ListenedClient)


def check_host(host: str, *, allow_remote: bool) -> str:
    """Return a host to listen on.

    Raises:
        UnsupportedError: Others could reach it, and that was not allowed.
    """
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not (is_loopback or allow_remote):
        raise UnsupportedError(
            "expected a host that only this machine can reach, such as 127.0.0.1 or localhost, got "
            f"{host!r}: the protocol has neither passwords nor encryption; give --allow-remote if all who "
            "can reach that host may use it",
            field="host",
        )
    return host


class ListeningServer(Generic[_ClientT]):
    """What the clients of one listener share.

    Args:
        options: Where and how it listens.
        shared: What it shares with other listeners.

    Attributes:
        limits: Caps.
        shared: As given.
        clock: Seconds of a clock that never goes back.
        loop: The event loop that serves all clients.
        stop_event: Set when the server is to end.
        clients: Those that are admitted and not gone.
    """

    def __init__(self, options: ServerOptions, shared: SharedWork) -> None:
        self.limits = options.limits
        self.loop = asyncio.get_running_loop()
        self.clients: set[_ClientT] = set()
        self.shared = shared
        self.clock = shared.clock
        self.stop_event = shared.stop_event
        self._options = options
        self._log = ConnectionLog(shared.clock)
        self._arrivals: dict[_ClientT, tuple[asyncio.Transport, Peer | None, float]] = {}

    async def serve(self, make_client: Callable[[], asyncio.Protocol]) -> None:
        """Serve clients until SIGTERM, SIGINT, SIGHUP or the stop event, then drain.

        Args:
            make_client: Makes what serves a new connection.

        Raises:
            StateError: The address cannot be listened on.
            ValueRangeError: The port is one that this user may not listen on.
        """
        for kind in list_ending_signals():
            with suppress(RuntimeError, ValueError):  # another thread than the main one
                self._end_on(kind)
        listeners = await self._listen(make_client)
        for each in (same for listener in listeners for same in listener.sockets):
            with each.dup() as same:  # the loop takes in as many clients at once as it lets wait
                same.listen(min(self.limits.clients, 1024))
        address = listeners[0].sockets[0].getsockname()
        self._options.on_listening(address[0], address[1])
        self.shared.note_listening(self)
        watch = self.loop.create_task(self._watch_timeouts())
        await self.stop_event.wait()
        watch.cancel()
        notify("STOPPING=1")
        clients = len(self.clients)
        log_event(_LOG, "ending", f"ending, waiting for {format_clients(clients)}", clients=clients)
        if self._options.sockets:
            self._leave_arrivals(listeners)
        await asyncio.sleep(_LAST_ARRIVALS_S)
        for listener in listeners:
            listener.close()
        await self.shared.wait_while(self.has_expected_requests, FIRST_REQUEST_S)
        await self.drain()

    def _end_on(self, kind: signal.Signals) -> None:
        """End after a signal, which the event loop of Windows cannot take."""
        try:
            self.loop.add_signal_handler(kind, self.stop_event.set)
        except NotImplementedError:
            signal.signal(kind, lambda *_: self.loop.call_soon_threadsafe(self.stop_event.set))

    async def _listen(self, make_client: Callable[[], asyncio.Protocol]) -> list[asyncio.Server]:
        host, port = self._options.host, self._options.port
        try:
            if not self._options.sockets:
                return [await self.loop.create_server(make_client, host, port, backlog=_ARRIVALS_AT_ONCE)]
            return [
                await self.loop.create_server(make_client, sock=each, backlog=_ARRIVALS_AT_ONCE)
                for each in self._options.sockets
            ]
        except OSError as error:
            raise _make_listen_error(host, port, error) from error

    def _leave_arrivals(self, listeners: Sequence[asyncio.Server]) -> None:
        """Take in no more clients, without closing: those that are half taken in would be lost."""
        for each in (same for listener in listeners for same in listener.sockets):
            self.loop.remove_reader(each)

    def has_expected_requests(self) -> bool:
        """Return whether a request is on its way: of a client that has just come, or one that is not read."""
        since_s = self.clock() - FIRST_REQUEST_S
        return any(
            each.awaits_request(is_new=came_s > since_s) for each, (_, _, came_s) in self._arrivals.items()
        )

    def admit(self, client: _ClientT, transport: asyncio.Transport, peer: Peer | None = None) -> None:
        """Take a client in.

        Args:
            client: The client.
            transport: Brings its bytes.
            peer: Where it comes from, if that is not where the connection does.
        """
        self.clients.add(client)
        self.shared.count_clients(self, len(self.clients))
        self._arrivals[client] = transport, peer, self.clock()
        self._note("client_connected", transport, peer, "connects")

    def refuse(self, transport: asyncio.Transport, reason: str, peer: Peer | None = None) -> None:
        """Note that a client is turned away."""
        self._note("client_refused", transport, peer, "is refused", reason)

    def forget(self, client: _ClientT, reason: str) -> None:
        """Let a client go, and say why; one that is gone already stays so."""
        self.clients.discard(client)
        self.shared.count_clients(self, len(self.clients))
        if arrival := self._arrivals.pop(client, None):
            transport, peer, since_s = arrival
            stay_s = self.clock() - since_s
            does = f"leaves after {stay_s:.0f} s"
            self._note("client_left", transport, peer, does, reason, seconds=round(stay_s, 3))

    def _note(
        self,
        event: str,
        transport: asyncio.Transport,
        peer: Peer | None,
        does: str,
        reason: str = "",
        **fields: Any,  # noqa: ANN401
    ) -> None:
        """Log what a client does, with its number, address, and the clients that there are."""
        clients, (host, port) = self._count_staying(), peer or _read_peer(transport)
        if reason:
            fields["reason"] = reason
        self._log.write(
            event,
            f"{host}{f' port {port}' if port else ''} {does} ({format_clients(clients)})"
            f"{f': {reason}' if reason else ''}",
            client=self.shared.numbers.find(transport),
            address=host,
            port=port,
            clients=clients,
            **fields,
        )

    @property
    def is_full(self) -> bool:
        """Whether no place is free. Those who leave take none, unless as many leave as may stay."""
        if len(self.clients) < self.limits.clients:
            return False
        staying = sum(not client.is_leaving for client in self.clients)
        return staying >= self.limits.clients or len(self.clients) >= 2 * self.limits.clients

    def find_refusal(self) -> BusyError | None:
        """Return why a new client is turned away, if it is."""
        if self.stop_event.is_set() and not self._options.sockets:
            return BusyError("the server is about to end: try again later", field="server")
        if self.is_full:
            message = f"the server has {self.limits.clients} clients, the maximum: try again later"
            return BusyError(message, field="clients")
        return None

    async def drain(self) -> None:
        """End all clients: by themselves, then with work stopped, then without answers, then at once."""
        clients, wait_while = self.clients, self.shared.wait_while
        self.for_each(lambda client: client.end())
        await wait_while(lambda: clients, self.limits.grace_s)
        self.for_each(lambda client: client.stop_work())
        await wait_while(lambda: clients, LAST_WORK_S)
        self.for_each(lambda client: client.abandon())
        await wait_while(lambda: clients, LAST_WORK_S)
        self.for_each(lambda client: client.abort())

    def for_each(self, act: Callable[[_ClientT], None]) -> None:
        """Act on all clients; one for which this fails is dropped, and nobody else is touched by it."""
        for client in list(self.clients):
            try:
                act(client)
            except Exception as error:
                FAULT_LOG.log("a client is dropped", error)
                client.abort()

    def check_timeouts(self) -> None:
        """Disconnect clients that exceed a timeout."""
        self.for_each(lambda client: client.check_timeouts(self.clock()))

    def _count_staying(self) -> int:
        """Return how many clients there are; where all places are taken, without those on their way out."""
        clients = len(self.clients)
        if clients > self.limits.clients:
            clients = sum(not client.is_leaving for client in self.clients)
        return clients

    async def _watch_timeouts(self) -> None:
        """Disconnect clients that exceed a timeout, whatever happens at one look at them."""
        while True:
            await asyncio.sleep(self.limits.watch_interval_s)
            try:
                self.check_timeouts()
            except Exception as error:
                FAULT_LOG.log("a look at the timeouts of clients failed", error)


def _read_peer(transport: asyncio.Transport) -> Peer:
    host, port = (transport.get_extra_info("peername") or ("somebody gone already", 0))[:2]
    return str(host), int(port)


def format_clients(clients: int) -> str:
    """Format a number of clients with its noun."""
    return f"{clients:,} client{'' if clients == 1 else 's'}"


_ADVICE = {
    errno.EADDRINUSE: "another program listens there; end it, or choose another port",
    errno.EADDRNOTAVAIL: "no network of this machine has this address, or not yet",
    errno.EACCES: "ports below 1024 need the right CAP_NET_BIND_SERVICE; choose a higher one",
}
"""What to do about addresses on which a server cannot listen, by the number of the error."""


def _make_listen_error(host: str, port: int, error: OSError) -> GammondError:
    """Return the error for an address on which the server cannot listen: one that time may cure, or none."""
    if isinstance(error, socket.gaierror):
        reason = f"no address is known for this name ({error.strerror}); check it, or give an address"
    else:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
    advice = _ADVICE.get(error.errno or 0, "")
    message = f"cannot listen on {host} port {port}: {reason}{': ' if advice else ''}{advice}"
    return (ValueRangeError if error.errno == errno.EACCES else StateError)(message, field="port")
