"""A round robin: every pair of players, range by range, until its games or its test end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.common.progress import Progress
from gammond.tools.parallel.options import make_executor
from gammond.tools.parallel.processes import is_stopping
from gammond.tools.tournament.backgammon import TournamentRules
from gammond.tools.tournament.entrants import Entrant, load_entrant
from gammond.tools.tournament.games import GameRange, GameRules, PairingTask
from gammond.tools.tournament.results_file import ResultsFile
from gammond.tools.tournament.statistics.sprt import SequentialTest, SprtResult, SprtVerdict


@dataclass
class PairState:
    """Two players and their results against each other.

    Attributes:
        player_indices: Their places among all players, the lower one first.
        scores: Of the first one, those of earlier runs included.
        test_result: Of the sequential test, where there is one.
    """

    player_indices: tuple[int, int]
    scores: PairedScores = field(default_factory=PairedScores.empty)
    test_result: SprtResult | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the test has a verdict."""
        return self.test_result is not None and self.test_result.verdict is not SprtVerdict.UNDECIDED


@dataclass(frozen=True)
class RoundRobin:
    """Every player against every other.

    Attributes:
        entrants: The players.
        rules: What is played.
        games: Of each pair, even.
        threads: How many processes play; the results do not depend on it.
        cluster: Whose workers play instead, as ``--cluster``; empty for none.
        test: Stops a pair before all its games are played; None plays them all.
        records: The folder for records of the games; None for none.
        overwrites: Whether a record may replace another one.
        helpers: Who decides about the cube for players, without playing.
    """

    entrants: Sequence[Entrant]
    rules: GameRules
    games: int
    threads: int = 1
    cluster: str = ""
    test: SequentialTest | None = None
    records: Path | None = None
    overwrites: bool = False
    helpers: Sequence[Entrant] = ()

    def play(self, results_file: ResultsFile) -> tuple[list[PairState], bool]:
        """Play with a progress bar.

        Only whole ranges of games count: among the games in progress short ones end first, which would bias
        the result.

        Args:
            results_file: The results of earlier runs; it receives those of this one.

        Returns:
            All pairs, and whether they are complete; Ctrl-C or SIGTERM ends it early.

        Raises:
            GammondError: A player cannot be loaded, a game would not end, or a file cannot be written.
        """
        pairs = [PairState(places) for places in combinations(range(len(self.entrants)), 2)]
        for pair in pairs:
            self._record_scores(pair, results_file.get_scores(*self._pair_names(pair)).take_first(self.games))
        try:
            self._play_remaining(pairs, results_file)
        except KeyboardInterrupt:
            return pairs, False
        return pairs, True

    def _play_remaining(self, pairs: Sequence[PairState], results_file: ResultsFile) -> None:
        by_indices = {pair.player_indices: pair for pair in pairs}
        done = before = sum(pair.scores.games for pair in pairs)
        tasks = sum(1 for _ in self._generate_tasks(pairs))
        nets = {each.name: each.nets for each in (*self.entrants, *self.helpers) if each.nets}
        with (
            Progress(self.games * len(pairs), self._label, start=before) as bar,
            make_executor(max(1, min(self.threads, tasks)), self.cluster, nets) as executor,
        ):

            def play_here(task: PairingTask) -> tuple[PairingTask, PairedScores]:
                return task, self.rules.play_range(task, lambda games: bar.update(done + games))

            work = play_here if executor.runs_here else play_task
            for task, scores in executor.map(work, self._generate_tasks(pairs)):
                pair = by_indices[task.player_indices]
                if not pair.is_decided:
                    results_file.add(*task.names, task.game_range, scores)
                    self._record_scores(pair, pair.scores.concatenate(scores))
                done += scores.games
                bar.update(done, executor.note)

    def _generate_tasks(self, pairs: Sequence[PairState]) -> Iterator[PairingTask]:
        """Generate what is left to play; nothing more of a pair once it is decided."""
        for pair in pairs:
            names = self._pair_names(pair)
            is_deep = any(self.entrants[place].is_deep for place in pair.player_indices)
            size = self.rules.choose_games_per_range(is_deep=is_deep, is_sequential=self.test is not None)
            for start in range(pair.scores.games, self.games, size):
                if pair.is_decided:
                    break
                game_range = GameRange(start, min(size, self.games - start))
                task = self.rules, names, pair.player_indices, game_range, self.records, self.overwrites
                yield PairingTask(*task)

    def _record_scores(self, pair: PairState, scores: PairedScores) -> None:
        """Set the results of a pair, up to the verdict of its test."""
        pair.scores = scores
        if self.test is not None:
            tested = 0 if pair.test_result is None else pair.test_result.games
            pair.test_result = self.test.run(scores, tested)
            if pair.is_decided:
                pair.scores = scores.take_first(pair.test_result.games)

    def _pair_names(self, pair: PairState) -> tuple[str, str]:
        first, second = pair.player_indices
        return self.entrants[first].name, self.entrants[second].name

    @property
    def _label(self) -> str:
        if len(self.entrants) == 2:
            return " against ".join(entrant.title for entrant in self.entrants)
        return f"{len(self.entrants)} players"


def play_task(task: PairingTask) -> tuple[PairingTask, PairedScores]:
    """Play a task in a process of a pool; it ends early once the pool is left."""
    return task, task.rules.play_range(task, cancelled=is_stopping)


def play_pair(first: str, second: str, games: int, seed: int, threads: int = 1) -> PairedScores:
    """Play cubeless money games between two players, or of one against itself, with a progress bar.

    Args:
        first: As for `gammond.tools.common.opponents.load_opponent`.
        second: The same.
        games: How many, even.
        seed: Of the dice.
        threads: How many processes play.

    Returns:
        The results of all games, or after an interrupt of the ranges finished by then.

    Raises:
        GammondError: A player cannot be loaded.
    """
    entrants = [load_entrant(name) for name in (first, second)]
    rules = TournamentRules(seed=seed)
    ((pair,), _) = RoundRobin(entrants, rules, games, threads).play(ResultsFile(None, rules, entrants))
    return pair.scores
