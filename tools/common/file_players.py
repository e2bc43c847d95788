"""What sessions may play of the players that name files: runs, wildbg's nets, functions of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.analysis.engine import Engine
from engine.errors import DataFileError, GammondError
from engine.play.player import Player
from engine.store.opening import StoreOpener
from nets.player_specs import FUNCTION, RUN, WILDBG, split_file_options
from protocol.state.player_registry import FilePlayers


def make_file_players(
    offered: Sequence[str] = (), *, is_local: bool = False, runs_code: bool = False
) -> FilePlayers:
    """Make what sessions may play.

    Args:
        offered: Names that clients may give, without options.
        is_local: Whether the client is who runs this process, and may name any run.
        runs_code: Whether it is a person, who may name files of code too.
    """
    free = {RUN, WILDBG} if is_local else set()
    return FilePlayers(
        frozenset(free | ({FUNCTION} if runs_code else set())),
        tuple(offered),
        _load_player,
        _load_engine,
        _read_weights,
        _check,
    )


def _load_player(name: str) -> Player:
    from tools.common.opponents import load_opponent

    return load_opponent(name)


def _load_engine(name: str, open_store: StoreOpener | None) -> Engine:
    from tools.common.opponents import load_net_engine

    return load_net_engine(name, open_store=open_store)


def _read_weights(name: str) -> str:
    from tools.common.opponents import read_barca_weights

    return read_barca_weights(name)


def load_offered(name: str) -> None:
    """Load a player once, whether of backgammon or of Barca.

    Raises:
        GammondError: There is neither.
    """
    try:
        _load_player(name)
    except GammondError as error:
        if name.partition(":")[0] != RUN:
            raise
        try:
            _read_weights(name)
        except GammondError:
            raise error from None


def _check(name: str) -> None:
    """Check that there is a file or folder of a name.

    Raises:
        DataFileError: There is none.
    """
    _, _, path = split_file_options(name)[0].partition(":")
    try:
        is_there = Path(path).exists()
    except (OSError, ValueError):  # a name that no file can have
        is_there = False
    if not path or not is_there:
        raise DataFileError(f"expected a file or folder, got {path[:200]!r}: there is none", field="player")
