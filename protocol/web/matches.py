"""Questions about match files: an analysis, or the match in another format."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

import msgspec

from engine.errors import CancelledWork, FormatError, GammondError, UnsupportedError
from engine.match_analysis.analysed_match import AnalysedMatch, find_table
from engine.match_analysis.documents import describe_match
from engine.match_files.documents import describe_record
from engine.match_files.model import RecordedMatch
from engine.match_files.reading import list_xgids, read_matches, read_positions
from engine.match_files.sgf.writer import format_sgf
from engine.match_files.writing import MATCH_FORMATS, write_match
from engine.match_reports.html_report import format_html
from engine.options import Field
from protocol.core.arguments import error_field
from protocol.core.requests import AnyReply, JsonReply, Work, WorkControl
from protocol.dialects.json_documents import quote_json
from protocol.dialects.json_fields import QUERIES, read_query
from protocol.dialects.json_match import check_match_fields, make_match_work
from protocol.state.session import Session
from protocol.web.answers import JSON, WebAnswer, WebRequest
from protocol.web.bodies import check_names, decode_body, read_parameters
from protocol.web.plans import Question

DEFAULT_PLIES = 2
"""The look-ahead of an analysis, that of `gammond analyse`."""

_JSON = "json"
HTML, HTML_MEDIA = "html", "text/html; charset=utf-8"
SGF = "sgf"
REPORTS = (_JSON, HTML, SGF)
TARGETS = (_JSON, HTML, *MATCH_FORMATS)

_FILE_MEDIA = {
    "mat": "text/plain; charset=utf-8",
    SGF: "application/x-go-sgf; charset=utf-8",
    "ogxm": "application/octet-stream",
}
_TEXT_FIELD = "match_text"
_NO_HEADER_TEXT = re.compile(r"[^ -~]")
_MAX_HEADER_CHARS = 1000
_JUDGEMENT_FIELDS = ("players", "games", "luck_adjusted", "decisions", "rolls", "resignations")
_SETTINGS = ("plies", "deeper", "filter", "net", "store", "max_moves", "time_ms")
_ANALYSIS_PARAMETERS = {
    **{name: QUERIES.scalars[name] for name in _SETTINGS},
    "report": Field("report", str, choices=REPORTS),
}
_CONVERSION_PARAMETERS = {"to": Field("to", str, choices=TARGETS)}
ANALYSIS_FIELDS = (_TEXT_FIELD, *_SETTINGS, "rollout", "report")
CONVERSION_FIELDS = (_TEXT_FIELD, "to")


def ask_analyse(session: Session, request: WebRequest) -> Question:
    """Return the work of an analysis of the matches of a file: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    content, values = _read_match_request(request, ANALYSIS_FIELDS, _ANALYSIS_PARAMETERS)
    report = values.pop("report", REPORTS[0])
    values = {"plies": DEFAULT_PLIES, **values, "id": 0, "want": ["analyse"], _TEXT_FIELD: ""}
    head: dict[str, object] = {"id": 0}
    query = read_query(values, head)
    check_match_fields(query)
    service, settings = session.service, session.engine_settings
    with error_field("net"):
        net = settings.net if query.net is None else service.check_evaluator_name(query.net)
    if query.store is None:
        query = msgspec.structs.replace(query, store=str(settings.store))
    deadline_s = None if query.time_ms is None else service.clock() + query.time_ms / 1000
    make_work = partial(make_match_work, session, net, query, head, deadline_s, content=content)
    if report not in _REPORT_FILES:
        return Question(make_work())
    describe, media_type = _REPORT_FILES[report]
    work = make_work(describe=describe)

    def run(control: WorkControl) -> Sequence[AnyReply]:
        _check_one(_read(content))  # before all of them are analysed
        return work.run(control)

    return Question(msgspec.structs.replace(work, run=run), partial(_make_report_answer, media_type))


def ask_convert(session: Session, request: WebRequest) -> Question:
    """Return the work of writing the match of a file in another format: an `Ask`.

    Raises:
        GammondError: The request is wrong.
    """
    content, values = _read_match_request(request, CONVERSION_FIELDS, _CONVERSION_PARAMETERS)
    if "to" not in values:
        raise FormatError(f"expected one of {'|'.join(TARGETS)} for to, but it is missing", field="to")
    target = _CONVERSION_PARAMETERS["to"].check(values["to"])
    made: list[WebAnswer] = []

    def run(control: WorkControl) -> Sequence[AnyReply]:
        made.append(_convert_to_json(content) if target == _JSON else _CONVERTERS[target](_read(content)))
        return ()

    return Question(Work(run, is_long=True), lambda _: made[0])


def _read_match_request(
    request: WebRequest, names: Sequence[str], parameters: dict[str, Field]
) -> tuple[bytes, dict[str, Any]]:
    """Return the file of a request, and the other values that came with it.

    Args:
        request: An object with the text, or the file as it is; further values after the question mark.
        names: The fields of objects.
        parameters: The values that may come after the question mark.

    Raises:
        GammondError: There is no match in it, a value is wrong, or comes twice.
    """
    values = read_parameters(request, parameters)
    if request.media_type != JSON:
        return request.body, values
    document = decode_body(request)
    check_names(document, names)
    text = document.pop(_TEXT_FIELD, None)
    if not isinstance(text, str):
        came = "but it is missing" if text is None else f"got {quote_json(text)}"
        raise FormatError(f"expected a string for {_TEXT_FIELD}, {came}", field=_TEXT_FIELD)
    if twice := next((name for name in document if name in values), None):
        raise FormatError(f"expected {twice} once, got it in the body and after the path", field=twice)
    if "report" in document:
        _ANALYSIS_PARAMETERS["report"].check(document["report"])
    return text.encode("utf-8", "replace"), {**values, **document}


def _read(content: bytes) -> tuple[RecordedMatch, ...]:
    with error_field(_TEXT_FIELD):
        return read_matches(content, name=_TEXT_FIELD)


def _format_page(analysed: AnalysedMatch) -> str:
    return format_html(analysed, datetime.now().astimezone())


def _format_sgf(analysed: AnalysedMatch) -> str:
    return format_sgf(analysed.marked_match)


def _make_report_answer(media_type: str, replies: Sequence[AnyReply]) -> WebAnswer:
    """Return the report of the one match of an analysis."""
    results = cast("list[msgspec.Raw]", cast("JsonReply", replies[-1]).document["results"])
    if not results:
        raise CancelledWork("stopped before the match was analysed", field="time_ms")
    return WebAnswer(200, msgspec.json.decode(results[0], type=str).encode(), media_type)


def _convert_to_html(matches: Sequence[RecordedMatch]) -> WebAnswer:
    _check_one(matches)
    page = _format_page(_judge_by_file(matches[0]))
    return WebAnswer(200, page.encode(), HTML_MEDIA)


def _convert_to_json(content: bytes) -> WebAnswer:
    """Describe the matches of a file, or its positions if it has no match."""
    try:
        matches = _read(content)
    except FormatError:
        try:
            document = {"matches": [], "positions": _list_positions(content)}
        except GammondError:
            document = {}
        if not document:
            raise
    else:
        document = {"matches": [describe_record(match) | _describe_analysis(match) for match in matches]}
    return WebAnswer(200, msgspec.json.encode(document) + b"\n")


def _list_positions(content: bytes) -> list[dict[str, object]]:
    found = read_positions(content, name=_TEXT_FIELD)
    return [
        {"xgid": xgid, "names": list(each.names), "comment": each.notes.comment}
        for xgid, each in zip(list_xgids(content, found), found, strict=True)
    ]


def _describe_analysis(match: RecordedMatch) -> dict[str, object]:
    """Return what the program behind a file thinks of its match, by keys; nothing where it has none."""
    if not match.has_analysis:
        return {}
    described = describe_match(_judge_by_file(match))
    return {"analysis": {name: described[name] for name in _JUDGEMENT_FIELDS}}


def _judge_by_file(match: RecordedMatch) -> AnalysedMatch:
    """Return a match as judged by the analysis in its file."""
    return AnalysedMatch("", match, "", find_table(match.rules.rules))


def _convert_to_file(name: str, matches: Sequence[RecordedMatch]) -> WebAnswer:
    """Write a match in a format; a header says what that leaves out."""
    _check_one(matches)
    content, losses = write_match(matches[0], name)
    headers = {"Content-Disposition": f'attachment; filename="match.{name}"'}
    if losses:
        headers["X-Left-Out"] = _NO_HEADER_TEXT.sub("?", ", ".join(losses))[:_MAX_HEADER_CHARS]
    return WebAnswer(200, content, _FILE_MEDIA[name], headers)


def _check_one(matches: Sequence[object]) -> None:
    if len(matches) != 1:
        raise UnsupportedError(
            f"expected a file with one match, got {len(matches):,}: send them one by one, or ask for json",
            field=_TEXT_FIELD,
        )


_REPORT_FILES: dict[str, tuple[Callable[[AnalysedMatch], str], str]] = {
    HTML: (_format_page, HTML_MEDIA),
    SGF: (_format_sgf, _FILE_MEDIA[SGF]),
}

_CONVERTERS: dict[str, Callable[[Sequence[RecordedMatch]], WebAnswer]] = {
    HTML: _convert_to_html,
    **{name: partial(_convert_to_file, name) for name in MATCH_FORMATS},
}
