"""The parser of a tool's arguments: errors in one line that name what was meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from gammond.engine.options import MAX_QUOTED_CHARS, did_you_mean

_BARE_XGID = re.compile(r"-[-A-Oa-o]{25}:")
_DICE = re.compile(r"(?:--dice=)?([1-6])[-,: ]?([1-6])")
_KINDS: dict[object, str] = {int: "a whole number", float: "a number"}


class ToolParser(argparse.ArgumentParser):
    """Parses the arguments of a tool.

    It takes two spellings more than argparse: an XGID without its label, whose first field may begin with a
    dash as options do, and dice in one word, ``--dice 31``.
    """

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse all arguments; what is no argument of the tool is an error that names the nearest option."""
        words = [] if args is None else self._spell_out(args)
        parsed, rest = super().parse_known_args(words, namespace)
        if rest:
            word = rest[0].partition("=")[0]
            if word.startswith("-"):
                self.error(f"no option {word[:MAX_QUOTED_CHARS]!r}{did_you_mean(word, self._list_options())}")
            hint = next((f": {option} goes before each" for option in self._repeated if option in words), "")
            self.error(f"expected nothing more, got {rest[0][:MAX_QUOTED_CHARS]!r}{hint}")
        return parsed, rest

    def error(self, message: str) -> NoReturn:
        """Write what is wrong in one line, and exit with status 2."""
        text = message.removeprefix("argument ").replace("the following arguments are required:", "expected")
        self.exit(2, f"{self.prog}: {text}; see '{self.prog} --help'\n")

    def _spell_out(self, args: Sequence[str]) -> list[str]:
        words: list[str] = []
        for word in args:
            dice = _DICE.fullmatch(word)
            if dice and "--dice" in self._list_options() and (words[-1:] == ["--dice"] or len(word) > 6):
                words += [*(["--dice"] if word.startswith("--") else []), dice[1], dice[2]]
            else:
                words.append(f"XGID={word}" if _BARE_XGID.match(word) else word)
        return words

    @property
    def _repeated(self) -> list[str]:
        """Options that are given once for each of several values."""
        kind = argparse._AppendAction
        return [
            option for action in self._actions if isinstance(action, kind) for option in action.option_strings
        ]

    def _list_options(self) -> list[str]:
        return [option for action in self._actions for option in action.option_strings]

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:  # noqa: ANN401
        kind = _KINDS.get(action.type)
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if kind is None:
                raise
            text = f"expected {kind}, got {arg_string[:MAX_QUOTED_CHARS]!r}"
            raise argparse.ArgumentError(action, text) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        shown = f"{str(value)[:MAX_QUOTED_CHARS]!r}{did_you_mean(str(value), names)}"
        raise argparse.ArgumentError(action, f"expected one of {', '.join(names)}, got {shown}")
