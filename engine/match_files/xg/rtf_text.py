"""The comments of a match in eXtreme Gammon's files: a line of RTF each, to which records refer by number."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from gammond.engine.match_files.game_builder import join_comments

COMMENT_END = b"\r\n"

MAX_TEXT_LENGTH = 20_000
"""Characters of a comment that are kept."""

_TOKEN = re.compile(
    r"(?P<hex>(?:\\'[0-9A-Fa-f]{2})+)"
    r"|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,9})? ?"
    r"|\\(?P<symbol>[^a-zA-Z])"
    r"|(?P<brace>[{}])"
    r"|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)
_HIDDEN = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "header", "footer", "listtable",
    "listoverridetable", "generator", "themedata", "datastore", "xmlnstbl", "fldinst",
))  # fmt: skip
_CHARACTERS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "row": "\n", "tab": "\t", "cell": "\t",
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "emspace": " ", "enspace": " ",
    "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d",
}  # fmt: skip
_SYMBOLS = {"\\": "\\", "{": "{", "}": "}", "~": "\u00a0", "_": "-", "\n": "\n", "\r": "\n"}
_DEFAULT_ENCODING = "cp1252"
_MAX_SKIP_LENGTH = 8


def read_comment(lines: Sequence[bytes], number: int) -> str:
    """Return the text of a comment, fit to be shown; empty for a number that the file does not have."""
    if not 0 <= number < len(lines):
        return ""
    rtf = lines[number].replace(b"\x01\x02", b"\r\n").decode("cp1252", "replace")
    return join_comments("", extract_rtf_text(rtf).expandtabs())


def extract_rtf_text(rtf: str) -> str:
    """Return the text of RTF without its form; text that is no RTF is returned as it is.

    Args:
        rtf: Any text, right or wrong: what cannot be understood is left out.

    Returns:
        At most `MAX_TEXT_LENGTH` characters, without blanks at the end.
    """
    if not rtf.lstrip().startswith("{\\rtf"):
        return rtf[:MAX_TEXT_LENGTH].rstrip()
    collector = _TextCollector()
    for token in _TOKEN.finditer(rtf):
        collector.read(token)
        if collector.size >= MAX_TEXT_LENGTH:
            break
    return collector.text[:MAX_TEXT_LENGTH].rstrip()


class _TextCollector:
    """Collects the text of tokens. Groups are kept on a list, so that their depth costs no recursion."""

    def __init__(self) -> None:
        self.size = 0
        self._pieces: list[str] = []
        self._encoding = _DEFAULT_ENCODING
        self._is_hidden = False
        self._outer_groups: list[bool] = []  # whether the text of each group around this one is hidden
        self._skip_length = 1
        self._skipped = 0

    @property
    def text(self) -> str:
        """What was collected; halves of characters beyond two bytes are joined."""
        joined = "".join(self._pieces)
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def read(self, token: re.Match[str]) -> None:
        """Read the next token."""
        match token.lastgroup:
            case "brace":
                self._skipped = 0
                if token["brace"] == "{":
                    self._outer_groups.append(self._is_hidden)
                elif self._outer_groups:
                    self._is_hidden = self._outer_groups.pop()
            case "hex":
                codes = bytes.fromhex(token["hex"].replace("\\'", ""))
                self._add(codes.decode(self._encoding, "replace"))
            case "symbol" if token["symbol"] == "*":
                self._is_hidden = True
            case "symbol":
                self._add(_SYMBOLS.get(token["symbol"], ""))
            case "text":
                self._add(token["text"])
            case _:
                self._read_word(token["word"], int(token["number"] or 0))

    def _read_word(self, word: str, number: int) -> None:
        if word in _HIDDEN:
            self._is_hidden = True
        elif word == "ansicpg":
            self._encoding = _find_encoding(number)
        elif word == "uc":
            self._skip_length = min(max(number, 0), _MAX_SKIP_LENGTH)
        elif word == "u":
            self._skipped = 0
            self._add(chr(number % 0x10000))
            self._skipped = self._skip_length
        else:
            self._add(_CHARACTERS.get(word, ""))

    def _add(self, text: str) -> None:
        """Add text, without what stands for a Unicode character in old readers."""
        kept = text[self._skipped :]
        self._skipped = max(0, self._skipped - len(text))
        if not self._is_hidden:
            self._pieces.append(kept)
            self.size += len(kept)


def _find_encoding(code_page: int) -> str:
    try:
        return codecs.lookup(f"cp{code_page}").name
    except LookupError:
        return _DEFAULT_ENCODING
