"""The page served from memory, scripts and styles without comments: no request reaches the file system."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from rcssmin import cssmin
from rjsmin import jsmin
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
_INDEX = "index.html"
_EDITION_PATH = re.compile(r"(@[0-9a-f]{16})/(.+)")
_ASK_EACH_TIME = "no-cache"
_KEEP = "max-age=31536000, immutable"


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


class Page:
    """Answers requests for the files of the page.

    The index names the files by paths that have the page's edition, a digest of all of them: browsers keep
    what they got by such a path, and the next visit asks for the index alone. A page that was open while
    the server was replaced asks for another edition, and gets the files that there are.

    Args:
        page_files: The files, by path.
    """

    def __init__(self, page_files: Mapping[str, PageFile]) -> None:
        named = sorted(path + file.etag for path, file in page_files.items())
        self._edition = "@" + hashlib.sha256("".join(named).encode()).hexdigest()[:16]
        self._files = dict(page_files)
        if index := page_files.get(_INDEX):
            data = index.data.replace(f'"{FOLDER}'.encode(), f'"{FOLDER}{self._edition}/'.encode())
            self._files[_INDEX] = PageFile(data, index.media_type)

    async def answer_index(self, request: Request) -> Response:
        """Answer a request for the page itself."""
        return self._answer(request, _INDEX, _ASK_EACH_TIME)

    async def answer_file(self, request: Request) -> Response:
        """Answer a request for a file that the page uses."""
        path = request.path_params["path"]
        if found := _EDITION_PATH.fullmatch(path):
            edition, path = found.groups()
            return self._answer(request, path, _KEEP if edition == self._edition else _ASK_EACH_TIME)
        return self._answer(request, path, _ASK_EACH_TIME)

    def _answer(self, request: Request, path: str, caching: str) -> Response:
        file = self._files.get(path)
        if file is None:
            raise HTTPException(404)
        headers = {"etag": file.etag, "cache-control": caching, "vary": "accept-encoding"}
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        data = file.data
        if file.gzip_data is not None and _accepts_gzip(request):
            data, headers["content-encoding"] = file.gzip_data, "gzip"
        return Response(data, headers=headers, media_type=file.media_type)


def _accepts_gzip(request: Request) -> bool:
    codings = [
        each.strip().replace(" ", "") for each in request.headers.get("accept-encoding", "").split(",")
    ]
    return any(each == "gzip" or (each.startswith("gzip;q=") and each != "gzip;q=0") for each in codings)
