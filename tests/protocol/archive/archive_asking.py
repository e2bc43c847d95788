"""Requests to the endpoints of the archive without HTTP, as a browser with cookies sends them."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

from gammond.protocol.archive.endpoints import make_endpoints
from gammond.protocol.state.session import Session
from gammond.protocol.web.answers import WebRequest
from gammond.protocol.web.plans import API
from tests.protocol.talking import make_service
from tests.protocol.web_asking import run_plan


class Browser:
    """Sends requests, and keeps the cookies of the answers.

    Attributes:
        cookies: By name.
        set_cookie: The header of the last answer.
    """

    def __init__(self, archive=None, accounts=None, host="localhost:8080", address="127.0.0.1", origin=""):
        self.cookies = {}
        self.set_cookie = None
        self._endpoints = make_endpoints(archive, accounts)
        self._host, self._address, self._origin = host, address, origin

    def send(self, method, path, body=None, **query):
        """Send a request; return the answer."""
        endpoint, parts = self._find(method, f"{API}/{path}")
        request = WebRequest(
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode(),
            "" if body is None else "application/json",
            tuple((name, str(value)) for name, value in query.items()),
            parts,
            self._host,
            self._origin,
            dict(self.cookies),
            self._address,
        )
        answer = run_plan(endpoint, Session(make_service(), 0), request)
        self._keep(answer.headers.get("Set-Cookie"))
        return answer

    def get(self, path, **query):
        """Return status and object of an answer."""
        answer = self.send("GET", path, **query)
        return answer.status, json.loads(answer.body)

    def post(self, path, **fields):
        """Return status and object of an answer to an object."""
        answer = self.send("POST", path, fields)
        return answer.status, json.loads(answer.body)

    def _keep(self, header):
        self.set_cookie = header
        for name, morsel in SimpleCookie(header or "").items():
            self.cookies.pop(name, None)
            if morsel.value:
                self.cookies[name] = morsel.value

    def _find(self, method, path):
        for endpoint in self._endpoints:
            wanted, given = endpoint.path.split("/"), path.split("/")
            names = [each[1:-1] if each.startswith("{") else None for each in wanted]
            if endpoint.method != method or len(wanted) != len(given):
                continue
            if all(name or want == part for name, want, part in zip(names, wanted, given, strict=True)):
                return endpoint, {name: part for name, part in zip(names, given, strict=True) if name}
        raise LookupError(path)


def get_error(answer):
    """Return the status of an answer that is an error, and its field."""
    status, document = answer
    assert list(document) == ["error"]
    assert document["error"]["message"]
    return status, document["error"]["field"]
