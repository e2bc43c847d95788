"""The talk about backgammon: commands, positions in any form, and plays typed as they are."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.errors import GammondError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import START, find_match_id, find_position, split_lines
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.rules import BACKGAMMON
from gammond.protocol.commands.command import Command
from gammond.protocol.commands.game import POSITION_FORMS
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import Reply, WorkControl
from gammond.protocol.repl.answers.checkers import is_checkers
from gammond.protocol.repl.answers.sentences import LEAVE_VARIANT, describe_variant
from gammond.protocol.repl.dialogue import gnubg_words
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.commands import AGAINST_PREFIX, REPL_COMMANDS
from gammond.protocol.repl.dialogue.suggestions import (
    Suggestion,
    list_setting_values,
    suggest_arguments,
    suggest_matching,
    suggest_plays,
    takes,
)
from gammond.protocol.repl.dialogue.talk import COMMON_TOPICS, Talk
from gammond.protocol.repl.dialogue.toolbar import format_toolbar
from gammond.protocol.repl.game.games import paste_position, take_up_variant
from gammond.protocol.repl.game.playing import OPPONENT, continue_game, make_play
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.saved_game import KeptGame
from gammond.protocol.repl.game.views import show_board
from gammond.protocol.state.offers import list_responses
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import SETTINGS

_PLAY_PATTERN = re.compile(r"\(?[1-6][-, ]?[1-6]\)?\s*:|(?:bar|b|[0-9]{1,2})\*?\s*[/-]|pass\b", re.IGNORECASE)
_PLAY_WORDS = re.compile(r"[0-9bB(]")
_ROLL_PATTERN = re.compile(r"([1-6])[\s,]?([1-6])")
_AGAINST = re.compile(rf"\s*{AGAINST_PREFIX}\s*(\S*)")

_LEVEL_MEANINGS = {name: level.meaning for name, level in LEVELS.items()}

_RULES = {
    "crawford": "in a match nobody doubles in the Crawford game, the first in which a player is 1-away",
    "jacoby": "in money play gammons count only once the cube has been turned: 'set game.jacoby on' or 'off'",
    "beavers": "in money play who takes a double may turn the cube again at once, and keep it: "
    "'set game.beavers on' or 'off'",
    "raccoons": gnubg_words.EXPLANATIONS["raccoon"],
}
"""Rules of the cube, as ``help rules`` explains them."""


class BackgammonTalk(Talk):
    """The talk about backgammon; its table also keeps what a person prefers, whatever is played.

    Args:
        session: The table, which the person shares with nobody.

    Attributes:
        game: The game at the table, and its records.
    """

    rows: ClassVar[Mapping[str, ReplCommand]] = REPL_COMMANDS
    topics: ClassVar[Mapping[str, str]] = {
        "rules": "the rules of the cube",
        "gnubg": "the words of GNU Backgammon's users",
        **COMMON_TOPICS,
    }

    drawing_hint: ClassVar[str] = (
        "a drawn board is read with its ID or XGID beside it, and 'edit' sets up checkers"
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.subject = self.game = ReplGame(session)
        self._default_net = _find_default_net(session)

    @property
    def news(self) -> Sequence[str]:
        """What the game has said since the person's last decision; nothing once it is over."""
        is_at_end = self.game.human_seat is not None and not self.game.is_running
        return [] if is_at_end else self.game.news

    @property
    def must_show_board(self) -> bool:
        """Whether the tutor has objected: the person decides again, and has to see the board."""
        return self.game.tutor.has_objected

    @property
    def table_state(self) -> object:
        """The game on the table."""
        return self.session.game

    def describe_kept(self) -> KeptGame | None:
        """Return the game that another session can go on with, review and save; None without one."""
        return self.game.describe_kept()

    def show_board(self) -> list[str]:
        """Draw the board; nothing without a position."""
        return [] if self.session.game.position is None else show_board(self.game)

    def toolbar(self, width: int) -> str:
        """Write the line below the prompt."""
        engine, service = self.session.engine_settings, self.session.service
        net = self._default_net if engine.net == service.catalogue.default else engine.net
        variant = self.session.game.rules.variant
        if variant.is_solved:
            net = variant.name
        elif variant is not BACKGAMMON:
            net = f"{variant.name} {net}"
        return format_toolbar(self.game, net, width)

    def translate(self, text: str) -> str:
        """Return a line of GNU Backgammon's in the words of the terminal.

        Raises:
            CommandError: It means nothing here though its word does.
        """
        text = gnubg_words.translate(text)
        if instead := gnubg_words.explain_line(text):
            raise CommandError(f"there is no {text[:MAX_QUOTED_CHARS]!r} here: {instead}", field="command")
        return text

    def set_up(self, text: str, control: WorkControl) -> list[str] | None:
        """Set up a position in any form; None where the line is none."""
        if (position := self._find_position(text)) is None:
            return None
        return paste_position(self.game, position) + continue_game(self.game, control)

    def make_move(self, text: str, control: WorkControl) -> list[str]:
        """Make a play as the seat on roll; in a game the engine answers it."""
        return make_play(self.game, control, text)

    def run_command(self, text: str, control: WorkControl) -> list[str]:
        """Carry out a command of the line protocol; one that sets up another game sets that at hand aside."""
        aside, place, before = self.game.describe_game(), self.game.origin, self.session.game
        replies, lines = self.run_wire(text, control)
        is_refused = isinstance(replies[-1], Reply) and replies[-1].word == "error"
        if self.has_ended or is_refused or self.session.game_name != self.name:
            return lines
        if self.session.game.rules.variant is not before.rules.variant:
            lines += take_up_variant(self.game, aside, had_position=before.position is not None)
        elif COMMANDS[text.partition(" ")[0]].sets_position:
            lines += self.game.leave_for(aside)
        elif place is not None:
            place.tried.append(self.session.game)
        return lines + continue_game(self.game, control)

    def knows(self, name: str) -> bool:
        """Return whether a word is a command, or one of GNU Backgammon's."""
        return super().knows(name) or bool(gnubg_words.explain(name))

    def reads(self, text: str) -> bool:
        """Return whether a line has the looks of a command, a play or a position, right or wrong."""
        line = gnubg_words.translate(text)
        return super().reads(text) or bool(gnubg_words.explain_line(line)) or self._is_read(line)

    def split(self, text: str) -> list[str]:
        """Split what was entered, or pasted, into lines: a position may take several."""
        return split_lines(text, self._is_read)

    def _is_read(self, text: str) -> bool:
        """Return whether a line is a command, a play or a position as it stands."""
        return super().knows(text.split()[0]) or self.is_move(text) or self.is_position(text)

    def is_move(self, text: str) -> bool:
        """Return whether a line is written as a play, legal or not."""
        return _PLAY_PATTERN.match(text) is not None

    def begins_move(self, text: str) -> bool:
        """Return whether a line that is typed can become a play."""
        return _PLAY_WORDS.match(text) is not None

    def is_legal(self, text: str) -> bool:
        """Return whether a line is a legal play."""
        game = self.session.game
        if game.position is None or game.is_over or game.match.roll is None:
            return False
        try:
            parse_play(text, game.position, game.match.roll, game.rules)
        except GammondError:
            return False
        return True

    def is_position(self, text: str) -> bool:
        """Return whether a line is a position."""
        return self._find_position(text) is not None

    def _find_position(self, text: str) -> str | None:
        """Return the position of a line, bare or after ``position``; a match ID joins the present one."""
        name, _, rest = text.partition(" ")
        if name == "position":
            form = rest.split(maxsplit=1)[:1]
            return rest.strip() if form and form[0] not in POSITION_FORMS else None
        if name in self.commands:
            return None
        match_id, position = find_match_id(text), self.session.game.position
        if match_id and position is not None:
            return f"{encode_position_id(position)}:{match_id}"
        return find_position(text) or (text if is_checkers(text) or text.lower() == START else None)

    def show_overview(self, commands: Sequence[str]) -> list[str]:
        """Return what ``help`` shows; what is played, unless it is backgammon, in a line of its own."""
        variant = self.session.game.rules.variant
        return [
            "A play is typed as it is: 8/5 6/5, bar/22*, 6/off(2). A position is pasted in any form.",
            *commands,
            *([] if variant is BACKGAMMON else [f"You play {describe_variant(variant)} {LEAVE_VARIANT}."]),
        ]

    def explain_topic(self, name: str) -> list[str]:
        """Return what ``help`` says of the rules, and of GNU Backgammon's words."""
        if name == "rules":
            return [
                *(f"  {rule:<10}{meaning}" for rule, meaning in _RULES.items()),
                "'show rules': those in force.",
            ]
        if rule := next((rule for rule in _RULES if name.lower() in (rule, rule.rstrip("s"))), ""):
            return [f"  {rule}: {_RULES[rule]}"]
        if name == "gnubg":
            return gnubg_words.list_words()
        instead = gnubg_words.explain(name)
        return [f"There is no {name!r} here: {instead}."] if instead else []

    def explain_unknown(self, text: str) -> GammondError:
        """Return the error for an unknown line, with the nearest command."""
        name, roll = text.split()[0], _ROLL_PATTERN.fullmatch(text)
        if roll:
            message = (
                f"expected a command or a play, got {text!r}: set a roll with 'dice {roll[1]} {roll[2]}'"
            )
        elif instead := gnubg_words.explain(name):
            message = f"there is no {name!r} here: {instead}"
        else:
            shown = name[:MAX_QUOTED_CHARS]
            close = difflib.get_close_matches(shown.lower(), self.commands, n=1)
            hint = f"did you mean {close[0]!r}?" if close else "'help' lists the commands"
            message = f"expected a command or a play such as 8/5 6/5, got {shown!r}: {hint}"
        return CommandError(message, field="command")

    def suggest_moves(self, typed: str) -> Iterable[Suggestion]:
        """Suggest legal plays that begin with what was typed."""
        return suggest_plays(typed, self.session)

    def list_current_actions(self) -> Sequence[str]:
        """List the words that do something about what the seat to act must decide."""
        game = self.session.game
        if game.position is None or game.is_over:
            return ()
        if game.match.roll is None and not list_responses(game.match):
            return ("roll", "double") if game.may_double else ("roll",)
        return list_responses(game.match)

    def suggest_rest(self, command: ReplCommand | Command, typed: str) -> Iterable[Suggestion]:
        """Suggest values of the argument of a command that the cursor is in."""

        def list_players() -> Iterable[tuple[str, str]]:
            return ((player, "") for player in list_setting_values(SETTINGS["engine.player"], self.session))

        name, arguments = command.name, command.arguments
        if name == "play" and (found := _AGAINST.fullmatch(typed)):
            return suggest_matching(found[1], list_players())
        if takes(arguments, "PLAY"):
            return suggest_plays(typed.lstrip(), self.session)
        words: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {
            "COMMAND": lambda: self.list_commands().items()
        }
        if name == "best":
            words["PLAYER"] = lambda: ((OPPONENT, ""), *list_players())
        return suggest_arguments(name, arguments, typed, self.session, words, _LEVEL_MEANINGS)


def _find_default_net(session: Session) -> str:
    catalogue = session.service.catalogue
    try:
        return next(iter(catalogue.list_names()), "missing")
    except GammondError:
        return "missing"
