"""The JSON query ``analyse``: matches given as text, judged as `gammond analyse` judges them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from engine.analysis.engine import Engine
from engine.analysis.levels import StoreUse
from engine.cubeful.match_equity import load_default_table
from engine.errors import CancelledWork, LimitError, ValueRangeError
from engine.match_analysis.analysed_match import AnalysedMatch, describe_method
from engine.match_analysis.analysis import AnalysisSettings, analyse_match, count_decisions
from engine.match_analysis.documents import describe_match
from engine.match_analysis.notes import MAX_CANDIDATES
from engine.match_files.model import RecordedMatch
from engine.match_files.reading import read_matches
from engine.runtime.cores import count_usable_cores
from engine.runtime.threads import Workers
from protocol.core.arguments import error_field
from protocol.core.requests import JsonReply, WorkControl
from protocol.dialects.json_analysis import make_final_reply
from protocol.dialects.json_documents import quote_json
from protocol.dialects.json_fields import Query

_FIELD = "match_text"

_TEXT_BYTES, _DECISION_BYTES, _CANDIDATE_BYTES = 20, 450, 160
"""What a decision takes in a text, in the answer, and there for each play that is considered; about."""


def check_match_fields(query: Query) -> None:
    """Check that a query for a match has its text, and nothing for positions.

    Raises:
        ValueRangeError: It has not.
    """
    if query.want != ("analyse",):
        raise ValueRangeError(
            f'expected ["analyse"] for want of a match, got {quote_json(query.want)}: ask for positions in a '
            "query of their own",
            field="want",
        )
    for name in ("position", "positions"):
        if getattr(query, name) is not None:
            raise ValueRangeError(f"expected match_text for 'analyse', got {name}", field=name)
    if query.match_text is None:
        raise ValueRangeError("expected match_text for 'analyse', but it is missing", field=_FIELD)


@dataclass(frozen=True)
class MatchQuery:
    """Analyses the matches of a query in their order, as far as its time goes.

    Attributes:
        query: Has the text, and how deep it is analysed.
        head: What each object of the answer begins with.
        max_decisions: The most decisions in all matches.
        threads: How many share the decisions, no more than there are cores.
        clock: Seconds.
        deadline_s: When its time is over, by that clock; None for never.
    """

    query: Query
    head: dict[str, object]
    max_decisions: int
    threads: int
    clock: Callable[[], float]
    deadline_s: float | None

    @property
    def answer_bytes(self) -> int:
        """About how many bytes the answer takes."""
        decisions = min(self.max_decisions, len(self.query.match_text or "") // _TEXT_BYTES)
        candidates = min(self.query.max_moves or MAX_CANDIDATES, MAX_CANDIDATES)
        return decisions * (_DECISION_BYTES + _CANDIDATE_BYTES * candidates)

    def run(self, engine: Engine, control: WorkControl) -> JsonReply:
        """Return the final object: a result for each match that was finished.

        Args:
            engine: Judges.
            control: Stops it, and takes its progress.

        Raises:
            GammondError: The text is no match, has too many decisions, or the engine does not know its rules.
        """
        query = self.query
        settings = AnalysisSettings(
            query.plies, query.deeper, query.filter, query.settings.store is not StoreUse.OFF
        )
        results: list[msgspec.Raw] = []
        with error_field(_FIELD):
            matches = self._read()
            report = _Reporter(self, control, sum(map(count_decisions, matches)))
            if report.total > self.max_decisions:
                raise LimitError(
                    f"expected at most {self.max_decisions:,} plays and cube decisions in match_text, got "
                    f"{report.total:,}: send several queries"
                )
            table = engine.table or load_default_table()
            method = describe_method(engine.name, settings, table.name)
            workers = Workers(min(self.threads, count_usable_cores()))
            try:
                for match in matches:
                    judged = analyse_match(
                        engine,
                        match,
                        settings,
                        workers=workers,
                        progress=report,
                        cancelled=lambda: self._is_spent(control),
                    )
                    report.finish_match()
                    document = describe_match(AnalysedMatch("", judged, method, table), query.max_moves)
                    text = msgspec.json.encode(document)
                    control.answer_bytes += len(text)
                    results.append(msgspec.Raw(text))
            except CancelledWork:
                pass
        is_cut = len(results) < len(matches)
        return make_final_reply(self.head, engine, query.settings, results, is_cut=is_cut)

    def _read(self) -> tuple[RecordedMatch, ...]:
        """Return the matches of the text; as bytes, for a string would be the path of a file."""
        return read_matches((self.query.match_text or "").encode(), name=_FIELD)

    def _is_spent(self, control: WorkControl) -> bool:
        is_stopped = control.is_cancelled()  # which may take a while
        return is_stopped or (self.deadline_s is not None and self.clock() > self.deadline_s)


class _Reporter:
    """Reports how many decisions of all matches are done, if the query wants it.

    Args:
        work: The query.
        control: Takes the reports.
        total: How many decisions there are.
    """

    def __init__(self, work: MatchQuery, control: WorkControl, total: int) -> None:
        self.total = total
        self._work, self._control = work, control
        self._before = self._done = 0
        """Decisions of earlier matches, and of the present one."""

    def __call__(self, done: int, total: int) -> None:
        """Take the progress of one match."""
        self._done = done
        count, every = self._before + done, self._work.query.progress_every
        if every and done and count % every == 0 and count < self.total:
            progress = {**self._work.head, "final": False, "done": count, "total": self.total}
            self._control.report(JsonReply(progress, is_final=False))

    def finish_match(self) -> None:
        """Go on to the next match."""
        self._before, self._done = self._before + self._done, 0
