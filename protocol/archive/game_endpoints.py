"""Endpoints of kept games: pages of them, records as files, players, removal."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from engine.errors import FormatError
from engine.options import Bounds, Field
from engine.rules.rules import STANDARD_RULES
from protocol.accounts.accounts import Accounts
from protocol.accounts.browser_session import (
    fail,
    find_user,
    make_json_answer,
    make_question,
    need_user,
)
from protocol.archive.archive import GameArchive
from protocol.archive.database import ArchiveDatabase
from protocol.archive.history import (
    MAX_LISTED,
    describe_match,
    list_matches,
    make_file,
    remove_match,
    remove_matches_of,
)
from protocol.archive.leaderboard import PERIODS_S, Leaderboard
from protocol.archive.players import describe_player
from protocol.games import list_variants
from protocol.state.session import Session
from protocol.web.answers import JSON, NOT_FOUND, WebAnswer, WebRequest, make_refusal
from protocol.web.bodies import check_names, decode_body, read_parameters
from protocol.web.endpoints import API
from protocol.web.plans import Ask, Endpoint, Question

_MAX_BODY_BYTES = 16 * 1024
_MAX_TOKENS = 10
_FILE = re.compile(r"([0-9]{1,15})\.(mat|sgf|txt|json)")
_LAST_NUMBER = 2**53

_VARIANT = Field("variant", str, choices=list_variants())
_PAGE_FIELDS = {
    "player": Field("player", str),
    "variant": _VARIANT,
    "before": Field("before", int, bounds=Bounds(1, _LAST_NUMBER)),
    "limit": Field("limit", int, bounds=Bounds(1, MAX_LISTED)),
}
_PLAYER_FIELDS = {"variant": _VARIANT}
_PLAYERS_FIELDS = {
    "variant": _VARIANT,
    "period": Field("period", str, choices=tuple(PERIODS_S)),
    "name": Field("name", str),
}

_Result = TypeVar("_Result")
_Ask = Callable[[GameArchive, WebRequest], Question | WebAnswer]


def make_game_endpoints(archive: GameArchive | None, accounts: Accounts | None) -> tuple[Endpoint, ...]:
    """Return the endpoints of kept games.

    Args:
        archive: Has them; None where games are not kept.
        accounts: The accounts; None where names need no password.
    """

    def get(path: str, ask: _Ask) -> Endpoint:
        return Endpoint("GET", API + path, _make_ask(archive, ask), fail=fail)

    def post(path: str, ask: _Ask) -> Endpoint:
        return Endpoint("POST", API + path, _make_ask(archive, ask), (JSON,), _MAX_BODY_BYTES, fail=fail)

    return (
        Endpoint("GET", f"{API}/me", partial(_ask_me, archive, accounts), fail=fail),
        get("/games", _ask_page),
        get("/games/{file}", _ask_file),
        get("/players", partial(_ask_players, None if archive is None else Leaderboard(archive))),
        get("/players/{name}", _ask_player),
        post("/games/remove", partial(_ask_removal_of_all, accounts)),
        post("/games/{id}/remove", partial(_ask_removal, accounts)),
    )


def _make_ask(archive: GameArchive | None, ask: _Ask) -> Ask:
    def ask_archive(_: Session, request: WebRequest) -> Question | WebAnswer:
        if archive is None:
            return make_refusal(NOT_FOUND, "path", "this server keeps no games")
        return ask(archive, request)

    return ask_archive


def _ask_me(
    archive: GameArchive | None, accounts: Accounts | None, _: Session, request: WebRequest
) -> Question:
    read_parameters(request, {})

    def answer() -> WebAnswer:
        return make_json_answer(
            {
                "name": find_user(accounts, request.cookies, request.host),
                "accounts": accounts is not None,
                "archive": archive is not None,
            }
        )

    return make_question(answer)


def _ask_page(archive: GameArchive, request: WebRequest) -> Question:
    values = read_parameters(request, _PAGE_FIELDS)
    before, limit = values.get("before"), values.get("limit", 20)

    def read(database: ArchiveDatabase) -> WebAnswer:
        page = list_matches(database, values.get("player"), values.get("variant"), before, limit)
        return make_json_answer(page)

    return make_question(lambda: archive.read(read))


def _ask_file(archive: GameArchive, request: WebRequest) -> Question | WebAnswer:
    read_parameters(request, {})
    found = _FILE.fullmatch(request.parts["file"])
    if found is None:
        return make_refusal(NOT_FOUND, "path", "expected the number of a game with .json, .mat, .sgf or .txt")
    number, ending = int(found[1]), found[2]

    def read(database: ArchiveDatabase) -> WebAnswer:
        if ending == "json":
            document = describe_match(database, number)
            return _refuse_unknown() if document is None else make_json_answer(document)
        file = make_file(database, number, "text" if ending == "txt" else ending)
        if file is None:
            return _refuse_unknown()
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
        return WebAnswer(200, file.text.encode(), file.media_type, headers)

    return make_question(lambda: archive.read(read))


def _ask_players(lists: Leaderboard | None, archive: GameArchive, request: WebRequest) -> Question:
    values = read_parameters(request, _PLAYERS_FIELDS)
    variant = values.get("variant", STANDARD_RULES.variant.name)
    name = values.get("name")
    if name is not None:
        return make_question(
            lambda: make_json_answer(
                {"player": archive.read(lambda base: describe_player(base, name, variant))}
            )
        )
    assert lists is not None  # there is an archive
    period = values.get("period", "all")
    return make_question(lambda: make_json_answer(lists.get(variant, period)), is_long=True)


def _ask_player(archive: GameArchive, request: WebRequest) -> Question:
    values = read_parameters(request, _PLAYER_FIELDS)
    variant = values.get("variant", STANDARD_RULES.variant.name)
    name = request.parts["name"]

    def read(database: ArchiveDatabase) -> WebAnswer:
        found = describe_player(database, name, variant)
        if found is None:
            return make_refusal(NOT_FOUND, "name", "nobody of this name has finished a game here")
        return make_json_answer(found)

    return make_question(lambda: archive.read(read))


def _ask_removal(
    accounts: Accounts | None, archive: GameArchive, request: WebRequest
) -> Question | WebAnswer:
    tokens, text = _read_tokens(request), request.parts["id"]
    if not (text.isascii() and text.isdigit() and len(text) <= 15):
        return make_refusal(NOT_FOUND, "path", "expected the number of a game")

    def answer() -> WebAnswer:
        user = find_user(accounts, request.cookies, request.host)
        owner = "" if accounts is None or user is None else accounts.find_owner(user)
        is_there = _write(archive, lambda database: remove_match(database, int(text), tokens, owner))
        return make_json_answer({"removed": 1}) if is_there else _refuse_unknown()

    return make_question(answer)


def _ask_removal_of_all(
    accounts: Accounts | None, archive: GameArchive, request: WebRequest
) -> Question | WebAnswer:
    check_names(decode_body(request), ())
    if accounts is None:
        return make_refusal(
            NOT_FOUND, "path", "this server has no accounts: a game is removed with the token of its seat"
        )

    def answer() -> WebAnswer:
        owner = accounts.find_owner(need_user(accounts, request))
        return make_json_answer({"removed": _write(archive, lambda base: remove_matches_of(base, owner))})

    return make_question(answer)


def _read_tokens(request: WebRequest) -> list[str]:
    """Return the secrets of seats that a request has.

    Raises:
        FormatError: They are no list of texts.
    """
    document = decode_body(request)
    check_names(document, ("tokens",))
    tokens = document.get("tokens", [])
    if not isinstance(tokens, list) or len(tokens) > _MAX_TOKENS:
        raise FormatError(f"expected a list of at most {_MAX_TOKENS} tokens", field="tokens")
    if not all(isinstance(token, str) for token in tokens):
        raise FormatError("expected tokens that are texts", field="tokens")
    return tokens


def _write(archive: GameArchive, work: Callable[[ArchiveDatabase], _Result]) -> _Result:
    """Return what a change of the file comes to, once all that came before it is written.

    Raises:
        DataFileError: The file cannot be written.
    """
    archive.flush()

    def write(database: ArchiveDatabase) -> _Result:
        with database.write():
            return work(database)

    return archive.read(write)


def _refuse_unknown() -> WebAnswer:
    return make_refusal(NOT_FOUND, "path", "there is no such game: it may have been removed")
