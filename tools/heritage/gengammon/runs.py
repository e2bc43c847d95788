"""Runs of ``gammond heritage mimic`` as players, and as files for the manifest."""

from __future__ import annotations

from pathlib import Path

from nets.heritage.gengammon.net import GengammonPlayer, read_net_text

NET_FILE = "net.txt"
"""In the folder of a run, the net that it has come to, as text."""


def find_net_file(path: Path) -> Path | None:
    """Find the net of a run, or take a file of text as one; None for anything else.

    Args:
        path: The folder of a run, or a file.
    """
    if (path / NET_FILE).is_file():
        return path / NET_FILE
    return path if path.suffix == ".txt" else None


def load_run_player(file: Path) -> GengammonPlayer:
    """Load a net as a player, called as its folder is, or as the file where that has another name.

    Raises:
        DataFileError: The file cannot be read, or is no net.
    """
    name = file.parent.name if file.name == NET_FILE else file.stem
    return GengammonPlayer(name, read_net_text(file))
