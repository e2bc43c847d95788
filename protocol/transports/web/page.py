"""The files of the page, read once and served from memory: no request reaches the file system."""

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

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

INDEX = "index.html"

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

_COMPRESSED_TYPES = ("text/", "application/", "image/svg")
_LEAST_COMPRESSED_BYTES = 1024

_DOCUMENTATION = re.compile(rb"^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*$", re.MULTILINE)
"""A comment of JSDoc on lines of its own: about a fifth of a script, which no browser needs."""


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


def read_page() -> dict[str, PageFile]:
    """Read the files of the page.

    Returns:
        The files by their path below the page's folder.
    """
    found: dict[str, PageFile] = {}
    _read_folder(files("protocol.web") / "page", "", found)
    return found


def _read_folder(folder: Traversable, prefix: str, found: dict[str, PageFile]) -> None:
    for entry in folder.iterdir():
        path = prefix + entry.name
        if entry.is_dir():
            _read_folder(entry, f"{path}/", found)
        elif media_type := _MEDIA_TYPES.get(PurePosixPath(path).suffix):
            data = entry.read_bytes()
            found[path] = PageFile(drop_documentation(data) if path.endswith(".js") else data, media_type)


def drop_documentation(script: bytes) -> bytes:
    """Return a script without its JSDoc comments; every line keeps its number."""
    return _DOCUMENTATION.sub(lambda found: b"\n" * found[0].count(b"\n"), script)


class Page:
    """Answers requests for the files of the page.

    Args:
        page_files: The files, by path.
    """

    def __init__(self, page_files: Mapping[str, PageFile]) -> None:
        self._files = page_files

    async def answer_index(self, request: Request) -> Response:
        """Answer a request for the page itself."""
        return self._answer(request, INDEX)

    async def answer_file(self, request: Request) -> Response:
        """Answer a request for a file that the page uses."""
        return self._answer(request, request.path_params["path"])

    def _answer(self, request: Request, path: str) -> Response:
        file = self._files.get(path)
        if file is None:
            raise HTTPException(404)
        headers = {"etag": file.etag, "cache-control": "no-cache", "vary": "accept-encoding"}
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
