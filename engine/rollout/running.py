"""Running a rollout: blocks of trials on worker threads, put together in the order of the trials."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import CancelledWork, StateError, ValueRangeError
from engine.formats.position_id import encode_position_id
from engine.position import Board, Position
from engine.rollout.dice import FACES
from engine.rollout.results import RolloutState
from engine.rollout.scoring import Cubeless, Cubes, Scores, Scoring
from engine.rollout.settings import RolloutJudges, RolloutSettings
from engine.rollout.stopping import StopReason, StopRule, candidate_rule, has_rules, next_check
from engine.rollout.trials import play_trials
from engine.turns import taking_turns

BLOCK_S = 0.5
"""About how long a block of trials should take. Progress is told block by block, and when the work is cut
short the blocks that are complete count."""

BLOCK_ROWS = 2 * FACES * FACES
"""The most games in a block, which bounds the memory of a thread to some tens of MB."""

HEARTBEAT_S = 0.5
"""Progress is told this often, whether trials came in or not."""

_GROWTH = 12
_SHOWN_STARTS = 3

Progress = Callable[[RolloutState], None]


@dataclass(frozen=True)
class Rollout:
    """A rollout that has ended.

    Attributes:
        state: What it found.
        reason: Why it ended.
        survivors: The candidates that no rule gave up, in the order of the starts.
    """

    state: RolloutState
    reason: StopReason
    survivors: tuple[int, ...]


def roll_out(
    starts: Sequence[Position],
    judges: RolloutJudges,
    settings: RolloutSettings | None = None,
    *,
    scoring: Scoring | None = None,
    cubes: Cubes | None = None,
    rule: StopRule | None = None,
    resume: RolloutState | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Rollout:
    """Roll out positions, all with the same dice.

    The starts are candidates of one decision: positions after a play, with the other side on roll, so the
    best one is that with the least equity. For positions that do not compete set ``stop_jsd`` to 0. The
    scores of a trial depend on its start, the judges, the seed, the truncation and its number alone.

    Args:
        starts: One or more; finished ones count as they ended.
        judges: Who plays and judges.
        settings: All default if None.
        scoring: What the scores are; `Cubeless` if None.
        cubes: The cube at each start, as the scoring numbers them; the present one if None.
        rule: What asks whether to stop; `candidate_rule` if None.
        resume: A state of the same starts, judges, scoring, seed, truncation and variance reduction to go on
            from. The result is the one of a single run.
        progress: Told what is known after each block of trials, and every half second while none is
            complete, when there may be no trials yet; called in the caller's thread.
        cancelled: Asked some fifty times a second, from all threads; ends the rollout with the trials that
            are complete.

    Returns:
        The rollout; a state that already has all trials comes back as it is.

    Raises:
        ValueRangeError: There are no starts, or fewer trials than the state to go on from has.
        StateError: The state to go on from is of another rollout; the message names the difference.
        CancelledWork: It was told to stop before any trial was complete.
        LimitError: A trial would not end.
    """
    if not starts:
        raise ValueRangeError("a rollout needs at least 1 position, got none", field="position")
    settings = settings or RolloutSettings()
    scoring = scoring or Cubeless()
    cubes = Cubes.present(len(starts)) if cubes is None else cubes
    state = _empty_state(starts, cubes, judges, settings, scoring)
    if resume is not None:
        _check_same(resume, state)
        _check_more(resume, settings)
        state = resume
    runner = _Runner(state, judges, settings, scoring, progress, cancelled or _never)
    return runner.run(rule or candidate_rule)


class _Runner:
    """One rollout at work."""

    def __init__(
        self,
        state: RolloutState,
        judges: RolloutJudges,
        settings: RolloutSettings,
        scoring: Scoring,
        progress: Progress | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._state = state
        self._kept = [_GrowingScores(scores, settings.trials) for scores in state.scores]
        self._judges = judges
        self._settings = settings
        self._scoring = scoring
        self._progress = progress
        self._cancelled = cancelled
        self._broken_off = threading.Event()
        self._trials_at_once = 1

    def run(self, rule: StopRule) -> Rollout:
        """Play trials until enough is known."""
        ruled = has_rules(self._settings, len(self._state.starts))
        active = self._still_active(ruled)
        reason = StopReason.TRIALS
        pool = ThreadPoolExecutor(self._settings.threads, thread_name_prefix="rollout")
        try:
            while True:
                if ruled and self._state.trials(active[0]):
                    active, stop = rule(self._state, active, self._settings, self._scoring)
                    if stop is not None:
                        reason = stop
                        break
                least = min(self._state.trials(one) for one in active)
                if least >= self._settings.trials:
                    break
                end = next_check(least) if ruled else self._settings.trials
                lagging = [one for one in active if self._state.trials(one) == least]
                self._play_to(pool, lagging, min(end, self._settings.trials))
        except CancelledWork:
            if not min(map(len, self._state.scores)):
                raise
            reason = StopReason.CANCELLED
        finally:
            self._broken_off.set()
            pool.shutdown(cancel_futures=True)
        return Rollout(self._trimmed_state(), reason, tuple(active))

    def _trimmed_state(self) -> RolloutState:
        """The state without room for more trials."""
        if not any(kept.has_room for kept in self._kept):
            return self._state
        return replace(self._state, scores=tuple(kept.rows.copy() for kept in self._kept))

    def _still_active(self, ruled: bool) -> list[int]:
        """The candidates to go on with: under rules, those that were not given up before."""
        counts = [len(scores) for scores in self._state.scores]
        return [one for one, count in enumerate(counts) if count == max(counts) or not ruled]

    def _play_to(self, pool: ThreadPoolExecutor, candidates: list[int], end: int) -> None:
        """Play the trials of some candidates up to a number, adding them in their order."""
        start = self._state.trials(candidates[0])
        waiting: deque[Future[tuple[Scores, float]]] = deque()
        while start < end or waiting:
            while start < end and len(waiting) < self._settings.threads:
                stop = start + self._block_trials(len(candidates), end - start)
                waiting.append(pool.submit(self._block, candidates, range(start, stop)))
                start = stop
            scores, took_s = self._awaited(waiting.popleft())
            self._add(candidates, scores)
            self._learn(scores.shape[1], took_s)
            if self._progress is not None:
                self._progress(self._state)

    def _awaited(self, block: Future[tuple[Scores, float]]) -> tuple[Scores, float]:
        """Wait for a block, with signs of life."""
        while not wait((block,), timeout=HEARTBEAT_S).done:
            if self._progress is not None:
                self._progress(self._state)
        return block.result()

    def _block(self, candidates: list[int], trials: range) -> tuple[Scores, float]:
        """Play a block and time it, in a worker thread."""
        began_s = time.perf_counter()
        with taking_turns():
            scores = play_trials(
                self._state.starts[candidates],
                trials,
                self._settings,
                self._judges,
                self._scoring,
                self._must_stop,
                self._state.cubes[candidates],
            )
        return scores, time.perf_counter() - began_s

    def _must_stop(self) -> bool:
        return self._broken_off.is_set() or self._cancelled()

    def _block_trials(self, candidates: int, left: int) -> int:
        """How many trials to give to a thread next: large blocks are whole rows of first rolls."""
        most = max(BLOCK_ROWS // candidates, 1)
        wanted = min(self._trials_at_once, -(-left // self._settings.threads))
        if wanted > FACES:
            wanted = -(-wanted // FACES) * FACES
        return min(wanted, most, left)

    def _learn(self, trials: int, took_s: float) -> None:
        wanted = trials * BLOCK_S / max(took_s, 1e-6)
        self._trials_at_once = max(1, int(min(wanted, _GROWTH * trials)))

    def _add(self, candidates: list[int], scores: Scores) -> None:
        """Add the scores of a block, ``float64[candidates, trials, columns]``."""
        for one, block in zip(candidates, scores, strict=True):
            self._kept[one].add(block)
        self._state = replace(self._state, scores=tuple(kept.rows for kept in self._kept))


class _GrowingScores:
    """The scores of one start, with room for more, so that adding a block does not copy all that came before.

    Args:
        scores: Those that there are; they are not written to.
        most: How many trials there will be.
    """

    def __init__(self, scores: Scores, most: int) -> None:
        self._room = scores
        self._count = len(scores)
        self._most = most

    @property
    def rows(self) -> Scores:
        """Those that there are, without a copy; what is added later does not change them."""
        return self._room[: self._count]

    @property
    def has_room(self) -> bool:
        """Whether it takes more memory than its rows do."""
        return len(self._room) > self._count

    def add(self, block: Scores) -> None:
        """Add ``float64[trials, columns]``."""
        count = self._count + len(block)
        if count > len(self._room):
            room = np.empty((max(count, min(2 * self._count, self._most)), block.shape[1]))
            room[: self._count] = self.rows
            self._room = room
        self._room[self._count : count] = block
        self._count = count


def _empty_state(
    starts: Sequence[Position],
    cubes: Cubes,
    judges: RolloutJudges,
    settings: RolloutSettings,
    scoring: Scoring,
) -> RolloutState:
    """The state of a rollout that has not begun."""
    return RolloutState(
        starts=np.stack([start.board for start in starts]),
        cubes=cubes,
        seed=settings.seed,
        truncation=settings.truncation,
        variance_reduction=settings.variance_reduction,
        judges=judges.names,
        scoring=scoring.name,
        scores=(np.empty((0, scoring.columns)),) * len(starts),
    )


def _check_more(state: RolloutState, settings: RolloutSettings) -> None:
    """Make sure that no fewer trials are asked for than there are.

    Raises:
        ValueRangeError: They are fewer.
    """
    trials = max(map(len, state.scores))
    if settings.trials < trials:
        raise ValueRangeError(
            f"the rollout to go on from has {trials} trials, expected no fewer, not {settings.trials}",
            field="trials",
        )


def _check_same(state: RolloutState, asked: RolloutState) -> None:
    """Make sure that a state to go on from is of the rollout that is asked for.

    Raises:
        StateError: It is not.
    """
    if not np.array_equal(state.starts, asked.starts):
        raise StateError(
            f"the saved rollout is of other positions, {_shown(state.starts)}, expected "
            f"{_shown(asked.starts)}: position, dice, candidates or the question are others",
            field="state",
        )
    if not state.cubes.same_as(asked.cubes):
        raise StateError("the saved rollout begins with other cubes than those asked for", field="state")
    if state.scores[0].shape[1] != asked.scores[0].shape[1]:
        raise StateError("the saved rollout has scores of another kind than those asked for", field="state")
    for name in ("seed", "truncation", "variance_reduction", "judges", "scoring"):
        saved, wanted = getattr(state, name), getattr(asked, name)
        if saved != wanted:
            shown = [", ".join(dict.fromkeys(each)) if name == "judges" else each for each in (saved, wanted)]
            raise StateError(
                f"the saved rollout has {name} {shown[0]}, expected {shown[1]} to go on from it",
                field="state",
            )


def _shown(starts: Board) -> str:
    """Name positions for a message, the first few by their IDs."""
    ids = [encode_position_id(Position(board)) for board in starts[:_SHOWN_STARTS]]
    more = ", ..." if len(starts) > len(ids) else ""
    return f"{len(starts)} position{'s'[: len(starts) != 1]} ({', '.join(ids)}{more})"


def _never() -> bool:
    return False
