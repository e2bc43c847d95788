"""The page served from memory: no request reaches the file system."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gammond.protocol.transports.web.page_files import FOLDER, PageFile

_INDEX = "index.html"
_EDITION_PATH = re.compile(r"(@[0-9a-f]{16})/(.+)")
_ASK_EACH_TIME = "no-cache"
_KEEP = "max-age=31536000, immutable"


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
