"""Files of other kinds than matches and positions: what they are called."""

import gzip
import io
import zipfile

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.reading import read_matches, read_positions
from tests.engine.match_files.played_games import play_random_match

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0"
PAGE = b"\n<!DOCTYPE html>\n<html><title>Sign in</title>"
TEXT = format_mat(("ann", "bob"), play_random_match()[:1]).encode()


def pack_half():
    """Return half of an archive whose files are not compressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("1.mat", TEXT)
        archive.writestr("2.mat", TEXT)
    return packed.getvalue()[: len(TEXT) + 200]


@pytest.mark.parametrize("read", [read_matches, read_positions])
@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"", "an empty file"),
        (b" \r\n\x00\n", "an empty file"),
        (PNG, "a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a picture"),
        (gzip.compress(TEXT), "a packed file: unpack it"),
        (pack_half(), "a .zip archive .* download it again if it does not open"),
        (b"%PDF-1.7", "a PDF document"),
        (PAGE, "a web page, which may stand for a file that needs a login"),
        (b"\1\2\0\3", "a file that is no text"),
        (b"see you on Friday", "'see you on Friday'"),
    ],
)
def test_another_kind_of_file_is_named_and_not_printed(content, name, read):
    with pytest.raises(FormatError, match=f"expected a .*, got {name}$"):
        read(content)
