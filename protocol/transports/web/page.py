"""The page served from memory: no request reaches the file system."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from protocol.transports.web.page_files import PageFile

_INDEX = "index.html"


class Page:
    """Answers requests for the files of the page.

    Args:
        page_files: The files, by path.
    """

    def __init__(self, page_files: Mapping[str, PageFile]) -> None:
        self._files = page_files

    async def answer_index(self, request: Request) -> Response:
        """Answer a request for the page itself."""
        return self._answer(request, _INDEX)

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
