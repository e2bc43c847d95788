"""Which game is at the session's table: begun, set aside for another position, left, taken up again.

No terminal, no clock: calls in, text out.
"""

from __future__ import annotations

from dataclasses import replace

from gammond.engine.errors import StateError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.wording import format_count
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import send_command
from gammond.protocol.repl.answers.sentences import describe_offer, describe_turn, make_sentence
from gammond.protocol.repl.game.game_view import ShownPlace
from gammond.protocol.repl.game.history import SetAsideGame
from gammond.protocol.repl.game.played_game import PlayedGame
from gammond.protocol.repl.game.preferences import Preferences
from gammond.protocol.repl.game.saved_game import SavedGame
from gammond.protocol.repl.records.descriptions import describe_place
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.state.session import Session


class ReplGame(PlayedGame):
    """The actions of REPL commands on games as a whole, beside those in a game.

    Args:
        session: The table.

    Attributes:
        preferences: What the terminal begins with.
        draft: What the next prompt has been filled with, to be changed; empty for nothing.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.preferences = Preferences()
        self.draft = ""

    def start_game(
        self, control: WorkControl, length: int | None = None, *, human_begins: bool | None = None
    ) -> list[str]:
        """Begin a game from the start: each side rolls one die, and the higher begins with both.

        Args:
            control: Stops and watches the engine's turn.
            length: Begin a match to so many points, 0 for money play. Left out, the score stays, and a match
                that is won is followed by another of its length.
            human_begins: Whether the person begins, or the opponent, in place of that opening roll; of two
                people O, or X.

        Raises:
            GammondError: The evaluator cannot be loaded; the table is as it was.
        """
        self.session.make_decider_loader()()
        aside, was_running = self.describe_game(), self.is_running
        human = self.human_seat or 0
        match = self.session.game.match
        if length is not None:
            start = MatchState(length, on_roll=match.on_roll, jacoby=match.jacoby, beavers=match.beavers)
            self.session.push_state(replace(self.session.game, match=start, final_score=None))
        self._begin(human)
        if human_begins is None:
            self.session.start_game(self.names)
            own, other = self.session.roll_opening(human)
            starter = human if own > other else 1 - human
            rolls = make_sentence(self.names[human], "roll", f"{own}, {self.names[1 - human]} {other}")
            starts = make_sentence(self.names[starter], "start", f"with {max(own, other)}-{min(own, other)}")
            self.news = [f"{rolls} {starts}"]
        else:
            starter = human if human_begins else 1 - human
            self.session.start_game(self.names, starter)
            self.news = [make_sentence(self.names[starter], "begin")]
        if aside is not None:
            self.history.set_aside(aside)
        remark = ["The game that was on is set aside: 'undo' brings it back."] if was_running else []
        return [*remark, *self.news, *self.continue_game(control)]

    def play_from_here(self, control: WorkControl) -> list[str]:
        """Play against the engine: on from the position for the seat to act, or from the start without one.

        Raises:
            StateError: A game is on.
            GammondError: The evaluator cannot be loaded; the table is as it was.
        """
        game = self.session.game
        if game.position is None or game.is_over:
            return self.start_game(control)
        if self.is_running:
            raise StateError(
                "a game is in progress: play it, 'leave' it, or start another with 'new'", field="play"
            )
        self.session.make_decider_loader()()
        self._begin(game.match.to_act)
        self.session.log = self.session.log.begin(game, self.names)
        offer = describe_offer(game.match)
        back = [] if self.records.current is None else ["'back' returns to the match that is open."]
        sides = " and ".join(CHECKER_MARKS) if self.has_two_humans else CHECKER_MARKS[game.match.to_act]
        return [
            f"You play {sides} from here.",
            *back,
            *([f"{offer[0].upper()}{offer[1:]}."] if offer else []),
            *self.continue_game(control),
        ]

    def play_against(self, player: str, control: WorkControl) -> list[str]:
        """Set the opponent, and begin a game or continue the present one.

        Args:
            player: What ``engine.player`` takes.
            control: Stops and watches the other player's turn.

        Raises:
            GammondError: There is no such player, or it cannot be loaded.
        """
        send_command(self.session, f"set engine.player {player}", control)
        if not self.is_running:
            return self.play_from_here(control)
        opponent = "with people in both seats" if self.has_two_humans else f"against {player}"
        return [
            f"The game continues {opponent}.",
            *self.chances.describe_source(),
            *self.continue_game(control),
        ]

    def describe_game(self) -> SetAsideGame | None:
        """Return the game at hand, in progress or over, to be set aside; None without one."""
        if self.human_seat is None or self.session.game.position is None:
            return None
        return self.history.describe(self.human_seat)

    def describe_kept(self) -> SavedGame | None:
        """Return what another session can go on with, review and save; None without a game."""
        game = self.describe_game()
        if game is None and self._shown is not None and self._shown.aside is self.history.newest:
            game = self._shown.aside
        if game is None:
            return None
        shown = self.chances.is_shown
        return SavedGame(game, self.session.engine_settings, self.tutor.limit or 0.0, shows_chances=shown)

    def resume(self, kept: SavedGame, control: WorkControl) -> list[str]:
        """Go on with a game of an earlier session, with its opponent, level and tutor.

        Args:
            kept: The game; its decisions can be taken back.
            control: Stops and watches the engine's turn.
        """
        self.session.engine_settings = kept.engine
        self.tutor.set_limit(kept.tutor)
        self.chances.is_shown = kept.shows_chances
        game = kept.game
        for table in (*game.decisions, game.table):
            self.session.push_state(table)
            self.session.log = game.log.back_to(table)  # to which `undo` goes back with the table
        self._begin(game.human_seat)
        self.history.restore(game)
        if self.is_running:
            variant = game.table.rules.variant
            left = "game" if variant == BACKGAMMON else f"game of {variant.name}"
            start = f"Going on with the {left} that you left: {describe_turn(game.table.match)}."
            start += " ('new' starts another.)"
        elif self.is_match_over:
            start = "Your match is over: 'review' and 'save FILE' still take it, 'new' starts another."
        else:
            start = "Going on after the last game: 'new' starts the next one."
        tutor = [] if self.tutor.limit is None else self.show_tutor()
        return [start, *self.show_score(), *tutor, *self.continue_game(control)]

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays, and `undo` goes back to the game.

        Raises:
            StateError: None is on.
        """
        aside = self.describe_game()
        if aside is None:
            raise StateError("no game against the engine: 'play' starts one", field="leave")
        self.set_aside(aside)
        return ["You have left the game: the position stays, 'undo' goes back to the game."]

    def set_aside(self, game: SetAsideGame | None) -> list[str]:
        """Set a game aside for another position, which is on the table; return a sentence that says so.

        Args:
            game: As it was before that; None for none.
        """
        self.news = []
        if game is None:
            return []
        self.history.set_aside(game)
        self.human_seat = None
        self.session.keeps_match = False
        self.history.clear()
        what = "match" if game.table.is_over and game.table.match.length else "game"
        return [f"Your {what} is set aside: 'undo' brings it back."]

    def take_up_variant(self, game: SetAsideGame | None, *, had_position: bool) -> list[str]:
        """Set a game aside for another variant, which the session plays now; return sentences that say so.

        Args:
            game: As `set_aside`.
            had_position: Whether there was a position before.
        """
        said = self.set_aside(game)
        if self.session.game.position is not None:
            return said
        variant, score = self.session.game.rules.variant, self.session.game.score
        gone = [] if said or not had_position else ["The position is gone: 'undo' brings it back."]
        sides = format_count(variant.checkers, "checker")
        begin = "'play' starts a game of it" + (" at this score, 'new 0' anew" if any(score) else "")
        return [*said, *gone, f"{variant.name} has {sides} a side: {begin}."]

    def show_place(self, record: OpenRecord) -> list[str]:
        """Put the shown place of an open match on the table; `undo` goes back to what was on it.

        Args:
            record: The match.

        Returns:
            What is said of the place, and of a game that was set aside for it.
        """
        said = describe_place(record)
        self.records.recent = record
        aside = self.describe_game()
        if aside is None and self.shown_place is not None:
            self.undo(WorkControl())
            aside = self.describe_game()
            self.set_aside(aside)
        else:
            said += self.set_aside(aside)
        if aside is None and self._shown is not None:
            aside = self._shown.aside
        self._shown = ShownPlace(record, record.make_table(), aside)
        self.session.push_state(self._shown.table)
        self.news = said[:1]
        return said

    def undo(self, control: WorkControl) -> list[str]:
        """Take back the last change; in a game, all since the person's last decision, this included.

        Decisions are plays, and what is done with the cube or a resignation; a roll is none.

        Raises:
            StateError: There is nothing to take back.
        """
        self.news = []
        if self.human_seat is None:
            if not (lines := self._take_up(self.history.take_up())):
                send_command(self.session, "undo", control)
                lines = self._take_up(self.history.take_up()) or ["Undone."]
            return lines
        if not self.history.decisions and (lines := self._take_up(self.history.take_up(anywhere=True))):
            return lines
        return [f"Undone: {describe_turn(self.history.undo().match)}."]

    def _take_up(self, game: SetAsideGame | None) -> list[str]:
        if game is None:
            return []
        self.human_seat = game.human_seat
        self.session.keeps_match = True
        self._opponent.reset()
        if game.table.is_over:
            return ["Undone: you are back at the end of the game.", *self.show_score()]
        return [f"Undone: you are back in the game, and {describe_turn(game.table.match)}."]

    def redo(self, control: WorkControl) -> list[str]:
        """Do again what `undo` took back last.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        self.news = []
        if self.human_seat is None:
            send_command(self.session, "redo", control)
            return ["Redone."]
        reached = self.history.redo()
        turn = describe_turn(reached.match) if self.is_running else "the game is over"
        return [f"Redone: {turn}.", *self.continue_game(control)]

    def _begin(self, human_seat: int) -> None:
        self.human_seat = human_seat
        self.session.keeps_match = True
        self.news = []
        self.history.clear()
        self._opponent.reset()
