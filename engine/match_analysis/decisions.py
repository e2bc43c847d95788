"""The decisions and resignations of a match by the notes on its actions: those of its file, or our own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.evaluation.results import Evaluation, RankedPlay
from gammond.engine.match_analysis.decision_errors import (
    COUNTS_NOWHERE,
    Choice,
    CountedDecision,
    Counts,
    ScaledPoints,
    classify_game_phase,
    count_doubling,
    count_play,
    count_response,
)
from gammond.engine.match_analysis.statistics import AnalysedRoll
from gammond.engine.match_files.model import (
    NO_NOTES,
    ActionNotes,
    RecordedMatch,
    ReplayedAction,
    find_candidate,
)
from gammond.engine.rules.cube_actions import name_cube_action
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play


@dataclass(frozen=True)
class AnalysedDecision(CountedDecision):
    """A decision of a match, with what the engine thinks of it.

    Attributes:
        game: The place of its game in the match, from 0.
        place: The place of its action in the game, from 0; of not doubling, that of the play after it.
        situation: Where the game stood; before a roll its match state has no dice.
        action: What was done; of a decision not to double, the play that followed.
        move: The number of the move that it belongs to, by `gammond.engine.match_files.model.number_moves`.
        notes: What the engine thinks of it.
    """

    game: int
    place: int
    situation: GameSituation
    action: GameAction
    move: int
    notes: ActionNotes

    @property
    def chosen(self) -> str:
        """What was done: a play, or a cube action in the words for a first double."""
        if self.choice is Choice.PLAY and isinstance(self.action, PlayAction):
            return format_play(self.action.play)
        return str(self.choice)

    @property
    def best(self) -> str:
        """What was best, in the same words."""
        if self.choice is Choice.PLAY:
            return format_play(self.notes.candidates[0].play) if self.notes.candidates else self.chosen
        cube = self.notes.cube
        assert cube is not None
        if self.choice in (Choice.TAKE, Choice.PASS):
            return str(cube.response)
        return cube.best_action

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
        if self.choice is not Choice.PLAY or not isinstance(self.action, PlayAction):
            return None
        return max(self.action.roll), min(self.action.roll)

    @property
    def made_candidate(self) -> RankedPlay | None:
        """The candidate that was played; None for cube decisions and illegal plays, and without a choice."""
        if self.roll is None or not isinstance(self.action, PlayAction):
            return None
        return find_candidate(self.notes.candidates, self.action.play)

    @property
    def compared_evaluations(self) -> list[Evaluation]:
        """The evaluations that the loss comes from: of the best choice and of the one that was made."""
        if self.roll is not None:
            made = self.made_candidate
            compared = (*self.notes.candidates[:1], *([made] if made else []))
            return [each.evaluation for each in compared]
        cube = self.notes.cube
        evaluations = (cube.no_double, cube.double_take) if cube is not None else ()
        return [each for each in evaluations if each is not None]

    @property
    def depth(self) -> str:
        """How deep the engine looked; empty where that is not known."""
        if self.choice is Choice.PLAY:
            return self.notes.candidates[0].evaluation.depth if self.notes.candidates else ""
        return self.notes.cube.no_double.depth if self.notes.cube else ""

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
class AnalysedResignation:
    """An offer to resign, and its answer.

    Attributes:
        seat: Who offered.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        is_accepted: Whether the other seat accepted.
        game: The place of its game in the match, from 0.
        place: The place of the action in the game, from 0.
        move: The number of its move, by `gammond.engine.match_files.model.number_moves`.
        offered_points: The equity of the offer for the seat that made it, in units of the present cube.
        worth: What playing on was worth to that seat.
        match: The match state before it, with the dice if they were out.
        notes: The engine's opinion of playing on: plays of the roll, or the cube decision.
    """

    seat: int
    kind: int
    is_accepted: bool
    game: int
    place: int
    move: int
    offered_points: float
    worth: ScaledPoints
    match: MatchState
    notes: ActionNotes

    @property
    def loss(self) -> ScaledPoints:
        """What the offer lost against playing on, if it was accepted; 0 or more."""
        lost = self.worth.equity - self.offered_points if self.is_accepted else 0.0
        return self.worth._replace(equity=max(0.0, lost))

    @property
    def answer_loss(self) -> ScaledPoints:
        """What the answer lost against the other answer; 0 or more."""
        gain = self.offered_points - self.worth.equity
        return self.worth._replace(equity=max(0.0, gain if self.is_accepted else -gain))


def rate_actions(
    match: RecordedMatch, table: MatchEquityTable
) -> tuple[list[AnalysedDecision], list[AnalysedRoll], list[AnalysedResignation]]:
    """Rate the decisions and rolls that have an evaluation, in the order of the match.

    A legal play that is not among its candidates is left out, and so are beavers, and resignations of which
    only the result tells.

    Args:
        match: The match as its file was read, or as `gammond.engine.match_analysis.analysis.analyse_match`
            left it.
        table: For match-winning chances.
    """
    decisions: list[AnalysedDecision] = []
    rolls: list[AnalysedRoll] = []
    resignations: list[AnalysedResignation] = []
    for number, game in enumerate(match.games):
        is_whole = game.position == game.rules.starting_position
        plays_done = 0
        for place, replayed in enumerate(game.replayed):
            situation, action, _ = replayed
            state, notes = situation.match, game.notes.get(place, NO_NOTES)
            worth = table.mwc_per_point(state)
            for choice, loss, counts in _rate_action(action, state, notes):
                is_legal = choice is not Choice.PLAY or not isinstance(action, PlayAction) or action.is_legal
                phase = classify_game_phase(situation.position, plays_done if is_whole else None)
                rated = state.to_act, choice, ScaledPoints(loss, worth), *counts, is_legal, phase
                decisions.append(AnalysedDecision(*rated, number, place, *replayed, notes))
            if isinstance(action, PlayAction):
                plays_done += 1
                if notes.luck is not None:
                    rolls.append(AnalysedRoll(action.seat, ScaledPoints(notes.luck, worth), number))
            elif isinstance(action, ResignationAction):
                found = _analyse_resignation(number, place, replayed, notes, table)
                resignations += [found] if found else []
    return decisions, rolls, resignations


def _rate_action(
    action: GameAction, match: MatchState, notes: ActionNotes
) -> Iterator[tuple[Choice, float, Counts]]:
    """Yield each decision of an action with what it lost; a play may follow one not to double."""
    cube = notes.cube
    if isinstance(action, PlayAction):
        if cube is not None:
            error = cube.find_doubling_error(is_double=False)
            yield Choice.NO_DOUBLE, error, count_doubling(cube, is_double=False)
        equities = [candidate.evaluation.equity for candidate in notes.candidates]
        if not action.is_legal:
            if equities:
                yield Choice.PLAY, 0.0, COUNTS_NOWHERE
        elif made := find_candidate(notes.candidates, action.play):
            yield Choice.PLAY, max(0.0, equities[0] - made.evaluation.equity), count_play(equities)
        elif not action.play.moves and notes.luck is not None:  # analysed: nothing else could be played
            yield Choice.PLAY, 0.0, COUNTS_NOWHERE
    elif cube is None or match.beavered:
        return
    elif isinstance(action, DoubleAction) and not match.doubled:
        yield Choice.DOUBLE, cube.find_doubling_error(is_double=True), count_doubling(cube, is_double=True)
    elif isinstance(action, ResponseAction):
        choice = Choice.TAKE if action.is_take else Choice.PASS
        yield choice, cube.find_response_error(is_take=action.is_take), count_response(cube)


def _analyse_resignation(
    game: int, place: int, replayed: ReplayedAction, notes: ActionNotes, table: MatchEquityTable
) -> AnalysedResignation | None:
    """Return a resignation; None if only the result tells of it, or nothing is known of playing on."""
    situation, action, move = replayed
    match = situation.match
    worth = _find_worth(notes, match)
    if not isinstance(action, ResignationAction) or not action.is_stated or worth is None:
        return None
    return AnalysedResignation(
        *(action.seat, action.kind, action.is_accepted, game, place, move),
        -compute_result_equity(match, 1 - action.seat, action.kind, table),
        ScaledPoints(worth if action.seat == match.on_roll else -worth, table.mwc_per_point(match)),
        *(match, notes),
    )


def compute_result_equity(match: MatchState, winner: int, kind: int, table: MatchEquityTable) -> float:
    """Return the equity of a result for its winner, in units of the present cube.

    Args:
        match: The match state of the game.
        winner: The seat that wins.
        kind: 1 a single game, 2 a gammon, 3 a backgammon.
        table: The match equity table.
    """
    even, stake = table.equity_scale(match, winner)
    return (table.result_value(match, winner, kind) - even) / stake if stake else 0.0


def _find_worth(notes: ActionNotes, match: MatchState) -> float | None:
    """Return the equity of playing on for the seat on roll; None if nothing is known of it."""
    if match.roll is not None:
        return notes.candidates[0].evaluation.equity if notes.candidates else None
    if notes.cube is None:
        return None
    if match.doubled:
        return notes.cube.double
    may_double = match.may_double(match.on_roll)
    held = notes.cube.no_double.equity
    return max(held, notes.cube.double) if may_double else held
