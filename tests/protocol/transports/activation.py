"""Programs that are started as systemd starts them: with sockets of their own from file 3 on."""

from __future__ import annotations

import sys

_LAUNCH = """
import fcntl, os, sys
names, files, command = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
copies = [fcntl.fcntl(int(file), fcntl.F_DUPFD, 50) for file in files]
for number, copy in enumerate(copies, 3):
    os.dup2(copy, number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(files)), LISTEN_FDNAMES=names)
os.execvp(command[0], command)
"""


def make_activated(command, sockets):
    """Return a command that runs another one with sockets by their names; ``pass_fds`` must have their files.

    Args:
        command: The words of the command.
        sockets: Pairs of a name and a socket or file.
    """
    names = ":".join(name for name, _ in sockets)
    files = ",".join(str(each.fileno()) for _, each in sockets)
    return [sys.executable, "-c", _LAUNCH, names, files, *command]
