"""A round robin: every pair of players, stretch by stretch, each as long as its games or its test last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from tools.progress import Progress
from tools.tournament.entrants import Entrant, load_entrant
from tools.tournament.keeping import Kept
from tools.tournament.playing import Task, done_by_processes, done_here
from tools.tournament.rules import Rules
from tools.tournament.scores import Scores
from tools.tournament.sprt import Judged, SequentialTest, Verdict
from tools.tournament.stretches import Stretch


@dataclass
class Pair:
    """Two players and what they have played against each other.

    Attributes:
        places: Where they stand among all players, the lower one first.
        scores: Results for the first one, those of earlier runs included.
        judged: What the test says, where there is one.
    """

    places: tuple[int, int]
    scores: Scores = field(default_factory=Scores.none)
    judged: Judged | None = None

    @property
    def is_decided(self) -> bool:
        """Whether the test has come to an end."""
        return self.judged is not None and self.judged.verdict is not Verdict.UNDECIDED


@dataclass(frozen=True)
class RoundRobin:
    """Every player against every other.

    Attributes:
        entrants: The players.
        rules: What is played.
        games: How many of each pair, even.
        threads: How many processes play at once; the results do not depend on it.
        test: Ends a pair before its games are over; None plays them all.
        records: The folder for records of the games; None for none.
    """

    entrants: Sequence[Entrant]
    rules: Rules
    games: int
    threads: int = 1
    test: SequentialTest | None = None
    records: Path | None = None

    def play(self, kept: Kept) -> tuple[list[Pair], bool]:
        """Play with a progress bar.

        Only whole stretches count: of the games in progress the short ones end first, and their results
        differ.

        Args:
            kept: What earlier runs have played, and where to keep the results.

        Returns:
            All pairs, and whether they are through; Ctrl-C or SIGTERM ends it early.

        Raises:
            GammondError: A player cannot be loaded, a game would not end, or a file cannot be written.
        """
        pairs = [Pair(places) for places in combinations(range(len(self.entrants)), 2)]
        for pair in pairs:
            self._count(pair, kept.scores(*self._names(pair)).first(self.games))
        try:
            self._play_on(pairs, kept)
        except KeyboardInterrupt:
            return pairs, False
        return pairs, True

    def _play_on(self, pairs: Sequence[Pair], kept: Kept) -> None:
        by_places = {pair.places: pair for pair in pairs}
        before = sum(pair.scores.games for pair in pairs)
        with Progress(self.games * len(pairs), self._label, start=before) as bar:
            done = before
            processes = min(self.threads, sum(1 for _ in self._tasks(pairs)))
            tasks = self._tasks(pairs)
            if processes > 1:
                results = done_by_processes(tasks, processes)
            else:
                results = done_here(tasks, lambda games: bar.update(done + games))
            for task, scores in results:
                pair = by_places[task.places]
                if not pair.is_decided:
                    kept.add(*task.names, task.stretch, scores)
                    self._count(pair, pair.scores.followed_by(scores))
                done += scores.games
                bar.update(done)

    def _tasks(self, pairs: Sequence[Pair]) -> Iterator[Task]:
        """What is left to play; of a pair that is decided meanwhile, nothing more."""
        for pair in pairs:
            names = self._names(pair)
            is_deep = any(self.entrants[place].is_deep for place in pair.places)
            size = self.rules.stretch_games(is_deep=is_deep, is_sequential=self.test is not None)
            for start in range(pair.scores.games, self.games, size):
                if pair.is_decided:
                    break
                stretch = Stretch(start, min(size, self.games - start))
                yield Task(self.rules, names, pair.places, stretch, self.records)

    def _count(self, pair: Pair, scores: Scores) -> None:
        """Enter the results of a pair, as far as its test has looked at them."""
        pair.scores = scores
        if self.test is not None:
            pair.judged = self.test.judge(scores)
            if pair.is_decided:
                pair.scores = scores.first(pair.judged.games)

    def _names(self, pair: Pair) -> tuple[str, str]:
        first, second = pair.places
        return self.entrants[first].name, self.entrants[second].name

    @property
    def _label(self) -> str:
        if len(self.entrants) == 2:
            return " against ".join(entrant.title for entrant in self.entrants)
        return f"{len(self.entrants)} players"


def play_two(first: str, second: str, games: int, seed: int, threads: int = 1) -> Scores:
    """Play cubeless money games between two players, or of one against itself, with a progress bar.

    Args:
        first: What `tools.opponents.load_opponent` takes.
        second: The same.
        games: How many, even.
        seed: Of the dice.
        threads: How many processes play at once.

    Returns:
        The results of all games, or after an interrupt of the stretches that were finished.

    Raises:
        GammondError: A player cannot be loaded.
    """
    entrants = [load_entrant(name) for name in (first, second)]
    rules = Rules(seed=seed)
    ((pair,), _) = RoundRobin(entrants, rules, games, threads).play(Kept(None, rules, entrants))
    return pair.scores
