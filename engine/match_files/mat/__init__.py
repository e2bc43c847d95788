"""Matches in ``.mat`` files: lines and cells, reader, writer."""
