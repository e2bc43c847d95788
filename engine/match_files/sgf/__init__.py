"""Matches in SGF: trees of properties, points and dice in them, reader, writer."""
