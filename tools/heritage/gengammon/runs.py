"""Runs of ``gammond heritage mimic`` as players."""

from __future__ import annotations

from pathlib import Path

from nets.heritage.gengammon.net import GengammonPlayer, read_net_text

NET_FILE = "net.txt"
"""The present net of a run as text, in its folder."""


def load_run_player(file: Path) -> GengammonPlayer:
    """Load a net as a player with the name of its folder, or of the file if that is not `NET_FILE`.

    Raises:
        DataFileError: The file cannot be read, or holds no net.
    """
    name = file.parent.name if file.name == NET_FILE else file.stem
    return GengammonPlayer(name, read_net_text(file))
