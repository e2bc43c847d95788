"""Backgammon's commands: each row feeds parser, ``help``, ``describe``, completion and the protocol page."""

from __future__ import annotations

from gammond.engine.formats.position_text import LIST_OF_FORMATS
from gammond.engine.rollout.stop_rules import REASONS
from gammond.engine.rules.dice import parse_roll
from gammond.engine.rules.match import MAX_CUBE, RESULT_NAMES
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.protocol.commands import cube, decisions, evaluation, game, opinions, readiness, rollouts, ubgi01
from gammond.protocol.commands.command import Command
from gammond.protocol.commands.general import READY_ROW, UBGI_ROW, make_session_rows
from gammond.protocol.commands.server_description import describe_backgammon
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.core.arguments import (
    choice_argument,
    integer_argument,
    named_argument,
    rest_argument,
    switch_argument,
    word_argument,
)
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.settings import SETTINGS, set_backgammon_variant

_CHANCES = "[win=P win_g=P win_bg=P lose_g=P lose_bg=P]"
_OUTCOME = "win=P win_g=P win_bg=P lose_g=P lose_bg=P equity=E [cubeful=E|unscaled=true] [mwc=M] plies=N"
_GAME = "gnubgid=ID matchid=ID [to_act=SEAT]"
_INFO = "info [depth N] nodes N time_ms T [stored true]"
_INFO_PLAY = f"{_INFO} [multipv 1 score E pv FROM/TO ...]"
_MOVE = f"move rank=N play=PLAY {_OUTCOME} survived=true|false gnubgid=ID"
_PLIES = integer_argument(
    "plies", 0, MAX_PLIES, "look-ahead, 0 for the net alone; default: the session's", is_named=True
)
_FILTER = choice_argument(
    "filter",
    tuple(FILTERS),
    "move filter; default: the session's",
    is_required=False,
    is_named=True,
)
_CUBEFUL = switch_argument("cubeful", "whether the evaluation is cubeful; default: the session's")

_CUBE_VALUES = (
    "[no_double=E] [take=E drop=E] [best=E] [unscaled=true] [mwc_no_double=M [mwc_take=M mwc_drop=M] "
    "mwc_best=M] "
)
_MARKS = "[stopped=true] [stored=true]"
_ANSWER_SOURCE = f"plies=N net=NAME {_MARKS}"
_ROLLOUT_VALUES = (
    "win=P win_g=P win_bg=P lose_g=P lose_bg=P equity=E win_se=P win_g_se=P win_bg_se=P lose_g_se=P "
    "lose_bg_se=P se=E [cubeful=E cubeful_se=E|unscaled=true] [mwc=M mwc_se=M]"
)
_COMMANDS = (
    UBGI_ROW,
    READY_ROW,
    Command(
        "newgame",
        "set up the starting position; the cube is centred, score and seat on roll stay",
        game.handle_newgame,
        f"ok newgame {_GAME}",
        arguments=(
            choice_argument(
                "first", SEAT_NAMES, "the seat that begins, without an opening roll", is_required=False
            ),
        ),
        example=("newgame",),
        standard="UBGI 0.2",
        help_group="set up",
        sets_position=True,
    ),
    Command(
        "position",
        "set up a position",
        game.handle_position,
        f"ok position {_GAME} [assumed=TEXT]",
        arguments=(
            word_argument(
                "form",
                "|".join(game.POSITION_FORMS),
                "how the position is written",
                parse=game.parse_position_form,
                choices=game.POSITION_FORMS,
            ),
            rest_argument(
                "text",
                "TEXT",
                f"a GNU position ID (with ':' and a match ID if wanted), {LIST_OF_FORMATS}",
                is_required=False,
            ),
        ),
        example=("position gnubgid 4HPwATDgc/ABMA",),
        standard="UBGI 0.2",
        help_group="set up",
        sets_position=True,
        needs=readiness.ID_KERNELS,
    ),
    Command(
        "dice",
        "set the dice of the player on roll",
        game.handle_dice,
        "ok dice die1=N die2=N [seat=SEAT]",
        arguments=(rest_argument("dice", "A B", "two dice of 1..6, in the order rolled", parse=parse_roll),),
        example=("newgame", "dice 3 1"),
        standard="UBGI 0.2",
        help_group="set up",
    ),
    Command(
        "roll",
        "roll the session's dice, seeded by engine.seed",
        game.handle_roll,
        "roll die1=N die2=N [seat=SEAT]",
        example=("newgame", "roll"),
    ),
    Command(
        "legal",
        "list the legal plays, each with the resulting position",
        game.handle_legal,
        "legal count=N",
        arguments=(
            word_argument(
                "point",
                "1..24|bar",
                "list only the plays that move a checker from this point",
                is_required=False,
                parse=game.parse_point,
            ),
        ),
        data_lines=("play number=N play=PLAY gnubgid=ID",),
        example=("newgame", "dice 3 1", "legal"),
    ),
    Command(
        "eval",
        "evaluate the position before the roll",
        evaluation.handle_eval,
        f"eval {_OUTCOME} net=NAME {_MARKS}",
        arguments=(_PLIES, _CUBEFUL),
        data_lines=(_INFO,),
        example=("newgame", "eval"),
    ),
    Command(
        "moves",
        "rank the legal plays, best first",
        evaluation.handle_moves,
        f"moves count=N shown=N [searched=N] {_ANSWER_SOURCE}",
        arguments=(
            integer_argument(
                "n", 1, 10_000, "number of plays to show, all searched as deep; default: all", metavar="N"
            ),
            _PLIES,
            _FILTER,
            _CUBEFUL,
        ),
        data_lines=(_INFO_PLAY, _MOVE),
        example=("newgame", "dice 3 1", "moves 3"),
    ),
    Command(
        "rank",
        "compare a play with the best one",
        evaluation.handle_rank,
        f"rank rank=N count=N play=PLAY loss=E|unscaled=true [mwc_loss=M] best=PLAY {_ANSWER_SOURCE}",
        arguments=(
            rest_argument("play", "PLAY", "a legal play, as for 'play'"),
            _PLIES,
            _FILTER,
            _CUBEFUL,
        ),
        data_lines=(_INFO_PLAY, _MOVE),
        example=("newgame", "dice 3 1", "rank 24/23 13/10"),
        needs=readiness.PLAY_KERNELS,
    ),
    Command(
        "opinion",
        "show what a player thinks of the position, or of the plays of the roll",
        opinions.handle_opinion,
        f"opinion score=N {_CHANCES} [FEATURE=N ...] player=NAME | opinion count=N shown=N player=NAME",
        arguments=(
            named_argument(
                "player", "NAME", "the player, as NAME or NAME:OPTION=VALUE,...; default: engine.player"
            ),
            integer_argument("n", 1, 10_000, "number of plays to show; default: all", metavar="N"),
        ),
        data_lines=(f"move rank=N play=PLAY score=N {_CHANCES} [FEATURE=N ...] gnubgid=ID",),
        example=("newgame", "opinion player=pubeval"),
    ),
    Command(
        "go",
        "decide for the player to act",
        decisions.handle_go,
        "bestmove FROM/TO ... | bestmove pass | bestcube double|nodouble | bestturn cube=... move=... | "
        "besttake take|drop|beaver",
        arguments=(
            choice_argument(
                "what",
                (*decisions.DECISIONS, decisions.ROLE),
                "the decision, chequer by default; 'role' begins the form of UBGI 0.1",
                default="chequer",
                is_required=False,
            ),
            rest_argument(
                "limits",
                "[plies N] [depth N] [movetime MS] [filter NAME]",
                "limits of depth and time; after 'role', the decision comes first",
                is_required=False,
                choices=decisions.LIMIT_NAMES,
            ),
        ),
        data_lines=(_INFO_PLAY,),
        example=("newgame", "dice 3 1", "go chequer"),
        standard="UBGI 0.2",
    ),
    Command(
        "cube",
        "analyse the cube decision before the roll",
        cube.handle_cube,
        f"cube action=TEXT double=true|false [response=take|drop|beaver] {_CUBE_VALUES}{_ANSWER_SOURCE}",
        arguments=(_PLIES,),
        data_lines=(_INFO,),
        example=("newgame", "cube"),
    ),
    Command(
        "take",
        "analyse the response to a pending double, or to one offered now",
        cube.handle_take,
        "take seat=SEAT response=take|drop|beaver [take=E] [drop=E] [unscaled=true] [mwc_take=M mwc_drop=M] "
        + _ANSWER_SOURCE,
        arguments=(_PLIES,),
        data_lines=(_INFO,),
        example=("newgame", "take"),
    ),
    Command(
        "resign",
        "find what the seat on roll can resign, or whether the opponent should accept",
        cube.handle_resign,
        "resign offer=none|single|gammon|backgammon [accept=true|false] cubeful=E|unscaled=true [mwc=M] "
        + _ANSWER_SOURCE,
        arguments=(
            choice_argument(
                "kind", RESULT_NAMES, "the resignation to evaluate; default: find one", is_required=False
            ),
            _PLIES,
        ),
        data_lines=(_INFO,),
        example=("newgame", "resign single"),
    ),
    Command(
        "matrix",
        "analyse the cube decision at every score",
        cube.handle_matrix,
        "matrix away=N cube=N money=CODE plies=N net=NAME [stored=true]",
        arguments=(
            integer_argument(
                "away",
                2,
                cube.MAX_MATRIX_AWAY,
                "the largest number of points away",
                default=cube.DEFAULT_MATRIX_AWAY,
                is_named=True,
            ),
            _PLIES,
            integer_argument(
                "cube",
                1,
                MAX_CUBE // 2,
                "value of the cube, 1 by default; above 1 the seat on roll owns it",
                default=1,
                is_named=True,
            ),
            switch_argument(
                "equities",
                "whether rows have the equities of no double, and of a double: by the proper response, taken "
                "and dropped",
            ),
        ),
        data_lines=(
            _INFO,
            "row away=N actions=CODES [no_double=N,... double=N|-,... take=N|-,... drop=N|-,...]",
        ),
        example=("newgame", "matrix away=3"),
    ),
    Command(
        "rollout",
        "roll out the plays, the position or the cube decision",
        rollouts.handle_rollout,
        f"rollout of=moves|position|cube [action=TEXT ...] trials=N reason={'|'.join(REASONS)} seed=N "
        "plies=N elapsed_ms=T net=NAME",
        arguments=rollouts.ROLLOUT_ARGUMENTS,
        data_lines=(
            "info trials N of N time_ms T [equity E [se E]] [pv FROM/TO ...]",
            f"candidate rank=N play=PLAY {_ROLLOUT_VALUES} [[behind=E behind_se=E] "
            f"jsd=N] trials=N given_up=true|false",
            f"estimate of=position|no_double|take {_ROLLOUT_VALUES} trials=N",
        ),
        example=("newgame", "dice 3 1", "rollout trials=4 truncate=1 candidates=2"),
        needs=readiness.PLAY_KERNELS,
    ),
    Command(
        "play",
        "make a play and pass the turn, or act on the cube or a resignation",
        game.handle_play,
        f"ok play play=PLAY {_GAME} [winner=SEAT result=single|gammon|backgammon points=N "
        "[score_p0=N score_p1=N crawford=true|false] [match_winner=SEAT]]",
        arguments=(
            rest_argument(
                "play",
                "PLAY",
                "a play such as '8/5 6/5', 'bar/22*', '6/off(2)' or 'pass'; or double, take, drop, beaver, "
                "resign single|gammon|backgammon, accept, reject",
            ),
        ),
        example=("newgame", "dice 3 1", "play 8/5 6/5"),
        needs=readiness.PLAY_KERNELS,
    ),
    Command(
        "save",
        "give the record of a match that the session keeps, as .mat text",
        game.handle_save,
        "ok save games=N",
        arguments=(
            named_argument("p0", "NAME", "name of seat p0 in the record", default="p0"),
            named_argument("p1", "NAME", "name of seat p1 in the record", default="p1"),
        ),
        data_lines=("mat TEXT",),
        example=(
            "set game.keep true",
            "newgame",
            "dice 3 1",
            "play 8/5 6/5",
            "play resign single",
            "play accept",
            "save",
        ),
    ),
    Command(
        "undo",
        "undo the last change of position, dice, match or play",
        game.handle_undo,
        "ok undo [gnubgid=ID] matchid=ID [to_act=SEAT]",
        example=("newgame", "dice 3 1", "undo"),
    ),
    Command(
        "redo",
        "redo what 'undo' undid last",
        game.handle_redo,
        "ok redo [gnubgid=ID] matchid=ID [to_act=SEAT]",
        example=("newgame", "undo", "redo"),
    ),
    Command(
        "board",
        "draw the board",
        game.handle_board,
        "boardok",
        data_lines=("board TEXT",),
        example=("newgame", "board"),
    ),
    *make_session_rows(setting="game.length 5", command="dice"),
    *ubgi01.UBGI01_COMMANDS,
)

COMMANDS: dict[str, Command] = {row.name: row for row in _COMMANDS}
"""The table: name to row, in the order in which ``help`` shows them."""

BACKGAMMON = SessionGame(
    *("backgammon", COMMANDS, SETTINGS, set_backgammon_variant, describe_backgammon, readiness.READY_LINES),
    readiness=readiness.RULE_KERNELS,
    load=readiness.load_backgammon,
)
"""The part of backgammon in `gammond.protocol.games.GAMES`."""
