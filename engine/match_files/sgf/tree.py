"""Read and write the game trees of SGF, whatever the game: nodes of properties with lists of values.

*Source:* the specification of SGF FF[4] (red-bean.com/sgf/sgf4.html).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

MAX_VALUES = 500_000
"""Values of all trees of a text: a long analysed match has some 20,000."""

_TREE = re.compile(r"\(\s*;|;(?=[^;()]{0,300}?GM\s*\[)")
"""The beginning of a tree; its bracket may be missing before a root that names its game."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]{0,30}")
_BLANK = re.compile(r"\s*")
_VALUE = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_ROOT = re.compile(r"\(\s*;[^;()]*?GM\s*\[")
_NODE = re.compile(r"[;()]")
_UNCLOSED = re.compile(r"\[([^\[\]();]*?)(?=\s*[();])")
"""A value of an action without its bracket, before the next node."""

_STRAY = re.compile(r";\s*[BW]\s*\[")
_RESERVED = re.compile(r"([\]\\])")


@dataclass
class SgfNode:
    """A node of a game tree.

    Attributes:
        line: Where it begins.
        properties: Values by name, small letters of the name left out, as older files have them.
        fault: Why the text cannot be read behind it, up to the next node; empty if it can.
    """

    line: int
    properties: dict[str, list[str]] = field(default_factory=dict)
    fault: str = ""

    def text(self, name: str) -> str:
        """Return the first value of a property; empty if there is none."""
        values = self.properties.get(name)
        return values[0] if values else ""


@dataclass
class SgfTree:
    """A game tree without its variations: the first branch of each.

    Attributes:
        nodes: The root first; at least one.
        fault: What its end lacks; empty if it is closed.
    """

    nodes: list[SgfNode]
    fault: str = ""


def parse_sgf_trees(text: str) -> Iterator[SgfTree]:
    """Parse the game trees of a text one by one, in linear time.

    What stands before the first tree, and between trees, is left out; actions there are a tree with an empty
    root. What cannot be read is noted at the node before it; a tree that is not closed ends where the next
    one begins.

    Args:
        text: The text, of at most `MAX_VALUES` values.
    """
    parser = _Parser(text)
    while (tree := parser.parse_tree()) is not None:
        yield tree


def format_sgf_node(properties: Mapping[str, Sequence[str]]) -> str:
    """Format a node: its semicolon, then the properties with their values, each escaped."""
    parts = [";"]
    for name, values in properties.items():
        parts.append(name)
        for value in values:
            escaped = _RESERVED.sub(r"\\\1", value)
            parts.append(f"[{escaped}]")
    return "".join(parts)


class _Parser:
    """Parses the trees of a text in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._line = 1
        self._counted = 0
        self._values = 0

    def parse_tree(self) -> SgfTree | None:
        """Parse the next tree; None at the end."""
        begin = _TREE.search(self._text, self._place)
        end = len(self._text) if begin is None else begin.start()
        stray = _STRAY.search(self._text, self._place, end) if self._place else None
        if begin is None and stray is None:
            return None
        self._place = begin.end() if stray is None else stray.start()  # type: ignore[union-attr]
        tree = SgfTree([SgfNode(self._find_line())])
        tree.fault = self._parse_nodes(tree.nodes)
        if stray is not None:
            tree.nodes[0].fault = "expected '(;' and what game it is, got actions"
        return tree

    def _parse_nodes(self, nodes: list[SgfNode]) -> str:
        """Parse until the tree is closed; all behind the first closed branch belongs to variations.

        Returns:
            What the end lacks; empty if it is closed.
        """
        depth, is_main = 1, True
        properties = nodes[0].properties
        while depth and self._place < len(self._text):
            self._place = _BLANK.match(self._text, self._place).end()  # type: ignore[union-attr]
            sign = self._text[self._place : self._place + 1]
            if not sign:
                break
            if sign == "(":
                if _ROOT.match(self._text, self._place):
                    return "expected ')', got the next game"
                depth += 1
                self._place += 1
            elif sign == ")":
                depth -= 1
                is_main = False
                self._place += 1
            elif sign == ";":
                self._place += 1
                properties = {}
                if is_main:
                    nodes.append(SgfNode(self._find_line(), properties))
            else:
                if fault := self._parse_property(properties):
                    nodes[-1].fault = nodes[-1].fault or fault
                    following = _NODE.search(self._text, self._place)
                    self._place = len(self._text) if following is None else following.start()
        return "expected ')', got the end" if depth and not nodes[-1].fault else ""

    def _parse_property(self, properties: dict[str, list[str]]) -> str:
        """Parse a property; return why the text cannot be read on, empty if it can."""
        name = _IDENTIFIER.match(self._text, self._place)
        if name is None:
            got = self._text[self._place : self._place + 20]
            return f"expected a property, ';' or ')', got {got!r}"
        self._place = _BLANK.match(self._text, name.end()).end()  # type: ignore[union-attr]
        found = _VALUE.match(self._text, self._place)
        if found is None:
            if self._text.startswith("[", self._place):  # no bracket is closed behind this one
                self._place = len(self._text)
            return f"expected a value in brackets behind {name[0][:20]}"
        values = properties.setdefault("".join(filter(str.isupper, name[0])), [])
        if name[0] in ("B", "W") and "[" in found[1]:
            found = _UNCLOSED.match(self._text, self._place) or found
        while found is not None:
            self._values += 1
            if self._values > MAX_VALUES:
                self._place = len(self._text)
                return f"expected at most {MAX_VALUES:,} values, got more"
            values.append(_ESCAPED.sub(_unescape, found[1]) if "\\" in found[1] else found[1])
            self._place = _BLANK.match(self._text, found.end()).end()  # type: ignore[union-attr]
            found = _VALUE.match(self._text, self._place)
        return ""

    def _find_line(self) -> int:
        """Return the line of the present place."""
        self._line += self._text.count("\n", self._counted, self._place)
        self._counted = max(self._counted, self._place)
        return self._line


def _unescape(found: re.Match[str]) -> str:
    """Return an escaped character; an escaped line end is none."""
    return "" if found[1][0] in "\r\n" else found[1]
