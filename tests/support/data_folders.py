"""Data folders of tests, in which nothing need be built."""

from __future__ import annotations

from pathlib import Path

from gammond.engine.runtime.files import data_folder


def link_databases(folder: Path) -> None:
    """Put links to the bearoff databases into a folder that is to be the data folder."""
    for database in data_folder().glob("*.bearoff"):
        (folder / database.name).symlink_to(database)
