"""A server that only echoes: what sockets, an event loop and the clients of benchmarks take by themselves.

A process of its own, until it is killed: ``python -m gammond.tools.bench.echo HOST``.
"""

from __future__ import annotations

import asyncio
import sys

ANSWER = (
    b"eval win=0.512345 win_g=0.123456 win_bg=0.012345 lose_g=0.123456 lose_bg=0.012345 equity=0.012345 "
    b"cubeful=0.123456 plies=0 net=none\n"
)
"""What it answers to each line, as long as a line of ``gammond serve``."""


class _Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(ANSWER * data.count(b"\n"))


async def _serve(host: str) -> None:
    server = await asyncio.get_running_loop().create_server(_Echo, host, 0, backlog=1024)
    sys.stderr.write(f"echo listens on {host} port {server.sockets[0].getsockname()[1]}\n")
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
