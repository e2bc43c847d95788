"""Runs of ``gammond heritage mimic`` as players, and as files for the manifest."""

from __future__ import annotations

from pathlib import Path

from nets.heritage.gengammon.net import GengammonPlayer, read_net_text

NET_FILE = "net.txt"
"""The present net of a run as text, in its folder."""


def find_net_file(path: Path) -> Path | None:
    """Return the file of a run's net, or a text file itself; None for anything else.

    Args:
        path: The folder of a run, or a file.
    """
    if (path / NET_FILE).is_file():
        return path / NET_FILE
    return path if path.suffix == ".txt" else None


def load_run_player(file: Path) -> GengammonPlayer:
    """Load a net as a player with the name of its folder, or of the file if that is not `NET_FILE`.

    Raises:
        DataFileError: The file cannot be read, or holds no net.
    """
    name = file.parent.name if file.name == NET_FILE else file.stem
    return GengammonPlayer(name, read_net_text(file))
