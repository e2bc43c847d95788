"""Matches drawn by lot with all that the model of a match file has, for tests of writers."""

import random
from dataclasses import dataclass, replace

from gammond.engine.match_files.model import ActionNotes, MatchRules, RecordedGame, RecordedMatch
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, Rules
from tests.support.boards import random_boards

COMMENTS = ("a ] and a \\", "two\nlines; with: signs", "(2) 31: 8/5", "Zoë")


@dataclass(frozen=True)
class Draw:
    """What may come up in a match.

    Attributes:
        length: Points of the match, 0 for money.
        rules: The variant.
        comments: Whether actions and games have comments.
        sets: Whether checkers, cube and turn are set by hand in the midst of a game.
        illegal_plays: Whether they are set in place of the play of a roll.
        rejected: Whether resignations are rejected.
    """

    length: int
    rules: Rules = STANDARD_RULES
    comments: bool = False
    sets: bool = False
    illegal_plays: bool = False
    rejected: bool = False

    def make_match(self, seed: int) -> RecordedMatch:
        """Draw a match, or up to four games of it: it may begin at any score and in any position."""
        rng = random.Random(seed)
        is_money = not self.length
        rules = MatchRules(
            self.rules,
            crawford=is_money or rng.random() < 0.8,
            jacoby=is_money and rng.random() < 0.5,
            beavers=not is_money or rng.random() < 0.7,
            cube_limit=rng.choice((MAX_CUBE, 1024)),
        )
        score = (rng.randrange(self.length or 9), rng.randrange(self.length or 9))
        begun: MatchState | None = MatchState(
            length=self.length, score=score, jacoby=rules.jacoby, beavers=rules.beavers
        )
        assert begun is not None
        is_near = not is_money and (begun.away(0) == 1) != (begun.away(1) == 1)
        begun = replace(begun, crawford=is_near and rules.crawford and rng.random() < 0.5)
        games: list[RecordedGame] = []
        while begun is not None and len(games) < 4:
            begun = replace(begun, on_roll=rng.randrange(2))
            if not rules.crawford:
                begun = replace(begun, crawford=False)
            games.append(self._make_game(rng, len(games) + 1, begun))
            result = games[-1].result
            assert result is not None
            begun = begun.after_game(result.winner, result.points)
        return RecordedMatch(
            ("ann", "bob"),
            self.length,
            rules,
            tuple(games),
            ratings=rng.choice([(None, None), (1512.5, 1700.0)]),
            comment=self._comment(rng),
            headers={"Event": "a day", "EventDate": "2024.06.20"},
        )

    def _make_game(self, rng: random.Random, number: int, begun: MatchState) -> RecordedGame:
        position = self.rules.starting_position
        if rng.random() < 0.3:
            position = self._draw_position(rng)
            if not begun.crawford:
                begun = replace(begun, cube=rng.choice((1, 2, 4)))
                begun = replace(begun, cube_owner=None if begun.cube == 1 else rng.randrange(2))
        start = situation = GameSituation(position, begun)
        actions: list[GameAction] = []
        while situation.result is None:
            action = self._draw_action(rng, situation, actions[-1] if actions else None)
            actions.append(action)
            situation = situation.apply(action)
        notes = {
            place: ActionNotes(comment=self._comment(rng))
            for place, action in enumerate(actions)
            if rng.random() < 0.1 and not isinstance(action, ResignationAction)
        }
        return RecordedGame(
            number,
            start.match,
            start.position,
            tuple(actions),
            situation.result,
            self.rules,
            {place: each for place, each in notes.items() if each.comment},
            self._comment(rng),
        )

    def _draw_action(
        self, rng: random.Random, situation: GameSituation, last: GameAction | None
    ) -> GameAction:
        match, position = situation.match, situation.position
        is_opening = last is None and position == self.rules.starting_position
        seat, chance = match.to_act, rng.random()
        if match.doubled:
            return self._respond(rng, match)
        if match.roll is not None:  # a roll that was not played
            if self.illegal_plays and chance < 0.5:
                return SetAction(self._draw_position(rng), match.next_turn())
            return self._resign(rng, match.on_roll, match)
        if last is not None:
            if chance < 0.02:
                return self._resign(rng, rng.randrange(2), match)
            if chance < 0.04 and self.rejected:
                return ResignationAction(rng.randrange(2), rng.randint(1, 3), is_accepted=False)
            if chance < 0.06 and self.sets and not isinstance(last, SetAction):
                return SetAction(self._draw_position(rng), replace(match, on_roll=rng.randrange(2)))
        has_access = match.cube < 256 and match.has_cube_access(seat)
        if chance > 0.9 and has_access and not is_opening:
            return DoubleAction(seat, 2 * match.cube)
        roll = rng.randint(1, 6), rng.randint(1, 6)
        if is_opening and roll[0] == roll[1]:
            roll = 3, 1
        plays = legal_plays(position, roll, self.rules)
        if 0.06 <= chance < 0.08 or (not plays[0].moves and chance < 0.2):
            return RollAction(seat, roll)
        return PlayAction(seat, roll, rng.choice(plays))

    def _resign(self, rng: random.Random, seat: int, match: MatchState) -> ResignationAction:
        """Resign: a single game where all count alike, for files have the points alone."""
        counts_single = match.jacoby and match.cube_owner is None
        return ResignationAction(seat, 1 if counts_single else rng.randint(1, 3))

    def _respond(self, rng: random.Random, match: MatchState) -> GameAction:
        seat, chance = match.to_act, rng.random()
        if match.beavered and chance < 0.3:
            return DoubleAction(seat, 4 * match.cube)
        if match.may_beaver and not match.beavered and chance < 0.4:
            return DoubleAction(seat, 4 * match.cube)
        return ResponseAction(seat, chance < 0.9)

    def _draw_position(self, rng: random.Random) -> Position:
        checkers = self.rules.variant.checkers
        return Position(random_boards(1, rng.randrange(1 << 30), checkers)[0], checkers)

    def _comment(self, rng: random.Random) -> str:
        return rng.choice(COMMENTS) if self.comments and rng.random() < 0.8 else ""
