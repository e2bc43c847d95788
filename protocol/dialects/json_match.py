"""The JSON query ``analyse``: matches given as text, analysed as `gammond analyse` does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from types import MappingProxyType
from typing import TypeVar

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import CancelledWork, LimitError, ValueRangeError
from gammond.engine.match_analysis.analysed_match import AnalysedMatch, make_analysed_match
from gammond.engine.match_analysis.analysis import (
    AnalysisSettings,
    DecisionAnalyser,
    analyse_match,
    count_decisions,
)
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_analysis.notes import MAX_CANDIDATES, AnalysisJournal
from gammond.engine.match_analysis.rollouts import (
    QUICK_ROLLOUT,
    DecisionRollouts,
    count_rolled_out,
    roll_out_decisions,
)
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.match_files.reading import read_matches
from gammond.engine.rollout.runner import BlockPlayer
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.runtime.threads import Workers
from gammond.protocol.commands.rollouts import apply_rollout_arguments
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.requests import JsonReply, Work, WorkControl
from gammond.protocol.dialects.json_analysis import make_final_reply
from gammond.protocol.dialects.json_documents import find_deadline, make_id_key, make_query_error, quote_json
from gammond.protocol.dialects.json_fields import Query, find_net
from gammond.protocol.dialects.json_parts import read_rollout_arguments
from gammond.protocol.questions.rollouts import PROGRESS_INTERVAL_S
from gammond.protocol.state.cluster_work import ClusterWork, work_with_cluster
from gammond.protocol.state.service import Service
from gammond.protocol.state.session import Session

_FIELD = "match_text"

_HelperT = TypeVar("_HelperT")
"""What does long work on a cluster."""

_TEXT_BYTES, _DECISION_BYTES, _CANDIDATE_BYTES = 20, 450, 160
"""What a decision takes in a text, in the answer, and there for each play that is considered; about."""


def read_decision_rollouts(query: Query, threads: int) -> DecisionRollouts | None:
    """Return how a query for a match has decisions rolled out; None if it has not.

    Args:
        query: The query.
        threads: How many threads share the trials, where it does not say.

    Raises:
        GammondError: An argument is unknown, of no use for a match, or out of range.
    """
    if query.rollout is None:
        return None
    values = read_rollout_arguments(query.rollout)
    for name in ("what", "cubeful", "play"):
        if values[name] is not None:
            raise ValueRangeError(
                f"expected no {name} in rollout for 'analyse', got {quote_json(query.rollout[name])}: the "
                "decisions of the match are rolled out with their cube",
                field=f"rollout.{name}",
            )
    settings = apply_rollout_arguments(replace(QUICK_ROLLOUT, threads=threads), values)
    most = DecisionRollouts.max_plays if values["candidates"] is None else values["candidates"]
    try:
        return DecisionRollouts(settings, values["plies"] or 0, values["leaf_plies"] or 0, most)
    except ValueRangeError as error:
        raise error.with_field(f"rollout.{error.field}") from error


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
        service: Has the clock, the caps, and maybe a cluster that works in place of this process.
        query: How deep they are analysed.
        content: Their file.
        head: What each object of the answer begins with.
        rollouts: How decisions that the search leaves close or finds wrong are rolled out; None for not at
            all.
        threads: How many share the decisions, no more than there are cores.
        deadline_s: When its time is over, by the clock; None for never.
        describe: Returns what the answer has of a match.
    """

    service: Service
    query: Query
    content: bytes
    head: dict[str, object]
    rollouts: DecisionRollouts | None
    threads: int
    deadline_s: float | None
    describe: Callable[[AnalysedMatch], object]

    @property
    def answer_bytes(self) -> int:
        """About how many bytes the answer takes."""
        decisions = min(self.service.limits.query_decisions, len(self.content) // _TEXT_BYTES)
        candidates = min(self.query.max_moves or MAX_CANDIDATES, MAX_CANDIDATES)
        return decisions * (_DECISION_BYTES + _CANDIDATE_BYTES * candidates)

    def run(self, engine: Engine, control: WorkControl) -> JsonReply:
        """Return the final object: a result for each match that was finished.

        Args:
            engine: Evaluates.
            control: Stops it, and takes its progress.

        Raises:
            GammondError: The text is no match, has too many decisions or too many to roll out, or the engine
                does not know its rules.
        """
        query, rollouts = self.query, self.rollouts
        settings = AnalysisSettings(query.plies, query.deeper, query.filter, query.settings.store)
        results: list[msgspec.Raw] = []

        def finish(match: RecordedMatch) -> None:
            analysed = make_analysed_match(engine, match, settings, rollouts)
            text = msgspec.json.encode(self.describe(analysed))
            control.answer_bytes += len(text)
            results.append(msgspec.Raw(text))

        with error_field(_FIELD):
            matches, noted = read_matches(self.content, name=_FIELD), []
            report = _Reporter(self, control, self._count_decisions(matches))
        try:
            for match in matches:
                with error_field(_FIELD):
                    found = self._analyse(engine, match, settings, report, control)
                report.finish_match()
                noted.append(found)
                if rollouts is None:
                    finish(noted.pop())
            if rollouts is not None:
                report.expect_trials(self._count_trials(noted, rollouts))
                for match in noted:
                    finish(self._roll_out(engine, match, rollouts, report, control))
                    report.finish_match()
        except CancelledWork:
            pass
        is_cut = len(results) < len(matches)
        by = _find_engine(engine, matches[: len(results)])
        return make_final_reply(self.head, by, query.settings, results, is_cut=is_cut)

    def _analyse(
        self,
        engine: Engine,
        match: RecordedMatch,
        settings: AnalysisSettings,
        report: _Reporter,
        control: WorkControl,
    ) -> RecordedMatch:
        """Analyse the decisions of a match."""
        journal, workers = AnalysisJournal(), Workers(min(self.threads, count_usable_cores()))

        def analyse(cancelled: Callable[[], bool], analyser: DecisionAnalyser | None) -> RecordedMatch:
            return analyse_match(
                *(engine, match, settings),
                workers=workers,
                progress=report,
                cancelled=cancelled,
                journal=journal,
                analyser=analyser,
            )

        return self._work(
            control, lambda cluster, cancelled: cluster.make_analyser(engine, settings, cancelled), analyse
        )

    def _roll_out(
        self,
        engine: Engine,
        match: RecordedMatch,
        rollouts: DecisionRollouts,
        report: _Reporter,
        control: WorkControl,
    ) -> RecordedMatch:
        """Roll out the decisions of a match."""
        journal, known = AnalysisJournal(), engine.with_rules(match.rules.rules)

        def roll_out(cancelled: Callable[[], bool], blocks: BlockPlayer | None) -> RecordedMatch:
            return roll_out_decisions(
                *(engine, match, rollouts),
                progress=report.count_trials,
                cancelled=cancelled,
                journal=journal,
                blocks=blocks,
            )

        return self._work(
            control,
            lambda cluster, _: cluster.make_blocks(known, rollouts.plies, rollouts.leaf_plies),
            roll_out,
        )

    def _work(
        self,
        control: WorkControl,
        find_helper: Callable[[ClusterWork, Callable[[], bool]], _HelperT | None],
        work: Callable[[Callable[[], bool], _HelperT | None], RecordedMatch],
    ) -> RecordedMatch:
        """Do what takes long, on a cluster if there is one; what that did is not done again here."""

        def work_there(cluster: ClusterWork) -> RecordedMatch | None:
            def is_spent() -> bool:
                cluster.check()
                return self._is_over() or control.is_stopped

            helper = find_helper(cluster, is_spent)
            return None if helper is None else work(is_spent, helper)

        def is_spent() -> bool:
            is_stopped = control.is_cancelled()  # which may take a while
            return is_stopped or self._is_over()

        return work_with_cluster(self.service.cluster, control, work_there, lambda: work(is_spent, None))

    def _count_decisions(self, matches: Sequence[RecordedMatch]) -> int:
        """Return how many decisions are to be analysed.

        Raises:
            LimitError: They are too many.
        """
        count, most = sum(map(count_decisions, matches)), self.service.limits.query_decisions
        if count > most:
            raise LimitError(
                f"expected at most {most:,} plays and cube decisions in match_text, "
                f"got {count:,}: send several queries"
            )
        return count

    def _count_trials(self, noted: Sequence[RecordedMatch], rollouts: DecisionRollouts) -> int:
        """Return how many trials there are of all decisions that are rolled out.

        Raises:
            LimitError: Their games are too many.
        """
        counts = [count for match in noted for count in count_rolled_out(match, rollouts)]
        trials, cap = rollouts.settings.trials, self.service.limits.rollout_games
        if trials * sum(counts) > cap:
            raise LimitError(
                f"expected at most {cap:,} games in all rollouts, got {trials * sum(counts):,}, {trials:,} "
                f"trials of {sum(counts):,} plays and cube actions that are close or wrong: ask for fewer "
                "trials or candidates, or send several queries",
                field="rollout",
            )
        return trials * len(counts)

    def _is_over(self) -> bool:
        return self.deadline_s is not None and self.service.clock() > self.deadline_s


def _find_engine(engine: Engine, matches: Sequence[RecordedMatch]) -> Engine:
    """Return the engine that analysed all matches; the one that was asked for where several did."""
    engines = {each.name: each for each in (engine.with_rules(match.rules.rules) for match in matches)}
    return next(iter(engines.values())) if len(engines) == 1 else engine


def make_match_work(
    session: Session,
    query: Query,
    head: dict[str, object],
    *,
    content: bytes | None = None,
    describe: Callable[[AnalysedMatch], object] | None = None,
) -> Work:
    """Return the work of a query for matches whose fields fit together.

    Args:
        session: Whose settings hold where the query says nothing.
        query: The query.
        head: As `MatchQuery.head`.
        content: The file of the matches, where that came in place of their text.
        describe: As `MatchQuery.describe`; as `gammond analyse` does if left out.

    Raises:
        GammondError: There is no such evaluator, or the arguments of rollouts are wrong.
    """
    service, threads, net = session.service, session.engine_settings.threads, find_net(query, session)
    if query.store is None:
        query = msgspec.structs.replace(query, store=str(session.engine_settings.store))
    analysis = MatchQuery(
        *(service, query, (query.match_text or "").encode() if content is None else content, head),
        *(read_decision_rollouts(query, threads), threads, find_deadline(query, service)),
        describe or partial(describe_match, max_candidates=query.max_moves),
    )
    load_engine = partial(service.get_engine, net, threads)
    return Work(
        lambda control: [analysis.run(load_engine(), control)],
        priority=query.priority,
        key=make_id_key(query.id),
        make_error_reply=partial(make_query_error, head),
        is_long=True,
        deadline_s=analysis.deadline_s,
        answer_bytes=analysis.answer_bytes,
    )


class _Reporter:
    """Reports how much of all matches is done, if the query wants it: decisions, then trials of rollouts.

    Args:
        query: The query.
        control: Takes the reports.
        total: How many decisions there are.
    """

    def __init__(self, query: MatchQuery, control: WorkControl, total: int) -> None:
        self.total = total
        self._query, self._control = query, control
        self._before = self._done = 0
        """Decisions or trials of earlier matches, and of the present one."""
        self._trials = 0
        self._reported_s = -inf

    def __call__(self, done: int, total: int) -> None:
        """Take the number of decisions of one match that are analysed."""
        self._done = done
        count, every = self._before + done, self._query.query.progress_every
        if every and done and count % every == 0 and count < self.total:
            self._report(count)

    def expect_trials(self, trials: int) -> None:
        """Go on to the rollouts."""
        self._trials, self._before = trials, 0

    def count_trials(self, done: int, total: int) -> None:
        """Take the number of trials of one match that are done; it is reported about twice a second."""
        self._done = done
        now_s = self._query.service.clock()
        if self._query.query.progress_every and now_s - self._reported_s >= PROGRESS_INTERVAL_S:
            self._reported_s = now_s
            self._report(self.total, {"trials": self._before + done, "of": self._trials})

    def finish_match(self) -> None:
        """Go on to the next match."""
        self._before, self._done = self._before + self._done, 0

    def _report(self, decisions: int, trials: Mapping[str, int] = MappingProxyType({})) -> None:
        progress = {**self._query.head, "final": False, "done": decisions, "total": self.total, **trials}
        self._control.report(JsonReply(progress, is_final=False))
