"""Sessions of browsers over HTTP: the cookie, and answers of work that takes a while."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from gammond.engine.errors import GammondError, UnsupportedError
from gammond.protocol.accounts.accounts import IDLE_S, Accounts, LoginError
from gammond.protocol.core.errors import BusyError
from gammond.protocol.web.answers import WebAnswer, WebRequest, find_status, make_failure

NOT_LOGGED_IN, TOO_MANY = 401, 429

_NAME = "gammond-session"
_SECURE_PREFIX = "__Host-"
_LOOPBACK = ("localhost", "[::1]")
_NO_STORE = {"Cache-Control": "no-store"}


def find_user(accounts: Accounts | None, cookies: Mapping[str, str], host: str) -> str | None:
    """Return who is logged in.

    Args:
        accounts: The accounts of the server; None for none.
        cookies: The cookies of the request.
        host: Its header ``Host``.

    Raises:
        DataFileError: The accounts cannot be read.
    """
    token = read_token(cookies, host)
    return None if accounts is None or not token else accounts.find_user(token)


def need_user(accounts: Accounts, request: WebRequest) -> str:
    """Return who is logged in.

    Raises:
        LoginError: Nobody is.
    """
    user = find_user(accounts, request.cookies, request.host)
    if user is None:
        raise LoginError("expected a login: nobody is logged in", field="session")
    return user


def read_token(cookies: Mapping[str, str], host: str) -> str:
    """Return the secret of the session; empty for none. Only the cookie that `make_cookie` makes has it."""
    return cookies.get(_name_cookie(host), "")


def _name_cookie(host: str) -> str:
    """Return the name of the session's cookie; but for this machine one that https alone sets and carries."""
    return _NAME if is_loopback(host) else _SECURE_PREFIX + _NAME


def check_can_log_in(request: WebRequest) -> None:
    """Refuse a login from a page that came over http from another machine: its browser would keep no cookie.

    Raises:
        UnsupportedError: It is one.
    """
    if request.origin.lower().startswith("http://") and not is_loopback(request.host):
        raise UnsupportedError(
            "expected a page over https: over http a browser keeps a login of this machine alone; put the "
            "server behind a proxy with https, or open it as localhost",
            field="session",
        )


def make_cookie(token: str, host: str) -> str:
    """Return the header ``Set-Cookie`` for a session.

    No script reads it, no other site sends it, and but for a server on this machine only https carries it.

    Args:
        token: The secret; empty to end the session.
        host: The header ``Host`` of the request.
    """
    age_s = IDLE_S if token else 0
    secure = "" if is_loopback(host) else "; Secure"
    return f"{_name_cookie(host)}={token}; Path=/; Max-Age={age_s}; HttpOnly; SameSite=Strict{secure}"


def is_loopback(host: str) -> bool:
    """Return whether a name with its port is of this machine."""
    name = host.lower()
    if not name.endswith("]"):
        name = name.rpartition(":")[0] or name
    parts = name.split(".")
    return name in _LOOPBACK or (len(parts) == 4 and parts[0] == "127" and all(p.isdecimal() for p in parts))


def make_json_answer(document: object, cookie: str = "") -> WebAnswer:
    """Return an object as an answer that nobody keeps.

    Args:
        document: The object.
        cookie: The header ``Set-Cookie``; empty for none.
    """
    headers = {**_NO_STORE, "Set-Cookie": cookie} if cookie else _NO_STORE
    return WebAnswer(200, msgspec.json.encode(document) + b"\n", headers=headers)


def fail(error: Exception, status: int | None) -> WebAnswer:
    """Make the answer of an error: missing logins and too many attempts have a status of their own."""
    if status is None and isinstance(error, LoginError):
        status = NOT_LOGGED_IN
    if status is None and isinstance(error, BusyError):
        status = TOO_MANY
    known = error if isinstance(error, GammondError) else GammondError("internal error")
    return make_failure(error, find_status(known) if status is None else status)
