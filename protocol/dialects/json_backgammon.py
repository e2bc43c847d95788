"""JSON queries about positions and matches of backgammon."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import KeptAnalysis
from gammond.engine.errors import ValueRangeError
from gammond.engine.formats.position_batch import ParsedPositions, parse_positions
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON
from gammond.protocol.commands.evaluation import PLAY_BYTES
from gammond.protocol.commands.readiness import TEXT_KERNELS
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.kept_answers import EncodedAnswer
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.core.requests import AnyReply, BatchItem, Work, WorkControl
from gammond.protocol.dialects.json_analysis import (
    EvaluationQueries,
    QueryAnalysis,
    estimate_play_count,
    make_final_reply,
)
from gammond.protocol.dialects.json_documents import make_id_key, make_query_error
from gammond.protocol.dialects.json_fields import Query, read_query
from gammond.protocol.dialects.json_match import check_match_fields, make_match_work
from gammond.protocol.dialects.json_parts import (
    PARTS,
    ROLL_PARTS,
    VALUES_BYTES,
    check_rollout_games,
    read_rollout_arguments,
)
from gammond.protocol.dialects.query_fields import check_position_count
from gammond.protocol.questions.question import DECISION_SIZE, MAX_SHORT_PLAYS
from gammond.protocol.state.offers import check_cube_owner
from gammond.protocol.state.session import Session

MAX_QUICK_POSITIONS = 128
"""A query for more positions is long work at any depth."""

_CUBEFUL_PARTS = ("cube", "analyse")

_KEPT_PARTS = frozenset({"eval", "cube", "moves"})
"""Parts whose answers are kept."""

_MAX_TEXT_CHARS = 256
"""The longest position that is looked up: none needs more."""


def answer_positions(
    session: Session, document: dict[str, object], head: dict[str, object]
) -> Work | EncodedAnswer:
    """Answer a query, as `gammond.protocol.dialects.json_query.GameQueries`."""
    query, played = read_query(document, head), session.game.rules.variant
    if query.variant is None and played is not BACKGAMMON:
        query = msgspec.structs.replace(query, variant=played.name)
    return _evaluate(session, query, head)


def _evaluate(session: Session, query: Query, head: dict[str, object]) -> Work | EncodedAnswer:
    service, engine = session.service, session.engine_settings
    _check_query(query, service.limits)
    with error_field("net"):
        net = engine.net if query.net is None else service.check_evaluator_name(query.net)
    if query.store is None and (query.plies or query.deeper):
        query = msgspec.structs.replace(query, store=str(engine.store))
    if not _may_be_kept(query):
        return _make_work(session, net, query, head)
    key = engine.format, net, engine.threads, *msgspec.structs.astuple(query)[1:]
    before = msgspec.json.encode(head)[:-1]
    kept = service.kept_answers
    if (answer := kept.recall(key)) is not None:
        return EncodedAnswer(before + answer.data)
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
    """Return the work of a query that is in order."""
    deadline_s = None if query.time_ms is None else session.service.clock() + query.time_ms / 1000
    if query.is_analysis:
        return make_match_work(session, net, query, head, deadline_s)
    return _make_position_work(session, net, query, head, deadline_s)


def _make_position_work(
    session: Session, net: str, query: Query, head: dict[str, object], deadline_s: float | None
) -> Work:
    """Return the work of a query for positions."""
    service, settings = session.service, session.engine_settings
    count, plays, max_plays = len(query.texts), 0, service.limits.query_plays
    is_ready, kept = TEXT_KERNELS.is_ready, _KeptSearch()
    if is_ready:
        kept = _look_for_kept(partial(_find_quick_engine, session, net, query), query)
    if not ROLL_PARTS.isdisjoint(query.want):
        plays = max_plays
        if is_ready:
            plays = min(estimate_play_count(query.texts, query.dice, query.rules.variant), max_plays)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        TEXT_KERNELS.warm()
        loaded = service.get_engine(net, settings.threads).with_rules(query.rules)
        analysis = QueryAnalysis(
            loaded, service, settings, query, head, control, deadline_s, parsed=kept.parsed
        )
        is_timed = kept.kind is not None or (query.is_evaluation and count == 1)
        with service.time_evaluation(loaded, kept.kind) if is_timed else nullcontext():
            results = analysis.run()
        is_cut = analysis.is_partial or len(results) < count
        return [make_final_reply(head, loaded, query.settings, results, is_cut=is_cut)]

    quick = _find_quick_engine(session, net, query)
    is_batched = query.is_evaluation and count <= MAX_QUICK_POSITIONS and deadline_s is None
    item = None
    if is_ready and quick is not None and is_batched and query.progress_every is None and query.priority == 0:
        item = BatchItem(EvaluationQueries(quick, query.settings), (head, query))
    is_at_hand = bool(kept.analyses)
    parts = [PARTS[name] for name in query.want if name in PARTS]
    is_deep = (query.plies > 0 and not is_at_hand) or any(part.is_long for part in parts)
    shown = min(plays, count * query.max_moves) if query.max_moves else plays
    part_bytes = sum(part.answer_bytes for part in parts) + VALUES_BYTES * (len(query.want) - len(parts))
    return Work(
        run,
        query.priority,
        make_id_key(query.id),
        partial(make_query_error, head),
        is_long=is_deep or count > MAX_QUICK_POSITIONS or plays > MAX_SHORT_PLAYS,
        deadline_s=deadline_s,
        is_quick=item is not None or is_at_hand,
        batch_item=item,
        size=DECISION_SIZE if is_at_hand else count,
        answer_bytes=part_bytes * count + PLAY_BYTES * shown,
        sources=kept.analyses,
    )


def _find_quick_engine(session: Session, net: str, query: Query, kind: Hashable = None) -> Engine | None:
    """Return the engine for a query if it was seen to be quick at a kind of work."""
    engine = session.service.find_quick_engine(net, session.engine_settings.threads, kind)
    return None if engine is None or query.rules.variant.is_solved else engine.with_rules(query.rules)


class _KeptSearch(NamedTuple):
    """What is known of a query that looks ahead from one position; nothing of other queries.

    Attributes:
        kind: Its kind of work, as `Service.time_evaluation` takes it.
        analyses: All that it asks for, if that is kept and giving it takes microseconds; else empty.
        parsed: Its position.
    """

    kind: Hashable = None
    analyses: tuple[KeptAnalysis, ...] = ()
    parsed: ParsedPositions | None = None


def _look_for_kept(find_quick_engine: Callable[[Hashable], Engine | None], query: Query) -> _KeptSearch:
    """Look for a kept answer, in memory alone.

    Args:
        find_quick_engine: Returns the engine if it was seen to be quick at a kind of work.
        query: The query.
    """
    if not _may_be_kept(query):
        return _KeptSearch()
    parsed = parse_positions(query.texts, check_cube_owner, query.rules.variant)
    roll = query.dice or parsed.rolls.get(0)
    if parsed.errors or ("moves" in query.want and roll is None):
        return _KeptSearch()
    position, match = Position.from_valid_board(parsed.boards[0]), parsed.matches[0]
    kind = "query", query.want, match.is_money, query.cubeful
    engine = find_quick_engine(kind)
    rolls = {roll if want == "moves" else None for want in query.want}
    found = [engine.recall(position, match, query.settings, each) for each in rolls] if engine else []
    analyses = tuple(each for each in found if each is not None)
    return _KeptSearch(kind, analyses if len(analyses) == len(rolls) else (), parsed)


def _may_be_kept(query: Query) -> bool:
    """Return whether a query looks ahead from one position, for what the store keeps."""
    is_single = query.positions is None and len(query.position or "") <= _MAX_TEXT_CHARS
    is_plain = query.rollout is None and query.terminate_id is None  # neither means anything here
    return is_single and is_plain and query.plies > 0 and _KEPT_PARTS.issuperset(query.want)
