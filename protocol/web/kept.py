"""Questions about what the store of analyses has of a position."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gammond.engine.errors import FormatError, PositionError
from gammond.engine.formats.position_batch import parse_positions
from gammond.engine.rules.position import Position
from gammond.engine.search import MAX_PLIES
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import AnyReply, JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_analysis import QueryAnalysis, make_final_reply
from gammond.protocol.dialects.json_fields import Query, read_query
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebRequest
from gammond.protocol.web.plans import WebJob
from gammond.protocol.web.positions import check_backgammon


def ask_kept(session: Session, request: WebRequest) -> WebJob:
    """Return the work of looking a position up: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    values = {**request.values}
    if "position" not in values:
        raise FormatError("expected a position, but it is missing", field="position")
    check_backgammon(session, values)
    if "dice" in values:
        values["dice"] = _read_dice(values["dice"])
    want = ["moves"] if "dice" in values else ["eval", "cube"]
    if not values.get("cubeful", True):
        want = want[:1]
    head: dict[str, object] = {"id": 0}
    query = read_query({**values, "id": 0, "want": want, "store": "on", "plies": MAX_PLIES}, head)
    with error_field("net"):
        net = session.engine_settings.net
        net = net if query.net is None else session.service.check_evaluator_name(query.net)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        return [_look_up(session, net, query, control)]

    return WebJob(Work(run, is_long=True))


def _read_dice(text: str) -> list[int]:
    """Return the dice of a text such as ``31``; their numbers are checked with the query."""
    if len(text) != 2 or not (text.isascii() and text.isdigit()):
        raise FormatError(f"expected two digits for dice, such as 31, got {text[:10]!r}", field="dice")
    return [int(digit) for digit in text]


def _look_up(session: Session, net: str, query: Query, control: WorkControl) -> JsonReply:
    """Return the depths that are kept, and what the deepest found: nothing is searched."""
    service = session.service
    engine = service.get_engine(net, session.engine_settings.threads).with_rules(query.rules)
    parsed = parse_positions(query.texts, check_cube_owner, query.rules.variant)
    for error in parsed.errors.values():
        raise error.with_field("position")
    position, match = Position.from_valid_board(parsed.boards[0]), parsed.matches[0]
    if position.is_over:
        raise PositionError("the game is over: nothing is kept of it", field="position")
    depths = engine.list_kept_depths(position, match, query.settings, query.dice)
    head: dict[str, object] = {"id": 0, "depths": depths}
    if not depths:
        return JsonReply({**head, "final": True, "net": engine.name, "results": []})
    deepest = msgspec.structs.replace(query, plies=depths[-1])
    analysis = QueryAnalysis(
        engine, service, session.engine_settings, deepest, head, control, None, parsed=parsed
    )
    return make_final_reply(head, engine, deepest.settings, analysis.run())
