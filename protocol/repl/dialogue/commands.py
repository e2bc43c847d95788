"""The REPL's own commands, and those that show more here than on the wire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES, LEVELS
from gammond.engine.match_analysis.decision_errors import XG_ERROR_POINTS
from gammond.engine.options import Bounds, Field, list_fields
from gammond.engine.rules.match import MAX_MATCH_LENGTH, RESULT_NAMES
from gammond.engine.search import MAX_PLIES
from gammond.protocol.commands.game import OFFER_ACTIONS
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.arguments import (
    Argument,
    choice_argument,
    integer_argument,
    rest_argument,
    word_argument,
)
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers import analysis
from gammond.protocol.repl.answers.checkers import show_ids
from gammond.protocol.repl.dialogue.analysis_commands import ANALYSIS_ROWS
from gammond.protocol.repl.dialogue.command import ReplCommand
from gammond.protocol.repl.dialogue.configuration import configure
from gammond.protocol.repl.dialogue.record_commands import RECORD_ROWS
from gammond.protocol.repl.game.games import (
    edit_position,
    leave,
    play_against,
    play_from_here,
    redo,
    start_game,
    undo,
)
from gammond.protocol.repl.game.playing import (
    OPPONENT,
    keep,
    make_play,
    play_best_action,
    review,
    roll,
    take_action,
)
from gammond.protocol.repl.game.preferences import Preferences
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import (
    show_board,
    show_chances,
    show_cube,
    show_pips,
    show_rules,
    show_score,
    show_turn,
)
from gammond.protocol.repl.records.kept_hints import format_kept_hint

AGAINST_PREFIX = "against "
"""The word between ``play`` and the name of an opponent."""

_WHO_BEGINS = {"me": True, OPPONENT: False}
"""Words for who begins a game, and whether that is the person."""

_LEVEL = choice_argument("name", tuple(LEVELS), "one of the levels", is_required=False)


def _play(game: ReplGame, control: WorkControl, play: str | None) -> list[str]:
    if play is None:
        return play_from_here(game, control)
    if play == AGAINST_PREFIX.strip():
        raise CommandError(
            "expected a player after 'play against', such as strong, pubeval or human: 'gammond players', in "
            "the shell, lists all",
            field="play",
        )
    if play.startswith(AGAINST_PREFIX):
        return play_against(game, control, play.removeprefix(AGAINST_PREFIX).strip())
    return (take_action if play in OFFER_ACTIONS else make_play)(game, control, play)


def _parse_tutor_limit(text: str) -> float:
    """Return the loss in points from which the tutor objects; 0 for off."""
    word = text.strip().lower()
    if word in ("on", "off"):
        return XG_ERROR_POINTS if word == "on" else 0.0
    return float(Field("limit", float, Bounds(0.001, 10.0)).parse(text.strip()))


def _make_action(name: str, summary: str, other_names: tuple[str, ...] = ()) -> ReplCommand:
    """Return the command for an action that ``play`` takes too."""
    return ReplCommand(
        name,
        summary,
        lambda game, control: take_action(game, control, name),
        help_group="play",
        other_names=other_names,
    )


def _show_hint(
    game: ReplGame, control: WorkControl, n: int, plies: int | None, filter: str | None
) -> list[str]:
    shown, is_search = game.shown_place, plies is not None or filter is not None
    kept = [] if shown is None or is_search else format_kept_hint(shown.record, n)
    lines = kept or analysis.show_hint(game.session, control, n, plies, filter)
    game.note_advice()
    return lines


def _set_tutor(game: ReplGame, control: WorkControl, limit: float | None) -> list[str]:
    game.tutor.set_limit(limit)
    return game.tutor.describe()


def _answer_by(answer: Callable[..., list[str]]) -> Callable[..., list[str]]:
    """Return what carries out a command about the position of the session."""
    return lambda game, control, **values: answer(game.session, control, **values)


def _select_arguments(command: str, *names: str) -> tuple[Argument, ...]:
    """Return the arguments of a wire command that a REPL command passes on."""
    return tuple(argument for argument in COMMANDS[command].arguments if argument.name in names)


_SHOWN: dict[str, Callable[[ReplGame], list[str]]] = {
    "board": show_board,
    "pip": show_pips,
    "score": show_score,
    "rules": show_rules,
    "cube": show_cube,
    "id": lambda game: show_ids(game.session),
    "turn": show_turn,
    "tutor": lambda game: game.tutor.describe(),
    "strength": lambda game: [analysis.describe_strength(game.session)],
}
"""What ``show`` takes."""


def _show(game: ReplGame, control: WorkControl, what: str) -> list[str]:
    return _SHOWN[what](game)


def _make_look(what: str, summary: str, other_names: tuple[str, ...] = ()) -> ReplCommand:
    """Return the command that shows something which ``show`` takes too."""
    run = partial(_show, what=what)
    return ReplCommand(what, summary, run, help_group="look", other_names=other_names)


_ROWS: tuple[ReplCommand, ...] = (
    ReplCommand(
        "play",
        "play against the engine from this position (or the start); 'against NAME': choose the opponent; "
        "with a play: make it",
        _play,
        (
            rest_argument(
                "play",
                "PLAY",
                "a play such as '8/5 6/5' (the word 'play' may be left out), or 'against NAME' to set the "
                "opponent, engine.player",
                is_required=False,
            ),
        ),
        help_group="play",
    ),
    ReplCommand(
        "new",
        "begin the next game against the engine, or a match to LENGTH points",
        lambda game, control, length, begins: start_game(
            game, control, length, human_begins=_WHO_BEGINS.get(begins)
        ),
        (
            integer_argument(
                "length",
                0,
                MAX_MATCH_LENGTH,
                "points of a match, 0 for money play; without it the match or session goes on",
                metavar="LENGTH",
            ),
            choice_argument(
                "begins",
                tuple(_WHO_BEGINS),
                "who begins; left out, each side rolls one die (of two people, O is the first)",
                is_required=False,
                is_named=True,
            ),
        ),
        help_group="play",
    ),
    ReplCommand("roll", "roll the dice", roll, help_group="play"),
    _make_action("double", "double before the roll; 'redouble' is the same", other_names=("redouble",)),
    _make_action("take", "take the double"),
    _make_action("drop", "pass the double and lose the game"),
    _make_action("beaver", "take the double, turn the cube again and keep it (money play)"),
    ReplCommand(
        "resign",
        "offer to resign: a single game, a gammon or a backgammon",
        lambda game, control, kind: take_action(game, control, f"resign {kind}"),
        (
            choice_argument(
                "kind", RESULT_NAMES, "what is offered", default=RESULT_NAMES[0], is_required=False
            ),
        ),
        help_group="play",
    ),
    _make_action("accept", "accept the resignation", other_names=("agree",)),
    _make_action("reject", "reject the resignation and play on", other_names=("decline",)),
    ReplCommand(
        "hint",
        "show the best action: ranked plays, the cube decision before the roll, or the answer to an offer",
        _show_hint,
        (
            integer_argument(
                "n", 1, 10_000, "number of plays to show", default=DEFAULT_CANDIDATES, metavar="N"
            ),
            *_select_arguments("moves", "plies", "filter"),
        ),
        help_group="ask",
    ),
    ReplCommand(
        "best",
        "do what 'hint' finds best: a play, a double, a roll or an answer; or what a player would do",
        play_best_action,
        (
            word_argument(
                "player",
                "PLAYER",
                f"a player, as 'play against' takes it, or '{OPPONENT}', the one that you play against",
                is_required=False,
            ),
        ),
        help_group="ask",
    ),
    ReplCommand(
        "eval",
        "show winning chances and equities before the roll",
        _answer_by(analysis.show_evaluation),
        _select_arguments("eval", "plies", "cubeful"),
        help_group="ask",
    ),
    ReplCommand(
        "opinion",
        "show what a player thinks of the position, or of the plays of the roll",
        _answer_by(analysis.show_opinion),
        (
            *_select_arguments("opinion", "player"),
            integer_argument(
                "n", 1, 10_000, "number of plays to show", default=DEFAULT_CANDIDATES, metavar="N"
            ),
        ),
        help_group="ask",
    ),
    ReplCommand(
        "legal",
        "list the legal plays, all or those that move a checker from a point",
        _answer_by(analysis.show_legal_plays),
        COMMANDS["legal"].arguments,
        help_group="ask",
    ),
    ReplCommand(
        "cube",
        "show the cube decision before the roll",
        _answer_by(analysis.show_cube_decision),
        _select_arguments("cube", "plies"),
        help_group="ask",
    ),
    ReplCommand(
        "chances",
        "show winning chances after each play, by the opponent's evaluator",
        lambda game, _, shown: show_chances(game, is_shown=shown == "on"),
        (choice_argument("shown", ("on", "off"), "whether to show them", default="on", is_required=False),),
        help_group="ask",
    ),
    ReplCommand(
        "tutor",
        f"object to decisions that lose POINTS or more ({XG_ERROR_POINTS} if left out), and show the worst "
        "after each game",
        _set_tutor,
        (
            replace(
                rest_argument("limit", "on|off|POINTS", "whether, or from which loss on", is_required=False),
                parse=_parse_tutor_limit,
                choices=("on", "off"),
            ),
        ),
        help_group="rate",
    ),
    ReplCommand(
        "keep",
        "stand by the decision that the tutor objected to",
        keep,
        help_group="rate",
        other_names=("yes", "y"),
    ),
    ReplCommand(
        "review",
        "show what your decisions of this game, or the last one, lost, and the five worst",
        review,
        help_group="rate",
    ),
    ReplCommand(
        "matrix",
        "show the cube decision at every score",
        _answer_by(analysis.show_matrix),
        _select_arguments("matrix", "away", "plies", "cube", "equities"),
        help_group="ask",
    ),
    ReplCommand(
        "rollout",
        "roll out the plays of the roll, the position, or the cube decision",
        _answer_by(analysis.show_rollout),
        COMMANDS["rollout"].arguments,
        short_usage="[moves|position|cube|continue] [trials=N] [plies=N] ...",
        help_group="ask",
    ),
    ReplCommand(
        "config",
        "list the preferences, or show or set one; they are kept for the next time",
        lambda game, _, name, value: configure(game, name, value),
        (
            choice_argument(
                "name",
                tuple(field.name for field in list_fields(Preferences)),
                "a preference",
                is_required=False,
            ),
            rest_argument("value", "VALUE", "its new value", is_required=False),
        ),
        short_usage="[NAME [VALUE]]",
        help_group="prefer",
    ),
    ReplCommand(
        "level",
        "set the engine's level, or list the levels",
        _answer_by(analysis.set_or_list_levels),
        (replace(_LEVEL, metavar="NAME"),),
        help_group="prefer",
    ),
    ReplCommand(
        "plies",
        "set or show the look-ahead of the engine and of hints",
        _answer_by(analysis.set_or_show_plies),
        (integer_argument("n", 0, MAX_PLIES, "look-ahead, 0 for the net alone", metavar="N"),),
        help_group="prefer",
    ),
    ReplCommand(
        "undo",
        "take back your last decision and all after it; a game set aside comes back; "
        "without a game, the last change",
        undo,
        help_group="play",
    ),
    ReplCommand(
        "redo",
        "redo what 'undo' took back, unless you did something else since",
        redo,
        help_group="play",
    ),
    *RECORD_ROWS,
    *ANALYSIS_ROWS,
    _make_look("board", "draw the board"),
    ReplCommand(
        "edit",
        "set up the checkers by hand; alone, it puts those on the board into the next line, to be changed",
        lambda game, _, checkers: edit_position(game, checkers),
        (
            rest_argument(
                "checkers",
                "O POINT:N ... X POINT:N ...",
                "checkers on each point, in each side's own numbering, bar:N for the bar; a side left out "
                "stays, checkers left out are borne off",
                is_required=False,
            ),
        ),
        help_group="set up",
    ),
    _make_look("pip", "show the pip counts", ("pips", "pipcount")),
    _make_look("score", "show the score"),
    _make_look("id", "print the position for other programs: GNUbg ID, XGID and OGID"),
    ReplCommand(
        "show",
        "show the board, pip counts, score, rules, cube, whose turn it is, IDs, the tutor, or the engine's "
        "strength",
        _show,
        (choice_argument("what", tuple(_SHOWN), "what to show", default="board", is_required=False),),
        help_group="look",
    ),
    ReplCommand(
        "leave",
        "end the game against the engine; the position stays",
        lambda game, _: leave(game),
        help_group="play",
    ),
)

REPL_COMMANDS: dict[str, ReplCommand] = {row.name: row for row in _ROWS}
"""The table: name -> row, in the order of ``help``. It comes before the table of the wire."""
