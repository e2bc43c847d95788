"""Exit with 0 if the server on a port evaluates a position, each line within ten seconds: check.py PORT."""

import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10) as server:
    server.sendall(b"position startpos\neval\nquit\n")
    sys.exit("\neval win=" not in server.makefile().read())
