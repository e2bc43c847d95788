"""Endpoints of accounts: register, log in and out, change the password."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.options import Field
from protocol.accounts.accounts import Accounts
from protocol.accounts.browser_session import (
    check_can_log_in,
    fail,
    find_user,
    make_cookie,
    make_json_answer,
    make_question,
    need_user,
    read_token,
)
from protocol.state.session import Session
from protocol.web.answers import JSON, NOT_FOUND, WebAnswer, WebRequest, make_refusal
from protocol.web.bodies import check_names, decode_body
from protocol.web.endpoints import API
from protocol.web.plans import Ask, Endpoint, Question

_MAX_BODY_BYTES = 16 * 1024
_EVERYWHERE = Field("everywhere", bool)

_Answer = Callable[[Accounts, WebRequest, Mapping[str, object]], WebAnswer]


def make_endpoints(accounts: Accounts | None) -> tuple[Endpoint, ...]:
    """Return the endpoints of accounts.

    Args:
        accounts: The accounts; None where names need no password.
    """

    def make(name: str, answer: _Answer, *fields: str) -> Endpoint:
        ask = _make_ask(accounts, answer, fields)
        return Endpoint("POST", f"{API}/{name}", ask, (JSON,), _MAX_BODY_BYTES, fail=fail)

    return (
        make("register", _register, "name", "password"),
        make("login", _log_in, "name", "password"),
        make("logout", _log_out, "everywhere"),
        make("password", _change_password, "old", "new"),
    )


def _make_ask(accounts: Accounts | None, answer: _Answer, fields: tuple[str, ...]) -> Ask:
    def ask(_: Session, request: WebRequest) -> Question | WebAnswer:
        if accounts is None:
            return make_refusal(NOT_FOUND, "path", "this server has no accounts: names need no password")
        document = decode_body(request)
        check_names(document, fields)
        return make_question(lambda: answer(accounts, request, document), is_long=True)

    return ask


def _register(accounts: Accounts, request: WebRequest, document: Mapping[str, object]) -> WebAnswer:
    check_can_log_in(request)
    token = accounts.register(document.get("name"), document.get("password"), request.address)
    return _greet(accounts, token, request)


def _log_in(accounts: Accounts, request: WebRequest, document: Mapping[str, object]) -> WebAnswer:
    check_can_log_in(request)
    token = accounts.log_in(document.get("name"), document.get("password"), request.address)
    return _greet(accounts, token, request)


def _log_out(accounts: Accounts, request: WebRequest, document: Mapping[str, object]) -> WebAnswer:
    is_everywhere = _EVERYWHERE.check(document.get("everywhere", False))
    user = find_user(accounts, request.cookies, request.host)
    if user is not None:
        accounts.log_out(read_token(request.cookies, request.host))
        if is_everywhere:
            accounts.log_out_everywhere(user)
    return make_json_answer({"name": None}, make_cookie("", request.host))


def _change_password(accounts: Accounts, request: WebRequest, document: Mapping[str, object]) -> WebAnswer:
    user = need_user(accounts, request)
    token = accounts.change_password(user, document.get("old"), document.get("new"), request.address)
    return _greet(accounts, token, request)


def _greet(accounts: Accounts, token: str, request: WebRequest) -> WebAnswer:
    return make_json_answer({"name": accounts.find_user(token)}, make_cookie(token, request.host))
