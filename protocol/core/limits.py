"""Caps of the protocol: how much one client may send and leave unread."""

from __future__ import annotations

from dataclasses import dataclass

MAX_MOVETIME_MS = 86_400_000
"""The longest time for a decision that a client can set, in milliseconds."""


@dataclass(frozen=True)
class ClientLimits:
    """Caps for one client.

    Attributes:
        line_bytes: The longest line, without its end.
        command_chars: The longest command; only queries need more.
        queued_requests: Unanswered requests; a client that has so many is not read from.
        queued_bytes: Bytes of the lines of unanswered requests; a client that has more is not read from.
        unsent_bytes: Output held for a client, unread or behind an unfinished answer, before its requests
            wait.
        started_bytes: What the answers of started jobs are expected to take together; a job that would
            exceed it waits until others have ended, unless it is the only one.
        query_positions: Positions in one JSON query.
        query_decisions: Plays and cube decisions in the matches of one JSON query; their analysis takes some
            2 kB of answer each.
        query_plays: Plays evaluated for one JSON query; that takes seconds, and their text 15 MB.
        rollout_games: Games of a rollout, trials times candidates. Their scores take 24 MB, which a session
            keeps of its last rollout.
        undo_steps: Steps that `undo` can take back.
        close_on_long_line: Whether an overlong line ends the connection after its error.
    """

    line_bytes: int = 512 * 1024
    command_chars: int = 8192
    queued_requests: int = 1024
    queued_bytes: int = 1024 * 1024
    unsent_bytes: int = 256 * 1024
    started_bytes: int = 32 * 1024 * 1024
    query_positions: int = 10_000
    query_decisions: int = 5000
    query_plays: int = 100_000
    rollout_games: int = 500_000
    undo_steps: int = 1000
    close_on_long_line: bool = False
