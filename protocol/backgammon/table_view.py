"""The view of backgammon and its variants, for tables."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar

import msgspec

from gammond.engine.analysis.levels import DEFAULT_LEVEL
from gammond.engine.cubeful.solutions import check_solution
from gammond.engine.errors import GammondError, StateError, UnsupportedError, ValueRangeError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MAX_MATCH_LENGTH, RESULT_NAMES, GameResult
from gammond.engine.rules.moves import estimate_plays
from gammond.engine.rules.partial_plays import list_partial_plays
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.decisions import ROLL_ACTION, choose_action
from gammond.protocol.core.requests import Task, WorkControl
from gammond.protocol.questions.question import MAX_QUICK_PLAYS, MAX_SHORT_PLAYS
from gammond.protocol.state.game_log import GameLog
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.offers import list_responses
from gammond.protocol.state.player_registry import ENGINE_PLAYER, SESSION_PLAYERS
from gammond.protocol.tables.game_view import GameEnd, TablePhase, TableView
from gammond.protocol.tables.requests import ActRequest

_WORDS = ("double", "take", "drop", "beaver", "accept", "reject")
"""Actions that ``play`` takes as they are."""


class BackgammonView(TableView):
    """The view of a game of backgammon."""

    has_dice: ClassVar[bool] = True
    engine_player: ClassVar[str] = ENGINE_PLAYER
    default_level: ClassVar[str] = DEFAULT_LEVEL

    def check_spec(self) -> None:
        """Refuse a match that is too long."""
        if not 0 <= self.spec.length <= MAX_MATCH_LENGTH:
            raise ValueRangeError(
                f"expected a match of 0..{MAX_MATCH_LENGTH} points, got {self.spec.length}", field="length"
            )

    def check_engine(self) -> None:
        """Refuse an engine that looks ahead where the rules do not support it, or lacks a solution.

        No engine can play or resign in a solved variant without that.
        """
        rules = self.session.game.rules
        if rules.variant.is_solved:
            check_solution(rules.variant)
        if not rules.supports(Feature.LOOK_AHEAD):
            try:
                self.session.make_decider_loader()()
            except UnsupportedError as error:
                raise error.with_field("seats") from None

    def list_setup_lines(self) -> list[str]:
        """List commands that make the rules those of the table."""
        words = {True: "true", False: "false"}
        return [
            f"set game.doubles {self.spec.doubles}",
            f"set game.length {self.spec.length}",
            f"set game.jacoby {words[self.spec.jacoby]}",
            f"set game.beavers {words[self.spec.beavers]}",
            *([] if self.spec.cube else ["set engine.cubeful false"]),
            "set game.keep true",
        ]

    def list_start_lines(self, number: int) -> list[str]:
        """List commands that begin a game; without the Crawford rule no game is a Crawford game."""
        begins = None if self.spec.begins is None else SEAT_NAMES[self.spec.begins]
        lines = ["newgame" if begins is None else f"newgame {begins}"]
        if number == 1 and self.spec.position is not None:
            turn = [] if begins is None else [f"set game.turn {begins}"]
            lines = [*turn, f"position gnubgid {self.spec.position}"]
        elif self.session.game.match.crawford and not self.spec.crawford:
            lines = ["set game.crawford false", *lines]
        return lines

    def note_start(self, number: int) -> None:
        """Begin the record of a game that ``newgame`` did not begin."""
        if self.session.log.game is None:
            self.session.log = self.session.log.begin(self.session.game)

    @property
    def phase(self) -> TablePhase:
        """What the game waits for."""
        game = self.session.game
        if game.final_score is not None:
            return TablePhase.FINISHED
        if game.position is None:
            return TablePhase.WAITING
        if game.is_over:
            return TablePhase.OVER
        if game.match.resigned:
            return TablePhase.RESIGNATION
        if game.match.doubled:
            return TablePhase.RESPONSE
        return TablePhase.ROLL if game.match.roll is None else TablePhase.PLAY

    @property
    def to_act(self) -> int | None:
        """The seat that is to act; None before an opening roll, and after the game."""
        game = self.session.game
        if game.position is None or game.is_over or self.is_opening:
            return None
        return game.match.to_act

    @property
    def dice(self) -> list[int] | None:
        """The dice on the board; None before a roll."""
        roll = self.session.game.match.roll
        return None if roll is None else list(roll)

    @property
    def stake(self) -> int:
        """The points that a single game wins now."""
        return self.session.game.match.cube

    @property
    def is_opening(self) -> bool:
        """Whether the next roll decides who begins."""
        return self.session.is_opening

    @property
    def may_double(self) -> bool:
        """Whether the seat to act may double before its roll."""
        return self._has_cube and self.session.game.may_double and not self.is_opening

    @property
    def _has_cube(self) -> bool:
        return self.spec.cube and self.session.game.rules.supports(Feature.CUBE)

    @property
    def resigns_at_once(self) -> bool:
        """Whether nobody can say what a resignation is worth, so that it gives up everything."""
        return not self.session.game.rules.supports(Feature.RESIGNATION)

    @property
    def end(self) -> GameEnd | None:
        """How the game ended; None while it lasts."""
        if not self.session.game.is_over:
            return None
        result = self._find_result()
        return None if result is None else GameEnd(result.winner, result.points, result.name)

    def _find_result(self) -> GameResult | None:
        return None if self.session.log.game is None else self.session.log.game.result

    @property
    def match_winner(self) -> int | None:
        """The seat that won the match; None while it lasts."""
        result = self._find_result()
        return None if self.session.game.final_score is None or result is None else result.winner

    def count_score(self, ends: Sequence[GameEnd]) -> tuple[int, int]:
        """Return the score as the session keeps it."""
        return self.session.game.score

    def describe(self) -> dict[str, Any]:
        """Return the state of the game that everybody sees."""
        game = self.session.game
        match, position = game.match, game.position
        state: dict[str, Any] = {
            "length": match.length,
            "doubles": game.rules.doubles,
            "crawford": match.crawford,
            "jacoby": match.jacoby,
            "beavers": match.beavers,
            "on_roll": None if self.is_opening or position is None else match.on_roll,
            "dice": self.dice,
            "tree": None,
            "cube": self._describe_cube(),
            "resignation": match.resigned,
            "checkers": None,
            "pips": None,
            "gnubgid": None,
            "matchid": encode_match_id(match),
            "xgid": None,
        }
        if position is not None:
            seats = [0, 1] if match.on_roll == 0 else [1, 0]
            state["checkers"] = [position.board[seat].tolist() for seat in seats]
            state["pips"] = [position.pips[seat] for seat in seats]
            state["gnubgid"] = encode_position_id(position)
            state |= self.describe_place()
        return state

    def _describe_cube(self) -> dict[str, Any] | None:
        match = self.session.game.match
        if not self._has_cube:
            return None
        return {
            "value": match.cube,
            "owner": match.cube_owner,
            "offered": match.doubled,
            "beavered": match.beavered,
            "may_double": self.may_double,
            "may_beaver": "beaver" in list_responses(match),
        }

    def describe_choices(self) -> Task[dict[str, Any]] | dict[str, Any]:
        """Return the legal plays as a tree of checker moves, while dice lie on the board.

        For a roll with hundreds of plays a worker makes the tree; it may take 60 ms.
        """
        if self.phase is not TablePhase.PLAY:
            return {"tree": None}
        (position, roll), rules = self.session.require_roll(), self.session.game.rules
        count = estimate_plays(position, roll)
        if count <= MAX_QUICK_PLAYS:
            return {"tree": list_partial_plays(position, roll, rules)}

        def run(control: WorkControl) -> dict[str, Any]:
            with control.take_interpreter():
                tree = list_partial_plays(position, roll, rules)
                return {"tree": msgspec.Raw(msgspec.json.encode(tree))}

        return Task(run, is_long=count > MAX_SHORT_PLAYS)

    def describe_place(self) -> dict[str, Any]:
        """Return the XGID; null where there is none: while a beaver or a resignation waits.

        It is what engines are asked about, so there is none either by rules that they do not know.
        """
        game = self.session.game
        is_known = game.rules.supports(Feature.EVALUATION)
        if game.position is None or game.match.resigned or game.match.beavered or not is_known:
            return {"xgid": None}
        return {"xgid": encode_xgid(game.position, game.match)}

    def make_line(self, request: ActRequest) -> str:
        """Return the command that carries out an action of a person."""
        act = request.act
        if act == "dice":
            if request.dice is None:
                raise ValueRangeError("expected two dice in 'dice'", field="dice")
            return f"dice {request.dice[0]} {request.dice[1]}"
        if act == "resign":
            if not 1 <= request.points <= len(RESULT_NAMES):
                raise ValueRangeError(f"expected points of 1..3, got {request.points}", field="points")
            return f"play resign {RESULT_NAMES[request.points - 1]}"
        if act == "play":
            if self.phase is not TablePhase.PLAY:
                raise StateError(f"no dice are to be played: the game waits for {self.phase}", field="act")
            return f"play {self._check_play(request.play)}"
        if act == "double":
            self._check_double()
        if act in ("roll", *_WORDS):
            return act if act == "roll" else f"play {act}"
        return super().make_line(request)

    def _check_double(self) -> None:
        """Refuse a double of a dead cube, which the rules allow but tables do not offer.

        Raises:
            UnsupportedError: The table has no cube.
            StateError: The cube is dead.
        """
        if not self._has_cube:
            raise UnsupportedError("this table has no cube", field="act")
        match = self.session.game.match
        if not match.is_money and match.cube >= match.away(match.on_roll):
            raise StateError(
                "the cube is dead: a single game wins the match, and nothing is gained by a double: roll",
                field="act",
            )

    def _check_play(self, text: str | None) -> str:
        """Return a play of checkers: words for other actions are no plays here."""
        words = (text or "").split()
        if not words or words[0].lower() in ("resign", *_WORDS):
            raise ValueRangeError("expected a play such as '8/5 6/5' or 'pass'", field="play")
        return " ".join(words)

    def plan_decision(self, rejected_kind: int) -> Task[str] | str:
        """Decide for the seat to act, as the engine does at the terminal."""
        if self.phase is TablePhase.ROLL and self.resigns_at_once:
            return ROLL_ACTION  # where no resignation has a value, no double has
        session, engine = copy(self.session), self.session.engine_settings
        position, roll = session.require_position(), session.game.match.roll
        is_deep = engine.plies > 0 or (
            engine.player not in SESSION_PLAYERS and session.service.players.uses_look_ahead(engine.player)
        )

        def run(control: WorkControl) -> str:
            action = choose_action(session, control, rejected_kind, has_cube=self.spec.cube)
            return action if action == ROLL_ACTION else f"play {action}"

        is_wide = roll is not None and estimate_plays(position, roll) > MAX_SHORT_PLAYS
        return Task(run, is_long=is_deep or is_wide)

    def write_record(self, names: tuple[str, str]) -> tuple[str, str]:
        """Return the record of the match as ``.mat`` text; in money play that of the last game."""
        log = self.session.log
        try:
            return "mat", (log if self.spec.length else GameLog(game=log.game)).format(names)[0]
        except GammondError:
            return "", ""
