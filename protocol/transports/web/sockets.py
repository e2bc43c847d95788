"""Where WebSockets begin: one client each, admitted by the server or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from protocol.core.errors import BusyError
from protocol.transports.listening import ListenedClient, ListeningServer
from protocol.transports.web.answers import read_address, refuse_socket
from protocol.transports.web.request_limits import AddressPlaces, group_address
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
        counts: How many each address has, those of all endpoints together.
    """

    def __init__(
        self,
        server: ListeningServer[Any],
        make_client: Callable[[Scope], WebClient],
        counts: AddressPlaces,
    ) -> None:
        self._server = server
        self._make_client = make_client
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a WebSocket and serve it, or refuse it if the server is full, or has enough of its address."""
        transport, peer = scope["state"]["transport"], scope.get("client")
        address = group_address(read_address(scope))
        refusal = self._server.find_refusal()
        if refusal is None and not self._counts.has_room(address):
            refusal = BusyError("too many pages of your address are open: close some", field="clients")
        if refusal is not None:
            self._server.refuse(transport, refusal.message, peer)
            await refuse_socket(make_failure(refusal), receive, send)
            return
        client = self._make_client(scope)
        self._server.admit(client, transport, peer)
        self._counts.add(address)
        try:
            await client.serve(receive, send)
        finally:
            self._counts.remove(address)
