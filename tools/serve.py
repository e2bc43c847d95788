"""`gammond serve`: the line protocol on a socket, a board in the browser, or GNU Backgammon's player."""

from __future__ import annotations

import argparse
import atexit
import logging
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn

from engine.errors import LimitError, UnsupportedError, ValueRangeError, missing_package
from engine.runtime.cores import MAX_THREADS
from engine.runtime.version import read_version
from engine.store.options import StoreOptions
from engine.store.tiers import DEFAULT_TIERS, DepthTiers
from protocol.core.limits import ClientLimits
from protocol.state.service import Service, make_shipped_catalogue
from protocol.transports.connection_log import ClientCallback
from protocol.transports.idle_deepening import IdleDeepening
from protocol.transports.listening import (
    ListeningCallback,
    ServerOptions,
    check_host,
    format_clients,
    ignore_client,
    run_server,
)
from protocol.transports.process_end import end_process
from protocol.transports.tcp import serve_tcp
from protocol.transports.tcp_limits import TcpLimits
from protocol.transports.workers import resolve_thread_count
from tools.common.background import prepare_on_first_compile
from tools.common.pulse import PULSE
from tools.common.store_options import add_store_arguments, make_opener, read_store_arguments
from tools.common.strength import (
    DEFAULT_NET,
    STRENGTH_OPTIONS,
    add_net_argument,
    add_player_argument,
    add_strength_arguments,
    load_decider,
    read_strength,
)

MAX_CLIENTS = 10_000
MAX_IDLE_S = 10_000_000

_MOST_LINES = 200
"""Lines that wait to be written."""

_LAST_LINES_S = 0.2
"""How long a server that ends waits for these."""

_QUICK_S = 0.5
"""What a server waits for its net before it listens without; where kernels are there, it needs a tenth."""

_OWN_FILES = 64
"""Files that a server has open besides its clients."""

_RAISE_LIMIT = "raise the limit with 'ulimit -n', or LimitNOFILE= in a unit of systemd"

SUMMARY = "show a board to browsers, answer clients on sockets"

LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tool's options."""
    parser.add_argument(
        "--tcp",
        metavar="[HOST:]PORT",
        help=f"the line protocol of docs/reference/protocol.md (HOST {LOOPBACK})",
    )
    parser.add_argument(
        "--web",
        metavar="[HOST:]PORT",
        help="the board in the browser, and the line protocol on a WebSocket; beside --tcp or without it",
    )
    parser.add_argument(
        "--web-host",
        action="append",
        metavar="NAME[:PORT]",
        help="with --web: another name under which browsers reach the server, such as that of a proxy",
    )
    parser.add_argument(
        "--web-allow-origin",
        action="append",
        metavar="ORIGIN",
        help="with --web: let pages of another server (https://board.example) ask bgweb-api's getmoves",
    )
    parser.add_argument(
        "--archive",
        metavar="FILE|off",
        help="with --web: where tables and games are kept (default games.sqlite in the data folder), or off",
    )
    parser.add_argument(
        "--accounts",
        action="store_true",
        help="with --web: let people protect their names by a password",
    )
    parser.add_argument(
        "--page-sources",
        action="store_true",
        help="with --web: serve the page's scripts and styles as they are written, for who works on them",
    )
    parser.add_argument(
        "--gnubg",
        metavar="[HOST:]PORT",
        help=f"GNU Backgammon's external-player dialect: 'set player 0 external {LOOPBACK}:PORT' in gnubg",
    )
    parser.add_argument(
        "--allow-remote", action="store_true", help="allow a HOST that other machines can reach"
    )
    parser.add_argument(
        "--threads",
        type=int,
        help=f"threads for requests, up to {MAX_THREADS} (default one for each core)",
    )
    parser.add_argument("--clients", type=int, help="clients at the same time (default 256, with --gnubg 64)")
    parser.add_argument(
        "--idle-timeout",
        type=float,
        metavar="SECONDS",
        help="disconnect a client that sends nothing for this long (default an hour, with --gnubg a day)",
    )
    add_net_argument(parser, "with --gnubg: the evaluator", default=None)
    add_player_argument(parser, "with --gnubg: ")
    add_strength_arguments(parser, "with --gnubg: ")
    parser.add_argument(
        "--no-jacoby",
        action="store_true",
        help="with --gnubg: play money games without the Jacoby rule",
    )
    parser.add_argument("--beavers", action="store_true", help="with --gnubg: allow beavers")
    add_store_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help="do not say who connects and who leaves")


def main(args: argparse.Namespace) -> NoReturn:
    """Serve until SIGTERM, SIGHUP or Ctrl-C, and end the process with status 0.

    Raises:
        GammondError: An address or option is invalid, or the address cannot be listened on.
    """
    logging.basicConfig(format="gammond: %(levelname)s: %(message)s")
    logging.getLogger("protocol.dialects.gnubg_external").setLevel(logging.INFO)  # for 'set debug on'
    _check_options(args)
    for address in (args.tcp, args.web, args.gnubg):
        if address is not None:
            check_host(parse_address(address)[0], allow_remote=args.allow_remote)
    prepare_on_first_compile()
    say = _start_writing()
    (_serve_lines if args.gnubg is None else _serve_gnubg)(args, say)
    say("ended")
    end_process(0)


def parse_address(text: str) -> tuple[str, int]:
    """Parse ``PORT``, ``HOST:PORT`` or ``[IPV6]:PORT``.

    Returns:
        Host, by default loopback, and port.

    Raises:
        ValueRangeError: The port is no number 0..65535, or the host is empty.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else LOOPBACK
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueRangeError(
            f"expected [HOST:]PORT with a port 0..65535, such as 4321 or localhost:4321, got {text[:80]!r}",
            field="port",
        )
    return host, int(port)


def _check_options(args: argparse.Namespace) -> None:
    """Check the options, that one dialect is given, and that they are for it.

    Raises:
        ValueRangeError: A number is outside its range.
        UnsupportedError: An option of the other dialect, or both.
    """
    if args.tcp is None and args.web is None and args.gnubg is None:
        raise ValueRangeError(
            "expected --web [HOST:]PORT for the board in the browser, such as --web 8080, --tcp [HOST:]PORT "
            "for the line protocol, or --gnubg [HOST:]PORT for GNU Backgammon",
            field="tcp",
        )
    if args.gnubg is not None and (args.tcp is not None or args.web is not None):
        other = "--web" if args.tcp is None else "--tcp"
        raise UnsupportedError(
            f"{other} and --gnubg: a server speaks one of the two; start two servers, each with its own port",
            field="gnubg",
        )
    for name in ("web_host", "web_allow_origin", "archive", "accounts", "page_sources"):
        if getattr(args, name) and args.web is None:
            raise UnsupportedError(f"{_format_option(name)} is only for --web", field=name)
    for name, most in (("clients", MAX_CLIENTS), ("threads", MAX_THREADS), ("idle_timeout", MAX_IDLE_S)):
        value = getattr(args, name)
        if value is not None and not 1 <= value <= most:
            note = f"; {most} seconds are four months, as good as never" if name == "idle_timeout" else ""
            raise ValueRangeError(
                f"{_format_option(name)}: expected a number from 1 to {most:,}, got {value:g}{note}",
                field=name,
            )
    for name in ("net", "player", "no_jacoby", "beavers", *STRENGTH_OPTIONS):
        is_given = getattr(args, name) is not None and getattr(args, name) is not False
        if args.gnubg is None and is_given:
            raise UnsupportedError(
                f"{_format_option(name)} is only for --gnubg; clients of --tcp and --web use 'set'",
                field=name,
            )


def _format_option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _fit_clients(clients: int) -> int:
    """Return how many clients the limit of open files leaves room for, and say so if they are fewer.

    Raises:
        LimitError: There is room for none.
    """
    allowed = _raise_open_file_limit(2 * clients + _OWN_FILES)  # as many more may be on their way out
    room = (allowed - _OWN_FILES) // 2
    if room < 1:
        raise LimitError(
            f"expected {_OWN_FILES + 2} open files or more, the system allows {allowed}: {_RAISE_LIMIT}",
            field="clients",
        )
    if room < clients:
        sys.stderr.write(
            f"gammond: the system allows {allowed:,} open files, so {room:,} clients, not {clients:,}: "
            f"{_RAISE_LIMIT}\n"
        )
    return min(clients, room)


def _raise_open_file_limit(wanted: int) -> int:
    """Raise the limit of open files as far as the system allows, if it is below a number.

    Args:
        wanted: The number of files and sockets to have room for.

    Returns:
        How many may be open; the number itself where there is no such limit.
    """
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        except (OSError, ValueError):  # the system has a lower limit of its own
            return soft
    return allowed


def _serve_lines(args: argparse.Namespace, say: ClientCallback) -> None:
    """Serve clients of the line protocol on TCP, in browsers, or both."""
    store = read_store_arguments(args)
    service = Service(make_shipped_catalogue(store), ClientLimits(close_on_long_line=True))
    deepening = _make_deepening(service, store, say)
    default = service.catalogue.list_names()[0]
    what = f"the line protocol, by {default} unless a client sets engine.net"
    tcp = None if args.tcp is None else _make_options(args.tcp, args, TcpLimits(), what, say)
    if args.web is None:
        assert tcp is not None
        run_server(serve_tcp(service, tcp, deepening))
        return
    try:
        from protocol.archive.options import ArchiveOptions
        from protocol.transports.web.limits import WebLimits, WebOptions
        from protocol.transports.web.server import serve_web
    except ModuleNotFoundError as error:
        raise missing_package(
            "--web needs", (error.name or "starlette").partition(".")[0], "web", "web"
        ) from error
    options = _make_options(args.web, args, WebLimits(), "", say)
    options = replace(options, on_listening=_announce_web(options.limits))
    archive = ArchiveOptions.parse(args.archive or "")
    origins = tuple(args.web_allow_origin or ())
    web = WebOptions(tuple(args.web_host or ()), archive, args.accounts, origins, args.page_sources)
    run_server(serve_web(service, options, web, deepening, tcp))


def _make_deepening(service: Service, store: StoreOptions, say: ClientCallback) -> IdleDeepening | None:
    """Make what deepens the store while no client asks; None if that is off.

    Raises:
        FormatError: The tiers cannot be parsed.
        ValueRangeError: They are out of range.
    """
    if not (store.on and store.deepen):
        return None
    tiers = DepthTiers.parse(store.tiers) if store.tiers else DEFAULT_TIERS
    return IdleDeepening(service, store.idle, tiers, say)


def _serve_gnubg(args: argparse.Namespace, say: ClientCallback) -> None:
    from protocol.dialects.gnubg_evaluation import GnubgRules
    from protocol.transports.gnubg import GNUBG_LIMITS, serve_gnubg

    strength, threads = read_strength(args), resolve_thread_count(args.threads)
    net, loader = args.net or DEFAULT_NET, ThreadPoolExecutor(1)
    loading = loader.submit(
        load_decider, net, strength, threads, player=args.player, open_store=make_opener(args)
    )
    if wait((loading,), _QUICK_S).done:
        loading.result()  # an error ends the program before it listens
    else:
        say(f"loads the net {net}: clients wait for their answers meanwhile")
    name = args.player or (make_shipped_catalogue().list_names()[0] if net == DEFAULT_NET else net)
    what = f"external player for GNU Backgammon, {name} at {strength.name}"
    rules = GnubgRules(jacoby=not args.no_jacoby, beavers=args.beavers)
    run_server(serve_gnubg(loading, _make_options(args.gnubg, args, GNUBG_LIMITS, what, say), rules))


def _make_options(
    address: str, args: argparse.Namespace, limits: TcpLimits, what: str, say: ClientCallback
) -> ServerOptions:
    """Return where and how to serve.

    Args:
        address: Where to listen, as for `parse_address`.
        args: The options of the command.
        limits: The dialect's own caps.
        what: What is served, for the person who starts it.
        say: Writes a line to stderr.
    """
    limits = replace(
        limits,
        clients=_fit_clients(limits.clients if args.clients is None else args.clients),
        idle_s=limits.idle_s if args.idle_timeout is None else args.idle_timeout,
    )
    host, port = parse_address(address)
    return ServerOptions(
        host,
        port,
        limits,
        args.threads,
        on_listening=_announce(what, limits),
        on_client=ignore_client if args.quiet else say,
        on_ending=lambda clients: say(f"ending, waiting for {format_clients(clients)}"),
    )


def _announce(what: str, limits: TcpLimits) -> ListeningCallback:
    """Return what says where a server listens, and what it plays and serves."""

    def announce(host: str, port: int) -> None:
        PULSE.stop()
        sys.stderr.write(
            f"gammond {read_version()} listens on {host} port {port}\n"
            f"gammond: {what}; at most {limits.clients:,} clients, Ctrl-C ends it\n"
        )
        sys.stderr.flush()

    return announce


def _announce_web(limits: TcpLimits) -> ListeningCallback:
    """Return what says where to find the page."""

    def announce(host: str, port: int) -> None:
        PULSE.stop()
        place = f"[{host}]" if ":" in host else host
        sys.stderr.write(
            f"gammond {read_version()} shows the board at http://{place}:{port}/\n"
            f"gammond: open it in a browser; at most {limits.clients:,} open WebSockets, Ctrl-C ends it\n"
        )
        sys.stderr.flush()

    return announce


def _start_writing() -> ClientCallback:
    """Return what writes lines to stderr, whose reader may be slow or asleep.

    A thread writes them; those for which there is no room are dropped, and the server waits for nobody.
    """
    lines: queue.Queue[str] = queue.Queue(_MOST_LINES)

    def write() -> None:
        while True:
            sys.stderr.write(f"gammond: {lines.get()}\n")
            sys.stderr.flush()
            lines.task_done()

    def take(line: str) -> None:
        with suppress(queue.Full):
            lines.put_nowait(line)

    def finish() -> None:
        end_s = time.monotonic() + _LAST_LINES_S
        while lines.unfinished_tasks and time.monotonic() < end_s:
            time.sleep(0.005)

    threading.Thread(target=write, name="clients", daemon=True).start()
    atexit.register(finish)
    return take
