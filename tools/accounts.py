"""`gammond accounts`: the accounts of a server with --accounts, for its administrator.

    gammond accounts list         names, when made and used, sessions
    gammond accounts reset NAME   a new password by lot; sessions end
    gammond accounts remove NAME  remove an account; its games stay

A server need not be stopped for that.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from gammond.engine.errors import DataFileError, ValueRangeError
from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.engine.wording import escape_unprintable, format_count
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import ToolCommand, argument, written_file

if TYPE_CHECKING:
    from gammond.protocol.accounts.accounts import Accounts

SUMMARY = "list, remove and reset the accounts of the board in the browser"


class AccountsOptions(Struct, frozen=True, kw_only=True):
    """The accounts of a server."""

    file: (
        Annotated[Path, written_file("the accounts (default accounts.sqlite in the data folder)")] | None
    ) = None

    @contextmanager
    def open(self) -> Iterator[Accounts]:
        """Open the accounts.

        Raises:
            DataFileError: There is no file of accounts, or it cannot be used.
        """
        from gammond.protocol.accounts.accounts import Accounts
        from gammond.protocol.archive.options import ArchiveOptions

        file = self.file or ArchiveOptions().find_accounts_file()
        if not file.exists():
            raise DataFileError(
                f"there are no accounts in {file}: a server with --accounts makes them", field="file"
            )
        with closing(Accounts(file)) as accounts:
            yield accounts


class AccountOptions(AccountsOptions, frozen=True, kw_only=True):
    """One account of a server."""

    name: Annotated[str, argument("NAME", "the name of the account")]


def _list_all(options: AccountsOptions) -> int:
    with options.open() as accounts:
        _list(accounts)
    return EXIT_OK


def _reset(options: AccountOptions) -> int:
    with options.open() as accounts:
        password = accounts.reset(options.name)
        _check_found(password is not None, options.name)
        sys.stdout.write(f"{password}\n")
    return EXIT_OK


def _remove(options: AccountOptions) -> int:
    with options.open() as accounts:
        _check_found(accounts.remove(options.name), options.name)
    return EXIT_OK


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


COMMAND = CommandGroup(
    {
        "list": ToolCommand(
            AccountsOptions, _list_all, "list names, when they were made and used, and their sessions"
        ),
        "reset": ToolCommand(
            AccountOptions, _reset, "give a name a new password by lot, and end its sessions"
        ),
        "remove": ToolCommand(
            AccountOptions, _remove, "remove an account; its games stay, and the name is free"
        ),
    },
    "ACTION",
)
