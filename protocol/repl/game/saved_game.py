"""Games in progress as files, so that the next start of the terminal goes on with them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from gammond.engine.errors import DataFileError, GammondError
from gammond.engine.formats.position_id import decode_position_id, encode_position_id
from gammond.engine.options import convert
from gammond.engine.rules.match import GameResult, MatchState
from gammond.engine.rules.rules import VARIANTS, Doubles, Rules
from gammond.engine.runtime.files import open_output
from gammond.protocol.repl.game.repl_game import SavedGame, SetAsideGame
from gammond.protocol.state.game_log import GameLog, LoggedAction, LoggedGame
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.session import EngineSettings

_FORMAT, _MOVES_FORMAT = 3, 1


class _Table(msgspec.Struct, array_like=True, frozen=True):
    """A table: the position ID, empty without a position; all else."""

    position: str
    match: MatchState
    is_conceded: bool
    final_score: tuple[int, int] | None


class _Action(msgspec.Struct, array_like=True, frozen=True):
    before: _Table
    after: _Table
    text: str
    result: GameResult | None


class _Game(msgspec.Struct, array_like=True, frozen=True):
    start: _Table
    names: tuple[str, str]
    actions: list[_Action]


class _File(msgspec.Struct, frozen=True):
    """What is in the file."""

    format: int
    variant: str
    doubles: Doubles
    human_seat: int
    table: _Table
    decisions: list[_Table]
    games: list[_Game]
    player: str
    net: str
    ply: int
    filter_name: str
    noise: int
    tutor: float
    shows_chances: bool
    advised: list[_Table] = []


def _pack_file(kept: SavedGame) -> _File:
    game, engine = kept.game, kept.engine
    rules, log = game.table.rules, game.log
    return _File(
        *(_FORMAT, rules.variant.name, rules.doubles, game.human_seat, _pack(game.table)),
        decisions=[_pack(table) for table in game.decisions],
        games=[_pack_game(each) for each in (*log.finished, log.game) if each is not None],
        player=engine.player,
        net=engine.net,
        ply=engine.ply,
        filter_name=engine.filter_name,
        noise=engine.noise,
        tutor=kept.tutor,
        shows_chances=kept.shows_chances,
        advised=[_pack(table) for table in game.advised],
    )


def read_game(file: Path, engine: EngineSettings) -> SavedGame | None:
    """Read a game, and the settings that it is played by.

    Args:
        file: The file.
        engine: The settings of the session, for what the file does not have.

    Returns:
        The game and the settings; None where there is no file.

    Raises:
        DataFileError: It cannot be read.
    """
    try:
        content = convert(msgspec.json.decode(file.read_bytes()), _File)
        if content.format != _FORMAT or content.variant not in VARIANTS:
            raise DataFileError(f"it is of another version of gammond, format {content.format}", field="game")
        settings = replace(
            engine,
            player=content.player,
            net=content.net,
            ply=content.ply,
            filter_name=content.filter_name,
            noise=content.noise,
        )
        return SavedGame(_unpack_game(content), settings, content.tutor, content.shows_chances)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, GammondError) as error:  # msgspec's errors are ValueErrors
        raise DataFileError(f"the saved game {file} cannot be read: {error}", field="game") from error


def _pack(table: GameState) -> _Table:
    position = "" if table.position is None else encode_position_id(table.position)
    return _Table(position, table.match, table.is_conceded, table.final_score)


def _pack_game(game: LoggedGame) -> _Game:
    actions = [
        _Action(_pack(each.before), _pack(each.after), each.text, each.result) for each in game.actions
    ]
    return _Game(_pack(game.start), game.names, actions)


def _unpack_game(content: _File) -> SetAsideGame:
    """Return the game; tables that are equal are one object, by which decisions and log know them."""
    rules = Rules(VARIANTS[content.variant], content.doubles)
    known: dict[_Table, GameState] = {}

    def unpack(table: _Table) -> GameState:
        if table not in known:
            position = decode_position_id(table.position) if table.position else None
            position = position and rules.variant.adopt_position(position)
            known[table] = GameState(position, table.match, table.is_conceded, rules, table.final_score)
        return known[table]

    def unpack_game(game: _Game) -> LoggedGame:
        actions = (
            LoggedAction(unpack(each.before), unpack(each.after), each.text, each.result)
            for each in game.actions
        )
        return LoggedGame(unpack(game.start), game.names, tuple(actions))

    games = tuple(map(unpack_game, content.games))
    log = GameLog(games[:-1], games[-1]) if games else GameLog()
    decisions, advised = (tuple(map(unpack, tables)) for tables in (content.decisions, content.advised))
    return SetAsideGame(unpack(content.table), content.human_seat, decisions, log, advised=advised)


class KeptMoves(msgspec.Struct, frozen=True):
    """What the next start of the terminal goes on with.

    Attributes:
        human: The person's side.
        lines: Commands that set up the settings and the game, move by move.
        format: The version of the file.
    """

    human: int
    lines: tuple[str, ...]
    format: int = _MOVES_FORMAT


KeptGame = SavedGame | KeptMoves
"""What the next start of the terminal goes on with, of backgammon or a game of moves."""


def write_kept(file: Path, kept: KeptGame | None) -> None:
    """Write a game, or remove the file of one that is over; an old file stays until the new one is whole.

    Raises:
        DataFileError: The file cannot be written.
    """
    if kept is None:
        file.unlink(missing_ok=True)
        return
    content = kept if isinstance(kept, KeptMoves) else _pack_file(kept)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(msgspec.json.encode(content))
    except OSError as error:
        raise DataFileError(f"the game is not saved: {error}", field="game") from error


def read_kept_moves(file: Path) -> KeptMoves | None:
    """Read a game.

    Returns:
        The game; None where there is no file.

    Raises:
        DataFileError: It cannot be read.
    """
    try:
        kept = convert(msgspec.json.decode(file.read_bytes()), KeptMoves)
        if kept.format != _MOVES_FORMAT or kept.human not in (0, 1):
            raise DataFileError("it is of another version of gammond", field="game")
        return kept
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, DataFileError) as error:  # msgspec's errors are ValueErrors
        raise DataFileError(f"the saved game {file} cannot be read: {error}", field="game") from error
