"""The comments of a match in eXtreme Gammon's files: a line of RTF each, to which records refer by number."""

from __future__ import annotations

from engine.match_files.game_builder import join_comments
from engine.match_files.xg.rtf_text import extract_rtf_text


class XgComments:
    """The comments of a file; each is decoded when it is asked for.

    Args:
        data: The bytes of the part with the comments.
    """

    def __init__(self, data: bytes) -> None:
        self._lines = data.split(b"\r\n")

    def get(self, number: int) -> str:
        """Return the text of a comment, fit to be shown; empty for a number that the file does not have."""
        if not 0 <= number < len(self._lines):
            return ""
        rtf = self._lines[number].replace(b"\x01\x02", b"\r\n").decode("cp1252", "replace")
        return join_comments("", extract_rtf_text(rtf).expandtabs())
