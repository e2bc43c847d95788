"""The files of the page as they are served: scripts and styles without comments and spare white space."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from rcssmin import cssmin
from rjsmin import jsmin

FOLDER = "/page/"
"""The path under which they are, but for the page itself."""

_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Files of other kinds are not served."""

_MINIFIERS = {".css": cssmin, ".js": jsmin, ".mjs": jsmin}
_COMPRESSED_TYPES = ("text/", "application/", "image/svg")
_LEAST_COMPRESSED_BYTES = 1024


@dataclass(frozen=True)
class PageFile:
    """One file of the page.

    Attributes:
        data: What is in it.
        media_type: Its type.
    """

    data: bytes
    media_type: str

    @cached_property
    def etag(self) -> str:
        """What changes when the file does."""
        return f'"{hashlib.sha256(self.data).hexdigest()[:32]}"'

    @cached_property
    def gzip_data(self) -> bytes | None:
        """The file compressed; None where that saves nothing."""
        if len(self.data) < _LEAST_COMPRESSED_BYTES or not self.media_type.startswith(_COMPRESSED_TYPES):
            return None
        return gzip.compress(self.data, mtime=0)


def is_page_file(path: str) -> bool:
    """Return whether a path is that of the page or of one of its files."""
    return path == "/" or path.startswith(FOLDER)


def read_page(as_written: bool = False) -> dict[str, PageFile]:
    """Read the files of the page.

    Args:
        as_written: Whether scripts and styles keep their comments and white space.

    Returns:
        The files by their path below the page's folder.
    """
    found: dict[str, PageFile] = {}
    _read_folder(files("gammond.protocol.web") / "page", "", found, as_written)
    return found


def _read_folder(folder: Traversable, prefix: str, found: dict[str, PageFile], as_written: bool) -> None:
    for entry in folder.iterdir():
        path = prefix + entry.name
        suffix = PurePosixPath(path).suffix
        if entry.is_dir():
            _read_folder(entry, f"{path}/", found, as_written)
        elif media_type := _MEDIA_TYPES.get(suffix):
            data = entry.read_bytes()
            minify = None if as_written else _MINIFIERS.get(suffix)
            found[path] = PageFile(minify(data) if minify else data, media_type)
