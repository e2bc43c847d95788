"""Commands for matches that are open: opening them, stepping through them, saving them."""

from __future__ import annotations

from pathlib import PurePath

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.match_analysis.decision_errors import XG_BLUNDER_POINTS, XG_ERROR_POINTS
from gammond.engine.match_files.writing import ANALYSED_FORMATS, MATCH_FORMATS, write_match
from gammond.engine.options import Bounds, Field
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.wording import format_count
from gammond.protocol.core.arguments import choice_argument, integer_argument, rest_argument
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.dialogue.command import ReplCommand, in_group
from gammond.protocol.repl.game.games import show_place, undo
from gammond.protocol.repl.game.playing import make_play
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.records.descriptions import (
    describe_opened,
    describe_record,
    list_comments,
    list_moves,
)
from gammond.protocol.repl.records.losses import list_losses
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.repl.records.open_records import list_places_from, write_record

_LEAST_LOSSES: dict[int | str, float] = {"error": XG_ERROR_POINTS, "blunder": XG_BLUNDER_POINTS}
"""Words of ``next`` and ``previous`` for decisions that lost so much, or more."""

_STEPS = ("roll", "game", *map(str, _LEAST_LOSSES))
"""What ``next`` and ``previous`` go to, beside a number of actions."""

_MAX_STEPS, _MAX_MATCHES = 10_000, 100_000
_FOREIGN_ENDINGS = (".xg", ".xgp", ".sgg", ".tmg", ".gam", ".html", ".json", ".csv")


def _open(game: ReplGame, control: WorkControl, file: str | None) -> list[str]:
    if file is None:
        record = game.records.open_own(game.session.log)
        return [describe_record(record), *show_place(game, record)]
    found = game.records.open_file(_strip_quotes(file))
    others = f"It has {len(found)} matches: 'match' lists what is open, 'match N' goes to one."
    return [
        *describe_opened(found[0]),
        *([others] if len(found) > 1 else []),
        *show_place(game, found[0]),
    ]


def _show_match(game: ReplGame, control: WorkControl, number: int | None) -> list[str]:
    records = game.records
    if number is not None:
        record = records.select(number)
        return [describe_record(record), *show_place(game, record)]
    if not records.records:
        raise StateError("no match is open: 'open FILE' opens a match file", field="match")
    return [
        f"{'*' if record is records.current else ' '} {place:>3}  {describe_record(record)}"
        for place, record in enumerate(records.records, 1)
    ]


def _close(game: ReplGame, control: WorkControl) -> list[str]:
    closed = game.records.close()
    lines = [f"Closed: {describe_record(closed)}"]
    if game.records.current is not None:
        lines.append(f"'back' shows {describe_record(game.records.current)}")
    if game.shown_place is not None and game.shown_place.record is closed:
        lines += undo(game, control)
    return lines


def _step(game: ReplGame, where: int | str, *, forward: bool) -> list[str]:
    record = game.find_record()
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
    return show_place(game, record)


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
    record = game.find_record()
    places = [place for place in record.list_places() if what == "match" or place.game == record.place.game]
    record.place = places[-1 if is_last else 0]
    return show_place(game, record)


def _go_to_game(game: ReplGame, control: WorkControl, number: int) -> list[str]:
    record = game.find_record()
    record.place = record.find_game(number)
    return show_place(game, record)


def _move(game: ReplGame, control: WorkControl, what: str) -> list[str]:
    if not what.isdecimal():
        return make_play(game, control, what)
    record = game.find_record()
    record.place = record.find_move(int(what))
    return show_place(game, record)


def _go_back(game: ReplGame, control: WorkControl) -> list[str]:
    if game.records.current is None:
        raise StateError("no match is open: 'open FILE' opens a match file", field="back")
    return show_place(game, game.records.current)


def _show_comment(game: ReplGame, control: WorkControl) -> list[str]:
    return list_comments(game.find_record()) or ["There is no comment here."]


def _show_log(game: ReplGame, control: WorkControl) -> list[str]:
    record = game.records.current
    if record is not None and game.human_seat is None:
        return list_moves(record, record.place.game)
    record = game.records.update_own(game.session.log)
    return list_moves(record, len(record.match.games) - 1)


def _save(game: ReplGame, control: WorkControl, file: str) -> list[str]:
    name = _strip_quotes(file)
    ending = PurePath(name).suffix.lower()
    if ending in _FOREIGN_ENDINGS:
        raise UnsupportedError(
            f"expected a name that ends in .mat, .sgf or .ogxm, got {ending}: 'gammond analyse', in the "
            "shell, writes html, json and csv",
            field="file",
        )
    has_analysis = ending[1:] in ANALYSED_FORMATS
    record = game.records.current
    if record is None or record.is_own or game.human_seat is not None:
        if not has_analysis:
            return save_games(game, name)
        record = game.records.update_own(game.session.log)
    if has_analysis:
        content, losses = write_match(record.analysed_match.marked_match, ending[1:])
    else:
        content, losses = MATCH_FORMATS["mat"].write(record.match), []
    write_record(game.written, name, content)
    with_analysis = ", with the analysis" if has_analysis and record.is_analysed else ""
    return [
        f"Saved {format_count(len(record.match.games), 'game')} to {name}{with_analysis}.",
        *([f"{ending} has no place for: {', '.join(losses)}."] if losses else []),
    ]


def save_games(game: ReplGame, name: str) -> list[str]:
    """Write the games of the match or of money play as ``.mat`` text, that at hand as far as it went.

    Raises:
        StateError: There is no such game.
        DataFileError: The file cannot be written.
    """
    log = game.session.log
    text, count = log.format()
    write_record(game.written, name, text.encode())
    goes_on = log.game is not None and log.game.result is None and log.game.record is not None
    rest = ["The last one is not over: 'save' writes it anew."] if goes_on else []
    return [f"Saved {format_count(count, 'game')} to {name}.", *rest]


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

RECORD_ROWS = in_group(
    "match",
    ReplCommand(
        "open",
        "open a match file of any format, to step through it; alone, your own games",
        _open,
        (rest_argument("file", "FILE", "the file", is_required=False),),
    ),
    ReplCommand(
        "next",
        "go to the next action of the open match; to the next roll, game, error or blunder",
        lambda game, _, where: _step(game, where or 1, forward=True),
        (_WHERE,),
    ),
    ReplCommand(
        "previous",
        "go back by an action; to the roll, game, error or blunder before",
        lambda game, _, where: _step(game, where or 1, forward=False),
        (_WHERE,),
    ),
    ReplCommand(
        "first",
        "go to the beginning of the open match, or of the game",
        lambda game, _, what: _go_to_end(game, what, is_last=False),
        (_END,),
    ),
    ReplCommand(
        "last",
        "go to the end of the open match, or of the game",
        lambda game, _, what: _go_to_end(game, what, is_last=True),
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
        "match",
        "list the open matches, or go to one of them",
        _show_match,
        (integer_argument("number", 1, _MAX_MATCHES, "of the match", metavar="N"),),
    ),
    ReplCommand("close", "close the open match", _close),
    ReplCommand(
        "save",
        "save the open match, or your own games, to a .mat file, or with the analysis to an .sgf or "
        ".ogxm file",
        _save,
        (rest_argument("file", "FILE", "the file; existing files are not overwritten"),),
    ),
    ReplCommand(
        "log", "list the moves of the game, the last one, or the shown one of the open match", _show_log
    ),
)
"""The rows of these commands, in the order of ``help``."""
