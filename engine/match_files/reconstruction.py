"""Takes the steps of one game of a match file, and reads on after what cannot be read.

After a gap the game goes on where what follows shows how it stood, and otherwise at its result. The first
play against the rules may be a gap too, that what follows shows.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gammond.engine.match_files.game_builder import GameBuilder, RuleError, Step, WrittenPlay
from gammond.engine.match_files.game_result import GameEnding, StatedResult
from gammond.engine.match_files.model import NO_NOTES, IssueKind, RecordedGame
from gammond.engine.rules.dice import ROLLS, Roll
from gammond.engine.rules.game_record import (
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import SEATS, GameResult, MatchState
from gammond.engine.rules.position import Position

_MOST_ILLEGAL = 2
_PLAYS_FOR_EACH = 8
"""A game with more illegal plays than these, and than one in so many, did not go as its rows say: something
before the first of them is missing or wrong."""

_SHOWN_BY = 4
"""As many actions that are possible after a play show that it is the one that could not be read."""


@dataclass(frozen=True)
class _Gap:
    """What could not be read.

    Attributes:
        at: Where it begins.
        move: The number of its first move.
        roll: The dice of a single play that could not be read; None where more is unknown.
        first: The number of the step that is the first after it.
    """

    at: int
    move: int
    roll: Roll | None
    first: int

    def __str__(self) -> str:
        return f"move {self.move}" if self.roll is not None else f"something at move {self.move}"


class GameReconstruction:
    """Takes the steps of one game.

    Args:
        builder: Builds it.
        trials: Runs out after the steps that may be tried in the match to find out what was not readable.

    Attributes:
        builder: What is built.
        stated: What the file says about the end of the game.
        is_resigned: Whether the file says that it was resigned.
        result: How it ended; None before `settle`.
    """

    def __init__(self, builder: GameBuilder, trials: Iterator[int]) -> None:
        self.builder = builder
        self.stated: StatedResult | None = None
        self.result: GameResult | None = None
        self.is_resigned = False
        self._trials = trials
        self._steps: list[tuple[int, int | None, Step]] = []
        self._gap: _Gap | None = None
        self._doubt: GameReconstruction | None = None
        self._missing: tuple[str, ...] = ()
        self._ends_in_gap = False
        self._surplus = 0

    @property
    def is_lost(self) -> bool:
        """Whether it is not known how the game stands, after something that could not be read."""
        return self._gap is not None

    def branch(self) -> GameReconstruction:
        """Return the same game, to go on by itself."""
        other = copy.copy(self)
        other.builder = self.builder.branch()
        return other

    def build(self) -> RecordedGame:
        """Return the game as far as it could be read."""
        return self.builder.build(self.result, self._missing)

    def take(self, at: int, step: Step, seat: int | None) -> None:
        """Take a step, or keep it where it is not known how the game stands."""
        self._steps.append((at, seat, step))
        if self._gap is None:
            self._take(len(self._steps) - 1)

    def attempt(self, at: int, step: Step, seat: int) -> bool:
        """Take a step if the rules allow it, and return whether they do."""
        if self._gap is not None or not _try(trial := self.builder.branch(is_strict=True), at, step):
            return False
        self.builder.adopt(trial)
        self._steps.append((at, seat, step))
        return True

    def begins_another(self, at: int, seat: int, roll: Roll, written: WrittenPlay | None) -> bool:
        """Return whether a roll after the stated end of the game can be the first one of another."""
        if self.stated is None:
            return False
        game, rules = self.builder, self.builder.match_rules
        begun = GameSituation(rules.rules.starting_position, game.initial.match)
        trial = GameBuilder(game.number, begun, rules, at, first_seat_open=True).branch(is_strict=True)
        return _try(trial, at, lambda game: game.play(seat, roll, written, NO_NOTES))

    def go_on_from(self, at: int, position: Position, match: MatchState) -> None:
        """Go on from a position that the file has after what could not be read."""
        gap, self._gap = self._gap, None
        assert gap is not None
        self._steps.append((at, None, lambda game: game.set_table(position, match, False)))
        self._take(len(self._steps) - 1)
        self._note_missing(gap, f"{gap} could not be read: the game goes on from the next position")

    def finish(self) -> None:
        """Read on after what could not be read, as far as what follows shows how the game stood."""
        while self._gap is not None:
            self._fill_gap()
        doubt, self._doubt = self._doubt, None
        if doubt is None:
            return
        illegal, faulty = self._count_illegal(), self._count_illegal() + len(self._missing)
        plays = sum(isinstance(action, PlayAction) for action in self.builder.actions)
        is_doubtful = illegal > _MOST_ILLEGAL and illegal * _PLAYS_FOR_EACH > plays
        if faulty == 1 and not self._ends_in_gap:
            return
        other = doubt.branch()
        other.finish()
        explains_others = not other._ends_in_gap and other._count_illegal() + len(other._missing) < faulty
        if is_doubtful or explains_others or (self._ends_in_gap and not other._ends_in_gap):
            self.builder, self._missing, self._ends_in_gap = other.builder, other._missing, other._ends_in_gap

    def settle(self, following: tuple[int, int] | None) -> None:
        """Determine the result of a game that was finished.

        Args:
            following: The score over the next game of the file; None where there is none.
        """
        game, stated = self.builder, self.stated
        is_cut_short = bool(self._missing) and self._ends_in_gap
        end = GameEnding(game.situation, game.initial.match, following, is_damaged=bool(game.faults))
        self.result, fault = end.settle(stated)
        game.at = stated.at if stated is not None else game.at
        if fault is not None and not (self.result is None and is_cut_short):
            game.add_fault(*fault)
        if self.result is not None and game.situation.result is None and not is_cut_short:
            game.act(self._find_end(self.result, is_sure=fault is None), NO_NOTES)

    def _find_end(self, result: GameResult, *, is_sure: bool) -> ResponseAction | ResignationAction:
        """Return what ended a game that goes on by the rules: a pass if a double is open, or a resignation.

        Args:
            result: The result.
            is_sure: Whether nothing contradicts it; else nobody knows what was offered.
        """
        match, loser = self.builder.situation.match, 1 - result.winner
        if match.doubled and match.to_act == loser and result == match.game_result(result.winner, 1):
            return ResponseAction(loser, is_take=False)
        is_stated = is_sure and (self.is_resigned or match.roll is not None)
        return ResignationAction(loser, result.kind, is_stated=is_stated)

    def _take(self, number: int) -> None:
        """Take a step of the file, by its number."""
        self.builder.at, _, step = self._steps[number]
        before = self.builder.branch()
        try:
            step(self.builder)
            self._note_doubt(before, number)
        except RuleError as error:
            self.builder.adopt(before)
            self._lose(number, error)

    def _lose(self, number: int, error: RuleError) -> None:
        """Note a step that is not possible, and what is unknown after it."""
        game = self.builder
        game.at, seat, _ = self._steps[number]
        move = game.number_action(seat)
        if game.situation.result is not None:
            self._leave_out(move, error)
            return
        game.note_fault(error.kind, error.message, game.at, move)
        first = number if error.kind is IssueKind.OUT_OF_TURN else number + 1
        self._gap = _Gap(game.at, max(move, 1), error.roll, first)

    def _leave_out(self, move: int, error: RuleError) -> None:
        """Note what comes after the end of the game: one action may be there twice, several are lost."""
        self._surplus += 1
        if self._surplus == 1:
            self.builder.note_fault(error.kind, error.message, self.builder.at, move)
        elif self._surplus == 2:
            gap = _Gap(self.builder.at, max(move, 1), None, len(self._steps))
            self._note_missing(gap, "what follows the end of the game by the rules is left out")

    def _note_doubt(self, before: GameBuilder, number: int) -> None:
        """Remember the game before its first illegal play, with the play taken for a gap."""
        actions = self.builder.actions
        new = actions[len(before.actions) - (before.unplayed is not None) :]
        illegal = [action for action in new if isinstance(action, PlayAction) and not action.is_legal]
        if self._doubt is not None or not illegal:
            return
        fault, first = self.builder.faults[len(before.faults)], number + 1
        if illegal[0] is not actions[-1]:  # a roll before it that seems not to have been played
            first = number
            before.take_back_roll()
        before.faults.append(fault)
        doubt = copy.copy(self)
        doubt.builder, doubt._gap = before, _Gap(fault.line or 0, fault.move, illegal[0].roll, first)
        self._doubt = doubt

    def _count_illegal(self) -> int:
        return sum(isinstance(action, PlayAction) and not action.is_legal for action in self.builder.actions)

    def _fill_gap(self) -> None:
        """Go on after a gap from where all that follows is possible, or leave out the rest of the game."""
        gap, self._gap = self._gap, None
        assert gap is not None
        if (gap.roll is None and self._goes_on(gap)) or self._bridge(gap):
            return
        wider = replace(gap, first=gap.first + 1)  # the step after it may be a part of what is damaged
        if gap.roll is None and wider.first < len(self._steps):
            if self._goes_on(wider):
                self._note_missing(gap, f"{gap} could not be read: the game goes on without it")
                return
            if self._bridge(wider):
                return
        self._ends_in_gap = True
        self._note_missing(gap, f"{gap} could not be read, and all after it is left out")

    def _bridge(self, gap: _Gap) -> bool:
        """Go on after a gap if what follows is possible, and return whether it is."""
        count = len(self._steps) - gap.first
        best, most = None, 0
        for start in self._list_starts(gap):
            trial = self.builder.branch(is_strict=True)
            if gap.roll is not None:
                trial.act(RollAction(trial.situation.match.on_roll, gap.roll), NO_NOTES)
            trial.set_table(start.position, start.match, False)
            done = self._follow(gap, trial)
            if done > most:
                best, most = trial, done
            if done == count:
                break
        if best is None or most < (count if gap.roll is None else min(_SHOWN_BY, count)):
            return False
        self.builder.adopt(best)
        self._note_missing(gap, f"{gap} could not be read: the game goes on by what follows")
        for number in range(gap.first + most, len(self._steps)):
            if self._gap is None:
                self._take(number)
        return True

    def _goes_on(self, gap: _Gap) -> bool:
        """Go on as if nothing were missing, if all that follows is possible then."""
        trial = self.builder.branch(is_strict=True)
        count = len(self._steps) - gap.first
        is_whole = count > 0 and self._follow(gap, trial) == count
        if is_whole:
            self.builder.adopt(trial)
        return is_whole

    def _list_starts(self, gap: _Gap) -> Iterator[GameSituation]:
        """Yield where the game may stand after a gap."""
        now, match = self.builder.situation, self.builder.situation.match
        if gap.first == len(self._steps):
            return
        if gap.roll is not None:
            yield from self._list_following(gap.roll)
            return
        seat = next((seat for _, seat, _ in self._steps[gap.first :] if seat in SEATS), None)
        settled = match.before_roll()
        if match.doubled and not match.beavered:
            settled = now.apply(ResponseAction(match.to_act, True)).match
        if seat is None or seat == settled.on_roll:
            yield GameSituation(now.position, settled)
            return
        yield GameSituation(now.position.swap_sides(), replace(settled, on_roll=seat))
        rolls = () if match.doubled else ROLLS if match.roll is None else (match.roll,)
        for roll in rolls:  # of the one turn that is missing
            yield from self._list_following(roll)

    def _list_following(self, roll: Roll) -> Iterator[GameSituation]:
        """Yield where the game may stand after a play of a roll."""
        situation = self.builder.situation
        for play in self.builder.list_plays(roll):
            after = situation.apply(PlayAction(situation.match.on_roll, roll, play))
            if after.result is None:
                yield after

    def _follow(self, gap: _Gap, trial: GameBuilder) -> int:
        """Take the steps after a gap as long as the rules allow them; return how many they are."""
        following = self._steps[gap.first :]
        for count, (at, _, step) in enumerate(following):
            before = trial.branch()
            if next(self._trials, None) is None:
                return count
            if not _try(trial, at, step):
                trial.adopt(before)
                return count
        return len(following)

    def _note_missing(self, gap: _Gap, message: str) -> None:
        self.builder.note_fault(IssueKind.MISSING, message, gap.at, gap.move)
        self._missing = (*self._missing, message)


def _try(game: GameBuilder, at: int, step: Step) -> bool:
    """Take a step of a strict builder; return whether the rules allow it. If not, the builder is spoilt."""
    game.at = at
    try:
        step(game)
    except RuleError:
        return False
    return True
