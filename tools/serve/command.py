"""`gammond serve`: the line protocol on a socket, a board in the browser, or GNU Backgammon's player."""

from __future__ import annotations

import argparse
import itertools
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from gammond.engine.errors import FormatError, GammondError, LimitError, missing_package
from gammond.engine.runtime.exit_codes import EXIT_OK, EXIT_USAGE, find_error_code
from gammond.engine.runtime.version import read_version
from gammond.engine.store.database import DEFAULT_TIERS, DepthTiers
from gammond.engine.store.options import StoreOptions, check_store_file
from gammond.engine.wording import format_count
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.event_log import log_event
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.transports.idle_deepening import IdleDeepening
from gammond.protocol.transports.listening import ServerOptions, check_host, run_server
from gammond.protocol.transports.log_output import LogSettings, write_logs
from gammond.protocol.transports.process_end import end_process
from gammond.protocol.transports.systemd import SYSTEMD, Sockets, choose_sockets, take_sockets
from gammond.protocol.transports.tcp import serve_tcp
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.protocol.transports.workers import resolve_thread_count
from gammond.tools.common.background import prepare_on_first_compile
from gammond.tools.common.command_options import ToolCommand, collect_values, make_options
from gammond.tools.common.file_players import load_offered, make_file_players
from gammond.tools.common.pulse import PULSE
from gammond.tools.common.strength import DEFAULT_NET, load_decider
from gammond.tools.serve.config_file import (
    Configuration,
    ConfigurationKey,
    configure,
    format_configuration,
    list_keys,
)
from gammond.tools.serve.options import DIALECTS, ServeOptions, check_options, find_faults, parse_address

SUMMARY = "show a board to browsers, answer clients on sockets"

_LOG = logging.getLogger(__name__)

_OWN_FILES = 64
"""Files that a server has open besides its clients."""

_CLIENT_FILES = 2
"""Files for a client: as many more may be on their way out."""

_RAISE_LIMIT = "raise the limit with 'ulimit -n', or LimitNOFILE= in a unit of systemd"

_QUICK_S = 0.5
"""What a server waits for its net before it listens without; where kernels are there, it needs a tenth."""


class _ServeCommand(ToolCommand[ServeOptions]):
    """The command with the options of a configuration file beside those of the command line."""

    def main(self, args: argparse.Namespace) -> int:
        """Run the command and return its exit status.

        Raises:
            FormatError: The file cannot be read, or has faults.
            GammondError: As `run`.
        """
        keys = list_keys(self.options)
        configuration = configure(collect_values(args, self.options), keys)
        if args.check_config:
            return _check(configuration, keys)
        if configuration.faults:
            more = len(configuration.faults) - 1
            note = f" (and {format_count(more, 'fault')} more: --check-config)" if more else ""
            raise FormatError(f"{configuration.faults[0]}{note}", field="config")
        return run(make_options(configuration.values, self.options), configuration.explain)


def run(options: ServeOptions, explain: Callable[[GammondError], str] = lambda error: error.message) -> int:
    """Serve until SIGTERM, SIGHUP or Ctrl-C, and end the process with status 0.

    Args:
        options: Of the command.
        explain: Returns the message of an error about an option, with where that was set.

    Returns:
        With a log of JSON, which has the error, the status of an error.

    Raises:
        GammondError: An address or option is invalid, or the address cannot be listened on.
    """
    settings = LogSettings(options.log.log_format, options.log.log_level, not options.log.quiet)
    with write_logs(settings):
        try:
            _serve(options)
        except GammondError as error:
            error = error.with_message(explain(error))
            if settings.format == "text":
                raise error from None
            log_event(_LOG, "error", error.message, level=logging.ERROR, field=error.field)
            return find_error_code(error, "serve")
        log_event(_LOG, "ended", "ended")
    end_process(EXIT_OK)


def _check(configuration: Configuration, keys: Sequence[ConfigurationKey]) -> int:
    """Write the options that hold, or what is wrong; return the exit code."""
    faults = list(configuration.faults)
    try:
        faults += map(configuration.explain, find_faults(make_options(configuration.values, ServeOptions)))
    except GammondError as error:
        faults.append(configuration.explain(error))
    if faults:
        sys.stderr.write("".join(f"gammond: {each}\n" for each in faults))
        return EXIT_USAGE
    sys.stdout.write(format_configuration(configuration, keys))
    return EXIT_OK


def _serve(options: ServeOptions) -> None:
    """Serve until a signal comes.

    Raises:
        GammondError: As for `run`.
    """
    check_options(options)
    prepare_on_first_compile()
    names = [each for each in DIALECTS if getattr(options.listen, each) == SYSTEMD]
    found = take_sockets() if names else {}
    sockets = {each: choose_sockets(found, each, is_alone=len(names) == 1) for each in names}
    for each in itertools.chain(*sockets.values()):
        check_host(each.getsockname()[0], allow_remote=options.listen.allow_remote)
    (_serve_lines if options.listen.gnubg is None else _serve_gnubg)(options, sockets)


def _serve_lines(options: ServeOptions, sockets: Sockets) -> None:
    """Serve clients of the line protocol on TCP, in browsers, or both."""
    store = options.store.read()
    file_players = make_file_players(options.players.offer)
    for name in file_players.offered:
        with error_field("offer"):
            load_offered(name)  # an error ends the program before it listens
    service = Service(make_shipped_catalogue(store, file_players), ClientLimits(close_on_long_line=True))
    deepening = _make_deepening(service, store)
    default = service.catalogue.list_names()[0]
    what = f"the line protocol, by {default} unless a client sets engine.net"
    tcp = None if options.listen.tcp is None else _make_options("tcp", options, sockets, TcpLimits(), what)
    if options.listen.web is None:
        assert tcp is not None
        with _open_cluster(options.work.cluster, service):
            run_server(serve_tcp(service, tcp, deepening))
        return
    try:
        from gammond.protocol.transports.web.limits import WebLimits, WebOptions
        from gammond.protocol.transports.web.server import serve_web
    except ModuleNotFoundError as error:
        raise missing_package(
            "--web needs", (error.name or "starlette").partition(".")[0], "web", "web"
        ) from error
    limits, beside = WebLimits(), 0 if tcp is None else _count_files(tcp.limits.clients)
    web = _make_options("web", options, sockets, limits, "", limits.connections + beside)
    given = options.page
    page = WebOptions(
        given.web_host,
        ArchiveOptions.parse(given.archive or ""),
        given.accounts,
        given.web_allow_origin,
        given.page_sources,
        given.web_proxy,
    )
    with _open_cluster(options.work.cluster, service):
        run_server(serve_web(service, web, page, deepening, tcp))


@contextmanager
def _open_cluster(address: str | None, service: Service) -> Iterator[None]:
    """Let a cluster do long work of the clients during the block, where there is an address."""
    if address is None:
        yield
        return
    from gammond.tools.parallel.cluster_link import ClusterLink

    link = ClusterLink(address, lambda line: log_event(_LOG, "cluster", line))
    service.cluster = link
    with link.keep_open():
        yield


def _make_deepening(service: Service, store: StoreOptions) -> IdleDeepening | None:
    """Make what deepens the store while no client asks; None if that is off.

    Raises:
        FormatError: The tiers cannot be parsed.
        ValueRangeError: They are out of range.
    """
    if not (store.on and store.deepen):
        return None
    tiers = DepthTiers.parse(store.tiers) if store.tiers else DEFAULT_TIERS
    return IdleDeepening(service, store.idle, tiers, lambda line: log_event(_LOG, "deepening", line))


def _serve_gnubg(options: ServeOptions, sockets: Sockets) -> None:
    from gammond.protocol.dialects.gnubg_evaluation import GnubgRules
    from gammond.protocol.transports.gnubg import GNUBG_LIMITS, serve_gnubg

    given = options.engine
    strength, threads = given.strength.choose(), resolve_thread_count(options.limits.threads)
    net, loader = given.net or DEFAULT_NET, ThreadPoolExecutor(1)
    store = options.store.read()
    check_store_file(store)
    loading = loader.submit(load_decider, net, strength, threads, player=given.player, store=store)
    if wait((loading,), _QUICK_S).done:
        loading.result()  # an error ends the program before it listens
    else:
        log_event(_LOG, "loading", f"loads the net {net}: clients wait for their answers meanwhile", net=net)
    name = given.player or (make_shipped_catalogue().list_names()[0] if net == DEFAULT_NET else net)
    what = f"external player for GNU Backgammon, {name} at {strength.name}"
    rules = GnubgRules(jacoby=not given.no_jacoby, beavers=given.beavers)
    run_server(serve_gnubg(loading, _make_options("gnubg", options, sockets, GNUBG_LIMITS, what), rules))


def _make_options(
    dialect: str, options: ServeOptions, sockets: Sockets, limits: TcpLimits, what: str, others: int = 0
) -> ServerOptions:
    """Return where and how to serve.

    Args:
        dialect: One of `DIALECTS`.
        options: The options of the command.
        sockets: Those of systemd, by dialect.
        limits: The dialect's own caps.
        what: What is served, for the person who starts it; for browsers empty.
        others: Files and sockets that are open besides those of its clients.
    """
    given = options.limits
    limits = replace(
        limits,
        clients=fit_clients(limits.clients if given.clients is None else given.clients, others),
        idle_s=limits.idle_s if given.idle_timeout is None else given.idle_timeout,
    )
    taken = sockets.get(dialect, ())
    host, port = ("", 0) if taken else parse_address(getattr(options.listen, dialect))
    announce = partial(_announce, dialect, what, limits.clients)
    return ServerOptions(host, port, limits, given.threads, on_listening=announce, sockets=taken)


def _announce(dialect: str, what: str, clients: int, host: str, port: int) -> None:
    """Say where a server listens, and what it plays and serves.

    Args:
        dialect: As for `_make_options`.
        what: As there.
        clients: How many there may be.
        host: Where it listens.
        port: Its port.
    """
    PULSE.stop()
    version = read_version()
    if what:
        place = f"listens on {host} port {port}"
        hint = f"{what}; at most {clients:,} clients, Ctrl-C ends it"
    else:
        place = f"shows the board at http://{f'[{host}]' if ':' in host else host}:{port}/"
        hint = f"open it in a browser; at most {clients:,} open WebSockets, Ctrl-C ends it"
    fields: dict[str, Any] = {
        "dialect": dialect,
        "address": host,
        "port": port,
        "version": version,
        "most_clients": clients,
    }
    log_event(_LOG, "listening", f"gammond {version} {place}", **fields)
    log_event(_LOG, "message", hint)


def fit_clients(clients: int, others: int = 0) -> int:
    """Return how many clients the limit of open files leaves room for, and say so if they are fewer.

    Args:
        clients: How many are wanted.
        others: Files and sockets that are open besides: those of other listeners, connections of no client.

    Raises:
        LimitError: There is room for none.
    """
    kept = _OWN_FILES + others
    allowed = _raise_open_file_limit(_count_files(clients) + kept)
    room = (allowed - kept) // _CLIENT_FILES
    if room < 1:
        raise LimitError(
            f"expected {kept + _CLIENT_FILES} open files or more, the system allows {allowed}: "
            f"{_RAISE_LIMIT}",
            field="clients",
        )
    if room < clients:
        _LOG.warning(
            "the system allows %s open files, so %s clients, not %s: %s",
            *(f"{number:,}" for number in (allowed, room, clients)),
            _RAISE_LIMIT,
        )
    return min(clients, room)


def _count_files(clients: int) -> int:
    """Return how many files and sockets clients may have open."""
    return _CLIENT_FILES * clients


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


COMMAND = _ServeCommand(ServeOptions, run)
