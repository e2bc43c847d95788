"""Endpoints of kept games: pages of them, records as files, players, removal; and of accounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from gammond.engine.errors import FormatError
from gammond.engine.options import Bounds, Field
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.protocol.accounts.accounts import Accounts
from gammond.protocol.accounts.browser_session import (
    fail,
    find_user,
    make_json_answer,
    need_user,
)
from gammond.protocol.accounts.endpoints import make_endpoints as make_account_endpoints
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.history import (
    MAX_LISTED,
    describe_match,
    list_matches,
    make_file,
    remove_match,
    remove_matches_of,
)
from gammond.protocol.archive.players import PERIODS_S, Leaderboard, describe_player
from gammond.protocol.core.requests import Task
from gammond.protocol.games import list_variants
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import JSON, NOT_FOUND, WebAnswer, WebRequest, make_refusal
from gammond.protocol.web.plans import API, SMALL_BODY_BYTES, Ask, Endpoint, WebTask
from gammond.protocol.web.schemas import (
    COUNT,
    SWITCH,
    TEXT,
    Operation,
    Schema,
    make_list,
    make_object,
    require,
    say,
)

_MAX_TOKENS = 10
_FILE_PATTERN = r"^[0-9]{1,15}\.(mat|sgf|ogxm|txt|json)$"
_NUMBER_PATTERN = "^[0-9]{1,15}$"
_FILE = re.compile(_FILE_PATTERN)
_LAST_NUMBER = 2**53

_VARIANT = Field(
    *("variant", str),
    choices=list_variants(),
    default=STANDARD_RULES.variant.name,
    meaning="the game or variant",
)
_BEFORE = Field(
    "before", int, Bounds(1, _LAST_NUMBER), meaning="only games of smaller numbers; `next` of the page before"
)
_LIMIT = Field("limit", int, Bounds(1, MAX_LISTED), default=20)
_PERIOD = Field("period", str, choices=tuple(PERIODS_S), default="all")

_REMOVED = make_object({"removed": COUNT})

_Result = TypeVar("_Result")
_Ask = Callable[[GameArchive, WebRequest], WebTask | WebAnswer]


def make_endpoints(archive: GameArchive | None, accounts: Accounts | None) -> tuple[Endpoint, ...]:
    """Return the endpoints of kept games and of accounts.

    Args:
        archive: Has the games; None where they are not kept.
        accounts: The accounts; None where names need no password.
    """
    missing = "this server keeps no games" if archive is None else ""

    def bind(ask: _Ask) -> Ask:
        def ask_archive(_: Session, request: WebRequest) -> WebTask | WebAnswer:
            assert archive is not None  # else the endpoint is missing
            return ask(archive, request)

        return ask_archive

    def get(path: str, ask: _Ask, operation: Operation, *parameters: Field) -> Endpoint:
        return Endpoint(
            *("GET", API + path, bind(ask)),
            parameters={each.name: each for each in parameters},
            fail=fail,
            missing=missing,
            operation=replace(operation, tag="games", errors=(404, 422, 503)),
        )

    def post(path: str, ask: _Ask, fields: dict[str, Schema], operation: Operation) -> Endpoint:
        return Endpoint(
            *("POST", API + path, bind(ask), (JSON,), SMALL_BODY_BYTES),
            fields=fields,
            fail=fail,
            missing=missing,
            operation=replace(
                operation,
                tag="games",
                answer="How many games were removed.",
                content={JSON: _REMOVED},
                errors=(401, 404, 422, 503),
            ),
        )

    return (
        Endpoint(
            *("GET", f"{API}/me", partial(_ask_me, archive, accounts)),
            fail=fail,
            operation=Operation(
                *("getMe", "accounts", "Say who is logged in, and what the server has"),
                answer="The name, and whether there are accounts and kept games.",
                content={
                    JSON: make_object(
                        {"name": {"type": ["string", "null"]}, "accounts": SWITCH, "archive": SWITCH}
                    )
                },
            ),
        ),
        get(
            *("/games", _ask_page),
            Operation(
                name="listGames",
                summary="List the games and matches that the server has kept, the newest first",
                answer="A page.",
                content={
                    JSON: make_object(
                        {
                            "games": make_list(require("id")),
                            "next": say({"type": ["integer", "null"]}, "For `before` of the next page."),
                        }
                    )
                },
            ),
            *(Field("player", str, meaning="the name of a person who played"), _VARIANT, _BEFORE, _LIMIT),
        ),
        get(
            *("/games/{file}", _ask_file),
            Operation(
                name="getGame",
                summary="Get a game that was kept as a file",
                described={
                    "file": {
                        "type": "string",
                        "pattern": _FILE_PATTERN,
                        "description": "The number of the game with the ending of a format.",
                    }
                },
                answer="The record; as `json` all that is known, with its analysis.",
                content={
                    JSON: require("id", "record", "document"),
                    "text/plain": {},
                    "application/x-go-sgf": {},
                    "application/octet-stream": {},
                },
            ),
        ),
        get(
            *("/players", partial(_ask_players, None if archive is None else Leaderboard(archive))),
            Operation(
                name="listPlayers",
                summary="List persons and levels with their results, ratings and Elo; or one person by name",
                answer="The lists; or with `name` the person as `player`, null where nobody is called that.",
                content={
                    JSON: {
                        "type": "object",
                        "anyOf": [
                            {"required": ["variant", "players", "levels"]},
                            {"required": ["player"]},
                        ],
                    }
                },
            ),
            *(_VARIANT, _PERIOD, Field("name", str)),
        ),
        get(
            *("/players/{name}", _ask_player),
            Operation(
                name="getPlayer",
                summary="Show a person's results, opponents and performance ratings over time",
                answer="The person.",
                content={JSON: require("name", "variant", "variants", "opponents", "ratings")},
            ),
            _VARIANT,
        ),
        post(
            *("/games/remove", partial(_ask_removal_of_all, accounts), {}),
            Operation(name="removeGames", summary="Remove all games of the person who is logged in"),
        ),
        post(
            *("/games/{id}/remove", partial(_ask_removal, accounts)),
            {"tokens": {**make_list(TEXT), "maxItems": _MAX_TOKENS, "description": "Secrets of seats."}},
            Operation(
                name="removeGame",
                summary="Remove a game, or one's name from it",
                description="For who has the token of a seat, or is logged in as one who played.",
                described={"id": {"type": "string", "pattern": _NUMBER_PATTERN}},
            ),
        ),
        *make_account_endpoints(accounts),
    )


def _ask_me(
    archive: GameArchive | None, accounts: Accounts | None, _: Session, request: WebRequest
) -> WebTask:
    def answer() -> WebAnswer:
        return make_json_answer(
            {
                "name": find_user(accounts, request.cookies, request.host),
                "accounts": accounts is not None,
                "archive": archive is not None,
            }
        )

    return Task(lambda _: answer())


def _ask_page(archive: GameArchive, request: WebRequest) -> WebTask:
    values = request.values
    before, limit = values.get("before"), values.get("limit", _LIMIT.default)

    def read(database: ArchiveDatabase) -> WebAnswer:
        page = list_matches(database, values.get("player"), values.get("variant"), before, limit)
        return make_json_answer(page)

    return Task(lambda _: archive.read(read))


def _ask_file(archive: GameArchive, request: WebRequest) -> WebTask | WebAnswer:
    found = _FILE.fullmatch(request.parts["file"])
    if found is None:
        return make_refusal(
            NOT_FOUND, "path", "expected the number of a game with .json, .mat, .sgf, .ogxm or .txt"
        )
    number, ending = int(found[0].partition(".")[0]), found[1]

    def read(database: ArchiveDatabase) -> WebAnswer:
        if ending == "json":
            document = describe_match(database, number)
            return _refuse_unknown() if document is None else make_json_answer(document)
        file = make_file(database, number, "text" if ending == "txt" else ending)
        if file is None:
            return _refuse_unknown()
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
        return WebAnswer(200, file.content, file.media_type, headers)

    return Task(lambda _: archive.read(read))


def _ask_players(lists: Leaderboard | None, archive: GameArchive, request: WebRequest) -> WebTask:
    values = request.values
    variant = values.get("variant", _VARIANT.default)
    name = values.get("name")
    if name is not None:
        return Task(
            lambda _: make_json_answer(
                {"player": archive.read(lambda base: describe_player(base, name, variant))}
            )
        )
    assert lists is not None  # there is an archive
    period = values.get("period", _PERIOD.default)
    return Task(lambda _: make_json_answer(lists.get(variant, period)), is_long=True)


def _ask_player(archive: GameArchive, request: WebRequest) -> WebTask:
    values = request.values
    variant = values.get("variant", _VARIANT.default)
    name = request.parts["name"]

    def read(database: ArchiveDatabase) -> WebAnswer:
        found = describe_player(database, name, variant)
        if found is None:
            return make_refusal(NOT_FOUND, "name", "nobody of this name has finished a game here")
        return make_json_answer(found)

    return Task(lambda _: archive.read(read))


def _ask_removal(accounts: Accounts | None, archive: GameArchive, request: WebRequest) -> WebTask | WebAnswer:
    tokens, text = _read_tokens(request), request.parts["id"]
    if re.fullmatch(_NUMBER_PATTERN, text) is None:
        return make_refusal(NOT_FOUND, "path", "expected the number of a game")

    def answer() -> WebAnswer:
        user = find_user(accounts, request.cookies, request.host)
        owner = "" if accounts is None or user is None else accounts.find_owner(user)
        is_there = _write(archive, lambda database: remove_match(database, int(text), tokens, owner))
        return make_json_answer({"removed": 1}) if is_there else _refuse_unknown()

    return Task(lambda _: answer())


def _ask_removal_of_all(
    accounts: Accounts | None, archive: GameArchive, request: WebRequest
) -> WebTask | WebAnswer:
    if accounts is None:
        return make_refusal(
            NOT_FOUND, "path", "this server has no accounts: a game is removed with the token of its seat"
        )

    def answer() -> WebAnswer:
        owner = accounts.find_owner(need_user(accounts, request))
        return make_json_answer({"removed": _write(archive, lambda base: remove_matches_of(base, owner))})

    return Task(lambda _: answer())


def _read_tokens(request: WebRequest) -> list[str]:
    """Return the secrets of seats that a request has.

    Raises:
        FormatError: They are no list of texts.
    """
    tokens = request.document.get("tokens", [])
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
