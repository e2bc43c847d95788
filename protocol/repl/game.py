"""People at the session's table, with the engine or without. No terminal, no clock: calls in, text out.

Everything that happens on the table goes through the commands that any other client would send, so the
engine plays here as it does on the wire, and `Session.undo` takes back each of its steps.
"""

from __future__ import annotations

from dataclasses import replace

from engine.dice import Roll
from engine.errors import StateError
from engine.match import MatchState
from protocol.board_drawing import MARKS, draw_board
from protocol.handlers.table import ACTIONS
from protocol.players import HUMAN, OWN
from protocol.repl.analysis import best_action
from protocol.repl.asking import ask
from protocol.repl.chances import Chances
from protocol.repl.game_log import Done, GameLog
from protocol.repl.opponent import ROLL, Opponent
from protocol.repl.sentences import (
    ENGINE_NAME,
    HUMAN_NAME,
    action_text,
    offer_text,
    result_text,
    roll_text,
    score_line,
    told,
    turn_text,
)
from protocol.repl.tables import counted
from protocol.repl.writing import Drawn
from protocol.requests import Control
from protocol.session import GameState, Session
from protocol.settings import SEATS, change_match


class Game:
    """What the words of the REPL do: a game against the engine, and the same moves without one.

    Between two calls either no game is on, or it is over, or the person is to act: to roll, to play, to
    answer an offer. Only an error leaves the engine's turn unfinished, and `go_on` takes it up again.

    Args:
        session: The table.

    Attributes:
        human: The person's seat in a game; None while none is on. People play both seats of a game whose
            other player, ``engine.player``, is human too.
        chances: Tells chances after each play, if it is told to.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.human: int | None = None
        self.chances = Chances(session)
        self._opponent = Opponent(session)
        self._decisions: list[GameState] = []
        self._undone: list[tuple[GameState, list[Done]]] = []
        self._log = GameLog()
        self._won_match: GameState | None = None
        self._final_score = (0, 0)

    @property
    def is_running(self) -> bool:
        """Whether a game is on and not over."""
        game = self.session.game
        return self.human is not None and game.position is not None and not game.is_over

    @property
    def is_shared(self) -> bool:
        """Whether people play both seats."""
        return self.session.engine.player == HUMAN

    @property
    def names(self) -> tuple[str, str]:
        """What the seats are called."""
        if self.human is None or self.is_shared:
            return MARKS
        player = self.session.engine.player
        opponent = ENGINE_NAME if player == OWN else player.partition(":")[0]
        return (HUMAN_NAME, opponent) if self.human == 0 else (opponent, HUMAN_NAME)

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
        ask(self.session, "isready", control)
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
        throws = told(self.names[human], "throw", f"{own}, {self.names[1 - human]} {other}")
        begins = told(self.names[starter], "begin", f"with {max(own, other)}-{min(own, other)}")
        self._log.begin(self.session.game, self.names)
        return [f"{throws} {begins}", *self.go_on(control)]

    def take_up(self, control: Control) -> list[str]:
        """Play against the engine: on from the position for the seat to act, or from the start without one.

        Raises:
            StateError: A game is on.
            GammondError: The evaluator cannot be loaded; the table is as it was.
        """
        game = self.session.game
        if game.position is None or game.is_over:
            return self.deal(control)
        if self.is_running:
            raise StateError("a game is on: play it, or 'new' for another, or 'leave' it", field="play")
        ask(self.session, "isready", control)
        self._begin(game.match.to_act)
        self._log.begin(game, self.names)
        offer = offer_text(game.match)
        begins = [
            f"You play {' and '.join(MARKS) if self.is_shared else MARKS[game.match.to_act]} from here."
        ]
        return [*begins, *([f"There is {offer}."] if offer else []), *self.go_on(control)]

    def play_against(self, player: str, control: Control) -> list[str]:
        """Let another player sit opposite, and begin a game or take one up unless it is on.

        Args:
            player: What ``engine.player`` takes.
            control: Stops and watches the other player's turn.

        Raises:
            GammondError: There is no such player, or it cannot be loaded.
        """
        ask(self.session, f"set engine.player {player}", control)
        if not self.is_running:
            return self.take_up(control)
        opponent = "with people in both seats" if self.is_shared else f"against {player}"
        return [f"The game goes on {opponent}.", *self.chances.judge_lines(), *self.go_on(control)]

    def leave(self) -> list[str]:
        """End the game against the engine; the position stays.

        Raises:
            StateError: None is on.
        """
        if self.human is None:
            raise StateError("no game against the engine: 'play' begins one", field="leave")
        self.human = None
        self._forget_decisions()
        self._log.leave()
        return [f"The game{'' if self.is_shared else ' against the engine'} ends here, the position stays."]

    def roll(self, control: Control) -> list[str]:
        """Roll for the seat on roll.

        Raises:
            GammondError: It is not the time to roll.
        """
        lines = self.go_on(control)
        self._check_no_offer()
        subject = self.names[self.session.game.match.on_roll]
        ask(self.session, "roll", control)
        return [*lines, told(subject, "roll", roll_text(self._roll())), *self.go_on(control)]

    def make_play(self, text: str, control: Control) -> list[str]:
        """Make a play as the seat on roll; in a game the engine answers it.

        Raises:
            GammondError: It is none, or not the time for it; the table is as it was.
        """
        lines = self.go_on(control)
        self._check_no_offer()
        return lines + self._decided(text, control)

    def act(self, action: str, control: Control) -> list[str]:
        """Do something with the cube or a resignation as the seat to act; in a game the engine answers it.

        Args:
            action: What ``play`` takes: ``double``, ``take``, ``resign gammon``...
            control: Stops and watches the engine's turn.

        Raises:
            GammondError: The rules do not allow it now; the table is as it was.
        """
        lines = self.go_on(control)
        if action.startswith("resign") and self.human is not None:
            self._check_no_offer()
        return lines + self._decided(action, control)

    def undo(self, control: Control) -> list[str]:
        """Take back the last change; in a game, all since the person's last decision, this included.

        Decisions are plays, and what is done with the cube or a resignation; a roll is none.

        Raises:
            StateError: There is nothing to take back.
        """
        if self.human is None:
            ask(self.session, "undo", control)
            return ["Taken back."]
        if not self._decisions:
            raise StateError(
                "nothing to take back: you have decided nothing in this game, and rolls stay", field="undo"
            )
        if not self.session.can_redo:
            self._undone.clear()
        wanted = self._decisions.pop()
        reached = self.session.game
        while self.session.game is not wanted:
            self.session.undo()
        self._undone.append((reached, self._log.cut(wanted)))
        return [f"Taken back: {turn_text(wanted.match)} again."]

    def redo(self, control: Control) -> list[str]:
        """Do again what `undo` took back last.

        Raises:
            StateError: Nothing was taken back, or something was done since.
        """
        if self.human is None:
            ask(self.session, "redo", control)
            return ["Done again."]
        if not self._undone or not self.session.can_redo:
            raise StateError("nothing was taken back since you last did something", field="redo")
        reached, done = self._undone.pop()
        self._decisions.append(self.session.game)
        self._log.restore(done)
        while self.session.game is not reached:
            self.session.redo()
        turn = turn_text(reached.match) if self.is_running else "the game is over"
        return [f"Done again: {turn}.", *self.go_on(control)]

    def best(self, control: Control) -> list[str]:
        """Do what `analysis.hint` finds best in the place of the seat that is to act.

        Raises:
            GammondError: There is nothing to decide, or the table cannot say what is best.
        """
        lines = self.go_on(control)
        action = best_action(self.session, control)
        return lines + (self.roll(control) if action == ROLL else self._decided(action, control))

    def save(self, name: str) -> list[str]:
        """Write the finished games of the match, or of money play, as ``.mat`` text.

        Args:
            name: Of the file; one that is there is replaced only if this table wrote it.

        Raises:
            StateError: There is no such game.
            DataFileError: The file cannot be written.
        """
        return [f"{counted(self._log.save(name), 'game')} saved in {name}."]

    def score(self) -> list[str]:
        """Say the score, and what the cube is at."""
        return [score_line(self.session.game.match, self.points, self.names) + "."]

    def board(self) -> list[str]:
        """Draw the board, in a game against the engine as the person sees it.

        Raises:
            StateError: There is no position.
        """
        position = self.session.need_position()
        game = self.session.game
        view = None if self.is_shared else self.human
        drawn = draw_board(position, game.match, self.names, view, self.points, is_given_up=game.is_given_up)
        return [Drawn(line) for line in drawn]

    def go_on(self, control: Control) -> list[str]:
        """Play on until a person has something to decide: the engine's turns, and turns without a play."""
        lines: list[str] = []
        while self.is_running:
            if self.session.game.match.to_act != self.human and not self.is_shared:
                lines += self._engine_acts(control)
            elif self._must_pass():
                lines += self._do("pass", control)
            else:
                break
        return lines

    def tell_chances(self, are_told: bool) -> list[str]:
        """Tell chances after each play from here on, or do not.

        Raises:
            DataFileError: Who judges them cannot be loaded.
        """
        return [self.chances.tell(are_told), *self._chances()]

    def _chances(self) -> list[str]:
        """Before a roll, the chances of the person, or of the one who is to roll among two people."""
        match = self.session.game.match
        if self.human is None or not self.is_running or match != match.before_roll():
            return []
        return self.chances.lines(match.on_roll if self.is_shared else self.human)

    def _begin(self, human: int) -> None:
        self.human = human
        self._forget_decisions()
        self._opponent.begin()

    def _forget_decisions(self) -> None:
        self._decisions.clear()
        self._undone.clear()

    def _throw(self) -> Roll:
        roll = self.session.dice.roll()
        while roll[0] == roll[1]:
            roll = self.session.dice.roll()
        return roll

    def _roll(self) -> Roll:
        return self.session.need_roll()[1]

    def _must_pass(self) -> bool:
        match = self.session.game.match
        return match.roll is not None and not match.resigned and self.session.plays()[0].is_pass

    def _check_no_offer(self) -> None:
        """Make sure that nothing waits for an answer.

        Raises:
            StateError: A double or a resignation does.
        """
        game = self.session.game
        if not game.is_over and (game.match.doubled or game.match.resigned):
            raise StateError(f"there is {offer_text(game.match)}", field="play")

    def _engine_acts(self, control: Control) -> list[str]:
        action = self._opponent.action(control)
        if action == ROLL:
            ask(self.session, "roll", control)
            return []
        return self._do(action, control)

    def _decided(self, text: str, control: Control) -> list[str]:
        """Do what a person has decided, as the seat to act, and let the engine answer."""
        before = self.session.game
        lines = self._do(text, control)
        if self.human is not None:
            self._decisions.append(before)
        return lines + self.go_on(control)

    def _do(self, text: str, control: Control) -> list[str]:
        """Do what ``play`` takes; say what it was, and how the game ended if it did."""
        table, before = self.session.game, self.session.game.match
        done = ask(self.session, f"play {text}", control)[-1].values
        self._log.add(table, self.session.game, done)
        play = str(done["play"])
        lines = [action_text(play, before, self.session.game.match, self.names)]
        if play not in ACTIONS:
            lines += self._chances()
        if play == "reject" and before.to_act == self.human:
            self._opponent.note_refusal(before.resigned)
        if "winner" in done:
            seat, points = SEATS.index(str(done["winner"])), int(done["points"])
            lines.append(result_text(self.names[seat], str(done["result"]), points))
            lines += self._count(seat, points)
        return lines

    def _count(self, winner: int, points: int) -> list[str]:
        """Enter the points of a finished game."""
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
