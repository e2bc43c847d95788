"""Games and actions of match files, made of the engine's records and made into records again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NoReturn

from gammond.api.errors import GammondError, StateError
from gammond.api.match import Dice, MatchState
from gammond.api.position import Play, Position
from gammond.api.results import Outcome
from gammond.engine.rules.dice import format_roll

if TYPE_CHECKING:
    from gammond.engine.evaluation.results import RankedPlay
    from gammond.engine.match_files.game_builder import GameBuilder
    from gammond.engine.match_files.model import ActionNotes, MatchRules, RecordedGame
    from gammond.engine.rules.game_record import GameAction, GameSituation
    from gammond.engine.rules.match import GameResult

ActionKind = Literal["play", "roll", "double", "take", "pass", "resign", "set"]
"""What was done: ``roll`` is a roll that was not played, ``set`` a position or a cube set by hand."""


@dataclass(frozen=True)
class AnalysedPlay:
    """A play that the program behind a file considered.

    Attributes:
        play: The play.
        equity: Its equity with the cube, in points at the present cube.
        outcome: Its outcome; None where the file has none.
        depth: How it was found, in the program's words.
    """

    play: Play
    equity: float
    outcome: Outcome | None
    depth: str


@dataclass(frozen=True)
class Action:
    """Something that a player did.

    Attributes:
        kind: What it was.
        seat: Who did it, 0 or 1.
        text: In words: ``8/5 6/5``, ``double``, ``redouble``, ``beaver``, ``take``, ``resign gammon``.
        position: The checkers before it, as the player on roll sees them.
        match: The match state before it, with the dice of a play.
        play: The play, if it is one.
        is_accepted: Of a resignation: whether it ended the game.
        comment: A person's comment.
        analysed_plays: Plays that the file's program considered, best first.
        cube_equities: Equities of no double, double and take, double and pass by the file's program: of the
            double or the answer, or before a play without a double. None where the file has none.
        luck: The luck of the roll by the file's program, in points at the present cube.
        is_legal: Whether the rules allow the play; files hold some that were made against them.
        is_stated: Of a resignation: whether it is known of; else the file only says who won how much, and a
            clock may have ended the game.
    """

    kind: ActionKind
    seat: int
    text: str
    position: Position
    match: MatchState
    play: Play | None = None
    is_accepted: bool = False
    comment: str = ""
    analysed_plays: tuple[AnalysedPlay, ...] = ()
    cube_equities: tuple[float, float, float] | None = None
    luck: float | None = None
    is_legal: bool = True
    is_stated: bool = True

    @property
    def dice(self) -> Dice | None:
        """The roll, of a play or of a roll that was not played."""
        return self.match.dice

    def __str__(self) -> str:
        if self.dice is None or self.kind not in ("play", "roll"):
            return self.text
        return f"{format_roll(self.dice)}: {self.text}{'' if self.is_legal else ' (illegal)'}"


@dataclass(frozen=True)
class Game:
    """A game as far as its file has it.

    Attributes:
        number: Its number in the file.
        position: The checkers before the first action, as the player who began sees them.
        match: The match state before the first action.
        actions: In order.
        winner: The seat that won, as the file states it; None where nothing shows that.
        points: Points won, cube included.
        comment: A person's comment.
        missing: What of the game could not be read, in words.
    """

    number: int
    position: Position
    match: MatchState
    actions: tuple[Action, ...]
    winner: int | None
    points: int
    comment: str
    missing: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Whether actions of the game are missing, since they could not be read."""
        return bool(self.missing)


def wrap_game(game: RecordedGame) -> Game:
    """Return a game as users of the API see it."""
    from gammond.engine.match_files.model import NO_NOTES
    from gammond.engine.rules.game_record import GameSituation, replay

    result = game.result
    start = GameSituation(game.position, game.initial_state)  # not `replayed`, which would stay in memory
    return Game(
        game.number,
        Position._wrap(game.position),
        MatchState._from_engine(game.initial_state),
        tuple(
            _wrap_action(before, action, game.notes.get(place, NO_NOTES))
            for place, (before, action) in enumerate(replay(start, game.actions))
        ),
        None if result is None else result.winner,
        0 if result is None else result.points,
        game.comment,
        game.missing,
    )


def _wrap_action(before: GameSituation, action: GameAction, notes: ActionNotes) -> Action:
    from gammond.engine.rules.cube_actions import name_double
    from gammond.engine.rules.game_record import (
        DoubleAction,
        PlayAction,
        ResignationAction,
        ResponseAction,
        RollAction,
        SetAction,
    )
    from gammond.engine.rules.match import RESULT_NAMES

    kind: ActionKind
    match, play, is_accepted, is_legal, is_stated = before.match, None, False, True, True
    match action:
        case PlayAction(seat, roll, made, is_legal):
            play = Play._wrap(made)
            kind, text, match = "play", play.text, match.with_roll(roll)
        case RollAction(seat, roll):
            kind, text, match = "roll", "not played", match.with_roll(roll)
        case DoubleAction(seat):
            kind, text = "double", name_double(before.match)
        case ResponseAction(seat, is_take):
            kind = text = "take" if is_take else "pass"
        case ResignationAction(seat, size, is_accepted, is_stated):
            kind, text = "resign", f"resign {RESULT_NAMES[size - 1]}"
        case SetAction():
            kind, text, seat = "set", "set the position", match.on_roll
    return Action(
        kind,
        seat,
        text,
        Position._wrap(before.position),
        MatchState._from_engine(match),
        play,
        is_accepted,
        notes.comment,
        tuple(map(_wrap_candidate, notes.candidates)),
        _get_cube_equities(notes),
        notes.luck,
        is_legal,
        is_stated,
    )


def _wrap_candidate(candidate: RankedPlay) -> AnalysedPlay:
    said = candidate.evaluation
    outcome = None if said.outcome is None else Outcome(*said.outcome)
    return AnalysedPlay(Play._wrap(candidate.play), said.equity, outcome, said.depth)


def _get_cube_equities(notes: ActionNotes) -> tuple[float, float, float] | None:
    cube = notes.cube
    return None if cube is None else cube.equities


_Key = tuple[str, int, str, Position, MatchState]


@dataclass(frozen=True)
class GameUnwrapper:
    """Makes records of games of what their fields say.

    Args:
        rules: The rules of the match.
        games: Its games as they were read, for what the fields have no place for: marks of a program, trials,
            positions that were set.
        records: The records of these.
    """

    rules: MatchRules
    games: Sequence[Game]
    records: Sequence[RecordedGame]

    def unwrap(self, game: Game) -> RecordedGame:
        """Return the record of a game.

        Raises:
            StateError: An action breaks the rules, or a field contradicts what the actions lead to.
        """
        from gammond.engine.match_files.game_builder import GameBuilder, RuleError
        from gammond.engine.match_files.model import NO_NOTES
        from gammond.engine.rules.game_record import GameSituation

        position, variant = game.position._position, self.rules.rules.variant
        if position.checkers != variant.checkers:
            raise StateError(f"game {game.number}: expected a position of {variant.name}", field="position")
        begun = GameSituation(position, game.match._to_engine())
        builder = GameBuilder(game.number, begun, self.rules)
        for place, action in enumerate(game.actions):
            recorded, notes = self._sources.get(_get_key(action), (None, NO_NOTES))
            try:
                said = _unwrap_notes(builder, action, notes)
                _act(builder, action, recorded)
            except (RuleError, GammondError) as error:
                where = f"game {game.number}, action {place + 1}"
                raise StateError(f"{where}: {error.message}", field="actions") from None
            if said != NO_NOTES:
                builder.notes[place] = said
        result = self._find_result(game, builder.situation.result)
        record = replace(builder.build(), result=result, comment=game.comment, missing=game.missing)
        _check_same(wrap_game(record), game)
        return record

    def _find_result(self, game: Game, ruled: GameResult | None) -> GameResult | None:
        """Return the result that the actions of a game lead to, or that its file states in their place."""
        if game.winner is None or (ruled is None and not game.is_cut):
            return None
        read = (record.result for record in self.records if record.number == game.number)
        for result in (ruled, *read):
            if result is not None and (result.winner, result.points) == (game.winner, game.points):
                return result
        return ruled

    @cached_property
    def _sources(self) -> dict[_Key, tuple[GameAction, ActionNotes]]:
        """The actions that were read, and what was said of them."""
        from gammond.engine.match_files.model import NO_NOTES

        return {
            _get_key(action): (recorded, record.notes.get(place, NO_NOTES))
            for game, record in zip(self.games, self.records, strict=True)
            for place, (action, recorded) in enumerate(zip(game.actions, record.actions, strict=True))
        }


def _get_key(action: Action) -> _Key:
    return action.kind, action.seat, action.text, action.position, action.match


def _act(builder: GameBuilder, action: Action, recorded: GameAction | None) -> None:
    """Add an action to a game.

    Args:
        builder: Builds the game.
        action: The action.
        recorded: As it was read, if it was.
    """
    from gammond.engine.match_files.model import NO_NOTES
    from gammond.engine.rules.game_record import ResignationAction, SetAction
    from gammond.engine.rules.match import RESULT_NAMES

    seat, result = action.seat, action.text.removeprefix("resign ")
    if action.kind in ("play", "roll") and action.dice is not None:
        builder.play(seat, action.dice, None if action.play is None else action.play.moves, NO_NOTES)
    elif action.kind == "double":
        builder.double(seat, None, NO_NOTES)
    elif action.kind in ("take", "pass"):
        builder.respond(seat, action.kind == "take", NO_NOTES)
    elif action.kind == "resign" and result in RESULT_NAMES:
        kind = RESULT_NAMES.index(result) + 1
        builder.act(ResignationAction(seat, kind, action.is_accepted, action.is_stated), NO_NOTES)
    elif isinstance(recorded, SetAction):
        builder.set_table(recorded.position, recorded.match, False)
    else:
        raise StateError(f"expected an action of a match file, got {action.kind} {action.text!r}")


def _unwrap_notes(builder: GameBuilder, action: Action, notes: ActionNotes) -> ActionNotes:
    """Return what an action says of itself.

    Args:
        builder: The game before the action.
        action: The action.
        notes: What was read of it; marks of a program stay with what they are about.

    Raises:
        GammondError: A play that was considered is none.
    """
    from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
    from gammond.engine.rules.outcome import Outcome as _EngineOutcome

    known = {_wrap_candidate(each): each for each in notes.candidates}
    candidates = tuple(
        known.get(each)
        or RankedPlay(
            builder.find_play(action.dice or builder.situation.match.roll or (0, 0), each.play.moves),
            Evaluation(
                each.equity,
                None if each.outcome is None else _EngineOutcome(*each.outcome._as_row()),
                each.depth,
            ),
        )
        for each in action.analysed_plays
    )
    cube = notes.cube
    if action.cube_equities != _get_cube_equities(notes):
        cube = None
        if action.cube_equities is not None:
            cube = CubeDecision.of_choices(*map(Evaluation, action.cube_equities))
    return replace(
        notes,
        comment=action.comment,
        candidates=candidates,
        cube=cube,
        luck=action.luck,
        play_mark=notes.play_mark if candidates == notes.candidates else "",
        cube_mark=notes.cube_mark if cube is notes.cube else "",
        luck_mark=notes.luck_mark if action.luck == notes.luck else "",
    )


def _check_same(found: Game, said: Game) -> None:
    """Check that a game, made of the actions of another one, says what that one does.

    Raises:
        StateError: It does not.
    """
    where = f"game {said.number}"
    for place, (one, other) in enumerate(zip(found.actions, said.actions, strict=False), 1):
        if one != other:
            _explain_difference(f"{where}, action {place}", vars(one), vars(other))
    if found != said:
        _explain_difference(where, vars(found), vars(said))


def _explain_difference(where: str, found: Mapping[str, object], said: Mapping[str, object]) -> NoReturn:
    name = next(name for name, value in found.items() if value != said[name])
    raise StateError(
        f"{where}: expected {name} to be {found[name]!r}, to which the actions lead, got {said[name]!r}",
        field=name,
    )
