"""Commands for matches that are open: stepping through them, their analysis, their errors, saving."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from engine.errors import StateError, UnsupportedError
from engine.match_analysis.analysis import AnalysisSettings
from engine.match_analysis.statistics import XG_BLUNDER_POINTS, XG_ERROR_POINTS
from engine.match_files.mat.writer import format_match
from engine.match_files.sgf.writer import format_sgf
from engine.options import Bounds, Field
from engine.rules.game_record import PlayAction
from engine.rules.match import SEATS
from engine.rules.rules import Feature
from engine.search import MAX_PLIES
from engine.wording import format_count
from protocol.commands.board_drawing import CHECKER_MARKS
from protocol.core.arguments import choice_argument, integer_argument, rest_argument
from protocol.core.errors import CommandError
from protocol.core.requests import WorkControl
from protocol.repl.dialogue.command import ArgumentValues, ReplCommand
from protocol.repl.game.repl_game import ReplGame
from protocol.repl.records.descriptions import describe_opened, describe_record, list_comments
from protocol.repl.records.losses import find_costliest, format_losses, list_losses, summarize_losses
from protocol.repl.records.match_analysis import MatchAnalysis
from protocol.repl.records.open_record import OpenRecord
from protocol.repl.records.open_records import list_places_from

DEFAULT_ERROR_COUNT = 10
"""The number of decisions that ``errors`` lists."""

_LEAST_LOSSES: dict[int | str, float] = {"error": XG_ERROR_POINTS, "blunder": XG_BLUNDER_POINTS}
"""Words of ``next`` and ``previous`` for decisions that lost so much, or more."""

_STEPS = ("roll", "game", *map(str, _LEAST_LOSSES))
"""What ``next`` and ``previous`` go to, beside a number of actions."""

_MAX_STEPS, _MAX_MATCHES = 10_000, 100_000
_FOREIGN_ENDINGS = (".xg", ".xgp", ".sgg", ".tmg", ".gam", ".html", ".json", ".csv")


def _open(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    name = values["file"]
    if name is None:
        record = game.records.open_own(game.session.log)
        return [describe_record(record), *game.show_place(record)]
    found = game.records.open_file(_strip_quotes(name))
    others = f"It has {len(found)} matches: 'match' lists what is open, 'match N' goes to one."
    return [
        *describe_opened(found[0]),
        *([others] if len(found) > 1 else []),
        *game.show_place(found[0]),
    ]


def _show_match(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    records = game.records
    if values["number"] is not None:
        record = records.select(values["number"])
        return [describe_record(record), *game.show_place(record)]
    if not records.records:
        raise StateError("no match is open: 'open FILE' opens a match file", field="match")
    return [
        f"{'*' if record is records.current else ' '} {number:>3}  {describe_record(record)}"
        for number, record in enumerate(records.records, 1)
    ]


def _close(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    closed = game.records.close()
    lines = [f"Closed: {describe_record(closed)}"]
    if game.records.current is not None:
        lines.append(f"'back' shows {describe_record(game.records.current)}")
    if game.shown_place is not None and game.shown_place.record is closed:
        lines += game.undo(control)
    return lines


def _step(game: ReplGame, where: int | str, *, forward: bool) -> list[str]:
    record = _find_record(game)
    if where == "game":
        games = range(len(record.match.games))
        places = [record.list_places_of(game)[0] for game in games if game != record.place.game]
    elif where == "roll":
        places = [
            place for place in record.list_places() if isinstance(record.find_step(place).action, PlayAction)
        ]
    elif where in _LEAST_LOSSES:
        least = _LEAST_LOSSES[where]
        places = [each.place for each in list_losses(record) if each.points >= least]
    else:
        places = record.list_places()
    ahead = list_places_from(places, record.place, forward=forward)
    if not ahead:
        raise StateError(_explain_end(record, where, forward=forward), field="record")
    record.place = ahead[min(where, len(ahead)) - 1] if isinstance(where, int) else ahead[0]
    return game.show_place(record)


def _explain_end(record: OpenRecord, where: int | str, *, forward: bool) -> str:
    side = "after" if forward else "before"
    if where in _LEAST_LOSSES:
        found = "" if record.is_analysed else ": 'analyse' looks for them"
        return f"no decision {side} this one lost {_LEAST_LOSSES[where]} or more{found}"
    if where in ("game", "roll"):
        return f"there is no {where} {side} this one"
    if not forward:
        return "this is the beginning of the match"
    return "this is as far as your game went" if record.is_own else "this is the end of the match"


def _go_to_end(game: ReplGame, what: str, *, is_last: bool) -> list[str]:
    record = _find_record(game)
    places = [place for place in record.list_places() if what == "match" or place.game == record.place.game]
    record.place = places[-1 if is_last else 0]
    return game.show_place(record)


def _go_to_game(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    record = _find_record(game)
    record.place = record.find_game(values["number"])
    return game.show_place(record)


def _move(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    text = values["what"]
    if not text.isdecimal():
        return game.make_play(text, control)
    record = _find_record(game)
    record.place = record.find_move(int(text))
    return game.show_place(record)


def _go_back(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    if game.records.current is None:
        raise StateError("no match is open: 'open FILE' opens a match file", field="back")
    return game.show_place(game.records.current)


def _show_comment(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    return list_comments(_find_record(game)) or ["There is no comment here."]


def _analyse(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    if values["what"] == "stop":
        was_running = game.records.stop_analysis()
        return ["The analysis has ended: what it found stays." if was_running else "No analysis goes on."]
    record = _find_record(game)
    plies = _find_default_plies(record) if values["plies"] is None else values["plies"]
    settings = AnalysisSettings(plies, values["deepen"] or 0)
    games, before = _list_games(record, only_shown=values["what"] == "game"), game.records.analysis
    if before is not None and before.has_done(record, games, settings, game.find_engine().name):
        return [f"It is analysed at {before.depth} already: 'errors' lists what was lost."]
    analysis = _begin_analysis(game, record, games, settings)
    return [
        f"Analysing {format_count(analysis.total, 'decision')} at {analysis.depth} in the background.",
        "'errors' waits for it and lists what was lost, 'analyse stop' ends it.",
    ]


def _find_default_plies(record: OpenRecord) -> int:
    """Return how far ``analyse`` looks ahead by itself."""
    return AnalysisSettings().plies if record.match.rules.rules.supports(Feature.LOOK_AHEAD) else 0


def _list_games(record: OpenRecord, *, only_shown: bool = False) -> list[int]:
    """List the places of the games to analyse, from the shown one on."""
    shown, count = record.place.game, len(record.match.games)
    return [shown] if only_shown else [*range(shown, count), *range(shown)]


def _begin_analysis(
    game: ReplGame, record: OpenRecord, games: Sequence[int], settings: AnalysisSettings
) -> MatchAnalysis:
    """Begin to analyse games of a match; another analysis ends."""
    game.records.stop_analysis()
    game.records.analysis = game.start_analysis(record, games, settings)
    return game.records.analysis


def _list_errors(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    record = _find_record(game)
    analysis = game.records.find_analysis(record)
    if analysis is None and not record.is_analysed:
        settings = AnalysisSettings(_find_default_plies(record))
        analysis = _begin_analysis(game, record, _list_games(record), settings)
    is_whole = analysis is None or analysis.wait(control)
    losses = list_losses(record)
    seat, least, count = _parse_error_filter(record, values["which"] or "")
    worst = find_costliest([each for each in losses if each.points >= least], seat, count)
    game.records.note_listed(record, [each.place for each in worst])
    more = []
    if analysis is not None and not is_whole:
        more = [f"The analysis goes on: {analysis.done} of {analysis.total} decisions are done."]
    jump = ["'error N' shows one of them on the board."] if worst else []
    summaries = [line for each in SEATS for line in summarize_losses(record, each)]
    return [*summaries, *format_losses(record, worst), *more, *jump]


def _parse_error_filter(record: OpenRecord, text: str) -> tuple[int | None, float, int]:
    """Return whose decisions ``errors`` lists, None for both players, from which loss on, and how many.

    Raises:
        CommandError: The text is neither a number of rows, nor a loss, nor a player.
    """
    word = text.strip().casefold()
    if not word:
        return None, 0.0, DEFAULT_ERROR_COUNT
    if word.isdecimal():
        return None, 0.0, int(Field("which", int, Bounds(1, _MAX_STEPS)).parse(word))
    if "." in word and word.replace(".", "", 1).isdecimal():
        return None, float(word), _MAX_STEPS
    for seat, name in enumerate(record.names):
        if word in (name.casefold(), CHECKER_MARKS[seat].casefold()):
            return seat, 0.0, DEFAULT_ERROR_COUNT
    raise CommandError(
        f"expected how many to list, a loss such as {XG_ERROR_POINTS}, or a player "
        f"({' or '.join(record.names)}), got {text[:20]!r}",
        field="which",
    )


def _show_error(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    before = game.records.current
    record = game.records.select_listed(values["number"])
    lines = game.show_place(record)
    if before not in (None, record):
        lines.append(f"This is another match: {describe_record(record)}")
    return lines


def _save(game: ReplGame, values: ArgumentValues, control: WorkControl) -> list[str]:
    name = _strip_quotes(values["file"])
    ending = PurePath(name).suffix.lower()
    if ending in _FOREIGN_ENDINGS:
        raise UnsupportedError(
            f"expected a name that ends in .mat or .sgf, got {ending}: 'gammond analyse', in the shell, "
            "writes html, json and csv",
            field="file",
        )
    record = game.records.current
    if record is None or record.is_own or game.human_seat is not None:
        if ending != ".sgf":
            return game.save_games(name)
        record = game.records.update_own(game.session.log)
    is_sgf = ending == ".sgf"
    text = format_sgf(record.analysed.marked_match) if is_sgf else format_match(record.match)
    game.record_saver.write(name, text)
    with_analysis = ", with the analysis" if is_sgf and record.is_analysed else ""
    return [f"Saved {format_count(len(record.match.games), 'game')} to {name}{with_analysis}."]


def _find_record(game: ReplGame) -> OpenRecord:
    """Return the match that is stepped through: one that is open, or the person's own games as they are.

    Raises:
        StateError: There is neither.
    """
    record = game.records.current
    if record is None or (record.is_own and game.human_seat is not None):
        return game.records.open_own(game.session.log)
    return record


def _strip_quotes(name: str) -> str:
    """Return the name of a file without the quotes that a shell, or a file manager, puts around it."""
    name = name.strip()
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"" else name


def _parse_step(text: str) -> int | str:
    """Return where ``next`` goes: a number of actions, or one of `_STEPS`."""
    word = text.strip().lower()
    if word in _STEPS:
        return word
    if not word.isdecimal():
        raise CommandError(
            f"expected a number, {', '.join(_STEPS)}, or nothing, got {text[:20]!r}", field="where"
        )
    return int(Field("where", int, Bounds(1, _MAX_STEPS)).parse(word))


_WHERE = rest_argument(
    "where",
    "N|" + "|".join(_STEPS),
    "how many actions, or to the beginning of a game, a roll, an error (a decision that lost "
    f"{XG_ERROR_POINTS} or more), a blunder ({XG_BLUNDER_POINTS} or more)",
    is_required=False,
    parse=_parse_step,
    choices=_STEPS,
)
_END = choice_argument("what", ("match", "game"), "of what", default="match", is_required=False)

RECORD_ROWS = (
    ReplCommand(
        "open",
        "open a match file of any format, to step through it; alone, your own games",
        _open,
        (rest_argument("file", "FILE", "the file", is_required=False),),
    ),
    ReplCommand(
        "next",
        "go to the next action of the open match; to the next roll, game, error or blunder",
        lambda game, values, _: _step(game, values["where"] or 1, forward=True),
        (_WHERE,),
    ),
    ReplCommand(
        "previous",
        "go back by an action; to the roll, game, error or blunder before",
        lambda game, values, _: _step(game, values["where"] or 1, forward=False),
        (_WHERE,),
    ),
    ReplCommand(
        "first",
        "go to the beginning of the open match, or of the game",
        lambda game, values, _: _go_to_end(game, values["what"], is_last=False),
        (_END,),
    ),
    ReplCommand(
        "last",
        "go to the end of the open match, or of the game",
        lambda game, values, _: _go_to_end(game, values["what"], is_last=True),
        (_END,),
    ),
    ReplCommand(
        "game",
        "go to the beginning of game N of the open match",
        _go_to_game,
        (integer_argument("number", 1, _MAX_STEPS, "of the game", is_required=True, metavar="N"),),
    ),
    ReplCommand(
        "move",
        "go to move N of the shown game; with a play: make it",
        _move,
        (rest_argument("what", "N|PLAY", "the number of a move, of both players, or a play"),),
    ),
    ReplCommand("back", "show the place in the open match again, from another position or a game", _go_back),
    ReplCommand("comment", "show the comments at this place whole", _show_comment),
    ReplCommand(
        "analyse",
        "analyse the open match, or only the shown game, in the background; 'stop' ends that",
        _analyse,
        (
            choice_argument(
                "what", ("match", "game", "stop"), "what to analyse", default="match", is_required=False
            ),
            integer_argument(
                "plies",
                0,
                MAX_PLIES,
                f"look-ahead of every decision; {AnalysisSettings().plies} if left out",
                is_named=True,
            ),
            integer_argument(
                "deepen", 0, MAX_PLIES, "look-ahead of those that are close or wrong", is_named=True
            ),
        ),
    ),
    ReplCommand(
        "errors",
        "list the costliest decisions of the open match; one that is not analysed is analysed first",
        _list_errors,
        (
            rest_argument(
                "which",
                "N|POINTS|PLAYER",
                f"how many to list, {DEFAULT_ERROR_COUNT} if left out; all that lost POINTS, such as "
                f"{XG_ERROR_POINTS}, or more; those of one player",
                is_required=False,
            ),
        ),
    ),
    ReplCommand(
        "error",
        "show decision N of the last list of 'errors' or 'review', of this match if it has one",
        _show_error,
        (integer_argument("number", 1, _MAX_STEPS, "its number", is_required=True, metavar="N"),),
    ),
    ReplCommand(
        "match",
        "list the open matches, or go to one of them",
        _show_match,
        (integer_argument("number", 1, _MAX_MATCHES, "of the match", metavar="N"),),
    ),
    ReplCommand("close", "close the open match", _close),
    ReplCommand(
        "save",
        "save the open match, or your own games, to a .mat file, or with the analysis to an .sgf file",
        _save,
        (rest_argument("file", "FILE", "the file; existing files are not overwritten"),),
    ),
)
"""The rows of these commands, in the order of ``help``."""
