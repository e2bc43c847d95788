"""The options of `gammond serve`; a configuration file has the same, by their long names."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.options import list_fields
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.nets.player_specs import FILE_WORDS, split_file_options
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.transports.listening import check_host
from gammond.protocol.transports.log_output import LOG_FORMATS, LOG_LEVELS
from gammond.protocol.transports.systemd import SYSTEMD
from gammond.protocol.transports.web.limits import Proxies
from gammond.tools.common.options import add_store_arguments, read_store_arguments
from gammond.tools.common.strength import (
    STRENGTH_OPTIONS,
    add_net_argument,
    add_player_argument,
    add_strength_arguments,
    read_strength,
)

MAX_CLIENTS = 10_000
MAX_IDLE_S = 10_000_000

DIALECTS = ("tcp", "web", "gnubg")
"""The options that say where to listen."""

LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the tool's options, all with the default None or False.

    The groups of the help are the tables of a configuration file.
    """
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="a TOML file with options by their long names (deploy/gammond.toml); those given here win",
    )
    parser.add_argument(
        "--check-config",
        action="store_true",
        help="write the options that hold, or what is wrong with them, and exit with status 0 or 2",
    )
    _add_listening(parser.add_argument_group("listen"))
    _add_limits(parser.add_argument_group("limits"))
    _add_cluster(parser.add_argument_group("cluster"))
    _add_players(parser.add_argument_group("players"))
    _add_web(parser.add_argument_group("web"))
    _add_gnubg(parser.add_argument_group("gnubg"))
    add_store_arguments(parser)
    _add_log(parser.add_argument_group("log"))


def _add_listening(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--tcp",
        metavar="[HOST:]PORT",
        help=f"the line protocol of docs/reference/protocol.md (HOST {LOOPBACK}); "
        f"'{SYSTEMD}' takes the sockets of systemd's socket unit",
    )
    group.add_argument(
        "--web",
        metavar="[HOST:]PORT",
        help="the board in the browser, and the line protocol on a WebSocket; beside --tcp or without it",
    )
    group.add_argument(
        "--gnubg",
        metavar="[HOST:]PORT",
        help=f"GNU Backgammon's external-player dialect: 'set player 0 external {LOOPBACK}:PORT' in gnubg",
    )
    group.add_argument(
        "--allow-remote", action="store_true", help="allow a HOST that other machines can reach"
    )


def _add_limits(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--threads",
        type=int,
        help=f"threads for requests, up to {MAX_THREADS} (default one for each core)",
    )
    group.add_argument("--clients", type=int, help="clients at the same time (default 256, with --gnubg 64)")
    group.add_argument(
        "--idle-timeout",
        type=float,
        metavar="SECONDS",
        help="disconnect a client that sends nothing for this long (default an hour, with --gnubg a day)",
    )


def _add_cluster(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="with --tcp or --web: let a cluster do rollouts and analyses of matches: HOST:PORT of `gammond "
        "cluster start`, or local:N for N workers of this machine",
    )


def _add_players(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--offer",
        action="append",
        metavar="PLAYER",
        help="with --tcp or --web: let clients play and ask one that names files: run:FOLDER, "
        "wildbg:FOLDER, or function:FILE.py, which is run; repeat it for more",
    )


def _add_web(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--web-host",
        action="append",
        metavar="NAME[:PORT]",
        help="with --web: another name under which browsers reach the server, such as that of a proxy",
    )
    group.add_argument(
        "--web-proxy",
        action="append",
        metavar="ADDRESS",
        help="with --web: a proxy, by its address or network (127.0.0.1 for one of this machine), whose "
        "X-Forwarded-For is believed, so that limits and the log tell visitors apart",
    )
    group.add_argument(
        "--web-allow-origin",
        action="append",
        metavar="ORIGIN",
        help="with --web: let pages of another server (https://board.example) ask about positions over HTTP",
    )
    archive = group.add_argument(
        "--archive",
        metavar="FILE|off",
        help="with --web: where tables and games are kept (default games.sqlite in the data folder), or off",
    )
    archive.fields = list_fields(ArchiveOptions)  # type: ignore[attr-defined]  # for configuration files
    group.add_argument(
        "--accounts",
        action="store_true",
        help="with --web: let people protect their names by a password",
    )
    group.add_argument(
        "--page-sources",
        action="store_true",
        help="with --web: serve the page's scripts and styles as they are written, for who works on them",
    )


def _add_gnubg(group: argparse._ArgumentGroup) -> None:
    add_net_argument(group, "with --gnubg: the evaluator", default=None)
    add_player_argument(group, "with --gnubg: ")
    add_strength_arguments(group, "with --gnubg: ")
    group.add_argument(
        "--no-jacoby",
        action="store_true",
        help="with --gnubg: play money games without the Jacoby rule",
    )
    group.add_argument("--beavers", action="store_true", help="with --gnubg: allow beavers")


def _add_log(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--quiet", action="store_true", help="do not say who connects and who leaves")
    group.add_argument(
        "--log-format", choices=LOG_FORMATS, help="lines for people, or JSON objects (default text)"
    )
    group.add_argument(
        "--log-level",
        choices=LOG_LEVELS,
        help="the least that is logged; debug has each request over HTTP and each client (default info)",
    )


def check_options(args: argparse.Namespace) -> None:
    """Check the options, that one dialect is given, and that they are for it.

    Raises:
        ValueRangeError: A number is outside its range, or two listeners have one port.
        UnsupportedError: An option of the other dialect, or both.
        FormatError: The options of the store or the archive cannot be parsed.
    """
    for fault in find_faults(args):
        raise fault


def find_faults(args: argparse.Namespace) -> Iterator[GammondError]:
    """Yield each error that options have as `check_options` would raise it, with the option as its field."""
    if args.tcp is None and args.web is None and args.gnubg is None:
        yield ValueRangeError(
            "expected --web [HOST:]PORT for the board in the browser, such as --web 8080, --tcp [HOST:]PORT "
            "for the line protocol, or --gnubg [HOST:]PORT for GNU Backgammon",
            field="tcp",
        )
        return
    if args.gnubg is not None and (args.tcp is not None or args.web is not None):
        other = "--web" if args.tcp is None else "--tcp"
        yield UnsupportedError(
            f"{other} and --gnubg: a server speaks one of the two; start two servers, each with its own port",
            field="gnubg",
        )
    yield from _find_misplaced(args)
    yield from _find_address_faults(args)
    for name, most in (("clients", MAX_CLIENTS), ("threads", MAX_THREADS), ("idle_timeout", MAX_IDLE_S)):
        value = getattr(args, name)
        if value is not None and not 1 <= value <= most:
            note = f"; {most} seconds are four months, as good as never" if name == "idle_timeout" else ""
            yield ValueRangeError(
                f"{_format_option(name)}: expected a number from 1 to {most:,}, got {value:g}{note}",
                field=name,
            )
    checks = (_check_cluster, _check_offered, read_store_arguments, read_strength)
    for check in (*checks, _check_archive, _check_proxies):
        try:
            check(args)
        except GammondError as error:
            yield error


def _find_misplaced(args: argparse.Namespace) -> Iterator[GammondError]:
    """Yield an error for each option that is for another dialect."""
    for name in ("web_host", "web_proxy", "web_allow_origin", "archive", "accounts", "page_sources"):
        if getattr(args, name) and args.web is None:
            yield UnsupportedError(f"{_format_option(name)} is only for --web", field=name)
    for name in ("net", "player", "no_jacoby", "beavers", *STRENGTH_OPTIONS):
        is_given = getattr(args, name) is not None and getattr(args, name) is not False
        if args.gnubg is None and is_given:
            yield UnsupportedError(
                f"{_format_option(name)} is only for --gnubg; clients of --tcp and --web use 'set'",
                field=name,
            )


def _find_address_faults(args: argparse.Namespace) -> Iterator[GammondError]:
    addresses = {}
    for name in DIALECTS:
        text = getattr(args, name)
        if text in (None, SYSTEMD):
            continue
        try:
            host, port = addresses[name] = parse_address(text)
            check_host(host, allow_remote=args.allow_remote)
        except GammondError as error:
            yield error.with_field(name)
        else:
            if port and name == "web" and addresses.get("tcp") == (host, port):
                yield ValueRangeError(
                    f"--tcp and --web: expected a port for each, got {port} twice", field=name
                )


def _check_archive(args: argparse.Namespace) -> None:
    ArchiveOptions.parse(args.archive or "")


def _check_proxies(args: argparse.Namespace) -> None:
    Proxies(args.web_proxy or ())


def _check_offered(args: argparse.Namespace) -> None:
    for name in args.offer or ():
        if args.gnubg is not None:
            raise UnsupportedError("--offer is only for --tcp and --web; --gnubg has --player", field="offer")
        if name.partition(":")[0] not in FILE_WORDS or split_file_options(name)[1]:
            raise ValueRangeError(
                "--offer: expected run:FOLDER, wildbg:FOLDER or function:FILE.py without options, which "
                f"clients may add, got {name[:80]!r}",
                field="offer",
            )


def _check_cluster(args: argparse.Namespace) -> None:
    if args.cluster is None:
        return
    from gammond.tools.parallel.cluster import ClusterExecutor  # takes a tenth of a second

    if args.gnubg is not None:
        raise UnsupportedError("--cluster is only for --tcp and --web", field="cluster")
    ClusterExecutor(args.cluster)


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


def _format_option(name: str) -> str:
    return "--" + name.replace("_", "-")
