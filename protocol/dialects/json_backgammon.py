"""JSON queries about positions and matches of backgammon."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from gammond.engine.errors import ValueRangeError
from gammond.engine.formats.position_batch import ParsedPositions, parse_positions
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON
from gammond.protocol.commands.evaluation import PLAY_BYTES
from gammond.protocol.commands.readiness import TEXT_KERNELS
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.requests import AnyReply, BatchItem, Work, WorkControl
from gammond.protocol.dialects.json_analysis import (
    EvaluationQueries,
    QueryAnalysis,
    estimate_play_count,
    make_final_reply,
)
from gammond.protocol.dialects.json_documents import (
    check_position_count,
    find_deadline,
    make_id_key,
    make_query_error,
)
from gammond.protocol.dialects.json_fields import Query, find_net, read_query
from gammond.protocol.dialects.json_match import check_match_fields, make_match_work
from gammond.protocol.dialects.json_parts import (
    PARTS,
    ROLL_PARTS,
    VALUES_BYTES,
    check_rollout_games,
    read_rollout_arguments,
)
from gammond.protocol.questions.question import DECISION_SIZE, EVALUATION, Asked, plan_work
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.session import Session

MAX_QUICK_POSITIONS = 128
"""A query for more positions is long work at any depth."""

_CUBEFUL_PARTS = ("cube", "analyse")

_KEPT_PARTS = frozenset({"eval", "cube", "moves"})
"""Parts whose answers are kept."""

_MAX_TEXT_CHARS = 256
"""The longest position that is looked up: none needs more."""


def answer_positions(session: Session, document: dict[str, object], head: dict[str, object]) -> Work | bytes:
    """Answer a query, as `gammond.protocol.dialects.json_query.GameQueries` does."""
    query, service, engine = read_query(document, head), session.service, session.engine_settings
    if query.variant is None and (played := session.game.rules.variant) is not BACKGAMMON:
        query = msgspec.structs.replace(query, variant=played.name)
    _check_query(query, service.limits)
    if query.is_analysis:
        return make_match_work(session, query, head)
    net = find_net(query, session)
    if query.store is None and query.plies:
        query = msgspec.structs.replace(query, store=str(engine.store))
    if not _may_be_kept(query):
        return _make_work(session, net, query, head)
    key = engine.answer_key, *msgspec.structs.astuple(query)[1:]
    before = msgspec.json.encode(head)[:-1]
    kept = service.kept_answers
    if (answer := kept.recall(key)) is not None:
        return before + answer
    return kept.keep_answer_of(_make_work(session, net, query, head), key, before)


def _check_query(query: Query, limits: ClientLimits) -> None:
    """Check what fields say together, and that it is not too much.

    Raises:
        GammondError: Something is wrong with them.
    """
    if query.is_analysis or query.match_text is not None:
        check_match_fields(query)
    else:
        check_position_count(query, limits.query_positions)
    if not query.cubeful and (word := next((each for each in query.want if each in _CUBEFUL_PARTS), None)):
        raise ValueRangeError(
            f"expected true for cubeful with '{word}' in 'want', got false", field="cubeful"
        )
    if "rollout" in query.want:
        check_rollout_games(
            read_rollout_arguments(query.rollout or {}), len(query.texts), limits.rollout_games
        )


def _make_work(session: Session, net: str, query: Query, head: dict[str, object]) -> Work:
    """Return the work of a query for positions that is in order."""
    service, settings = session.service, session.engine_settings
    deadline_s = find_deadline(query, service)
    count, plays, max_plays = len(query.texts), 0, service.limits.query_plays
    is_ready, read = TEXT_KERNELS.is_ready, _Read()
    if not ROLL_PARTS.isdisjoint(query.want):
        plays = max_plays
        if is_ready:
            plays = min(estimate_play_count(query.texts, query.dice, query.rules.variant), max_plays)
    if query.is_evaluation:
        is_plain = deadline_s is None and query.progress_every is None and query.priority == 0
        read = _Read(EVALUATION if is_plain and count <= MAX_QUICK_POSITIONS else None)
    elif is_ready and _may_be_kept(query):
        read = _read_position(query)
    parts = [PARTS[name] for name in query.want if name in PARTS]
    engine = session.find_quick_engine(read.kind, net, query.rules) if is_ready else None
    is_deep, size = query.plies > 0 or any(part.is_long for part in parts), count
    if read.asked:
        size = DECISION_SIZE
    plan = plan_work(read.kind, engine, read.asked, plays, size, is_deep=is_deep)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        TEXT_KERNELS.warm()
        loaded = service.get_engine(net, settings.threads).with_rules(query.rules)
        analysis = QueryAnalysis(
            loaded, service, settings, query, head, control, deadline_s, parsed=read.parsed
        )
        with service.time_evaluation(loaded, read.kind):
            results = analysis.run()
        is_cut = analysis.is_partial or len(results) < count
        return [make_final_reply(head, loaded, query.settings, results, is_cut=is_cut)]

    item = None
    if query.is_evaluation and plan.engine is not None:
        item = BatchItem(EvaluationQueries(plan.engine, query.settings), (head, query))
    shown = min(plays, count * query.max_moves) if query.max_moves else plays
    part_bytes = sum(part.answer_bytes for part in parts) + VALUES_BYTES * (len(query.want) - len(parts))
    return Work(
        run,
        priority=query.priority,
        key=make_id_key(query.id),
        make_error_reply=partial(make_query_error, head),
        is_long=plan.is_long or count > MAX_QUICK_POSITIONS,
        deadline_s=deadline_s,
        is_quick=plan.is_quick,
        batch_item=item,
        size=plan.size,
        answer_bytes=part_bytes * count + PLAY_BYTES * shown,
        sources=plan.kept,
    )


class _Read(NamedTuple):
    """What is known of a query before it is work.

    Attributes:
        kind: Its kind of work, as `Service.time_evaluation` takes it.
        asked: What an engine is to find out, for a query of which all may be kept.
        parsed: The position of that.
    """

    kind: Hashable = None
    asked: tuple[Asked, ...] = ()
    parsed: ParsedPositions | None = None


def _read_position(query: Query) -> _Read:
    """Read the position of a query that may be kept; nothing where there is an error in it."""
    parsed = parse_positions(query.texts, check_cube_owner, query.rules.variant)
    roll = query.dice or parsed.rolls.get(0)
    if parsed.errors or ("moves" in query.want and roll is None):
        return _Read()
    position, match = Position.from_valid_board(parsed.boards[0]), parsed.matches[0]
    rolls = {roll if want == "moves" else None for want in query.want}
    asked = tuple((position, match, query.settings, each) for each in rolls)
    return _Read(("query", query.want, match.is_money, query.cubeful), asked, parsed)


def _may_be_kept(query: Query) -> bool:
    """Return whether a query looks ahead from one position, for what the store keeps."""
    is_single = query.positions is None and len(query.position or "") <= _MAX_TEXT_CHARS
    is_plain = query.rollout is None and query.terminate_id is None  # neither means anything here
    return is_single and is_plain and query.plies > 0 and _KEPT_PARTS.issuperset(query.want)
