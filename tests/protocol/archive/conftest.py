"""Archives in a folder of their own."""

import pytest

from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.state.service import make_shipped_catalogue


@pytest.fixture
def options(tmp_path):
    """The options of an archive whose file is named."""
    return ArchiveOptions(file=str(tmp_path / "games.sqlite"))


@pytest.fixture
def open_one(options):
    """Opens the archive once more, as another server does."""
    opened = []

    def open_one():
        opened.append(GameArchive(options))
        return opened[-1]

    yield open_one
    for archive in opened:
        archive.close()


@pytest.fixture
def archive(open_one):
    """An archive."""
    return open_one()


@pytest.fixture
def database(tmp_path):
    """The file of an archive."""
    opened = ArchiveDatabase(tmp_path / "games.sqlite")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def engine():
    """The engine that analyses matches."""
    catalogue = make_shipped_catalogue()
    return catalogue.load(catalogue.list_names()[0])
