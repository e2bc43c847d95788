"""Questions about the plays of a roll: their ranking, one of them beside the best, a player's opinion."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from gammond.engine.analysis.compared_plays import compare_play, has_compared
from gammond.engine.analysis.engine import Engine
from gammond.engine.play.player import Opinion, form_opinion, rank_by_opinion
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import Play, estimate_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import Rules
from gammond.engine.search import SearchWatch
from gammond.engine.search.ranked_plays import ChosenPlay, RankedPlays
from gammond.protocol.questions.question import EngineQuestion, Plan
from gammond.protocol.state.player_registry import PlayerRegistry
from gammond.protocol.state.session import Session


class Rank(EngineQuestion[RankedPlays], frozen=True):
    """Which play of a roll is the best, and how far the others are behind.

    Attributes:
        roll: The dice.
    """

    what = "plays"

    roll: Roll

    def run(self, engine: Engine, watch: SearchWatch) -> RankedPlays:
        """Return all plays, ranked."""
        return engine.rank_plays(self.position, self.roll, self.match, self.settings, watch)


class Compare(EngineQuestion[ChosenPlay], frozen=True):
    """How far a play is behind the best one.

    Attributes:
        roll: The dice.
        play: One of the legal plays.
        rules: The rules of the game.
    """

    what = "rank"

    roll: Roll
    play: Play
    rules: Rules

    def plan(self, session: Session) -> Plan:
        """Return how the work on it is done; a kept ranking counts where it has compared the play."""
        plan = super().plan(session)
        about = self.position, self.roll, self.play, self.rules
        is_compared = all(has_compared(kept, *about) for kept in plan.kept)
        return plan if is_compared else Plan(plan.kind, size=plan.size)

    def run(self, engine: Engine, watch: SearchWatch) -> ChosenPlay:
        """Return the play beside the best one."""
        return compare_play(engine, self.position, self.roll, self.match, self.play, self.settings, watch)


class PlayerOpinion(NamedTuple):
    """What a player thinks.

    Attributes:
        player: Its name.
        opinion: Of the position; None where it was asked about plays.
        plays: The plays of the roll with what it thinks of them, the best first.
    """

    player: str
    opinion: Opinion | None
    plays: list[tuple[Play, Opinion]]


class AskPlayer(msgspec.Struct, frozen=True):
    """What a player thinks of a position, or of the plays of a roll. It takes no engine, but the player.

    Attributes:
        position: The checkers, those of the seat on roll first.
        roll: The dice; None to ask about the position.
        rules: The rules of the game.
        player: The player's name.
    """

    position: Position
    roll: Roll | None
    rules: Rules
    player: str

    def estimate_plays(self) -> int:
        """Return about how many plays it is about."""
        return 0 if self.roll is None else estimate_plays(self.position, self.roll)

    def run(self, players: PlayerRegistry, threads: int) -> PlayerOpinion:
        """Return what the player thinks.

        Args:
            players: Finds it.
            threads: How many threads it may use.

        Raises:
            UnsupportedError: It does not play by the rules, or chooses by no number.
            DataFileError: A file of it is missing or damaged.
        """
        player = players.find(self.player, threads)
        if player.checkers not in (None, self.rules.variant.checkers):
            player = player.with_rules(self.rules)
        if self.roll is None:
            return PlayerOpinion(player.name, form_opinion(player, self.position), [])
        return PlayerOpinion(player.name, None, rank_by_opinion(player, self.position, self.roll, self.rules))
