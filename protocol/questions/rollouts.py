"""Rollouts: of the plays of a roll, of a position, of a cube decision."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import PreparedRollout, RolloutRequest, RolloutResult
from gammond.engine.evaluation.results import MeanEquity, is_on_scale
from gammond.engine.rollout import RolloutSettings, RolloutState
from gammond.engine.rules.moves import Play
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.state.cluster_work import ClusterWork, work_with_cluster

PROGRESS_INTERVAL_S = 0.5


class TrialsProgress(NamedTuple):
    """A report from a rollout that is running.

    Attributes:
        trials: How many the starts have that have the most.
        of: How many each start is to have.
        elapsed_s: Since the start.
        equity: Of the position, or of the best play so far, for the side on roll; None without trials, and
            where points have no scale. Its error means nothing after one trial.
        play: That play; None where no plays are rolled out, and without trials.
    """

    trials: int
    of: int
    elapsed_s: float
    equity: MeanEquity | None = None
    play: Play | None = None


class RollOut(msgspec.Struct, frozen=True):
    """What a rollout comes to. It is long work, on the cluster of the service if there is one.

    Attributes:
        request: What is rolled out.
        settings: How.
        state: What is played already, and gone on with.
    """

    request: RolloutRequest
    settings: RolloutSettings
    state: RolloutState | None = None

    def run(
        self,
        engine: Engine,
        control: WorkControl,
        report: Callable[[TrialsProgress], None],
        cluster: ClusterWork | None = None,
    ) -> RolloutResult:
        """Roll out.

        Args:
            engine: Plays and evaluates.
            control: Stops it.
            report: Takes its progress, about twice a second.
            cluster: Does the work in place of this process.

        Raises:
            GammondError: As `PreparedRollout`, or it was stopped too early.
        """
        rollout = PreparedRollout(self.request, engine, self.settings, control.is_cancelled)
        reporter = _Reporter(rollout, self.settings.trials, report)
        latest = self.state

        def roll_out_there(cluster: ClusterWork) -> RolloutResult | None:
            blocks = cluster.make_blocks(engine, self.request.plies, self.request.leaf_plies)
            if blocks is None:
                return None
            return rollout.run(self.state, follow, blocks, cancelled=lambda: control.is_stopped)

        def follow(state: RolloutState) -> None:
            nonlocal latest
            latest = state
            assert cluster is not None
            cluster.check()
            reporter(state)

        return work_with_cluster(cluster, control, roll_out_there, lambda: rollout.run(latest, reporter))


class _Reporter:
    """Reports the progress of a rollout.

    Args:
        rollout: The rollout.
        trials: How many each start is to have.
        report: Takes the reports.
    """

    def __init__(
        self, rollout: PreparedRollout, trials: int, report: Callable[[TrialsProgress], None]
    ) -> None:
        self._rollout = rollout
        self._trials = trials
        self._report = report
        self._started_s = self._reported_s = time.monotonic()

    def __call__(self, state: RolloutState) -> None:
        """Report progress, unless a report was made a moment ago."""
        if time.monotonic() - self._reported_s >= PROGRESS_INTERVAL_S:
            self._reported_s = time.monotonic()
            self._report(self._describe(state))

    def _describe(self, state: RolloutState) -> TrialsProgress:
        done, plays, game = max(map(len, state.scores)), self._rollout.plays, self._rollout.game
        progress = TrialsProgress(done, self._trials, time.monotonic() - self._started_s)
        if not done:
            return progress
        # Positions after plays are seen by the other side, so the best play is the one with the least equity.
        turned = bool(plays)
        known = [one for one in range(len(state.starts)) if state.count_trials(one) == done]
        equities = {one: state.estimate_equity(one, game, for_opponent=turned) for one in known}
        best = max(known, key=lambda one: equities[one].equity) if turned else 0
        is_scaled = is_on_scale(equities[best].equity, game.mwc_per_point)
        return progress._replace(
            equity=equities[best] if is_scaled else None, play=plays[best] if turned else None
        )
