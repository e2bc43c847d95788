"""`gammond accounts`: the accounts of a server with --accounts, for its administrator.

    gammond accounts list         names, when made and used, sessions
    gammond accounts reset NAME   a new password by lot; sessions end
    gammond accounts remove NAME  remove an account; its games stay

A server need not be stopped for that.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.wording import escape_unprintable, format_count
from gammond.tools.common.options import written_path

if TYPE_CHECKING:
    from gammond.protocol.accounts.accounts import Accounts

SUMMARY = "list, remove and reset the accounts of the board in the browser"

_ACTIONS = {
    "list": "list names, when they were made and used, and their sessions",
    "reset": "give a name a new password by lot, and end its sessions",
    "remove": "remove an account; its games stay, and the name is free",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, meaning in _ACTIONS.items():
        action = actions.add_parser(name, help=meaning, description=f"{meaning[:1].upper()}{meaning[1:]}.")
        if name != "list":
            action.add_argument("name", metavar="NAME", help="the name of the account")
        action.add_argument(
            "--file",
            type=written_path,
            metavar="FILE",
            help="the accounts (default accounts.sqlite in the data folder)",
        )


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0.

    Raises:
        DataFileError: There is no file of accounts, or it cannot be used.
        ValueRangeError: No account has this name.
    """
    from gammond.protocol.accounts.accounts import Accounts
    from gammond.protocol.archive.options import ArchiveOptions

    file = args.file or ArchiveOptions().find_accounts_file()
    if not file.exists():
        raise DataFileError(
            f"there are no accounts in {file}: a server with --accounts makes them", field="file"
        )
    accounts = Accounts(file)
    try:
        if args.action == "list":
            _list(accounts)
        elif args.action == "reset":
            password = accounts.reset(args.name)
            _check_found(password is not None, args.name)
            sys.stdout.write(f"{password}\n")
        else:
            _check_found(accounts.remove(args.name), args.name)
    finally:
        accounts.close()
    return 0


def _list(accounts: Accounts) -> None:
    listed = accounts.list_accounts()
    for each in listed:
        sessions = format_count(each.sessions, "session")
        made, used = (_format_day(seconds) for seconds in (each.created_s, each.used_s))
        name = escape_unprintable(each.name)
        sys.stdout.write(f"{name}: made {made}, last login {used}, {sessions}\n")
    sys.stdout.write(f"{format_count(len(listed), 'account')}\n")


def _check_found(is_found: bool, name: str) -> None:
    if not is_found:
        raise ValueRangeError(f"expected the name of an account, got {name[:80]!r}", field="name")


def _format_day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
