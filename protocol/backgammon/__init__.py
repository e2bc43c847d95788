"""Backgammon in a session: its row in the table of games; its parts are those of the rest of the protocol."""
