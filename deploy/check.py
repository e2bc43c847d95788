"""Exit with 0 if the server on a port evaluates a position, each line within ten seconds: check.py PORT."""

import socket
import sys

if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
    sys.exit(f"expected a port, as in: {sys.argv[0]} 4321")
try:
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10) as server:
        server.sendall(b"position startpos\neval\nquit\n")
        answer = server.makefile(errors="replace").read()
except (OSError, OverflowError) as error:
    sys.exit(f"no answer on port {sys.argv[1]}: {error}")
if "\neval win=" not in answer:
    sys.exit(f"no evaluation on port {sys.argv[1]}, but {answer[:200]!r}")
