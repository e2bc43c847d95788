"""Accounts: names that only those can use who know the password, and sessions of browsers.

A session is a secret of 256 bits in a cookie; the file has its hash.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import filelock

from gammond.engine.errors import DataFileError, LimitError, ValueRangeError
from gammond.engine.runtime.files import make_data_folder
from gammond.engine.runtime.shared_file import LOCK_WAIT_S
from gammond.engine.runtime.sqlite_file import Schema, SqliteFile
from gammond.protocol.accounts.attempt_limits import AttemptLimit, check_attempts
from gammond.protocol.accounts.passwords import Passwords
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.tables.names import MAX_NAME_CHARS, check_name, fold_name, is_nobody, tidy_name
from gammond.protocol.tables.seats import hash_token

SCHEMA = Schema(
    "a file of accounts",
    0x676D6D61,  # gmma
    (
        """
CREATE TABLE accounts (
    folded TEXT PRIMARY KEY, name TEXT NOT NULL, password TEXT NOT NULL,
    created INTEGER NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    hash TEXT PRIMARY KEY, folded TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (folded, used)
""",
    ),
    is_durable=True,
)

MAX_ACCOUNTS = 100_000
MAX_SESSIONS = 20
"""Sessions of one account; the one unused for longest ends."""

IDLE_S = 30 * 24 * 3600
MAX_AGE_S = 180 * 24 * 3600
"""How long a session lasts without use, and at all."""

_USED_EVERY_S = 3600
_WINDOW_S = 15 * 60.0
_TRIES_HERE, _TRIES_ADDRESS, _TRIES_NAME = 10, 50, 200
"""Failed logins in the window: of a name from one address, from one address, of a name from anywhere."""
_NEW_ACCOUNTS = 20
"""Accounts that one address may make in the window."""


_Result = TypeVar("_Result")


class LoginError(ValueRangeError):
    """No account has this name and password, or nobody is logged in: log in."""


@dataclass(frozen=True)
class Account:
    """An account as the administrator sees it.

    Attributes:
        name: As it was given.
        created_s: When it was made, in seconds since 1970.
        used_s: When somebody last logged in.
        sessions: How many sessions it has.
    """

    name: str
    created_s: int
    used_s: int
    sessions: int


def _make_file(file: Path) -> None:
    """Make a file of accounts if there is none. It appears whole: an empty one is one that lost its names.

    Raises:
        OSError: It cannot be made.
        NotImplementedError: The file system has no locks.
        sqlite3.Error: It cannot be written.
    """
    if file.exists():  # one of somebody else may have what would be its lock beside it
        return
    with filelock.FileLock(file.with_name(f".{file.name}.lock"), timeout=LOCK_WAIT_S):
        if file.exists():
            return
        made = file.with_name(f".{file.name}.new")
        made.unlink(missing_ok=True)
        SqliteFile(made, SCHEMA).close()
        made.rename(file)


class Accounts:
    """The accounts of a server; safe to use from several threads.

    Args:
        file: Where they are; it is made if it is missing.
        passwords: Hashes passwords.
        clock: Seconds since 1970.

    Raises:
        DataFileError: The file cannot be used; it is left as it is, since names would be free without it.
        UnsupportedError: argon2-cffi is not installed.
    """

    def __init__(
        self, file: Path, passwords: Passwords | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._file = file
        self._passwords = passwords or Passwords()
        self._clock = clock
        self._lock = threading.Lock()
        self._tries_here = AttemptLimit(_TRIES_HERE, _WINDOW_S)
        self._tries_address = AttemptLimit(_TRIES_ADDRESS, _WINDOW_S)
        self._tries_name = AttemptLimit(_TRIES_NAME, _WINDOW_S)
        self._new_accounts = AttemptLimit(_NEW_ACCOUNTS, _WINDOW_S)
        try:
            make_data_folder(file)
            _make_file(file)
            self._database = SqliteFile(file, SCHEMA, may_be_new=False)
        except (OSError, NotImplementedError, sqlite3.Error, DataFileError) as error:
            raise DataFileError(
                f"the accounts in {file} cannot be used: {error}: mend the file, or move it away, which "
                "frees all names",
                field="accounts",
            ) from error

    def register(self, name: object, password: object, address: str = "") -> str:
        """Make an account and log in.

        Args:
            name: The name.
            password: The password.
            address: Where the request comes from; empty for an address that has no limits.

        Returns:
            The secret of the session.

        Raises:
            FormatError: The name is none.
            ValueRangeError: The password is none, or the name has an account.
            BusyError: The address has made too many.
            LimitError: There are too many accounts.
        """
        clean = check_name(name if isinstance(name, str) else "")
        folded = fold_name(clean)
        if is_nobody(clean):
            raise ValueRangeError(f"expected a name of your own, got {clean!r}", field="name")
        password = self._passwords.check(password)
        if address:
            check_attempts([(self._new_accounts, address)])
            self._new_accounts.count(address)
        hashed, now_s = self._passwords.hash(password), self._now_s()

        def insert(database: SqliteFile) -> int:
            if database.execute("SELECT count(*) FROM accounts").fetchone()[0] >= MAX_ACCOUNTS:
                raise LimitError(f"expected at most {MAX_ACCOUNTS:,} accounts", field="name")
            return database.execute(
                "INSERT OR IGNORE INTO accounts VALUES (?, ?, ?, ?, ?)", (folded, clean, hashed, now_s, now_s)
            ).rowcount

        if not self._write(insert):
            raise ValueRangeError("this name has an account: log in, or choose another name", field="name")
        return self._begin_session(folded)

    def log_in(self, name: object, password: object, address: str = "") -> str:
        """Begin a session; arguments as for `register`.

        Returns:
            The secret of the session.

        Raises:
            LoginError: There is no such account with this password: nobody is told which is wrong.
            BusyError: Too many attempts failed.
        """
        tidied = tidy_name(name) if isinstance(name, str) else ""
        folded = fold_name(tidied) if len(tidied) <= MAX_NAME_CHARS else ""
        self._check_password(folded, password, address)
        return self._begin_session(folded)

    def log_out(self, token: str) -> None:
        """End a session."""
        hashed = hash_token(token)
        self._write(lambda database: database.execute("DELETE FROM sessions WHERE hash = ?", (hashed,)))

    def log_out_everywhere(self, name: str) -> None:
        """End all sessions of an account."""
        folded = fold_name(name)
        self._write(lambda database: database.execute("DELETE FROM sessions WHERE folded = ?", (folded,)))

    def change_password(self, name: str, old: object, new: object, address: str = "") -> str:
        """Change the password of an account, which ends all its sessions; return the secret of a new one.

        Raises:
            LoginError: The old password is wrong.
            ValueRangeError: The new one is none.
            BusyError: Too many attempts failed.
        """
        folded, new = fold_name(name), self._passwords.check(new)
        self._check_password(folded, old, address)
        self._set_password(folded, new)
        return self._begin_session(folded)

    def find_user(self, token: str) -> str | None:
        """Return the name of the account whose session a secret is; None for no session.

        Raises:
            DataFileError: The file cannot be read.
        """
        if not token:
            return None
        hashed, now_s = hash_token(token), self._now_s()
        row = self._read(
            "SELECT name, sessions.used AS used, sessions.created AS created FROM sessions "
            "JOIN accounts USING (folded) WHERE hash = ?",
            (hashed,),
        )
        if row is None or now_s - row["used"] > IDLE_S or now_s - row["created"] > MAX_AGE_S:
            return None
        if now_s - row["used"] > _USED_EVERY_S:
            statement = "UPDATE sessions SET used = ? WHERE hash = ?"
            self._write(lambda database: database.execute(statement, (now_s, hashed)))
        return str(row["name"])

    def find_owner(self, user: str) -> str:
        """Return what marks what an account plays; an account of the same name before or after has another.

        Raises:
            LoginError: The account is no more.
            DataFileError: The file cannot be read.
        """
        folded = fold_name(user)
        row = self._read("SELECT created FROM accounts WHERE folded = ?", (folded,))
        if row is None:
            raise LoginError("expected a login: the account was removed", field="session")
        return f"{row['created']} {folded}"

    def check_may_use(self, name: str, user: str | None) -> None:
        """Make sure that somebody may play by a name.

        Args:
            name: The name.
            user: Who is logged in; None for nobody.

        Raises:
            ValueRangeError: The name has an account, and that of another.
            DataFileError: The file cannot be read.
        """
        folded = fold_name(name)
        if user is not None and fold_name(user) == folded:
            return
        if self._read("SELECT 1 FROM accounts WHERE folded = ?", (folded,)) is not None:
            raise ValueRangeError(
                "this name has an account: log in to play by it, or choose another name", field="name"
            )

    def list_accounts(self) -> list[Account]:
        """Return all accounts by name."""
        with self._lock:
            rows = self._database.execute(
                "SELECT name, created, used, "
                "(SELECT count(*) FROM sessions WHERE folded = accounts.folded) AS sessions "
                "FROM accounts ORDER BY folded"
            ).fetchall()
        return [Account(row["name"], row["created"], row["used"], row["sessions"]) for row in rows]

    def remove(self, name: str) -> bool:
        """Remove an account with its sessions; return whether there was one. Its games stay."""
        folded = fold_name(name)
        self.log_out_everywhere(name)
        statement = "DELETE FROM accounts WHERE folded = ?"
        return self._write(lambda database: database.execute(statement, (folded,)).rowcount) > 0

    def reset(self, name: str) -> str | None:
        """Set a password by lot and end all sessions; return the password, None for no account."""
        folded, password = fold_name(name), secrets.token_urlsafe(12)
        return password if self._set_password(folded, password) else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _check_password(self, folded: str, password: object, address: str) -> None:
        limited = [
            (self._tries_here, (address, folded)),
            (self._tries_name, folded),
            *([(self._tries_address, address)] if address else []),
        ]
        check_attempts(limited)
        for limit, key in limited:  # before the comparison, so that attempts at the same moment count too
            limit.count(key)
        row = self._read("SELECT password FROM accounts WHERE folded = ?", (folded,))
        hashed = None if row is None else str(row["password"])
        if not self._passwords.matches(password, hashed):
            raise LoginError("expected the name of an account and its password", field="password")
        for limit, key in limited:
            limit.take_back(key)
        if hashed is not None and isinstance(password, str) and self._passwords.is_outdated(hashed):
            renewed = self._passwords.hash(password)
            statement = "UPDATE accounts SET password = ? WHERE folded = ? AND password = ?"
            self._write(lambda database: database.execute(statement, (renewed, folded, hashed)))

    def _set_password(self, folded: str, password: str) -> bool:
        hashed = self._passwords.hash(password)

        def update(database: SqliteFile) -> bool:
            database.execute("DELETE FROM sessions WHERE folded = ?", (folded,))
            statement = "UPDATE accounts SET password = ? WHERE folded = ?"
            return database.execute(statement, (hashed, folded)).rowcount > 0

        return self._write(update)

    def _begin_session(self, folded: str) -> str:
        token, now_s = secrets.token_urlsafe(32), self._now_s()

        def insert(database: SqliteFile) -> None:
            database.execute(  # by their order alone: the clock may be wrong, and no session of others ends
                "DELETE FROM sessions WHERE folded = ? AND hash NOT IN (SELECT hash FROM sessions "
                "WHERE folded = ? ORDER BY used DESC, created DESC LIMIT ?)",
                (folded, folded, MAX_SESSIONS - 1),
            )
            database.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?)", (hash_token(token), folded, now_s, now_s)
            )
            database.execute("UPDATE accounts SET used = ? WHERE folded = ?", (now_s, folded))

        self._write(insert)
        return token

    def _now_s(self) -> int:
        return int(self._clock())

    def _read(self, statement: str, parameters: tuple[object, ...]) -> sqlite3.Row | None:
        with self._lock:
            try:
                row: sqlite3.Row | None = self._database.execute(statement, parameters).fetchone()
            except sqlite3.Error as error:
                raise self._make_fault(error) from error
            return row

    def _write(self, work: Callable[[SqliteFile], _Result]) -> _Result:
        with self._lock:
            try:
                with self._database.write():
                    return work(self._database)
            except sqlite3.Error as error:
                raise self._make_fault(error) from error

    def _make_fault(self, error: sqlite3.Error) -> DataFileError:
        FAULT_LOG.log(f"the accounts in {self._file} cannot be used", error)
        return DataFileError("the accounts cannot be used at the moment: try again later", field="accounts")
