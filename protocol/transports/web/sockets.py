"""Where WebSockets begin: one client each, admitted by the server or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from protocol.transports.listening import ListenedClient, ListeningServer
from protocol.transports.web.answers import refuse_socket
from protocol.web.answers import make_failure


class WebClient(ListenedClient, Protocol):
    """A client of the web server."""

    async def serve(self, receive: Receive, send: Send) -> None:
        """Serve the client, which the server has admitted, until it or the server ends."""
        ...


class SocketEndpoint:
    """Answers requests for a WebSocket.

    Args:
        server: Admits the clients.
        make_client: Makes a client for a request.
    """

    def __init__(self, server: ListeningServer[Any], make_client: Callable[[Scope], WebClient]) -> None:
        self._server = server
        self._make_client = make_client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a WebSocket and serve it, or refuse it if the server is full."""
        transport = scope["state"]["transport"]
        if refusal := self._server.find_refusal():
            self._server.refuse(transport, refusal.message)
            await refuse_socket(make_failure(refusal), receive, send)
            return
        client = self._make_client(scope)
        self._server.admit(client, transport)
        await client.serve(receive, send)
