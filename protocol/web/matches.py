"""Questions about match files: an analysis, or the match in another format."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any, NotRequired, TypedDict, cast

import msgspec
from msgspec import Meta

from gammond.engine.errors import CancelledWork, FormatError, GammondError, UnsupportedError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch, find_table
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_files.documents import RecordKeys, describe_record
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.match_files.reading import read_matches, read_positions
from gammond.engine.match_files.writing import MATCH_FORMATS, write_match
from gammond.engine.match_reports.html_report import format_html
from gammond.engine.options import TrueKey
from gammond.engine.search import MAX_PLIES
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import AnyReply, JsonReply, Task, WorkControl
from gammond.protocol.dialects.json_documents import quote_json
from gammond.protocol.dialects.json_fields import read_query
from gammond.protocol.dialects.json_match import check_match_fields, make_match_work
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import JSON, WebAnswer, WebRequest
from gammond.protocol.web.plans import WebTask, answer_query_of
from gammond.protocol.web.schemas import ANALYSIS_PLIES, REPORT, TARGET, require

_JSON = "json"
HTML, HTML_MEDIA = "html", "text/html; charset=utf-8"

_TEXT_FIELD = "match_text"
_NO_HEADER_TEXT = re.compile(r"[^ -~]")
_MAX_HEADER_CHARS = 1000
_ANALYSIS_FIELDS = ("players", "games", "luck_adjusted", "decisions", "rolls", "resignations")
_MATCH_FIELDS = ("format", "names", "length", "players", "games", "decisions", "rolls", "issues")


class MatchAnalyses(TypedDict):
    """The answer of an analysis of matches."""

    plies: Annotated[int, Meta(ge=0, le=MAX_PLIES)]
    net: str
    results: list[Annotated[dict[str, Any], Meta(extra_json_schema=require(*_MATCH_FIELDS))]]
    stopped: NotRequired[TrueKey]


class ConvertedMatch(RecordKeys):
    """A match of a file, with the analysis that is there."""

    analysis: NotRequired[
        Annotated[
            dict[str, Any],
            Meta(
                description="What the file's own analysis says, in the fields of `analyse`; only if "
                "`analysed`.",
                extra_json_schema=require(*_ANALYSIS_FIELDS),
            ),
        ]
    ]


class _PositionKeys(TypedDict):
    xgid: str
    names: Annotated[list[str], Meta(min_length=2, max_length=2)]
    comment: str


class Conversion(TypedDict):
    """The matches of a file, or its positions."""

    matches: list[ConvertedMatch]
    positions: NotRequired[Annotated[list[_PositionKeys], Meta(min_length=1)]]


def ask_analyse(session: Session, request: WebRequest) -> WebTask:
    """Return the work of an analysis of the matches of a file: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    content, values = _read_match_request(request)
    report = REPORT.check(values.pop("report", REPORT.default))
    values = {"plies": ANALYSIS_PLIES.default, **values, "id": 0, "want": ["analyse"], _TEXT_FIELD: ""}
    head: dict[str, object] = {"id": 0}
    query = read_query(values, head)
    check_match_fields(query)
    make_work = partial(make_match_work, session, query, head, content=content)
    if report == _JSON:
        return answer_query_of(make_work())
    if report in MATCH_FORMATS:
        MATCH_FORMATS[report].check()
    work = make_work(describe=partial(_format_report, report))

    def run(control: WorkControl) -> Sequence[AnyReply]:
        _check_one(_read(content))  # before all of them are analysed
        return work.run(control)

    checked = msgspec.structs.replace(work, run=run)
    return answer_query_of(checked, partial(_make_report_answer, report))


def ask_convert(_: Session, request: WebRequest) -> WebTask:
    """Return the work of writing the match of a file in another format: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    content, values = _read_match_request(request)
    if "to" not in values:
        raise FormatError(f"expected {TARGET.expected} for to, but it is missing", field="to")
    target = TARGET.check(values["to"])
    return Task(
        lambda _: _convert_to_json(content) if target == _JSON else _CONVERTERS[target](_read(content)),
        is_long=True,
    )


def _read_match_request(request: WebRequest) -> tuple[bytes, dict[str, Any]]:
    """Return the file of a request, and the other values that came with it.

    Raises:
        GammondError: There is no match in it, or a value comes twice.
    """
    if request.media_type != JSON:
        return request.body, {**request.values}
    values = {**request.values, **request.document}
    text = values.pop(_TEXT_FIELD, None)
    if not isinstance(text, str):
        came = "but it is missing" if text is None else f"got {quote_json(text)}"
        raise FormatError(f"expected a string for {_TEXT_FIELD}, {came}", field=_TEXT_FIELD)
    if twice := next((name for name in request.document if name in request.values), None):
        raise FormatError(f"expected {twice} once, got it in the body and after the path", field=twice)
    return text.encode("utf-8", "replace"), values


def _read(content: bytes) -> tuple[RecordedMatch, ...]:
    with error_field(_TEXT_FIELD):
        return read_matches(content, name=_TEXT_FIELD)


def _format_page(analysed: AnalysedMatch) -> str:
    return format_html(analysed, datetime.now().astimezone())


def _format_report(report: str, analysed: AnalysedMatch) -> tuple[bytes, list[str]]:
    """Return an analysed match as a file, and what of it the format leaves out."""
    if report == HTML:
        return _format_page(analysed).encode(), []
    return write_match(analysed.marked_match, report)


def _make_report_answer(report: str, reply: JsonReply) -> WebAnswer:
    """Return the report of the one match of an analysis."""
    results = cast("list[msgspec.Raw]", reply.document["results"])
    if not results:
        raise CancelledWork("stopped before the match was analysed", field="time_ms")
    content, losses = msgspec.json.decode(results[0], type=tuple[bytes, list[str]])
    return WebAnswer(200, content, HTML_MEDIA) if report == HTML else _make_file(report, content, losses)


def _convert_to_html(matches: Sequence[RecordedMatch]) -> WebAnswer:
    _check_one(matches)
    page = _format_page(_take_analysis(matches[0]))
    return WebAnswer(200, page.encode(), HTML_MEDIA)


def _convert_to_json(content: bytes) -> WebAnswer:
    """Describe the matches of a file, or its positions if it has no match."""
    document: Conversion | None = None
    try:
        document = {"matches": [_describe(match) for match in _read(content)]}
    except FormatError:
        with suppress(GammondError):
            document = {"matches": [], "positions": _list_positions(content)}
        if document is None:
            raise
    return WebAnswer(200, msgspec.json.encode(document) + b"\n")


def _list_positions(content: bytes) -> list[_PositionKeys]:
    found = read_positions(content, name=_TEXT_FIELD)
    return [{"xgid": each.xgid, "names": list(each.names), "comment": each.notes.comment} for each in found]


def _describe(match: RecordedMatch) -> ConvertedMatch:
    """Return a match by keys, with what the program behind its file thinks of it."""
    record = cast("ConvertedMatch", describe_record(match))
    if match.has_analysis:
        described = describe_match(_take_analysis(match))
        record["analysis"] = {name: described[name] for name in _ANALYSIS_FIELDS}
    return record


def _take_analysis(match: RecordedMatch) -> AnalysedMatch:
    """Return a match with the analysis in its file."""
    return AnalysedMatch("", match, "", find_table(match.rules.rules))


def _convert_to_file(name: str, matches: Sequence[RecordedMatch]) -> WebAnswer:
    _check_one(matches)
    return _make_file(name, *write_match(matches[0], name))


def _make_file(name: str, content: bytes, losses: Sequence[str]) -> WebAnswer:
    """Return a match as a file of a format; a header says what that leaves out."""
    headers = {"Content-Disposition": f'attachment; filename="match.{name}"'}
    if losses:
        headers["X-Left-Out"] = _NO_HEADER_TEXT.sub("?", ", ".join(losses))[:_MAX_HEADER_CHARS]
    return WebAnswer(200, content, MATCH_FORMATS[name].media_type, headers)


def _check_one(matches: Sequence[object]) -> None:
    if len(matches) != 1:
        raise UnsupportedError(
            f"expected a file with one match, got {len(matches):,}: send them one by one, or ask for json",
            field=_TEXT_FIELD,
        )


_CONVERTERS: dict[str, Callable[[Sequence[RecordedMatch]], WebAnswer]] = {
    HTML: _convert_to_html,
    **{name: partial(_convert_to_file, name) for name in MATCH_FORMATS},
}
