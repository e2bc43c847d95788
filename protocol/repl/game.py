"""A person at the session's table, alone or against the engine. No terminal, no clock: calls in, text out.

Everything that happens on the table goes through the commands that any other client would send, so the
engine plays here as it does on the wire, and `Session.undo` takes back each of its steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.dice import Roll
from engine.errors import GammondError, StateError
from engine.match import MatchState
from protocol.board_drawing import MARKS, draw_board
from protocol.dispatch import run_line
from protocol.repl.writing import Drawn, hint_lines, result_text, roll_text, score_line, told
from protocol.requests import AnyReply, Control, Reply
from protocol.session import GameState, Session
from protocol.settings import SEATS, change_match

ENGINE_NAME = "gammond"
HUMAN_NAME = "you"


class RefusedRequestError(GammondError):
    """A command that the table answered with an error: the reply says what to do.

    Args:
        reply: The error line.
    """

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.text)
        self.reply = reply


class Game:
    """What the words of the REPL do: a game against the engine, and the same moves without one.

    Between two calls either no game is on, or it is over, or the person is to roll or to play; only an error
    or a stop leaves the engine's turn unfinished, and `go_on` takes it up again.

    Args:
        session: The table.

    Attributes:
        human: The person's seat in a game against the engine; None while none is on.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.human: int | None = None
        self._decisions: list[GameState] = []
        self._won_match: GameState | None = None
        self._final_score = (0, 0)

    @property
    def is_running(self) -> bool:
        """Whether a game against the engine is on and not over."""
        position = self.session.game.position
        return self.human is not None and position is not None and not position.is_over

    @property
    def names(self) -> tuple[str, str]:
        """What the seats are called."""
        if self.human is None:
            return MARKS
        return (HUMAN_NAME, ENGINE_NAME) if self.human == 0 else (ENGINE_NAME, HUMAN_NAME)

    @property
    def has_won_match(self) -> bool:
        """Whether the game on the table is over and decided the match."""
        return self._won_match is not None and self.session.game is self._won_match

    @property
    def points(self) -> tuple[int, int]:
        """Points of seats 0 and 1, with those of a game that decided the match."""
        return self._final_score if self.has_won_match else self.session.game.match.score

    def deal(self, control: Control, length: int | None = None) -> list[str]:
        """Begin a game from the start: one die each says who begins, and with which roll.

        Args:
            control: Stops and watches the engine's turn.
            length: Begin a match to so many points, 0 for money play. Left out, the score stays, and a match
                that is won is followed by another of its length.

        Raises:
            GammondError: The evaluator cannot be loaded; the table is as it was.
        """
        self._ask("isready", control)
        human = self.human or 0
        own, other = self._throw()
        starter = human if own > other else 1 - human
        match = self.session.game.match
        if length is None and self.has_won_match:
            length = match.length
        if length is not None:
            start = MatchState(length, on_roll=match.on_roll, jacoby=match.jacoby, beavers=match.beavers)
            self.session.change(replace(self.session.game, match=start))
        self.session.new_game()
        self._begin(human)
        change_match(self.session, on_roll=starter, roll=(max(own, other), min(own, other)))
        begins = told(self.names[starter], "begin", f"with {max(own, other)}-{min(own, other)}")
        return [f"You throw {own}, {ENGINE_NAME} {other}. {begins}", *self.go_on(control)]

    def take_up(self, control: Control) -> list[str]:
        """Play against the engine: on from the position for the seat on roll, or from the start without one.

        Raises:
            StateError: A game is on, or an offer waits for its answer.
            GammondError: The evaluator cannot be loaded; the table is as it was.
        """
        position, match = self.session.game.position, self.session.game.match
        if position is None or position.is_over:
            return self.deal(control)
        if self.is_running:
            raise StateError("a game is on: play it, or 'new' for another, or 'leave' it", field="play")
        if match.doubled or match.resigned:
            raise StateError("the position has an offer that waits: set up one without", field="play")
        self._ask("isready", control)
        self._begin(match.on_roll)
        return [f"You play {MARKS[match.on_roll]} from here.", *self.go_on(control)]

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays.

        Raises:
            StateError: None is on.
        """
        if self.human is None:
            raise StateError("no game against the engine: 'play' begins one", field="leave")
        self.human = None
        self._decisions.clear()
        return ["The game against the engine ends here, the position stays."]

    def roll(self, control: Control) -> list[str]:
        """Roll for the seat on roll."""
        lines = self.go_on(control)
        self._ask("roll", control)
        return [*lines, self._told("roll", roll_text(self._roll())), *self.go_on(control)]

    def make_play(self, text: str, control: Control) -> list[str]:
        """Make a play as the seat on roll; in a game the engine answers it."""
        lines = self.go_on(control)
        before = self.session.game
        lines += self._play(text, control)
        if self.human is not None:
            self._decisions.append(before)
        return lines + self.go_on(control)

    def undo(self, control: Control) -> list[str]:
        """Take back the last change; in a game, everything since the person's last own play, this included.

        Raises:
            StateError: There is nothing to take back.
        """
        if self.human is None:
            self._ask("undo", control)
            return ["Taken back."]
        if not self._decisions:
            raise StateError("nothing to take back: you have not played in this game", field="undo")
        wanted = self._decisions.pop()
        while self.session.game is not wanted:
            self.session.undo()
        return [f"Taken back: it is your {roll_text(self._roll())} again."]

    def hint(self, count: int, control: Control) -> list[str]:
        """Rank the best plays of the roll on the table.

        Args:
            count: How many to show.
            control: Stops and watches the search.
        """
        return hint_lines(self._ask(f"moves {count}", control))

    def score(self) -> list[str]:
        """Say the score, and what the cube is at."""
        return [score_line(self.session.game.match, self.points, self.names) + "."]

    def board(self) -> list[str]:
        """Draw the board, in a game as the person sees it.

        Raises:
            StateError: There is no position.
        """
        position = self.session.need_position()
        drawn = draw_board(position, self.session.game.match, self.names, self.human, self.points)
        return [Drawn(line) for line in drawn]

    def go_on(self, control: Control) -> list[str]:
        """Play on until the person has something to decide: the engine's turns, and turns without a play."""
        lines: list[str] = []
        while self.is_running:
            if self.session.game.match.on_roll != self.human:
                lines += self._engine_turn(control)
            elif self._must_pass():
                lines += self._play("pass", control)
            else:
                break
        return lines

    def _begin(self, human: int) -> None:
        self.human = human
        self._decisions.clear()

    def _throw(self) -> Roll:
        roll = self.session.dice.roll()
        while roll[0] == roll[1]:
            roll = self.session.dice.roll()
        return roll

    def _roll(self) -> Roll:
        return self.session.need_roll()[1]

    def _must_pass(self) -> bool:
        return self.session.game.match.roll is not None and self.session.plays()[0].is_pass

    def _engine_turn(self, control: Control) -> list[str]:
        if self.session.game.match.roll is None:
            self._ask("roll", control)
        best = self._ask("go chequer", control)[-1]
        return self._play(best.text, control)

    def _play(self, text: str, control: Control) -> list[str]:
        """Make a play of the seat on roll; say what it was, and how the game ended if it did."""
        subject, match = self._subject, self.session.game.match
        done = self._ask(f"play {text}", control)[-1].values
        with_roll = "" if match.on_roll == self.human or match.roll is None else f"{roll_text(match.roll)}: "
        play = str(done["play"])
        said = told(subject, "cannot move") if play == "pass" else told(subject, "play", play)
        lines = [with_roll + said]
        if "winner" in done:
            seat, points = SEATS.index(str(done["winner"])), int(done["points"])
            lines.append(result_text(self.names[seat], str(done["result"]), points))
            lines += self._count(seat, points)
        return lines

    def _count(self, winner: int, points: int) -> list[str]:
        """Enter the points of a finished game against the engine."""
        if self.human is None:
            return []
        game = self.session.game
        following = game.match.after_game(winner, points)
        if following is None:
            self._won_match, self._final_score = game, game.match.score_after(winner, points)
            own, other = self._final_score[winner], self._final_score[1 - winner]
            return [told(self.names[winner], "win", f"the match {own}-{other}") + " 'new' begins another."]
        self.session.change(replace(game, match=following))
        return [*self.score(), "'new' begins the next game."]

    @property
    def _subject(self) -> str:
        return self.names[self.session.game.match.on_roll]

    def _told(self, verb: str, rest: str) -> str:
        return told(self._subject, verb, rest)

    def _ask(self, line: str, control: Control) -> list[Reply]:
        """Send a command to the table.

        Returns:
            Its replies, the last of them final.

        Raises:
            RefusedRequestError: The table answered with an error.
        """
        replies, _ = run_line(self.session, line, control)
        lines = _line_replies(replies)
        if lines[-1].word == "error":
            raise RefusedRequestError(lines[-1])
        return lines


def _line_replies(replies: Sequence[AnyReply]) -> list[Reply]:
    return [reply for reply in replies if isinstance(reply, Reply)]
