"""What sessions may play of the players that name files: runs, wildbg's nets, functions of one's own."""

from __future__ import annotations

from collections.abc import Sequence

from gammond.engine.errors import GammondError
from gammond.nets.player_specs import FUNCTION, RUN, WILDBG
from gammond.protocol.state.player_registry import FilePlayers
from gammond.tools.common.opponents import PLAYERS, read_run_weights


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
    free |= {FUNCTION} if runs_code else set()
    return FilePlayers(frozenset(free), tuple(offered), PLAYERS, read_run_weights)


def load_offered(name: str) -> None:
    """Load a player once, whether of backgammon or of Barca.

    Raises:
        GammondError: There is neither.
    """
    try:
        PLAYERS.load_player(name)
    except GammondError as error:
        if name.partition(":")[0] != RUN:
            raise
        try:
            read_run_weights(name)
        except GammondError:
            raise error from None
