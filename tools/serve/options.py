"""The options of `gammond serve`; a configuration file has the same, by their long names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from msgspec import Struct

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.nets.player_specs import FILE_WORDS, split_file_options
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.transports.listening import check_host
from gammond.protocol.transports.log_output import LOG_FORMATS, LOG_LEVELS
from gammond.protocol.transports.systemd import SYSTEMD
from gammond.protocol.transports.web.limits import Proxies
from gammond.tools.common.command_options import list_given, option, spell_option
from gammond.tools.common.store_options import StoreChoice
from gammond.tools.common.strength import StrengthOptions, net_option, player_option

MAX_CLIENTS = 10_000
MAX_IDLE_S = 10_000_000

DIALECTS = ("tcp", "web", "gnubg")
"""The options that say where to listen."""

LOOPBACK = "127.0.0.1"


class ListenOptions(Struct, frozen=True, kw_only=True):
    """Where a server listens."""

    TITLE: ClassVar[str] = "listen"

    tcp: (
        Annotated[
            str,
            option(
                f"the line protocol of docs/reference/protocol.md (HOST {LOOPBACK}); '{SYSTEMD}' takes the "
                "sockets of systemd's socket unit",
                "[HOST:]PORT",
            ),
        ]
        | None
    ) = None
    web: (
        Annotated[
            str,
            option(
                "the board in the browser, and the line protocol on a WebSocket; beside --tcp or without it",
                "[HOST:]PORT",
            ),
        ]
        | None
    ) = None
    gnubg: (
        Annotated[
            str,
            option(
                f"GNU Backgammon's external-player dialect: 'set player 0 external {LOOPBACK}:PORT' in gnubg",
                "[HOST:]PORT",
            ),
        ]
        | None
    ) = None
    allow_remote: Annotated[bool, option("allow a HOST that other machines can reach")] = False


class LimitOptions(Struct, frozen=True, kw_only=True):
    """How much a server does at the same time."""

    TITLE: ClassVar[str] = "limits"

    threads: (
        Annotated[
            int,
            option(
                f"threads for requests, up to {MAX_THREADS} (default one for each core)", ge=1, le=MAX_THREADS
            ),
        ]
        | None
    ) = None
    clients: (
        Annotated[
            int,
            option("clients at the same time (default 256, with --gnubg 64)", ge=1, le=MAX_CLIENTS),
        ]
        | None
    ) = None
    idle_timeout: (
        Annotated[
            float,
            option(
                "disconnect a client that sends nothing for this long (default an hour, with --gnubg a day)",
                "SECONDS",
                ge=1,
                le=MAX_IDLE_S,
            ),
        ]
        | None
    ) = None


class ClusterOptions(Struct, frozen=True, kw_only=True):
    """Who does long work."""

    TITLE: ClassVar[str] = "cluster"

    cluster: (
        Annotated[
            str,
            option(
                "with --tcp or --web: let a cluster do rollouts and analyses of matches: HOST:PORT of "
                "`gammond cluster start`, or local:N for N workers of this machine",
                "ADDRESS",
            ),
        ]
        | None
    ) = None


class OfferOptions(Struct, frozen=True, kw_only=True):
    """Which players that name files clients may ask."""

    TITLE: ClassVar[str] = "players"

    offer: Annotated[
        tuple[str, ...],
        option(
            "with --tcp or --web: let clients play and ask one that names files: run:FOLDER, wildbg:FOLDER, "
            "or function:FILE.py, which is run; repeat it for more",
            "PLAYER",
            is_repeated=True,
        ),
    ] = ()


class PageOptions(Struct, frozen=True, kw_only=True):
    """Who may reach the board in the browser, and what it keeps."""

    TITLE: ClassVar[str] = "web"

    web_host: Annotated[
        tuple[str, ...],
        option(
            "with --web: another name under which browsers reach the server, such as that of a proxy",
            "NAME[:PORT]",
            is_repeated=True,
        ),
    ] = ()
    web_proxy: Annotated[
        tuple[str, ...],
        option(
            "with --web: a proxy, by its address or network (127.0.0.1 for one of this machine), whose "
            "X-Forwarded-For is believed, so that limits and the log tell visitors apart",
            "ADDRESS",
            is_repeated=True,
        ),
    ] = ()
    web_allow_origin: Annotated[
        tuple[str, ...],
        option(
            "with --web: let pages of another server (https://board.example) ask about positions over HTTP",
            "ORIGIN",
            is_repeated=True,
        ),
    ] = ()
    archive: (
        Annotated[
            str,
            option(
                "with --web: where tables and games are kept (default games.sqlite in the data folder), or "
                "off",
                "FILE|off",
                table=ArchiveOptions,
            ),
        ]
        | None
    ) = None
    accounts: Annotated[bool, option("with --web: let people protect their names by a password")] = False
    page_sources: Annotated[
        bool,
        option("with --web: serve the page's scripts and styles as they are written, for who works on them"),
    ] = False


class GnubgOptions(Struct, frozen=True, kw_only=True):
    """How this engine plays for GNU Backgammon."""

    TITLE: ClassVar[str] = "gnubg"

    net: Annotated[str, net_option("with --gnubg: the evaluator")] | None = None
    player: Annotated[str, player_option("with --gnubg: ")] | None = None
    strength: StrengthOptions = StrengthOptions()
    no_jacoby: Annotated[bool, option("with --gnubg: play money games without the Jacoby rule")] = False
    beavers: Annotated[bool, option("with --gnubg: allow beavers")] = False


class LogOptions(Struct, frozen=True, kw_only=True):
    """What is logged."""

    TITLE: ClassVar[str] = "log"

    quiet: Annotated[bool, option("do not say who connects and who leaves")] = False
    log_format: Annotated[str, option("lines for people, or JSON objects", choices=LOG_FORMATS)] = "text"
    log_level: Annotated[
        str,
        option(
            "the least that is logged; debug has each request over HTTP and each client",
            choices=LOG_LEVELS,
        ),
    ] = "info"


class ServeOptions(Struct, frozen=True, kw_only=True):
    """Where and how a server serves; the titles of the groups are the tables of a configuration file."""

    config: (
        Annotated[
            str,
            option(
                "a TOML file with options by their long names (deploy/gammond.toml); those given here win",
                "FILE",
            ),
        ]
        | None
    ) = None
    check_config: Annotated[
        bool, option("write the options that hold, or what is wrong with them, and exit with status 0 or 2")
    ] = False
    listen: ListenOptions = ListenOptions()
    limits: LimitOptions = LimitOptions()
    work: ClusterOptions = ClusterOptions()
    players: OfferOptions = OfferOptions()
    page: PageOptions = PageOptions()
    engine: GnubgOptions = GnubgOptions()
    store: StoreChoice = StoreChoice()
    log: LogOptions = LogOptions()


def check_options(options: ServeOptions) -> None:
    """Check that one dialect is given, and that the options are for it.

    Raises:
        ValueRangeError: Two listeners have one port, or an address is none.
        UnsupportedError: An option of the other dialect, or both.
        FormatError: The options of the store or the archive cannot be parsed.
    """
    for fault in find_faults(options):
        raise fault


def find_faults(options: ServeOptions) -> Iterator[GammondError]:
    """Yield each error that options have as `check_options` would raise it, with the option as its field."""
    listen = options.listen
    if listen.tcp is None and listen.web is None and listen.gnubg is None:
        yield ValueRangeError(
            "expected --web [HOST:]PORT for the board in the browser, such as --web 8080, --tcp [HOST:]PORT "
            "for the line protocol, or --gnubg [HOST:]PORT for GNU Backgammon",
            field="tcp",
        )
        return
    if listen.gnubg is not None and (listen.tcp is not None or listen.web is not None):
        other = "--web" if listen.tcp is None else "--tcp"
        yield UnsupportedError(
            f"{other} and --gnubg: a server speaks one of the two; start two servers, each with its own port",
            field="gnubg",
        )
    yield from _find_misplaced(options)
    yield from _find_address_faults(listen)
    for check in (_check_cluster, _check_offered, _check_store, _check_archive, _check_proxies):
        try:
            check(options)
        except GammondError as error:
            yield error


def _find_misplaced(options: ServeOptions) -> Iterator[GammondError]:
    """Yield an error for each option that is for another dialect."""
    for name in list_given(options.page) if options.listen.web is None else ():
        yield UnsupportedError(f"{spell_option(name)} is only for --web", field=name)
    for name in list_given(options.engine) if options.listen.gnubg is None else ():
        yield UnsupportedError(
            f"{spell_option(name)} is only for --gnubg; clients of --tcp and --web use 'set'", field=name
        )


def _find_address_faults(listen: ListenOptions) -> Iterator[GammondError]:
    addresses = {}
    for name in DIALECTS:
        text = getattr(listen, name)
        if text in (None, SYSTEMD):
            continue
        try:
            host, port = addresses[name] = parse_address(text)
            check_host(host, allow_remote=listen.allow_remote)
        except GammondError as error:
            yield error.with_field(name)
        else:
            if port and name == "web" and addresses.get("tcp") == (host, port):
                yield ValueRangeError(
                    f"--tcp and --web: expected a port for each, got {port} twice", field=name
                )


def _check_store(options: ServeOptions) -> None:
    options.store.read()


def _check_archive(options: ServeOptions) -> None:
    ArchiveOptions.parse(options.page.archive or "")


def _check_proxies(options: ServeOptions) -> None:
    Proxies(options.page.web_proxy)


def _check_offered(options: ServeOptions) -> None:
    for name in options.players.offer:
        if options.listen.gnubg is not None:
            raise UnsupportedError("--offer is only for --tcp and --web; --gnubg has --player", field="offer")
        if name.partition(":")[0] not in FILE_WORDS or split_file_options(name)[1]:
            raise ValueRangeError(
                "--offer: expected run:FOLDER, wildbg:FOLDER or function:FILE.py without options, which "
                f"clients may add, got {name[:80]!r}",
                field="offer",
            )


def _check_cluster(options: ServeOptions) -> None:
    if options.work.cluster is None:
        return
    from gammond.tools.parallel.cluster import ClusterExecutor  # takes a tenth of a second

    if options.listen.gnubg is not None:
        raise UnsupportedError("--cluster is only for --tcp and --web", field="cluster")
    ClusterExecutor(options.work.cluster)


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
