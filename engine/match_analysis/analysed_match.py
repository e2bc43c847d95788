"""A match with the engine's judgement of it, as the reports take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from engine.analysis.engine import Engine
from engine.cubeful.match_equity import MatchEquityTable, load_default_table
from engine.errors import DataFileError
from engine.hypergammon.databases import load_solution
from engine.match_analysis.analysis import AnalysisSettings
from engine.match_analysis.decisions import judge_recorded_match
from engine.match_analysis.judgement import Choice
from engine.match_analysis.marks import add_marks
from engine.match_analysis.resignations import JudgedResignation, judge_resignations
from engine.match_analysis.rollouts import DecisionRollouts
from engine.match_analysis.statistics import (
    JudgedDecision,
    JudgedRoll,
    PlayerStatistics,
    StatisticsByPhase,
    compute_by_phase,
)
from engine.match_files.model import (
    ANNOTATOR,
    NO_NOTES,
    ActionNotes,
    RecordedCandidate,
    RecordedEvaluation,
    RecordedGame,
    RecordedMatch,
    find_candidate,
    number_moves,
)
from engine.rules.cube_actions import name_cube_action
from engine.rules.dice import Roll
from engine.rules.game_record import GameAction, PlayAction
from engine.rules.game_replay import GameSituation
from engine.rules.match import SEATS
from engine.rules.notation import format_play
from engine.rules.rules import Rules
from engine.runtime.version import NAME, read_version


@dataclass(frozen=True)
class AnalysedDecision:
    """A decision as reports show it.

    Attributes:
        judged: What it lost.
        situation: Where the game stood; before a roll its match state has no dice.
        action: What was done; of a decision not to double, the play that followed.
        notes: What the engine thinks of it.
        move: The number of the move that it belongs to, by `engine.match_files.model.number_moves`.
        chosen: What was done: a play, or a cube action in the words for a first double.
        best: What was best, in the same words.
        depth: How deep the engine looked.
    """

    judged: JudgedDecision
    situation: GameSituation
    action: GameAction
    notes: ActionNotes
    move: int
    chosen: str
    best: str
    depth: str

    @property
    def chosen_name(self) -> str:
        """What was done, as a reader is told: a redouble, an illegal play."""
        if isinstance(self.action, PlayAction) and self.roll is not None:
            return format_play(self.action.play, is_legal=self.action.is_legal)
        return name_cube_action(self.chosen, self.situation.match)

    @property
    def best_name(self) -> str:
        """What was best, as a reader is told."""
        return name_cube_action(self.best, self.situation.match)

    @property
    def roll(self) -> Roll | None:
        """The dice of a play, the larger first; None for cube decisions."""
        if self.judged.judgement.choice is not Choice.PLAY or not isinstance(self.action, PlayAction):
            return None
        return max(self.action.roll), min(self.action.roll)

    @property
    def made_candidate(self) -> RecordedCandidate | None:
        """The candidate that was played; None for cube decisions and illegal plays, and without a choice."""
        if self.roll is None or not isinstance(self.action, PlayAction):
            return None
        return find_candidate(self.notes.candidates, self.action.play)

    @property
    def compared_evaluations(self) -> list[RecordedEvaluation]:
        """The evaluations that the loss comes from: of the best choice and of the one that was made."""
        if self.roll is not None:
            made = self.made_candidate
            compared = (*self.notes.candidates[:1], *([made] if made else []))
            return [each.evaluation for each in compared]
        cube = self.notes.cube
        evaluations = (cube.evaluation, cube.taken_evaluation) if cube is not None else ()
        return [each for each in evaluations if each is not None]

    @property
    def trials(self) -> int:
        """Trials of its rollout; 0 without one."""
        return max((each.trials for each in self.compared_evaluations), default=0)

    @property
    def standard_error(self) -> float | None:
        """The largest standard error of the equities that the loss comes from; None without a rollout."""
        errors = [each.error for each in self.compared_evaluations if each.error is not None]
        return max(errors, default=None)


@dataclass(frozen=True)
class AnalysedMatch:
    """A match with the engine's judgement of it.

    Attributes:
        name: What messages call its file; empty for none.
        match: The match, with the engine's notes.
        method: What judged it, in words.
        table: The match equity table.
        nets: sha256 by name of the nets; empty where it is not asked for.
    """

    name: str
    match: RecordedMatch
    method: str
    table: MatchEquityTable
    nets: Mapping[str, str] = field(default_factory=dict)

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
        return compute_by_phase(*self.judged_actions)

    @cached_property
    def statistics_of_games(self) -> list[StatisticsByPhase]:
        """The statistics of each game."""
        decisions: list[list[JudgedDecision]] = [[] for _ in self.match.games]
        rolls: list[list[JudgedRoll]] = [[] for _ in self.match.games]
        for decision in self.judged_actions[0]:
            decisions[decision.game].append(decision)
        for roll in self.judged_actions[1]:
            rolls[roll.game].append(roll)
        return [compute_by_phase(*each) for each in zip(decisions, rolls, strict=True)]

    @cached_property
    def decisions(self) -> list[AnalysedDecision]:
        """All decisions in order."""
        walks = [list(_number_moves(game)) for game in self.match.games]
        return [
            _describe(
                judged,
                self.match.games[judged.game].notes.get(judged.action, NO_NOTES),
                *walks[judged.game][judged.action],
            )
            for judged in self.judged_actions[0]
        ]

    @cached_property
    def resignations(self) -> list[JudgedResignation]:
        """All resignations in order; they count in no statistics."""
        return list(judge_resignations(self.match, self.table))

    @property
    def marked_match(self) -> RecordedMatch:
        """The match with marks beside what was wrong, and what judged it as its annotator if that is known.

        A person who is its annotator stays so.
        """
        marked = add_marks(self.match, self.judged_actions[0])
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
    def judged_actions(self) -> tuple[list[JudgedDecision], list[JudgedRoll]]:
        """Its decisions and rolls."""
        return judge_recorded_match(self.match, self.table)


def make_analysed_match(
    engine: Engine,
    judged: RecordedMatch,
    settings: AnalysisSettings,
    rollouts: DecisionRollouts | None = None,
    *,
    name: str = "",
    nets: Mapping[str, str] = MappingProxyType({}),
) -> AnalysedMatch:
    """Return a judged match with what judged it: by the match's rules, a net or the solution of its variant.

    Args:
        engine: Judged it, by its own rules or those of the match.
        judged: The match.
        settings: How deep.
        rollouts: How decisions were rolled out; None if they were not.
        name: As `AnalysedMatch`.
        nets: The hashes of the engine's nets, which a match of a solved variant does not have.

    Raises:
        DataFileError: The solution is missing or its file is damaged.
    """
    judge = engine.with_rules(judged.rules.rules)
    table = judge.table or load_default_table()
    method = describe_method(judge.name, settings, table.name, rollouts)
    return AnalysedMatch(name, judged, method, table, {} if judge.rules.variant.is_solved else nets)


def find_table(rules: Rules) -> MatchEquityTable:
    """Return the match equity table for matches by some rules: that of its solution for a solved variant.

    Where the solution is missing or its file is damaged, it is the one for backgammon.
    """
    if rules.variant.is_solved:
        with suppress(DataFileError):
            return load_solution(rules.variant.checkers).match_equities
    return load_default_table()


def describe_method(
    net: str, settings: AnalysisSettings, table: str, rollouts: DecisionRollouts | None = None
) -> str:
    """Return what judged a match, in words.

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


def _number_moves(game: RecordedGame) -> Iterator[tuple[GameSituation, GameAction, int]]:
    """Yield each action of a game with what was before it, and the number of its move."""
    for (situation, action), move in zip(game.replay(), number_moves(game.actions), strict=True):
        yield situation, action, move


def _describe(
    judged: JudgedDecision, notes: ActionNotes, situation: GameSituation, action: GameAction, move: int
) -> AnalysedDecision:
    choice = judged.judgement.choice
    if choice is Choice.PLAY:
        assert isinstance(action, PlayAction)
        chosen = format_play(action.play)
        best, depth = chosen, ""
        if notes.candidates:
            best, depth = format_play(notes.candidates[0].play), notes.candidates[0].evaluation.depth
        return AnalysedDecision(judged, situation, action, notes, move, chosen, best, depth)
    assert notes.cube is not None
    cube = notes.cube
    depth = cube.evaluation.depth if cube.evaluation else ""
    passes = cube.double_take > cube.double_pass
    if choice in (Choice.TAKE, Choice.PASS):
        best = "pass" if passes else "take"
    elif cube.double >= cube.no_double:
        best = f"double, {'pass' if passes else 'take'}"
    else:
        best = "too good to double" if cube.no_double > cube.double_pass else "no double"
    return AnalysedDecision(judged, situation, action, notes, move, str(choice), best, depth)
