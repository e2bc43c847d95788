"""Endpoints of accounts: register, log in and out, change the password."""

from __future__ import annotations

from collections.abc import Callable

from gammond.engine.options import Field
from gammond.protocol.accounts.accounts import Accounts
from gammond.protocol.accounts.browser_session import (
    check_can_log_in,
    fail,
    find_user,
    make_cookie,
    make_json_answer,
    need_user,
    read_token,
)
from gammond.protocol.core.requests import Task
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import JSON, WebAnswer, WebRequest
from gammond.protocol.web.plans import API, SMALL_BODY_BYTES, Endpoint, WebTask
from gammond.protocol.web.schemas import Operation, make_object

_EVERYWHERE = Field("everywhere", bool, default=False)
_GREETING = make_object({"name": {"type": ["string", "null"]}})

_Answer = Callable[[Accounts, WebRequest], WebAnswer]


def make_endpoints(accounts: Accounts | None) -> tuple[Endpoint, ...]:
    """Return the endpoints of accounts.

    Args:
        accounts: The accounts; None where names need no password.
    """

    def make(path: str, answer: _Answer, name: str, summary: str, *fields: Field) -> Endpoint:
        def ask(_: Session, request: WebRequest) -> WebTask:
            assert accounts is not None  # else the endpoint is missing
            return Task(lambda _: answer(accounts, request), is_long=True)

        required = [field.name for field in fields if field.default is None]
        return Endpoint(
            *("POST", f"{API}/{path}", ask, (JSON,), SMALL_BODY_BYTES),
            fields={field.name: field for field in fields},
            fail=fail,
            missing="this server has no accounts: names need no password" if accounts is None else "",
            operation=Operation(
                *(name, "accounts", summary),
                body={"required": required} if required else {},
                answer="The session is in a cookie.",
                content={JSON: _GREETING},
                errors=(401, 404, 422, 503),
            ),
        )

    login = Field("name", str), Field("password", str)
    return (
        make("register", _register, "register", "Make an account and log in", *login),
        make("login", _log_in, "logIn", "Log in", *login),
        make("logout", _log_out, "logOut", "Log out, here or everywhere", _EVERYWHERE),
        make(
            *("password", _change_password, "changePassword", "Change one's password"),
            *(Field("old", str), Field("new", str)),
        ),
    )


def _register(accounts: Accounts, request: WebRequest) -> WebAnswer:
    check_can_log_in(request)
    document = request.document
    token = accounts.register(document.get("name"), document.get("password"), request.address)
    return _greet(accounts, token, request)


def _log_in(accounts: Accounts, request: WebRequest) -> WebAnswer:
    check_can_log_in(request)
    document = request.document
    token = accounts.log_in(document.get("name"), document.get("password"), request.address)
    return _greet(accounts, token, request)


def _log_out(accounts: Accounts, request: WebRequest) -> WebAnswer:
    is_everywhere = _EVERYWHERE.check(request.document.get("everywhere", _EVERYWHERE.default))
    user = find_user(accounts, request.cookies, request.host)
    if user is not None:
        accounts.log_out(read_token(request.cookies, request.host))
        if is_everywhere:
            accounts.log_out_everywhere(user)
    return make_json_answer({"name": None}, make_cookie("", request.host))


def _change_password(accounts: Accounts, request: WebRequest) -> WebAnswer:
    user = need_user(accounts, request)
    document = request.document
    token = accounts.change_password(user, document.get("old"), document.get("new"), request.address)
    return _greet(accounts, token, request)


def _greet(accounts: Accounts, token: str, request: WebRequest) -> WebAnswer:
    return make_json_answer({"name": accounts.find_user(token)}, make_cookie(token, request.host))
