"""A match with the engine's analysis, as the reports take it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from gammond.engine.analysis.engine import Engine
from gammond.engine.cubeful.match_equity import MatchEquityTable, load_default_table
from gammond.engine.cubeful.solutions import load_solution
from gammond.engine.errors import DataFileError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import AnalysedDecision, AnalysedResignation, rate_actions
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.match_analysis.statistics import (
    AnalysedRoll,
    PlayerStatistics,
    StatisticsByPhase,
    compute_by_phase,
)
from gammond.engine.match_files.model import ANNOTATOR, NO_NOTES, ActionNotes, RecordedMatch
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import SEATS
from gammond.engine.rules.rules import Rules
from gammond.engine.runtime.version import NAME, read_version
from gammond.engine.wording import escape_unprintable

_LOSSES = ((0.12, "very bad"), (0.06, "bad"), (0.03, "doubtful"))
_LUCK = ((0.6, "very "), (0.3, ""))
"""The words that GNU Backgammon puts beside plays, cube actions and rolls, from which loss or luck on.

*Source:* the manual of GNU Backgammon, "Annotation settings", with the thresholds of version 1.08.
"""


@dataclass(frozen=True)
class AnalysedMatch:
    """A match with the engine's analysis.

    Attributes:
        name: What messages call its file; empty for none.
        match: The match, with the engine's notes.
        method: What analysed it, in words.
        table: The match equity table.
        nets: sha256 by name of the nets; empty where it is not asked for.
    """

    name: str
    match: RecordedMatch
    method: str
    table: MatchEquityTable
    nets: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, str]:
        """The names of seats 0 and 1, fit to be shown; ``player 1`` or ``player 2`` for none."""
        one, two = (escape_unprintable(name) or f"player {at}" for at, name in enumerate(self.match.names, 1))
        return one, two

    @property
    def score(self) -> tuple[int, int]:
        """The score after the last game, as far as its result is known."""
        if not self.match.games:
            return 0, 0
        last = self.match.games[-1]
        if last.result is None:
            return last.initial_state.score
        return last.initial_state.score_after(last.result.winner, last.result.points)

    @property
    def winner(self) -> int | None:
        """The seat that won the match; None in money play, and if it did not end."""
        if not self.match.length:
            return None
        return next((seat for seat in SEATS if self.score[seat] >= self.match.length), None)

    @property
    def cut_games(self) -> list[str]:
        """What of its games is missing, a line for each game that is cut; statistics rest on the rest."""
        return [
            f"Game {number} is cut: {'; '.join(game.missing)}"
            for number, game in enumerate(self.match.games, 1)
            if game.is_cut
        ]

    @property
    def statistics(self) -> tuple[PlayerStatistics, PlayerStatistics]:
        """The statistics of both players."""
        return self.statistics_by_phase.players

    @cached_property
    def statistics_by_phase(self) -> StatisticsByPhase:
        """The statistics of the match."""
        return compute_by_phase(self.decisions, self.rolls)

    @cached_property
    def statistics_of_games(self) -> list[StatisticsByPhase]:
        """The statistics of each game."""
        rolls: list[list[AnalysedRoll]] = [[] for _ in self.match.games]
        for roll in self.rolls:
            rolls[roll.game].append(roll)
        return [compute_by_phase(*each) for each in zip(self.decisions_of_games, rolls, strict=True)]

    @property
    def decisions(self) -> list[AnalysedDecision]:
        """All decisions in order."""
        return self._rated[0]

    @cached_property
    def decisions_of_games(self) -> list[list[AnalysedDecision]]:
        """The decisions of each game in order."""
        decisions: list[list[AnalysedDecision]] = [[] for _ in self.match.games]
        for decision in self.decisions:
            decisions[decision.game].append(decision)
        return decisions

    @property
    def errors(self) -> list[AnalysedDecision]:
        """The decisions that are errors or blunders, the worst first."""
        wrong = (each for each in self.decisions if each.loss.mark)
        return sorted(wrong, key=lambda each: -each.loss.size)

    @property
    def rolls(self) -> list[AnalysedRoll]:
        """The luck of all rolls that were played, in order."""
        return self._rated[1]

    @property
    def resignations(self) -> list[AnalysedResignation]:
        """All resignations in order; they count in no statistics."""
        return self._rated[2]

    @property
    def marked_match(self) -> RecordedMatch:
        """The match with marks beside what was wrong, and what analysed it as its annotator if that is known.

        A person who is its annotator stays so.
        """
        marked = add_marks(self.match, self.decisions)
        before = marked.headers.get(ANNOTATOR, "")
        if not self.method or (before and not is_own_method(before)):
            return marked
        return replace(marked, headers={**marked.headers, ANNOTATOR: self.method})

    @property
    def luck_adjusted(self) -> float | None:
        """The result for seat 0, a win 1, less its luck and with the opponent's; None without a winner."""
        own, other = (player.luck_mwc for player in self.statistics)
        if self.winner is None or own is None or other is None:
            return None
        return float(self.winner == 0) - own + other

    @cached_property
    def _rated(self) -> tuple[list[AnalysedDecision], list[AnalysedRoll], list[AnalysedResignation]]:
        return rate_actions(self.match, self.table)


def make_analysed_match(
    engine: Engine,
    match: RecordedMatch,
    settings: AnalysisSettings,
    rollouts: DecisionRollouts | None = None,
    *,
    name: str = "",
    nets: Mapping[str, str] = MappingProxyType({}),
) -> AnalysedMatch:
    """Return a match with what analysed it: by the match's rules, a net or the solution of its variant.

    Args:
        engine: Analysed it, by its own rules or those of the match.
        match: The match, with the engine's notes.
        settings: How deep.
        rollouts: How decisions were rolled out; None if they were not.
        name: As `AnalysedMatch`.
        nets: The hashes of the engine's nets, which a match of a solved variant does not have.

    Raises:
        DataFileError: The solution is missing or its file is damaged.
    """
    own = engine.with_rules(match.rules.rules)
    table = own.table or load_default_table()
    method = describe_method(own.name, settings, table.name, rollouts)
    return AnalysedMatch(name, match, method, table, {} if own.rules.variant.is_solved else nets)


def find_table(rules: Rules) -> MatchEquityTable:
    """Return the match equity table for matches by some rules: that of its solution for a solved variant.

    Where the solution is missing or its file is damaged, it is the one for backgammon.
    """
    if rules.variant.is_solved:
        with suppress(DataFileError):
            return load_solution(rules.variant).match_equities
    return load_default_table()


def describe_method(
    net: str, settings: AnalysisSettings, table: str, rollouts: DecisionRollouts | None = None
) -> str:
    """Return what analysed a match, in words.

    Args:
        net: The name of the evaluator.
        settings: How deep.
        table: The name of the match equity table.
        rollouts: How decisions were rolled out; None if they were not.
    """
    parts = [f"{NAME} {read_version()}", f"net {net}", f"{settings.plies}-ply"]
    if settings.is_deepening:
        parts.append(f"close and wrong decisions {settings.deeper_plies}-ply")
    if rollouts is not None:
        parts.append(f"those that are still close or wrong {rollouts.describe()}")
    return ", ".join([*parts, f"match equities of {table}"])


def is_own_method(annotator: str) -> bool:
    """Return whether the annotator of a match is gammond, as `describe_method` calls it."""
    return annotator.startswith(f"{NAME} ")


def add_marks(match: RecordedMatch, decisions: Iterable[AnalysedDecision]) -> RecordedMatch:
    """Return a match with marks in its notes, for what was wrong and for lucky rolls.

    Args:
        match: The match, with notes on its actions.
        decisions: Of both players, by these notes.
    """
    notes = [
        {
            place: replace(each, play_mark="", cube_mark="", luck_mark=_mark_luck(each.luck))
            if isinstance(game.actions[place], PlayAction)
            else replace(each, cube_mark="")
            for place, each in game.notes.items()
        }
        for game in match.games
    ]
    for decision in decisions:
        mark = _mark_loss(decision.loss.size)
        if not mark:
            continue
        own: ActionNotes = notes[decision.game].get(decision.place, NO_NOTES)
        is_play = decision.choice is Choice.PLAY
        marked = replace(own, play_mark=mark) if is_play else replace(own, cube_mark=mark)
        notes[decision.game][decision.place] = marked
    games = tuple(game.with_notes(of_game) for game, of_game in zip(match.games, notes, strict=True))
    return replace(match, games=games)


def _mark_loss(points: float) -> str:
    return next((mark for least, mark in _LOSSES if points >= least), "")


def _mark_luck(points: float | None) -> str:
    size = next((size for least, size in _LUCK if points is not None and abs(points) >= least), None)
    if points is None or size is None:
        return ""
    return f"{size}{'lucky' if points > 0 else 'unlucky'}"
