"""The protocol without I/O and without the game: framing, arguments, requests, replies, errors, limits."""
