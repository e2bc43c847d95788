"""The talk: framing, command table, sessions, dialects, transports, REPL."""
